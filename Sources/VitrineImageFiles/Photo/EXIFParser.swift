import VitrineGLTF

/// Parses the directories of an EXIF stream: at most two, with each value checked against the end of the stream. Based on EXIF 2.32 (CIPA DC-008) and
/// TIFF 6.
struct EXIFParser {
    /// One entry of a directory.
    private struct Entry {
        let type: UInt16
        let count: Int
        /// The offset of the values.
        let offset: Int
    }

    private let reader: ByteReader<ImageFileError>
    private var bytes: [UInt8] { reader.bytes }

    /// The largest number of characters of a text.
    private static let maximumText = 256
    private static let maximumEntries = 1024

    /// Creates a parser of a TIFF stream.
    ///
    /// - Parameter stream: The TIFF stream, starting with its byte order.
    init(_ stream: ArraySlice<UInt8>) {
        reader = ByteReader(Array(stream), file: "", isBigEndian: stream.first == UInt8(ascii: "M"))
    }

    func read(into photo: inout PhotoMetadata) {
        guard bytes.count >= 8, bytes.starts(with: "II".utf8) || bytes.starts(with: "MM".utf8) else {
            photo.problems.append("the EXIF data do not begin with a byte order")
            return
        }
        guard uint16(2) == 42 else {
            photo.problems.append("the EXIF data are not a TIFF stream")
            return
        }
        let main = directory(at: Int(uint32(4) ?? 0), named: "main", problems: &photo.problems)
        readMain(main, into: &photo)
        guard let pointer = integer(main[0x8769]) else { return }
        let details = directory(at: pointer, named: "EXIF", problems: &photo.problems)
        readLens(details, into: &photo)
        readExposure(details, into: &photo)
    }

    // MARK: Tags

    private func readMain(_ entries: [UInt16: Entry], into photo: inout PhotoMetadata) {
        photo.make = text(entries[0x010F])
        photo.model = text(entries[0x0110])
        if let value = integer(entries[0x0112]) {
            if let orientation = PhotoOrientation(rawValue: value) {
                photo.orientation = orientation
            } else if value != 0 {
                photo.problems.append("the EXIF orientation must be 1 to 8, but is \(value)")
            }
        }
        photo.captureTime = text(entries[0x0132]).flatMap { Self.time($0) }
    }

    private func readLens(_ entries: [UInt16: Entry], into photo: inout PhotoMetadata) {
        photo.focalLength = number(entries[0x920A], in: 0.01...100_000, "focal length", &photo.problems)
        photo.focalLength35mm = number(entries[0xA405], in: 1...100_000, "focal length on 35 mm film", &photo.problems)
        photo.lens = text(entries[0xA434])
        (photo.pixelWidth, photo.pixelHeight) = (side(entries[0xA002]), side(entries[0xA003]))
        // Inch, centimetre, millimetre, micrometre; inch if the unit is missing.
        let millimetres: [Int: Double] = [2: 25.4, 3: 10, 4: 1, 5: 0.001]
        guard let unit = millimetres[integer(entries[0xA210]) ?? 2] else { return }
        let usable = 0.1...100_000.0
        photo.focalPlaneResolutionX = number(entries[0xA20E]).map { $0 / unit }.flatMap { usable.contains($0) ? $0 : nil }
        photo.focalPlaneResolutionY = number(entries[0xA20F]).map { $0 / unit }.flatMap { usable.contains($0) ? $0 : nil }
    }

    private func readExposure(_ entries: [UInt16: Entry], into photo: inout PhotoMetadata) {
        photo.exposureTime = number(entries[0x829A], in: 1e-7...1e6, "exposure time", &photo.problems)
        photo.fNumber = number(entries[0x829D], in: 0.1...1000, "f-number", &photo.problems)
        photo.iso = integer(entries[0x8827]).flatMap { (1...100_000_000).contains($0) ? $0 : nil }
        guard let time = text(entries[0x9003]).flatMap({ Self.time($0) }) else { return }
        let fraction = (text(entries[0x9291]) ?? "").prefix { ("0"..."9").contains($0) }
        let zone = text(entries[0x9011]).flatMap { Self.isZone($0) ? $0 : nil } ?? ""
        photo.captureTime = time + (fraction.isEmpty ? "" : ".\(fraction)") + zone
    }

    private func side(_ entry: Entry?) -> Int? { integer(entry).flatMap { (1...1 << 24).contains($0) ? $0 : nil } }

