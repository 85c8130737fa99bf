/// What kind of model a file holds, told by its first bytes, never by its name.
public enum ModelFormat: String, CaseIterable, Sendable {
    case glb, gltf
    case collada, usda, usdc, usdz, obj, ply, stl, off, fbx

    /// As people call it.
    public var displayName: String {
        switch self {
        case .glb: "GLB"
        case .gltf: "glTF"
        case .collada: "COLLADA"
        case .usda: "USD text (usda)"
        case .usdc: "USD binary (usdc)"
        case .usdz: "USDZ"
        case .obj: "Wavefront OBJ"
        case .ply: "PLY"
        case .stl: "STL"
        case .off: "OFF"
        case .fbx: "FBX"
        }
    }

    /// Whether `SceneFile` reads it.
    public var isSupported: Bool {
        switch self {
        case .glb, .gltf, .obj, .ply, .stl, .off, .usda, .usdc, .usdz, .collada: true
        case .fbx: false
        }
    }

    /// The format that the first bytes name, or nil. OBJ and binary STL have no signature: they are recognized by how their content begins.
    public init?(firstBytesOf bytes: [UInt8]) {
        let head = Array(bytes.prefix(4096))
        if head.starts(with: "glTF".utf8) {
            self = .glb
        } else if head.starts(with: "#usda".utf8) {
            self = .usda
        } else if head.starts(with: "PXR-USDC".utf8) {
            self = .usdc
        } else if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            // A package of USD begins with its layer; one of COLLADA (.zae) has a document somewhere.
            self = ModelFormat.holdsCOLLADA(bytes) ? .collada : .usdz
        } else if head.starts(with: "Kaydara FBX Binary".utf8) || head.starts(with: "; FBX".utf8) {
            self = .fbx
        } else if head.starts(with: "ply\n".utf8) || head.starts(with: "ply\r".utf8) {
            self = .ply
        } else if let format = ModelFormat(text: ModelFormat.text(head)) {
            self = format
        } else if ModelFormat.isBinarySTL(bytes) {
            self = .stl
        } else {
            return nil
        }
    }

    /// The bytes as text: UTF-8, or UTF-16 where a byte order mark says so.
    private static func text(_ bytes: [UInt8]) -> String {
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return String(decoding: bytes, as: UTF8.self) }
        let low = bytes[0] == 0xFF ? 0 : 1
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }

    /// Whether a zip archive's directory, at its end, names a document of COLLADA and no layer of USD comes first.
    private static func holdsCOLLADA(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 30 else { return false }
        let length = Int(bytes[26]) | Int(bytes[27]) << 8
        let first = String(decoding: bytes[30..<min(30 + length, bytes.count)], as: UTF8.self).lowercased()
        if first.hasSuffix(".usdc") || first.hasSuffix(".usda") || first.hasSuffix(".usd") { return false }
        guard let archive = try? ZipArchive(bytes, file: "", allowsDeflate: true) else { return first.hasSuffix(".dae") }
        return archive.entries.contains { $0.name.lowercased().hasSuffix(".dae") || $0.name.lowercased() == "manifest.xml" }
    }

    private init?(text: String) {
        let content = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if content.hasPrefix("{") {
            self = .gltf
        } else if content.hasPrefix("<"), content.contains("<COLLADA") {
            self = .collada
        } else if content.prefix(5).lowercased() == "solid",
            content.lowercased().contains("facet") || content.lowercased().contains("endsolid")
        {
            self = .stl
        } else if OFFReader.matches(content) {
            self = .off
        } else if ModelFormat.isOBJ(content) {
            self = .obj
        } else {
            return nil
        }
    }

    /// The first line that is no comment is one of OBJ's statements.
    private static func isOBJ(_ text: Substring) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).prefix(64)
        guard let line = lines.first(where: { !$0.hasPrefix("#") }) else { return false }
        return ["v ", "vn ", "vt ", "vp ", "mtllib ", "usemtl ", "o ", "g ", "s "].contains { line.hasPrefix($0) }
    }

    /// 80 bytes of anything, a count, and that many triangles of 50 bytes.
    private static func isBinarySTL(_ bytes: [UInt8]) -> Bool { STLReader.binaryCount(bytes) ?? 0 > 0 }
}
