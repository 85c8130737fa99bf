import VitrineGLTF

/// The attributes of an OpenEXR file's parts that its pixels require. They are read before the library opens the file, so that sizes are checked
/// and unsupported features are reported by name.
///
/// Based on "OpenEXR File Layout" (openexr.com).
struct EXRHeader {
    struct Channel: Equatable {
        var name: String
        var bytesPerSample: Int
        var xSampling, ySampling: Int
    }

    struct Window: Equatable {
        var minX, minY, maxX, maxY: Int
        var width: Int { maxX - minX + 1 }
        var height: Int { maxY - minY + 1 }
    }

    struct Part {
        var channels: [Channel] = []
        var dataWindow: Window?
        var displayWindow: Window?
        var tileSize: (width: Int, height: Int)?
        var type = ""
        /// Red, green, blue and white in CIE x and y.
        var chromaticities: [Float]?
    }

    private(set) var parts: [Part] = []
    private var reader: ByteReader<ImageFileError>

    private static let (maximumParts, maximumChannels, maximumNameLength) = (256, 1024, 255)
    /// The sizes of values, bytes. The library reads that many bytes, not the size that a file states, and would continue elsewhere than this parser.
    private static let valueSizes = [
        "box2f": 16, "box2i": 16, "chromaticities": 32, "compression": 1, "deepImageState": 1, "double": 8, "envmap": 1,
        "float": 4, "int": 4, "keycode": 28, "lineOrder": 1, "m33d": 72, "m33f": 36, "m44d": 128, "m44f": 64, "rational": 8,
        "tiledesc": 9, "timecode": 8, "v2d": 16, "v2f": 8, "v2i": 8, "v3d": 24, "v3f": 12, "v3i": 12,
    ]
    private static let (deepFlag, multipartFlag, knownFlags): (UInt32, UInt32, UInt32) = (0x800, 0x1000, 0x1E00)

    init(_ bytes: [UInt8], name: String) throws(ImageFileError) {
        reader = ByteReader(bytes, file: name)
        try reader.skip(4)
        let version = try reader.number(UInt32.self)
        guard version & 0xFF == 2, version & ~0xFF & ~Self.knownFlags == 0 else {
            throw reader.failure(.unsupported("OpenEXR version \(version & 0xFF) with flags \(version >> 8)"))
        }
        guard version & Self.deepFlag == 0 else { throw reader.failure(.unsupported("deep pixels")) }
        if version & Self.multipartFlag == 0 {
            parts = [try readPart()]
        } else {
            while let next = reader.remaining > 0 ? reader.bytes[reader.offset] : nil, next != 0 {
                guard parts.count < Self.maximumParts else { throw reader.failure(.unsupported("more than \(Self.maximumParts) parts")) }
                parts.append(try readPart())
            }
            try reader.skip(1)
            guard !parts.isEmpty else { throw reader.failure(.malformed("there is no part")) }
        }
    }

    /// The part to decode; `readPart` has checked that its attributes are complete.
    var first: (part: Part, data: Window, display: Window) {
        get throws(ImageFileError) {
            guard let part = parts.first, let data = part.dataWindow, let display = part.displayWindow else {
                throw reader.failure(.malformed("there is no part"))
            }
            return (part, data, display)
        }
    }

