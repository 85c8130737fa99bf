import VitrineMath

extension ShaderEffect {
    /// A glow of the layer (a border, a stroke) around a touch: `ShaderLibrary.default.glow`.
    ///
    /// - Parameters:
    ///   - touch: The position in points of the layer.
    ///   - progress: 0…1; at 0 or less the layer is invisible.
    ///   - amplitude: The brightness. Default 3.
    public static func glow(at touch: Vector2, progress: Float, amplitude: Float = 3) -> ShaderEffect {
        .color(ShaderLibrary.default.glow(.float2(touch), .boundingRect, .float(amplitude), .float(progress)))
    }

    /// A ring that expands from a point: `ShaderLibrary.default.ripple`. Disabled outside its duration.
    ///
    /// - Parameters:
    ///   - origin: The position in points of the layer.
    ///   - time: Seconds since the start.
    ///   - amplitude: Points; the result grows by it on all sides. Default 2.
    ///   - frequency: Radians per second. Default 4.
    ///   - decay: The amplitude decreases to 1 / e in 1 / `decay` seconds. Default 10.
    ///   - speed: Points per second. Default 800.
    ///   - duration: Seconds. Default 1.
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
    /// The default argument of a parameter of the default library; nil for parameters without one, such as positions and times. Those of `glow` and
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
