import VitrineGLTF
import VitrineScene

/// The header of a Truevision TGA file, and its footer if it has one.
///
/// Based on Truevision, "TGA File Format Specification", version 2.0 (1991).
struct TGAHeader: Equatable {
    enum Coding {
        /// Indices into a colour map.
        case mapped
        case color
        case gray
    }

    /// The meaning of the fourth channel of a pixel.
    enum Alpha {
        /// The image is opaque.
        case none
        /// Straight alpha, or unused: an image whose alpha is 0 everywhere is opaque.
        case undeclared
        case straight
        case premultiplied
    }

    /// The size of the fixed part in bytes.
    static let size = 18

    let coding: Coding
    let isRunLength: Bool
    /// The size in pixels.
    let width, height: Int
    /// The number of bits of a pixel: 8, 15, 16, 24 or 32.
    let depth: Int
    /// The index of the first stored entry of the colour map, and the number of entries.
    let mapFirst, mapCount: Int
    /// The number of bits of an entry of the colour map: 15, 16, 24 or 32; 0 without a colour map.
    let mapDepth: Int
    /// The byte offset of the colour map.
    let mapOffset: Int
    let isTopFirst, isRightFirst: Bool
    private(set) var alpha: Alpha

    /// The size of a stored pixel in bytes.
    var pixelBytes: Int { (depth + 7) / 8 }
    var mapEntryBytes: Int { (mapDepth + 7) / 8 }
    /// The byte offset of the first pixel.
    var pixelOffset: Int { mapOffset + mapCount * mapEntryBytes }
    var header: ImageFile.Header { ImageFile.Header(kind: .tga, width: width, height: height, format: .rgba8) }

    /// Reads the header; returns nil if the bytes are not a TGA file.
    ///
    /// TGA has no signature at its start. The bytes are a TGA file if all of these conditions are true:
    /// - The image type is 1, 2, 3, 9, 10 or 11, and the colour map type is 0 or 1; types 1 and 9 have a colour map.
    /// - The depths of pixels and colour map are valid for the type.
    /// - A file without a colour map has zeros in the colour map specification. Files with other numbers there are accepted if they end with the
    ///   signature of version 2.0.
    /// - Width and height are not 0, the descriptor has no more alpha bits than a pixel, and its two reserved bits are 0.
    ///
    /// No text and no other supported format passes these checks.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.size else { return nil }
        let reader = ByteReader<ImageFileError>(bytes, file: "")
        func word(_ offset: Int) -> Int { (try? Int(reader.number(UInt16.self, at: offset))) ?? 0 }
        let (hasMap, type, descriptor) = (bytes[1] == 1, bytes[2], bytes[17])
        guard bytes[1] <= 1, [1, 2, 3, 9, 10, 11].contains(type), descriptor & 0xC0 == 0 else { return nil }
        isRunLength = type > 8
        coding = type & 3 == 1 ? .mapped : type & 3 == 2 ? .color : .gray
        (width, height, depth) = (word(12), word(14), Int(bytes[16]))
        guard width > 0, height > 0 else { return nil }
        let footer = TGAFooter(bytes)
        if hasMap {
            (mapFirst, mapCount, mapDepth) = (word(3), word(5), Int(bytes[7]))
            guard [15, 16, 24, 32].contains(mapDepth) || (mapCount == 0 && coding != .mapped) else { return nil }
        } else {
            guard coding != .mapped, bytes[3..<8].allSatisfy({ $0 == 0 }) || footer != nil else { return nil }
            (mapFirst, mapCount, mapDepth) = (0, 0, 0)
        }
        let alphaBits = Int(descriptor & 15)
        let storedBits: Int
        switch (coding, depth) {
        case (.mapped, 8), (.mapped, 15), (.mapped, 16):
            guard mapCount > 0 else { return nil }
            storedBits = mapDepth == 32 ? 8 : mapDepth == 16 ? 1 : 0
        case (.color, 15), (.color, 24), (.gray, 8): storedBits = 0
        case (.color, 16): storedBits = 1
        case (.color, 32), (.gray, 16): storedBits = 8
        default: return nil
        }
        // Some writers declare 8 attribute bits in images without attributes.
        guard alphaBits <= 8 else { return nil }
        mapOffset = Self.size + Int(bytes[0])
        (isTopFirst, isRightFirst) = (descriptor & 0x20 != 0, descriptor & 0x10 != 0)
        alpha =
            switch (storedBits, alphaBits) {
            case (0, _): .none
            // The single bit is alpha only if the descriptor declares it.
            case (1, 0): .none
            case (8, 0): .undeclared
            default: .straight
            }
        if alpha != .none, let declared = footer?.alpha { alpha = declared }
    }
}

/// The footer of a file of version 2.0.
struct TGAFooter: Equatable {
    private static let signature = Array("TRUEVISION-XFILE.\0".utf8)
    private static let size = 26

    /// The meaning of alpha by the extension area; nil without an extension area.
    let alpha: TGAHeader.Alpha?

    /// Returns nil if the file has no footer.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= TGAHeader.size + Self.size, bytes.suffix(Self.signature.count).elementsEqual(Self.signature) else {
            return nil
        }
        let footer = bytes.count - Self.size
        let reader = ByteReader<ImageFileError>(bytes, file: "")
        let area = (try? Int(reader.number(UInt32.self, at: footer))) ?? 0
        // The size of the extension area of version 2.0 in bytes; the attributes type is its last byte.
        let length = 495
        guard area >= TGAHeader.size, area <= footer - length,
            let declared = try? reader.number(UInt16.self, at: area), Int(declared) >= length
        else {
            alpha = nil
            return
        }
        switch bytes[area + length - 1] {
        case 0, 1: alpha = TGAHeader.Alpha.none
        case 2: alpha = .undeclared
        case 3: alpha = .straight
        case 4: alpha = .premultiplied
        default: alpha = nil
        }
    }
}
