import VitrineMath

/// WGSL of your own that changes a surface before it is lit: colours, numbers and normals by position, texture coordinates or time.
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
/// It runs once a pixel, after the material's slots were read and before light. It sees `SurfaceInput` and writes `Surface`
/// (docs/guide/materials.md lists both); what it leaves alone stays as the material has it. A lobe that its text names (`(*s).sheenColor`) is there
/// even where the material's own factor is 0. Its uniforms are `uniforms.NAME`, its pictures functions `NAME(uv)` that give a texel.
/// Other functions and constants may stand beside it. It is compiled when the material is first drawn.
public struct SurfaceFunction {
    /// A number that the function reads.
    public enum Value: Equatable, Sendable {
        case float(Float)
        case float2(Vector2)
        case float3(Vector3)
        case float4(Vector4)
        /// `vec4f`: linear, straight alpha.
        case color(Color)
        /// `mat4x4f`.
        case matrix(Matrix4)
    }

    /// A picture that the function reads.
    public struct Picture {
        /// The name of the function that gives its texel.
        public var name: String
        public var map: TextureMap
        /// sRGB in integer formats; else numbers as they are.
        public var holdsColor: Bool

        public init(_ name: String, _ map: TextureMap, holdsColor: Bool = true) {
            (self.name, self.map, self.holdsColor) = (name, map, holdsColor)
        }
    }

    /// What the compiled text depends on: functions that agree in it are compiled once.
    public struct Code: Hashable, Sendable {
        public struct Uniform: Hashable, Sendable {
            public let name: String
            /// In WGSL.
            public let type: String
        }

        public let source: String
        /// The entry point.
        public let name: String
        public let uniforms: [Uniform]

        public var hasUniforms: Bool { !uniforms.isEmpty }
    }

    public let code: Code
    public let pictures: [Picture]
    /// Where the text stands, for messages of the compiler.
    public let file: String
    /// The line before the text's first.
    public let line: Int
    public private(set) var values: [Value]
    /// What follows a dot in the text: the fields that it touches.
    private let members: [[UInt8]]

    /// - Parameters:
    ///   - source: WGSL with a function `fn NAME(in: SurfaceInput, s: ptr<function, Surface>)`.
    ///   - name: its name.
    ///   - uniforms: names and first values; a value's type stays.
    ///   - pictures: at most as many as the GPU binds beside the material's own.
    ///   - file: where the text stands.
    ///   - line: the line on which its literal opens, so that the first line is the next; 0 for a file of its own.
    /// - Throws: where there is no such function, or a name can't be one in WGSL.
    public init(
        source: String, name: String = "surface", uniforms: KeyValuePairs<String, Value> = [:], pictures: [Picture] = [],
        file: String = #fileID, line: Int = #line
    ) throws(SurfaceFunctionError) {
        let text = ShaderWords(source)
        guard text.functions.contains(name) else {
            throw SurfaceFunctionError(file: file, line: line + 1, .noFunction(name: name, found: text.functions))
        }
        var declared: [Code.Uniform] = []
        for (key, value) in uniforms { declared.append(Code.Uniform(name: key, type: value.type)) }
        for key in declared.map({ $0.name }) + pictures.map({ $0.name }) where !ShaderWords.isName(key) {
            throw SurfaceFunctionError(file: file, line: line + 1, .invalidName(key))
        }
        code = Code(source: source, name: name, uniforms: declared)
        values = uniforms.map { $0.value }
        (self.pictures, self.file, self.line, members) = (pictures, file, line, text.members)
    }

    /// The value of a uniform; nil: there is none of that name.
    public subscript(name: String) -> Value? { code.uniforms.firstIndex { $0.name == name }.map { values[$0] } }

    /// Changes a uniform's value; nothing is compiled.
    ///
    /// - Throws: where there is no uniform of that name, or it has another type.
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

    /// Whether the text touches a field of that name.
    public func sets(_ field: StaticString) -> Bool {
        field.withUTF8Buffer { name in members.contains { $0.elementsEqual(name) } }
    }

    /// The values as the shader reads them: each begins a vector of four.
    public var block: [Vector4] {
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
    /// In WGSL.
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