    /// Converts `2024:05:31 14:03:09` to `2024-05-31T14:03:09`; returns nil for other texts, such as the blanks and zeros of a clock that was never set.
    private static func time(_ text: String) -> String? {
        let characters = Array(text.utf8)
        let form = Array("0000:00:00 00:00:00".utf8)
        guard characters.count == form.count, text.hasPrefix("0000") == false else { return nil }
        for (character, expected) in zip(characters, form) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            guard expected == UInt8(ascii: "0") ? isDigit : character == expected else { return nil }
        }
        return text.prefix(10).split(separator: ":").joined(separator: "-") + "T" + text.suffix(8)
    }

    /// Returns whether the text is a time zone such as `+02:00`.
    private static func isZone(_ text: String) -> Bool {
        let characters = Array(text)
        return characters.count == 6 && "+-".contains(characters[0]) && characters[3] == ":"
            && [1, 2, 4, 5].allSatisfy { ("0"..."9").contains(characters[$0]) }
    }

    // MARK: Directories

    private func directory(at offset: Int, named name: String, problems: inout [String]) -> [UInt16: Entry] {
        guard offset >= 8, let count = uint16(offset), Int(count) <= Self.maximumEntries else {
            problems.append("the EXIF data's \(name) directory starts at byte \(offset) of \(bytes.count)")
            return [:]
        }
        var entries: [UInt16: Entry] = [:]
        for index in 0..<Int(count) {
            let entryOffset = offset + 2 + 12 * index
            guard let tag = uint16(entryOffset), let type = uint16(entryOffset + 2), let number = uint32(entryOffset + 4),
                let value = uint32(entryOffset + 8)
            else {
                problems.append("the EXIF data end within the \(name) directory")
                break
            }
            guard let size = Self.size(type), entries[tag] == nil else { continue }
            let length = size * Int(number)
            let start = length <= 4 ? entryOffset + 8 : Int(value)
            // Ignore incomplete values: editors that move maker notes damage them.
            guard start >= 0, length > 0, start <= bytes.count - length else { continue }
            entries[tag] = Entry(type: type, count: Int(number), offset: start)
        }
        return entries
    }

    /// Returns the size of one value of a TIFF type in bytes.
    private static func size(_ type: UInt16) -> Int? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11: 4
        case 5, 10, 12: 8
        default: nil
        }
    }

    // MARK: Values

    private func uint16(_ offset: Int) -> UInt16? { try? reader.number(UInt16.self, at: offset) }
    private func uint32(_ offset: Int) -> UInt32? { try? reader.number(UInt32.self, at: offset) }

    private func integer(_ entry: Entry?) -> Int? {
        guard let entry else { return nil }
        switch entry.type {
        case 1, 7: return Int(bytes[entry.offset])
        case 3: return uint16(entry.offset).map { Int($0) }
        case 4: return uint32(entry.offset).map { Int($0) }
        case 8: return uint16(entry.offset).map { Int(Int16(bitPattern: $0)) }
        case 9: return uint32(entry.offset).map { Int(Int32(bitPattern: $0)) }
        default: return nil
        }
    }

    private func number(_ entry: Entry?) -> Double? {
        guard let entry else { return nil }
        switch entry.type {
        case 5, 10:
            guard let above = uint32(entry.offset), let below = uint32(entry.offset + 4), below != 0 else { return nil }
            return entry.type == 5
                ? Double(above) / Double(below) : Double(Int32(bitPattern: above)) / Double(Int32(bitPattern: below))
        case 11: return uint32(entry.offset).map { Double(Float(bitPattern: $0)) }
        case 12:
            return (try? reader.number(UInt64.self, at: entry.offset)).map { Double(bitPattern: $0) }
        default: return integer(entry).map { Double($0) }
        }
    }

    /// Returns a number; nil for 0, with which cameras mark an unknown value.
    private func number(_ entry: Entry?, in range: ClosedRange<Double>, _ name: String, _ problems: inout [String]) -> Double? {
        guard let value = number(entry), value != 0 else { return nil }
        if range.contains(value) { return value }
        problems.append("the EXIF \(name) \(value) is out of range")
        return nil
    }

    /// Returns a text up to its zero byte, without blanks at its ends; nil if it is empty.
    private func text(_ entry: Entry?) -> String? {
        guard let entry, entry.type == 2 || entry.type == 7 else { return nil }
        let raw = bytes[entry.offset..<(entry.offset + min(entry.count, Self.maximumText))].prefix { $0 != 0 }
        let characters = String(decoding: raw, as: UTF8.self).filter {
            $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
        guard let first = characters.firstIndex(where: { $0 != " " }), let last = characters.lastIndex(where: { $0 != " " }) else {
            return nil
        }
        return String(characters[first...last])
    }
}
