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
