import VitrineMath

/// A shader of one's own over a layer.
///
/// ```swift
/// layer.effects = [
///     .layer(ShaderLibrary.default.ripple(.float2(touch), .float(t), .float(2), .float(4), .float(10), .float(800), .float(1)),
///            maxSampleOffset: Vector2(2, 2), isEnabled: 0 < t && t < 1),
///     .color(ShaderLibrary.default.grain(.float(0.05), .float(t))),
/// ]
/// ```
/// Effects work one after the other, each on what the one before it made.
public struct ShaderEffect: Equatable, Sendable {
    /// What a function makes of a layer.
    public enum Kind: CaseIterable, Hashable, Sendable {
        /// `fn f(position: vec2f, color: vec4f, …) -> vec4f`: another colour for each pixel.
        case color
        /// `fn f(position: vec2f, …) -> vec2f`: from which position each pixel takes its colour.
        case distortion
        /// `fn f(position: vec2f, layer: Layer, …) -> vec4f`: a colour made of as many places of the layer as it likes.
        case layer
    }

    public var kind: Kind
    public var shader: Shader
    /// Points, not below 0: how far outside of the layer its content may appear, in x and y. The picture grows by that on all sides.
    /// It does not limit where a function may look.
    public var maxSampleOffset: Vector2
    /// Nothing is compiled or drawn for an effect that is off.
    public var isEnabled: Bool
    /// The encoding of every colour that the function receives and returns. nil, the default: that of the function's library.
    public var workingSpace: WorkingSpace?

    public init(
        _ kind: Kind, _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) {
        (self.kind, self.shader, self.maxSampleOffset) = (kind, shader, maxSampleOffset)
        (self.isEnabled, self.workingSpace) = (isEnabled, workingSpace)
    }

    /// - Parameter workingSpace: nil: that of the shader's library.
    public static func color(_ shader: Shader, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil) -> ShaderEffect {
        ShaderEffect(.color, shader, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// - Parameters:
    ///   - maxSampleOffset: points; see the property.
    ///   - workingSpace: nil: that of the shader's library.
    public static func distortion(
        _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) -> ShaderEffect {
        ShaderEffect(.distortion, shader, maxSampleOffset: maxSampleOffset, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// - Parameters:
    ///   - maxSampleOffset: points; see the property.
    ///   - workingSpace: nil: that of the shader's library.
    public static func layer(
        _ shader: Shader, maxSampleOffset: Vector2 = .zero, isEnabled: Bool = true, workingSpace: WorkingSpace? = nil
    ) -> ShaderEffect {
        ShaderEffect(.layer, shader, maxSampleOffset: maxSampleOffset, isEnabled: isEnabled, workingSpace: workingSpace)
    }

    /// The working space that applies: the effect's own, or that of the library.
    var space: WorkingSpace { workingSpace ?? shader.function.library.workingSpace }
}

extension ShaderEffect.Kind {
    /// What a function is given before its own arguments.
    var givenTypes: [String] {
        switch self {
        case .color: ["vec2f", "vec4f"]
        case .distortion: ["vec2f"]
        case .layer: ["vec2f", "Layer"]
        }
    }

    var resultType: String { self == .distortion ? "vec2f" : "vec4f" }

    /// How such a function begins, for messages.
    var signature: String {
        switch self {
        case .color: "(position: vec2f, color: vec4f, …) -> vec4f"
        case .distortion: "(position: vec2f, …) -> vec2f"
        case .layer: "(position: vec2f, layer: Layer, …) -> vec4f"
        }
    }

    /// "colour effect".
    var name: String {
        switch self {
        case .color: "colour effect"
        case .distortion: "distortion effect"
        case .layer: "layer effect"
        }
    }
}
