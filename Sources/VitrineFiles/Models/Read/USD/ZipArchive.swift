/// The files of a zip archive in which nothing is compressed, as USDZ has it; found by the directory at the end, each checked against the bytes.
struct ZipArchive {
    struct Entry {
        let name: String
        let range: Range<Int>
    }

    private(set) var entries: [Entry] = []
    private static let maximumEntries = 4096

    init(_ bytes: [UInt8], file: String) throws(ModelFileError) {
        func failure(_ reason: String) -> ModelFileError { ModelFileError(file: file, reason: .malformed(reason)) }
        func number(_ offset: Int, _ count: Int) -> Int {
            guard offset >= 0, offset <= bytes.count - count else { return -1 }
            return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        // The end record is 22 bytes and a comment of up to 65,535.
        let last = bytes.count - 22
        guard last >= 0, let end = (max(0, last - 65_535)...last).reversed().first(where: { number($0, 4) == 0x0605_4B50 }) else {
            throw failure("the package's directory is missing")
        }
        let count = number(end + 10, 2)
        guard count <= Self.maximumEntries else { throw failure("\(count) files in the package, \(Self.maximumEntries) are read") }
        var offset = number(end + 16, 4)
        for _ in 0..<count {
            guard number(offset, 4) == 0x0201_4B50 else { throw failure("the package's directory is broken") }
            let (size, nameLength, local) = (number(offset + 24, 4), number(offset + 28, 2), number(offset + 42, 4))
            guard nameLength >= 0, offset + 46 + nameLength <= bytes.count else { throw failure("the package's directory is broken") }
            let name = String(decoding: bytes[(offset + 46)..<(offset + 46 + nameLength)], as: UTF8.self)
            guard number(offset + 10, 2) == 0, number(offset + 8, 2) & 1 == 0 else {
                throw failure("\"\(name)\" is compressed or encrypted")
            }
            guard number(local, 4) == 0x0403_4B50 else { throw failure("\"\(name)\" does not begin where the directory says") }
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            guard size >= 0, start <= bytes.count, size <= bytes.count - start else { throw failure("\"\(name)\" does not end") }
            entries.append(Entry(name: name, range: start..<(start + size)))
            offset += 46 + nameLength + max(0, number(offset + 30, 2)) + max(0, number(offset + 32, 2))
        }
    }
}
