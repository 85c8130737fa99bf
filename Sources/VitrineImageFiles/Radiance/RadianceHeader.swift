import VitrineScene

/// The text before the pixels of a Radiance image: `#?RADIANCE`, variables, an empty line, the resolution.
///
/// Based on Greg Ward, "The RADIANCE Image File Format" (in Real Pixels, Graphics Gems II, 1991, and the Radiance file formats document).
struct RadianceHeader {
    /// The order of a scanline's pixels. The first axis of the resolution is that along which scanlines follow each other.
    struct Orientation: Equatable {
        var scanlinesAreColumns = false
        /// Whether the first row is at the bottom (`+Y`).
        var bottomFirst = false
        /// Whether the first pixel is at the right (`-X`).
        var rightFirst = false
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var orientation = Orientation()
    /// The product of the `EXPOSURE` lines, by which the values were multiplied.
    private(set) var exposure: Float = 1
    /// The product of the `GAMMA` lines; the values were raised to its reciprocal.
    private(set) var gamma: Float = 1
    /// The offset of the first pixel.
    private(set) var pixelOffset = 0

    private let name: String
    /// The largest length of a header in bytes.
    private static let maximumLength = 1 << 16

    var header: ImageFile.Header { ImageFile.Header(kind: .hdr, width: width, height: height, format: .rgba32Float) }

    init(_ bytes: [UInt8], name: String) throws(ImageFileError) {
        self.name = name
        var offset = 0
        while true {
            let start = offset
            let line = try Self.line(bytes, at: &offset, name: name)
            if line.isEmpty { break }
            if start > 0 { try read(variable: line, at: start) }
        }
        let start = offset
        try read(resolution: try Self.line(bytes, at: &offset, name: name), at: start)
        pixelOffset = offset
    }

    private static func line(_ bytes: [UInt8], at offset: inout Int, name: String) throws(ImageFileError) -> String {
        let limit = min(bytes.count, maximumLength)
        guard offset < limit, let end = bytes[offset..<limit].firstIndex(of: 0x0A) else {
            let reason: ImageFileError.Reason =
                bytes.count < maximumLength
                ? .truncated("the header does not end") : .malformed("the header has more than \(maximumLength) bytes")
            throw ImageFileError(file: name, reason: reason, offset: limit)
        }
        var line = bytes[offset..<end]
        if line.last == 0x0D { line.removeLast() }
        offset = end + 1
        return String(decoding: line, as: UTF8.self)
    }

    private func malformed(_ text: String, at offset: Int) -> ImageFileError {
        ImageFileError(file: name, reason: .malformed(text), offset: offset)
    }

    private mutating func read(variable line: String, at offset: Int) throws(ImageFileError) {
        guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return }
        let value = line[line.index(after: equals)...].split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        switch line[..<equals] {
        case "FORMAT":
            guard value == "32-bit_rle_rgbe" else {
                throw ImageFileError(file: name, reason: .unsupported("the pixel format \"\(value.prefix(40))\""), offset: offset)
            }
        case "EXPOSURE": exposure *= try factor(value, "EXPOSURE", at: offset)
        case "GAMMA": gamma *= try factor(value, "GAMMA", at: offset)
        default: return
        }
    }

    private func factor(_ text: String, _ variable: String, at offset: Int) throws(ImageFileError) -> Float {
        guard let value = Float(text), value > 0, value.isFinite, value.isNormal else {
            throw malformed("\(variable)=\(text.prefix(40)) is not a positive number", at: offset)
        }
        return value
    }

    private mutating func read(resolution line: String, at offset: Int) throws(ImageFileError) {
        let words = line.split(separator: " ")
        guard words.count == 4, let first = Int(words[1]), let second = Int(words[3]), first > 0, second > 0 else {
            throw malformed("the resolution line is \"\(line.prefix(40))\"", at: offset)
        }
        switch (words[0], words[2]) {
        case ("-Y", "+X"), ("-Y", "-X"), ("+Y", "+X"), ("+Y", "-X"):
            (width, height) = (second, first)
            orientation = Orientation(scanlinesAreColumns: false, bottomFirst: words[0] == "+Y", rightFirst: words[2] == "-X")
        case ("+X", "-Y"), ("+X", "+Y"), ("-X", "-Y"), ("-X", "+Y"):
            (width, height) = (first, second)
            orientation = Orientation(scanlinesAreColumns: true, bottomFirst: words[2] == "+Y", rightFirst: words[0] == "-X")
        default: throw malformed("the resolution line is \"\(line.prefix(40))\"", at: offset)
        }
        guard width <= 1 << 24, height <= 1 << 24 else { throw malformed("an image of \(width) × \(height) pixels", at: offset) }
    }
}
