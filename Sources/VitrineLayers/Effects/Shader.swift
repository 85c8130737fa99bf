import VitrineMath
import VitrineScene

/// A function of a shader library with its arguments.
public struct Shader: Equatable, Sendable {
    /// The shader function to call.
    public var function: ShaderFunction
    /// The arguments after the position and the colour or layer.
    public var arguments: [Argument]

    /// Creates a shader.
    public init(function: ShaderFunction, arguments: [Argument]) { (self.function, self.arguments) = (function, arguments) }

    /// An argument of a shader function. Numbers must be finite.
    public struct Argument: Equatable, Sendable {
        enum Value: Equatable, Sendable {
            case float(Float)
            case float2(Vector2)
            case float3(Vector3)
            case float4(Vector4)
            case color(Color)
            case boundingRect
            case floats([Float])
            case colors([Color])
            case data([UInt8])
            /// An image, compared by identity.
            case image(ShaderImage)
        }

        let value: Value
    }
}

extension Shader.Argument {
    /// Creates an `f32` argument.
    public static func float(_ x: Float) -> Self { Self(value: .float(x)) }
    /// Creates an `f32` argument.
    public static func float<T: BinaryFloatingPoint>(_ x: T) -> Self { Self(value: .float(Float(x))) }
    /// Creates a `vec2f` argument.
    public static func float2(_ x: Float, _ y: Float) -> Self { Self(value: .float2(Vector2(x, y))) }
    /// Creates a `vec2f` argument: a point, a size, a vector.
    public static func float2(_ v: Vector2) -> Self { Self(value: .float2(v)) }
    /// Creates a `vec3f` argument.
    public static func float3(_ x: Float, _ y: Float, _ z: Float) -> Self { Self(value: .float3(Vector3(x, y, z))) }
    /// Creates a `vec3f` argument.
    public static func float3(_ v: Vector3) -> Self { Self(value: .float3(v)) }
    /// Creates a `vec4f` argument.
    public static func float4(_ x: Float, _ y: Float, _ z: Float, _ w: Float) -> Self { Self(value: .float4(Vector4(x, y, z, w))) }
    /// Creates a `vec4f` argument.
    public static func float4(_ v: Vector4) -> Self { Self(value: .float4(v)) }
    /// Creates a `vec4f` argument: a colour in the effect's working space, premultiplied like the colours of the layer.
    public static func color(_ color: Color) -> Self { Self(value: .color(color)) }
    /// A `vec4f` argument: x, y, width and height of the layer in points, without the margins of effects.
    public static var boundingRect: Self { Self(value: .boundingRect) }
    /// Creates a `FloatArray` argument, with `count` and `floatAt(array, index)`.
    public static func floatArray(_ values: [Float]) -> Self { Self(value: .floats(values)) }
    /// Creates a `ColorArray` argument, with `count` and `colorAt(array, index)`; encoded like `color`.
    public static func colorArray(_ colors: [Color]) -> Self { Self(value: .colors(colors)) }
    /// Creates a `Data` argument, with `count`, `byteAt(data, index)` and `wordAt(data, index)` (little endian).
    public static func data(_ bytes: [UInt8]) -> Self { Self(value: .data(bytes)) }
    /// Creates an `Image` argument, with `sampleImage(image, uv)` and `imageSize(image)`. Integer formats are sRGB, floats linear; texels are in the
    /// effect's working space. The image is uploaded once while effects use it.
    public static func image(_ image: Image) -> Self { Self(value: .image(ShaderImage(image: image))) }
}

/// An image argument, compared by identity.
struct ShaderImage: Equatable, Sendable {
    let image: Image

    static func == (a: ShaderImage, b: ShaderImage) -> Bool { a.image === b.image }
}

extension Shader.Argument.Value {
    /// The name in error messages.
    var name: String {
        switch self {
        case .float: "float"
        case .float2: "float2"
        case .float3: "float3"
        case .float4: "float4"
        case .color: "color"
        case .boundingRect: "boundingRect"
        case .floats: "floatArray"
        case .colors: "colorArray"
        case .data: "data"
        case .image: "image"
        }
    }

    /// The kind of parameter that accepts the argument.
    var slot: ShaderSignature.Slot {
        switch self {
        case .float: .float
        case .float2: .float2
        case .float3: .float3
        case .float4, .color, .boundingRect: .float4
        case .floats: .floats
        case .colors: .colors
        case .data: .data
        case .image: .image
        }
    }

    var isFinite: Bool {
        switch self {
        case .float(let x): x.isFinite
        case .float2(let v): v.isFinite
        case .float3(let v): v.isFinite
        case .float4(let v): v.isFinite
        case .color(let color): color.linear.isFinite
        case .floats(let values): values.allSatisfy { $0.isFinite }
        case .colors(let colors): colors.allSatisfy { $0.linear.isFinite }
        case .boundingRect, .data, .image: true
        }
    }
}
