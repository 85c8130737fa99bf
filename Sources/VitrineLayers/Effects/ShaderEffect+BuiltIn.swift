import VitrineMath

extension ShaderEffect {
    /// Makes what is drawn (a border, a stroke) light up around a touch: `ShaderLibrary.default.glow`.
    ///
    /// - Parameters:
    ///   - touch: points, in the layer.
    ///   - progress: 0, nothing is seen, to 1; where it is 0 or less the layer is not seen either.
    ///   - amplitude: how bright.
    public static func glow(at touch: Vector2, progress: Float, amplitude: Float = 3) -> ShaderEffect {
        .color(ShaderLibrary.default.glow(.float2(touch), .boundingRect, .float(amplitude), .float(progress)))
    }

    /// A ring that runs outwards from a point: `ShaderLibrary.default.ripple`. Off outside of its duration.
    ///
    /// - Parameters:
    ///   - origin: points, in the layer.
    ///   - time: seconds since it began.
    ///   - amplitude: points; the layer's picture grows by so much.
    ///   - frequency: radians a second.
    ///   - decay: to 1 / e in 1 / `decay` seconds.
    ///   - speed: points a second.
    ///   - duration: seconds.
    public static func ripple(
        at origin: Vector2, time: Float, amplitude: Float = 2, frequency: Float = 4, decay: Float = 10, speed: Float = 800,
        duration: Float = 1
    ) -> ShaderEffect {
        .layer(
            ShaderLibrary.default.ripple(
                .float2(origin), .float(time), .float(amplitude), .float(frequency), .float(decay), .float(speed), .float(duration)),
            maxSampleOffset: Vector2(repeating: abs(amplitude)), isEnabled: time > 0 && time < duration)
    }
}

extension ShaderLibrary {
    /// What a parameter of a function of the default library usually is; nil: the caller's own, as a place or a time. Those of `glow` and
    /// `ripple` are the defaults of `ShaderEffect.glow` and `ShaderEffect.ripple`.
    package static func usualArgument(_ parameter: String, of function: String) -> Shader.Argument? {
        switch (function, parameter) {
        case ("glow", "amplitude"): .float(3)
        case ("ripple", "amplitude"): .float(2)
        case ("ripple", "frequency"): .float(4)
        case ("ripple", "decay"): .float(10)
        case ("ripple", "speed"): .float(800)
        case ("ripple", "duration"): .float(1)
        case ("pixellate", "size"): .float2(8, 8)
        case ("wave", "amplitude"): .float(4)
        case ("wave", "length"): .float(40)
        case ("chromaticAberration", "offset"): .float2(4, 0)
        case ("hueRotation", "angle"): .float(.pi / 2)
        case ("grayscale", "amount"), ("invert", "amount"): .float(1)
        case ("grain", "amount"): .float(0.15)
        case ("grain", "size"): .float(2)
        case ("grain", "seed"): .float(1)
        default: nil
        }
    }
}
