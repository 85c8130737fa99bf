/// A format of model files: its name, whether Vitrine reads and writes it, its extensions, and how to detect it.
///
/// The content determines the format of a file that is read, the extension that of a file that is written.
public enum ModelFormat: String, CaseIterable, Sendable {
    /// glTF 2.0, binary (`.glb`).
    case glb
    /// glTF 2.0, JSON text (`.gltf`) with referenced files.
    case gltf
    /// COLLADA 1.4 and 1.5 (`.dae`), and its packages (`.zae`).
    case collada
    /// USD text.
    case usda
    /// USD binary.
    case usdc
    /// A package of a USD layer with its textures.
    case usdz
    /// Wavefront OBJ with MTL.
    case obj
    /// PLY: a mesh or a point cloud.
    case ply
    /// STL, text or binary.
    case stl
    /// OFF. Read only.
    case off
    /// Autodesk FBX. Detected, but neither read nor written.
    case fbx

    /// The name of the format in messages, such as "Wavefront OBJ".
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

    /// Whether `SceneFile` reads the format.
    public var isSupported: Bool {
        switch self {
        case .glb, .gltf, .obj, .ply, .stl, .off, .usda, .usdc, .usdz, .collada: true
        case .fbx: false
        }
    }

    /// The extensions of files that `ModelFile` writes, without the dot, with their format. This is the only list of output formats.
    static let extensionsOfOutputs: [(name: String, format: ModelFormat)] = [
        ("glb", .glb), ("gltf", .gltf), ("usdz", .usdz), ("usdc", .usdc), ("usd", .usdc), ("usda", .usda), ("obj", .obj), ("ply", .ply),
        ("dae", .collada), ("zae", .collada), ("stl", .stl),
    ]

    /// The names of the formats that `SceneFile` reads, for messages.
    package static var readableNames: String { allCases.filter(\.isSupported).map(\.displayName).joined(separator: ", ") }

    /// Whether `ModelFile` writes files beside the model: textures, and for some formats materials or buffers.
    package var writesFilesBeside: Bool {
        switch self {
        case .gltf, .obj, .usda, .usdc, .collada: true
        case .glb, .usdz, .ply, .stl, .off, .fbx: false
        }
    }

    /// Detects the format from the content of a file; nil if it is not a known model format.
    ///
    /// OBJ and binary STL have no signature. They are detected by their first statements and by their length.
    ///
    /// - Parameter bytes: The whole file.
    public init?(firstBytesOf bytes: [UInt8]) {
        let head = ModelFormat.head(bytes)
        if head.starts(with: "glTF".utf8) {
            self = .glb
        } else if head.starts(with: "#usda".utf8) {
            self = .usda
        } else if head.starts(with: "PXR-USDC".utf8) {
            self = .usdc
        } else if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            // A USD package starts with a layer; a COLLADA package (.zae) contains a document.
            self = ModelFormat.containsCOLLADA(bytes) ? .collada : .usdz
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

    /// Whether the format is text in any encoding that `TextEncoding` supports. COLLADA declares its encoding; glTF is UTF-8.
    var isPlainText: Bool {
        switch self {
        case .usda, .obj, .ply, .stl, .off: true
        case .glb, .gltf, .collada, .usdc, .usdz, .fbx: false
        }
    }

    /// Returns the first bytes, converted to UTF-8 if they are text, without leading white space.
    private static func head(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.prefix(maximumBlanks)
        let head = Array(start)
        guard let text = try? TextEncoding.utf8(head, file: "") else { return Array(head.prefix(4096)) }
        let blanks = text.prefix { $0 == 0x20 || $0 >= 0x09 && $0 <= 0x0D }.count
        return Array(text[blanks...].prefix(4096))
    }

    /// The maximum number of leading white-space bytes.
    private static let maximumBlanks = 1 << 16

    /// Returns whether the first line is the word "ply".
    private static func isPLY(_ head: [UInt8]) -> Bool {
        guard head.starts(with: "ply".utf8) else { return false }
        let rest = head.dropFirst(3).drop { $0 == 0x20 || $0 == 0x09 }
        return rest.first == 0x0A || rest.first == 0x0D
    }

    /// Returns whether a zip archive contains a COLLADA document and does not start with a USD layer.
    private static func containsCOLLADA(_ bytes: [UInt8]) -> Bool {
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

    /// Returns whether the first line that is not a comment is a statement of OBJ.
    private static func isOBJ(_ text: Substring) -> Bool {
        let line = text.dropComments().prefix { !$0.isNewline }
        guard let word = line.split(whereSeparator: \.isWhitespace).first else { return false }
        return ["v", "vn", "vt", "vp", "f", "l", "p", "mtllib", "usemtl", "o", "g", "s"].contains(word)
    }

    /// Returns whether the file has 80 bytes of header, a count, and as many triangles of 50 bytes.
    private static func isBinarySTL(_ bytes: [UInt8]) -> Bool { STLReader.binaryCount(bytes) ?? 0 > 0 }
}

extension Substring {
    /// Removes leading blank lines and comments.
    fileprivate func dropComments() -> Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.hasPrefix("#") { rest = rest.drop { !$0.isNewline }.drop(while: \.isWhitespace) }
        return rest
    }
}
