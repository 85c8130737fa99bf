import VitrineMath

/// A structure that Swift fills and shaders read.
///
/// The stored properties are the one description of its layout: `wgsl` is generated from the list of fields, whose types and offsets come from the
/// properties. `layoutProblems` compares the offsets with those of WGSL's rules; a test runs it for every structure.
///
/// ```
/// struct Fog: ShaderStructure {
///     var color = Vector4()
///     /// Per metre.
///     var density: Float = 0
///
///     static let name = "Fog"
///     static let fields: [ShaderField<Fog>] = [.init("color") { $0.color }, .init("density") { $0.density }]
/// }
/// let code = Fog.wgsl + "@group(0) @binding(0) var<uniform> fog: Fog;"
/// ```
package protocol ShaderStructure: BitwiseCopyable {
    /// The structure's name in WGSL.
    static var name: String { get }
    /// Every stored property, in the order of declaration.
    static var fields: [ShaderField<Self>] { get }
    /// Members after the fields that differ between shaders, as `name: array<…>`; nil, the default: none.
    static var trailingMembers: String? { get }
}

extension ShaderStructure {
    package static var trailingMembers: String? { nil }

    /// The size of one element in bytes, a multiple of its alignment; without the trailing members.
    package static var byteCount: Int { MemoryLayout<Self>.stride }

    /// The declaration of the structure, ended by a line break.
    package static var wgsl: String {
        var text = "struct \(name) {\n"
        for field in fields { text += "    \(field.name): \(field.type.name),\n" }
        if let trailingMembers { text += "    \(trailingMembers),\n" }
        return text + "}\n"
    }

    /// Descriptions of the fields whose layout in Swift differs from that in WGSL; empty if the layouts agree.
    package static var layoutProblems: [String] {
        var problems: [String] = []
        var (end, alignment) = (0, 1)
        for field in fields {
            let offset = roundedUp(end, to: field.type.alignment)
            if offset != field.offset { problems.append("\(name).\(field.name) is at \(field.offset) in Swift, \(offset) in WGSL") }
            end = offset + field.type.byteCount
            alignment = max(alignment, field.type.alignment)
        }
        if roundedUp(end, to: alignment) != byteCount {
            problems.append("\(name) has \(byteCount) bytes in Swift, \(roundedUp(end, to: alignment)) in WGSL")
        }
        if trailingMembers != nil, byteCount % 16 != 0 {
            problems.append("\(name) ends at \(byteCount), before the alignment of the trailing members")
        }
        return problems
    }

    /// Compares bit for bit, so that NaN equals itself. The size must be a multiple of 16 bytes.
    func hasSameBytes(as other: Self) -> Bool {
        withUnsafeBytes(of: self) { a in
            withUnsafeBytes(of: other) { b in
                for offset in stride(from: 0, to: a.count, by: 16)
                where a.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                    != b.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                {
                    return false
                }
                return true
            }
        }
    }

    private static func roundedUp(_ offset: Int, to alignment: Int) -> Int { (offset + alignment - 1) / alignment * alignment }
}

/// A stored property of a `ShaderStructure`.
package struct ShaderField<Root: BitwiseCopyable> {
    package let name: String
    package let type: ShaderType
    /// The distance in bytes from the beginning of the Swift structure.
    package let offset: Int

    /// Creates the description of a property.
    ///
    /// - Parameter read: Returns the property.
    package init<Value: ShaderValue>(_ name: String, _ read: (Root) -> Value) {
        (self.name, type) = (name, Value.shaderType)
        // Embedded Swift has no key paths: a structure in which each word contains its index yields the offset of a property.
        let stride = MemoryLayout<Root>.stride
        let words = UnsafeMutableRawPointer.allocate(byteCount: stride, alignment: 16)
        defer { words.deallocate() }
        for word in 0..<stride / 4 { words.storeBytes(of: UInt32(word), toByteOffset: 4 * word, as: UInt32.self) }
        let value = read(words.load(as: Root.self))
        offset = 4 * Int(withUnsafeBytes(of: value) { $0.load(as: UInt32.self) })
    }
}

/// A type of WGSL: its name, and its size and alignment in bytes.
package struct ShaderType: Equatable {
    package let name: String
    package let byteCount, alignment: Int

    package init(_ name: String, byteCount: Int, alignment: Int) {
        (self.name, self.byteCount, self.alignment) = (name, byteCount, alignment)
    }
}

/// A Swift type with an equivalent in WGSL.
package protocol ShaderValue: BitwiseCopyable {
    static var shaderType: ShaderType { get }
}

extension Float: ShaderValue {
    package static var shaderType: ShaderType { ShaderType("f32", byteCount: 4, alignment: 4) }
}

extension UInt32: ShaderValue {
    package static var shaderType: ShaderType { ShaderType("u32", byteCount: 4, alignment: 4) }
}

extension SIMD2<Float>: ShaderValue {
    package static var shaderType: ShaderType { ShaderType("vec2f", byteCount: 8, alignment: 8) }
}

extension SIMD4<Float>: ShaderValue {
    package static var shaderType: ShaderType { ShaderType("vec4f", byteCount: 16, alignment: 16) }
}

/// A matrix `mat4x4f`, stored as four columns.
package struct ShaderMatrix4: ShaderValue {
    package var x, y, z, w: Vector4

    package init(_ m: Matrix4 = .identity) { (x, y, z, w) = (m.x, m.y, m.z, m.w) }

    package static var shaderType: ShaderType { ShaderType("mat4x4f", byteCount: 64, alignment: 16) }
}

/// A matrix `mat3x3f`, stored as three columns that are each padded to four numbers.
package struct ShaderMatrix3: ShaderValue {
    package var x, y, z: Vector4

    package init(_ m: Matrix3 = .identity) { (x, y, z) = (Vector4(m.x, 0), Vector4(m.y, 0), Vector4(m.z, 0)) }

    package static var shaderType: ShaderType { ShaderType("mat3x3f", byteCount: 48, alignment: 16) }
}

/// The upper three rows of a matrix whose last row is 0, 0, 0, 1: `dot(rows[i], vec4f(point, 1.0))` transforms a point.
package struct ShaderRows: ShaderValue, Equatable {
    package var x, y, z: Vector4

    package init(_ m: Matrix4 = .identity) {
        x = Vector4(m.x.x, m.y.x, m.z.x, m.w.x)
        y = Vector4(m.x.y, m.y.y, m.z.y, m.w.y)
        z = Vector4(m.x.z, m.y.z, m.z.z, m.w.z)
    }

    package static var shaderType: ShaderType { ShaderType("array<vec4f, 3>", byteCount: 48, alignment: 16) }
}