    /// Reads a name and the zero byte at its end.
    private mutating func readText() throws(ImageFileError) -> String {
        let end = min(reader.bytes.count, reader.offset + Self.maximumNameLength + 1)
        guard let zero = reader.bytes[reader.offset..<end].firstIndex(of: 0) else {
            throw reader.failure(
                end == reader.bytes.count
                    ? .truncated("the header does not end") : .malformed("a name has more than \(Self.maximumNameLength) bytes"))
        }
        let text = try reader.slice(zero - reader.offset)
        try reader.skip(1)
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func readPart() throws(ImageFileError) -> Part {
        var part = Part()
        var seen: Set<String> = []
        while true {
            let name = try readText()
            if name.isEmpty { break }
            let type = try readText()
            let size = Int(try reader.number(Int32.self))
            guard size >= 0, size <= reader.remaining else { throw reader.failure(.truncated("the attribute \"\(name)\" does not end")) }
            // With two attributes of this name, two parsers could use different ones.
            guard seen.insert(name).inserted else { throw reader.failure(.malformed("the attribute \"\(name)\" occurs twice")) }
            guard size == Self.valueSizes[type] ?? size else {
                throw reader.failure(.malformed("the attribute \"\(name)\" has \(size) bytes; its type has \(Self.valueSizes[type] ?? 0)"))
            }
            let end = reader.offset + size
            try read(attribute: name, type: type, size: size, into: &part)
            guard reader.offset <= end, type != "chlist" || reader.offset == end else {
                throw reader.failure(.malformed("the attribute \"\(name)\" has another size than its value"))
            }
            try checkSize(type: type, size: size, name)
            try reader.skip(end - reader.offset)
        }
        try check(part)
        return part
    }

    private mutating func read(attribute: String, type: String, size: Int, into part: inout Part) throws(ImageFileError) {
        switch (attribute, type) {
        case ("channels", "chlist"): part.channels = try readChannels()
        case ("dataWindow", "box2i"): part.dataWindow = try readWindow()
        case ("displayWindow", "box2i"): part.displayWindow = try readWindow()
        case ("tiles", "tiledesc"): part.tileSize = (Int(try reader.number(UInt32.self)), Int(try reader.number(UInt32.self)))
        case ("type", "string"):
            guard size <= Self.maximumNameLength else { throw reader.failure(.malformed("a part type has \(size) bytes")) }
            part.type = String(decoding: reader.bytes[reader.offset..<(reader.offset + size)], as: UTF8.self)
        case ("chromaticities", "chromaticities"):
            var values: [Float] = []
            for _ in 0..<8 { values.append(try reader.float()) }
            part.chromaticities = values
        default: return
        }
    }

    /// Rejects a value that states a size of its own which differs from that of its attribute.
    private func checkSize(type: String, size: Int, _ name: String) throws(ImageFileError) {
        var value = reader
        let end = reader.offset + size
        switch type {
        case "preview":
            // Four bytes per pixel.
            guard size >= 8 else { throw reader.failure(.truncated("the image of \"\(name)\" does not end")) }
            let (pixels, overflow) = Int(try value.number(UInt32.self)).multipliedReportingOverflow(by: Int(try value.number(UInt32.self)))
            guard !overflow, pixels == (size - 8) / 4, size % 4 == 0 else {
                throw reader.failure(.malformed("the attribute \"\(name)\" has another size than its image"))
            }
        case "stringvector":
            while value.offset < end {
                let length = Int(try value.number(Int32.self))
                guard length >= 0, length <= end - value.offset else {
                    throw reader.failure(.truncated("a text of \"\(name)\" does not end"))
                }
                try value.skip(length)
            }
        case "floatvector":
            guard size % 4 == 0 else { throw reader.failure(.malformed("the attribute \"\(name)\" has \(size) bytes")) }
        default: return
        }
    }

    private mutating func readChannels() throws(ImageFileError) -> [Channel] {
        var channels: [Channel] = []
        while true {
            let name = try readText()
            if name.isEmpty { return channels }
            guard channels.count < Self.maximumChannels else {
                throw reader.failure(.unsupported("more than \(Self.maximumChannels) channels"))
            }
            // The library searches for the name again, by its bytes.
            guard !name.unicodeScalars.contains("\u{FFFD}") else { throw reader.failure(.malformed("the name of a channel is not UTF-8")) }
            let type = try reader.number(Int32.self)
            guard (0...2).contains(type) else { throw reader.failure(.malformed("channel \"\(name)\" has type \(type)")) }
            try reader.skip(4)
            let (x, y) = (Int(try reader.number(Int32.self)), Int(try reader.number(Int32.self)))
            guard x > 0, y > 0 else { throw reader.failure(.malformed("channel \"\(name)\" is sampled every \(x) × \(y) pixels")) }
            channels.append(Channel(name: name, bytesPerSample: type == 1 ? 2 : 4, xSampling: x, ySampling: y))
        }
    }

    private mutating func readWindow() throws(ImageFileError) -> Window {
        let corners = (
            Int(try reader.number(Int32.self)), Int(try reader.number(Int32.self)), Int(try reader.number(Int32.self)),
            Int(try reader.number(Int32.self))
        )
        let window = Window(minX: corners.0, minY: corners.1, maxX: corners.2, maxY: corners.3)
        guard window.width > 0, window.height > 0 else {
            throw reader.failure(.malformed("a window has \(window.width) × \(window.height) pixels"))
        }
        return window
    }

    private func check(_ part: Part) throws(ImageFileError) {
        guard part.dataWindow != nil else { throw reader.failure(.malformed("the data window is missing")) }
        guard part.displayWindow != nil else { throw reader.failure(.malformed("the display window is missing")) }
        guard !part.channels.isEmpty else { throw reader.failure(.malformed("there are no channels")) }
        guard !part.type.hasPrefix("deep") else { throw reader.failure(.unsupported("deep pixels")) }
        if let tile = part.tileSize, tile.width == 0 || tile.height == 0 {
            throw reader.failure(.malformed("tiles have \(tile.width) × \(tile.height) pixels"))
        }
    }
}
