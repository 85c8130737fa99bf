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
        let head = ModelFormat.head(bytes)
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
        } else if ModelFormat.isPLY(head) {
            self = .ply
        } else if let format = ModelFormat(text: String(decoding: head, as: UTF8.self)) {
            self = format
        } else if ModelFormat.isBinarySTL(bytes) {
            self = .stl
        } else {
            return nil
        }
    }

    /// Whether the format is text in any encoding that `TextEncoding` knows. COLLADA names its encoding itself; glTF is UTF-8.
    var isPlainText: Bool {
        switch self {
        case .usda, .obj, .ply, .stl, .off: true
        case .glb, .gltf, .collada, .usdc, .usdz, .fbx: false
        }
    }

    /// The first bytes, text as UTF-8, without the blanks at the start of a text.
    private static func head(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.prefix(maximumBlanks)
        let head = Array(start)
        guard let text = try? TextEncoding.utf8(head, file: "") else { return Array(head.prefix(4096)) }
        let blanks = text.prefix { $0 == 0x20 || $0 >= 0x09 && $0 <= 0x0D }.count
        return Array(text[blanks...].prefix(4096))
    }

    /// Bytes before which a text must begin.
    private static let maximumBlanks = 1 << 16

    /// The first line is the word "ply".
    private static func isPLY(_ head: [UInt8]) -> Bool {
        guard head.starts(with: "ply".utf8) else { return false }
        let rest = head.dropFirst(3).drop { $0 == 0x20 || $0 == 0x09 }
        return rest.first == 0x0A || rest.first == 0x0D
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
        } else if OFFReader.matches(content.dropComments()) {
            self = .off
        } else if ModelFormat.isOBJ(content) {
            self = .obj
        } else {
            return nil
        }
    }

    /// The first line that is no comment is one of OBJ's statements.
    private static func isOBJ(_ text: Substring) -> Bool {
        let line = text.dropComments().prefix { !$0.isNewline }
        guard let word = line.split(whereSeparator: \.isWhitespace).first else { return false }
        return ["v", "vn", "vt", "vp", "f", "l", "p", "mtllib", "usemtl", "o", "g", "s"].contains(word)
    }

    /// 80 bytes of anything, a count, and that many triangles of 50 bytes.
    private static func isBinarySTL(_ bytes: [UInt8]) -> Bool { STLReader.binaryCount(bytes) ?? 0 > 0 }
}

extension Substring {
    /// From the first line that is neither blank nor a comment.
    fileprivate func dropComments() -> Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.hasPrefix("#") { rest = rest.drop { !$0.isNewline }.drop(while: \.isWhitespace) }
        return rest
    }
}
