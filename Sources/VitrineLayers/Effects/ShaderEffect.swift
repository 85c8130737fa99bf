import VitrineMath

/// A custom shader effect on a layer.
///
/// ```swift
/// layer.effects = [
///     .layer(ShaderLibrary.default.ripple(.float2(touch), .float(t), .float(2), .float(4), .float(10), .float(800), .float(1)),
///            maxSampleOffset: Vector2(2, 2), isEnabled: 0 < t && t < 1),
///     .color(ShaderLibrary.default.grain(.float(0.05), .float(t))),
/// ]
/// ```
/// Effects are applied in order, each to the result of the previous one.
public struct ShaderEffect: Equatable, Sendable {
    /// The kind of an effect.
    package enum Kind: CaseIterable, Hashable, Sendable {
        /// An effect that computes the new colour of each pixel: `fn f(position: vec2f, color: vec4f, …) -> vec4f`.
        case color
        /// An effect that computes the position from which each pixel takes its colour: `fn f(position: vec2f, …) -> vec2f`.
        case distortion
        /// An effect that computes each pixel from any positions of the layer: `fn f(position: vec2f, layer: Layer, …) -> vec4f`.
        case layer
    }

    /// The kind of the effect.
    package var kind: Kind
    /// The function and its arguments.
    public var shader: Shader
    /// The largest distance in points, in x and y, by which content may appear outside the layer. The result grows by this distance on all sides. It
    /// does not limit the positions that a function may sample.
    public var maxSampleOffset: Vector2
    /// Whether the effect is applied. A disabled effect is not compiled.
    public var isEnabled: Bool
    /// The encoding of the colours that the function receives and returns. Default nil: that of the function's library.
    public var workingSpace: WorkingSpace?

    package init(
        _ kind: Kind, _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) {
        (self.kind, self.shader, self.maxSampleOffset) = (kind, shader, maxSampleOffset)
        (self.isEnabled, self.workingSpace) = (isEnabled, workingSpace)
    }

    /// Changes the colour of each pixel: the function is `fn f(position: vec2f, color: vec4f, …) -> vec4f`.
    ///
    /// - Parameter workingSpace: The encoding of colours; nil for that of the shader's library.
    public static func color(_ shader: Shader, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil) -> ShaderEffect {
        ShaderEffect(.color, shader, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// Moves pixels: the function `fn f(position: vec2f, …) -> vec2f` returns the position from which a pixel takes its colour.
    ///
    /// - Parameters:
    ///   - maxSampleOffset: The largest distance in points; see the property.
    ///   - workingSpace: The encoding of colours; nil for that of the shader's library.
    public static func distortion(
        _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) -> ShaderEffect {
        ShaderEffect(.distortion, shader, maxSampleOffset: maxSampleOffset, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// Computes each pixel from any positions of the layer: the function is `fn f(position: vec2f, layer: Layer, …) -> vec4f`.
    ///
    /// - Parameters:
    ///   - maxSampleOffset: The largest distance in points; see the property.
    ///   - workingSpace: The encoding of colours; nil for that of the shader's library.
    public static func layer(
        _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) -> ShaderEffect {
        ShaderEffect(.layer, shader, maxSampleOffset: maxSampleOffset, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// The effective working space: that of the effect, or of its library.
    var space: WorkingSpace { workingSpace ?? shader.function.library.workingSpace }
}

extension ShaderEffect.Kind {
    /// The types of the parameters before the arguments.
    var givenTypes: [String] {
        switch self {
        case .color: ["vec2f", "vec4f"]
        case .distortion: ["vec2f"]
        case .layer: ["vec2f", "Layer"]
        }
    }

    var resultType: String { self == .distortion ? "vec2f" : "vec4f" }

    /// The signature in error messages.
    var signature: String {
        switch self {
        case .color: "(position: vec2f, color: vec4f, …) -> vec4f"
        case .distortion: "(position: vec2f, …) -> vec2f"
        case .layer: "(position: vec2f, layer: Layer, …) -> vec4f"
        }
    }

    /// The name in messages: "colour effect".
    var name: String {
        switch self {
        case .color: "colour effect"
        case .distortion: "distortion effect"
        case .layer: "layer effect"
        }
    }
}

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
    ///   - time: The time in seconds since the start.
    ///   - amplitude: The amplitude in points; the result grows by it on all sides. Default 2.
    ///   - frequency: The frequency in radians per second. Default 4.
    ///   - decay: The amplitude decreases to 1 / e in 1 / `decay` seconds. Default 10.
    ///   - speed: The speed in points per second. Default 800.
    ///   - duration: The duration in seconds. Default 1.
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
