import VitrineMath
import VitrineRender

/// A value `array<vec4f, 3>`: the columns of a homography; the fourth components can contain other numbers.
struct ShaderHomography: ShaderValue {
    var u = Vector4(), v = Vector4(), one = Vector4()

    static var shaderType: ShaderType { ShaderType("array<vec4f, 3>", byteCount: 48, alignment: 16) }
}

/// A value `array<vec4f, 4>`.
struct ShaderVectors4: ShaderValue {
    var a, b, c, d: Vector4

    /// Creates the value from a list of vectors.
    ///
    /// - Parameter vectors: At least one vector; the first four are used, and the last is repeated.
    init(_ vectors: some Collection<Vector4>) {
        func vector(_ index: Int) -> Vector4 { vectors[vectors.index(vectors.startIndex, offsetBy: min(index, vectors.count - 1))] }
        (a, b, c, d) = (vector(0), vector(1), vector(2), vector(3))
    }

    static var shaderType: ShaderType { ShaderType("array<vec4f, 4>", byteCount: 64, alignment: 16) }
}

/// A value `array<vec4f, 8>`.
struct ShaderVectors8: ShaderValue {
    var low, high: ShaderVectors4

    /// Creates the value from a list of vectors.
    ///
    /// - Parameter vectors: At least one vector; the last is repeated.
    init(_ vectors: some Collection<Vector4>) {
        low = ShaderVectors4(vectors)
        high = ShaderVectors4(vectors.count > 4 ? vectors.dropFirst(4) : vectors.dropFirst(vectors.count - 1))
    }

    static var shaderType: ShaderType { ShaderType("array<vec4f, 8>", byteCount: 128, alignment: 16) }
}
