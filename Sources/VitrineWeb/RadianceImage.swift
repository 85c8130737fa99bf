import VitrineMath
import VitrineScene

/// Decodes Radiance images (`.hdr`), which pages use as environments.
///
/// Supports 32-bit RGBE in rows from the top, flat or with new run lengths, which current programs write. `VitrineFiles` reads all variants.
struct RadianceImage {
    private let bytes: [UInt8]
    private var offset = 0
    private var exposure: Float = 1
    private(set) var width = 0
    private(set) var height = 0

    private static let longestSide = 8192

    /// Reads the header.
    init(_ bytes: [UInt8]) throws(PageError) {
        self.bytes = bytes
        guard let first = nextLine(), first.starts(with: "#?".utf8) else { throw PageError("is not a Radiance image") }
        while let line = nextLine(), !line.isEmpty {
            if line.starts(with: "FORMAT=".utf8), !line.dropFirst(7).elementsEqual("32-bit_rle_rgbe".utf8) {
                throw PageError("uses a pixel format that is not supported; save it as 32-bit_rle_rgbe")
            }
            if line.starts(with: "EXPOSURE=".utf8), let value = Self.decimal(line.dropFirst(9)), value > 0 { exposure *= value }
        }
        let words = nextLine()?.split(separator: UInt8(ascii: " ")) ?? []
        guard words.count == 4, words[0].elementsEqual("-Y".utf8), words[2].elementsEqual("+X".utf8) else {
            throw PageError("has an order of rows that is not supported; save it as -Y +X")
        }
        (height, width) = (Int(Self.decimal(words[1]) ?? 0), Int(Self.decimal(words[3]) ?? 0))
        guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else {
            throw PageError("has \(width) × \(height) pixels; a side may have 1 to \(Self.longestSide)")
        }
    }

    /// Returns whether the bytes begin like a Radiance image.
    static func matches(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "#?".utf8) }

    /// Decodes the pixels as linear floats.
    mutating func decode(name: String) throws(PageError) -> Image {
        // Exponent 0 is black. With 8 bits of mantissa and the bias of 128, the scale is 2^(e − 136).
        let scale = (0..<256).map { $0 == 0 ? 0 : exp2(Float($0 - 136)) / exposure }
        var scanline = [UInt8](repeating: 0, count: width * 4)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * PixelFormat.rgba32Float.bytesPerPixel)
        for row in 0..<height {
            try readScanline(row, into: &scanline)
            for x in 0..<width {
                let unit = scale[Int(scanline[4 * x + 3])]
                for channel in 0..<4 {
                    let value = channel == 3 ? 1 : Float(scanline[4 * x + channel]) * unit
                    withUnsafeBytes(of: value.bitPattern.littleEndian) { pixels.append(contentsOf: $0) }
                }
            }
        }
        do throws(ImageError) {
            return try Image(width: width, height: height, format: .rgba32Float, bytes: pixels, name: name)
        } catch {
            throw PageError("is too large for the memory")
        }
    }

    private mutating func readScanline(_ row: Int, into scanline: inout [UInt8]) throws(PageError) {
        guard bytes.count - offset >= 4 else { throw PageError("ends early, in row \(row)") }
        guard width >= 8, width < 32_768, bytes[offset] == 2, bytes[offset + 1] == 2, bytes[offset + 2] < 128 else {
            guard bytes.count - offset >= width * 4 else { throw PageError("ends early, in row \(row)") }
            for index in 0..<width * 4 { scanline[index] = bytes[offset + index] }
            offset += width * 4
            return
        }
        guard Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]) == width else {
            throw PageError("is damaged: row \(row) has another length")
        }
        offset += 4
        for channel in 0..<4 {
            var x = 0
            while x < width {
                guard offset < bytes.count else { throw PageError("ends early, in row \(row)") }
                let code = Int(bytes[offset])
                let count = code > 128 ? code - 128 : code
                let length = code > 128 ? 1 : count
                guard count > 0, count <= width - x else { throw PageError("is damaged: a run crosses the end of row \(row)") }
                guard bytes.count - offset > length else { throw PageError("ends early, in row \(row)") }
                for index in 0..<count { scanline[4 * (x + index) + channel] = bytes[offset + 1 + (code > 128 ? 0 : index)] }
                offset += 1 + length
                x += count
            }
        }
    }

    /// Returns the next line of the header without its end; nil at the end of the file.
    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard offset < bytes.count, let end = bytes[offset..<min(bytes.count, offset + 4096)].firstIndex(of: 0x0A) else { return nil }
        defer { offset = end + 1 }
        return bytes[offset..<end]
    }

    /// Returns the value of a number such as `1.25` or `4e-1`; nil for other texts.
    private static func decimal(_ text: ArraySlice<UInt8>) -> Float? {
        var (value, scale, exponent, isFraction, hasDigits): (Float, Float, Int, Bool, Bool) = (0, 1, 0, false, false)
        var rest = text.drop { $0 == 0x20 }
        while let byte = rest.popFirst() {
            switch byte {
            case 0x30...0x39:
                value = value * 10 + Float(byte - 0x30)
                if isFraction { scale *= 10 }
                hasDigits = true
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                let isNegative = rest.first == UInt8(ascii: "-")
                if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
                for digit in rest where digit >= 0x30 && digit <= 0x39 { exponent = min(exponent * 10 + Int(digit - 0x30), 99) }
                if isNegative { exponent = -exponent }
                rest = []
            case 0x20, 0x0D: rest = []
            default: return nil
            }
        }
        return hasDigits ? value / scale * pow(10, Float(exponent)) : nil
    }
}
