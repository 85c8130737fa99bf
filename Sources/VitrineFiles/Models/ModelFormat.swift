/// What kind of model a file holds, told by its first bytes, never by its name.
public enum ModelFormat: String, CaseIterable, Sendable {
    case glb, gltf
    case collada, usda, usdc, usdz, obj, ply, stl, fbx

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
        case .fbx: "FBX"
        }
    }

    /// Whether `SceneFile` reads it.
    public var isSupported: Bool {
        switch self {
        case .glb, .gltf, .obj, .ply, .usda, .usdc, .usdz: true
        case .collada, .stl, .fbx: false
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
            self = .usdz
        } else if head.starts(with: "Kaydara FBX Binary".utf8) || head.starts(with: "; FBX".utf8) {
            self = .fbx
        } else if head.starts(with: "ply\n".utf8) || head.starts(with: "ply\r".utf8) {
            self = .ply
        } else if let format = ModelFormat(text: String(decoding: head, as: UTF8.self)) {
            self = format
        } else if ModelFormat.isBinarySTL(bytes) {
            self = .stl
        } else {
            return nil
        }
    }

    private init?(text: String) {
        let content = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if content.hasPrefix("{") {
            self = .gltf
        } else if content.hasPrefix("<"), content.contains("<COLLADA") {
            self = .collada
        } else if content.hasPrefix("solid"), content.contains("facet") {
            self = .stl
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

    /// 80 bytes of anything, a count, and exactly that many triangles of 50 bytes.
    private static func isBinarySTL(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 84 else { return false }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[80 + $1]) << (8 * $1) }
        return bytes.count == 84 + 50 * count
    }
}
