import VitrineMath

/// Custom WGSL that changes a surface before it is lit: colours, numbers and normals by position, texture coordinates or time.
///
/// ```swift
/// material.surfaceFunction = try SurfaceFunction(source: """
///     fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
///         let wave = 0.5 + 0.5 * sin(20.0 * in.localPosition.y - 2.0 * in.time);
///         (*s).baseColor = mix((*s).baseColor, uniforms.tint, wave);
///         (*s).roughness = mix(0.1, 0.6, wave);
///     }
///     """, uniforms: ["tint": .float3(Vector3(0.9, 0.3, 0.1))])
/// try material.surfaceFunction?.set("tint", to: .float3(Vector3(0, 0, 1)))      // each frame, without compiling again
/// ```
///
/// It runs once per pixel, after the material's slots are read and before lighting. It reads `SurfaceInput` and writes `Surface`
/// (docs/rendering.md lists both); fields that it does not write keep the material's values. A lobe whose field occurs in the source
/// (`(*s).sheenColor`) is compiled even if the material's factor is 0. The function reads its uniforms as `uniforms.NAME` and its textures with
/// functions `NAME(uv)`, which return a texel. The source may contain other functions and constants. It is compiled when the material is first
/// drawn.
public struct SurfaceFunction {
    /// A uniform value that the function reads.
    public enum Value: Equatable, Sendable {
        /// A number, `f32` in WGSL.
        case float(Float)
        /// A vector, `vec2f` in WGSL.
        case float2(Vector2)
        /// A vector, `vec3f` in WGSL.
        case float3(Vector3)
        /// A vector, `vec4f` in WGSL.
        case float4(Vector4)
        /// A linear colour with straight alpha, `vec4f` in WGSL.
        case color(Color)
        /// A matrix, `mat4x4f` in WGSL.
        case matrix(Matrix4)
    }

    /// A texture that the function reads.
    package struct TextureInput {
        /// The name of the function that returns its texel.
        package let name: String
        package let map: TextureMap
        /// Whether integer formats are sRGB; false: linear numbers.
        package let holdsColor: Bool
    }

    /// The inputs of compilation. Functions with equal code are compiled once.
    package struct Code: Hashable, Sendable {
        package struct Uniform: Hashable, Sendable {
            package let name: String
            /// The WGSL type.
            package let type: String
        }

        package let source: String
        /// The entry point.
        package let name: String
        package let uniforms: [Uniform]

        package var hasUniforms: Bool { !uniforms.isEmpty }
    }

    package let code: Code
    /// The textures that the function reads.
    package let textures: [TextureInput]
    /// The file that contains the source, for messages of the compiler.
    public let file: String
    /// The line before the first line of the source.
    public let line: Int
    /// The values of the uniforms, in the order of declaration.
    private var values: [Value]
    /// The identifiers after dots in the source: the fields that it uses.
    private let members: [[UInt8]]

    /// Creates a function from WGSL.
    ///
    /// - Parameters:
    ///   - source: WGSL with a function `fn NAME(in: SurfaceInput, s: ptr<function, Surface>)`.
    ///   - name: The name of that function.
    ///   - uniforms: The names and initial values of the uniforms; the type of a uniform is fixed.
    ///   - textures: The colour textures, whose integer formats are sRGB. Their number is limited by the GPU.
    ///   - dataTextures: The textures of linear numbers, such as heights.
    ///   - file: The file that contains the source.
    ///   - line: The line on which the literal opens, so that the source begins on the next one; 0 for a separate file.
    /// - Throws: `SurfaceFunctionError` if there is no such function, or a name is not valid in WGSL.
    public init(
        source: String, name: String = "surface", uniforms: KeyValuePairs<String, Value> = [:],
        textures: KeyValuePairs<String, TextureMap> = [:], dataTextures: KeyValuePairs<String, TextureMap> = [:],
        file: String = #fileID, line: Int = #line
    ) throws(SurfaceFunctionError) {
        let text = ShaderWords(source)
        guard text.functions.contains(name) else {
            throw SurfaceFunctionError(file: file, line: line + 1, .noFunction(name: name, found: text.functions))
        }
        var declared: [Code.Uniform] = []
        for (key, value) in uniforms { declared.append(Code.Uniform(name: key, type: value.type)) }
        let textures =
            textures.map { TextureInput(name: $0.key, map: $0.value, holdsColor: true) }
            + dataTextures.map { TextureInput(name: $0.key, map: $0.value, holdsColor: false) }
        for key in declared.map({ $0.name }) + textures.map({ $0.name }) where !ShaderWords.isName(key) {
            throw SurfaceFunctionError(file: file, line: line + 1, .invalidName(key))
        }
        code = Code(source: source, name: name, uniforms: declared)
        values = uniforms.map { $0.value }
        (self.textures, self.file, self.line, members) = (textures, file, line, text.members)
    }

    /// The value of a uniform; nil if there is no uniform with this name.
    public subscript(name: String) -> Value? { code.uniforms.firstIndex { $0.name == name }.map { values[$0] } }

    /// Changes a uniform's value without compiling again.
    ///
    /// - Throws: `SurfaceFunctionError` if there is no uniform with this name, or it has another type.
    public mutating func set(_ name: String, to value: Value) throws(SurfaceFunctionError) {
        guard let index = code.uniforms.firstIndex(where: { $0.name == name }) else {
            throw SurfaceFunctionError(file: file, line: line + 1, .noUniform(name: name, found: code.uniforms.map { $0.name }))
        }
        guard code.uniforms[index].type == value.type else {
            throw SurfaceFunctionError(
                file: file, line: line + 1, .uniformType(name: name, expected: code.uniforms[index].type, actual: value.type))
        }
        values[index] = value
    }

    /// Returns whether the source uses a field with this name.
    package func sets(_ field: StaticString) -> Bool {
        field.withUTF8Buffer { name in members.contains { $0.elementsEqual(name) } }
    }

    /// The values in the layout of the shader: each is aligned to a vector of four components.
    package var block: [Vector4] {
        var block: [Vector4] = []
        for value in values {
            switch value {
            case .float(let x): block.append(Vector4(x, 0, 0, 0))
            case .float2(let v): block.append(Vector4(v.x, v.y, 0, 0))
            case .float3(let v): block.append(Vector4(v, 0))
            case .float4(let v): block.append(v)
            case .color(let color): block.append(color.linear)
            case .matrix(let m): block += [m.x, m.y, m.z, m.w]
            }
        }
        return block
    }
}

extension SurfaceFunction.Value {
    /// The WGSL type of the value.
    var type: String {
        switch self {
        case .float: "f32"
        case .float2: "vec2f"
        case .float3: "vec3f"
        case .float4, .color: "vec4f"
        case .matrix: "mat4x4f"
        }
    }
}
