/// Text with numbers, a record a line: parted by spaces, tabs or commas; lines that begin with `#` are comments.
enum NumberLines {
    private static let longestLine = 4096
    private static let largestCount = 20_000_000

    /// Calls `body` with the numbers of each line that has any, and its number, counted from 1.
    ///
    /// - Throws: an error that names the line: other than `count` words, one that is no finite number, a line or a text that is too long.
    static func read(
        _ text: some Sequence<UInt8>, count: Int, _ body: (_ values: [Double], _ line: Int) throws(NumberTextError) -> Void
    ) throws(NumberTextError) {
        var (line, number, records): ([UInt8], Int, Int) = ([], 1, 0)
        for byte in text {
            if byte == 10 {
                if let values = try values(of: line, number, count) {
                    records += 1
                    guard records <= largestCount else { throw NumberTextError(line: number, reason: "more than \(largestCount) records") }
                    try body(values, number)
                }
                line.removeAll(keepingCapacity: true)
                number += 1
            } else {
                line.append(byte)
                guard line.count <= longestLine else { throw NumberTextError(line: number, reason: "the line is too long") }
            }
        }
        if let values = try values(of: line, number, count) { try body(values, number) }
    }

    private static func values(of line: [UInt8], _ number: Int, _ count: Int) throws(NumberTextError) -> [Double]? {
        let words = line.split { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 44 }
        guard let first = words.first, first.first != 35 else { return nil }
        guard words.count == count else { throw NumberTextError(line: number, reason: "\(words.count) numbers instead of \(count)") }
        var values: [Double] = []
        for word in words {
            let string = String(decoding: word, as: UTF8.self)
            guard let value = Double(string), value.isFinite else {
                throw NumberTextError(line: number, reason: "'\(string.prefix(40))' is no number")
            }
            values.append(value)
        }
        return values
    }
}

/// What is wrong with a text of numbers, and where.
public struct NumberTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var reason: String

    public var description: String { "line \(line): \(reason)" }
}
