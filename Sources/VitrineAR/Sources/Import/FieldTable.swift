import VitrineImageFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text file of rows with fields separated by commas or whitespace: CSV without quotes, the lists of TUM RGB-D, columns of numbers.
struct FieldTable {
    struct Row {
        let fields: [ArraySlice<UInt8>]
        let file: String
        /// Starting at 1.
        let line: Int

        var location: String { "\(file):\(line)" }
        func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }

        /// A field as a number; NaN if it is not one.
        func number(_ index: Int) -> Double { NumberText.double(fields[index]) ?? .nan }

        func vector(_ index: Int) -> Vector3d { Vector3d(number(index), number(index + 1), number(index + 2)) }
    }

    /// The largest number of rows: more than a day of a fast IMU.
    static let rowLimit = 50_000_000

    /// Calls `body` with each row; comments (`#`, `%`, `//`) and empty lines are skipped.
    static func forEachRow(_ url: URL, name: String, _ body: (Row) throws(SourceError) -> Void) throws(SourceError) {
        let lines = try LineReader(url, name: name)
        while let line = try lines.next() {
            guard line.number <= rowLimit else { throw .broken("\(name): has more than \(rowLimit) lines") }
            let fields = line.bytes.split { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ";") }
            guard let first = fields.first, first.first != UInt8(ascii: "#"), first.first != UInt8(ascii: "%"),
                !first.starts(with: "//".utf8)
            else { continue }
            try body(Row(fields: fields, file: name, line: line.number))
        }
    }
}

/// Time stamps of text files, in nanoseconds.
enum TimeStamp {
    /// Parses a time in whole nanoseconds.
    static func nanoseconds(_ text: ArraySlice<UInt8>) -> Int64? { NumberText.integer(text) }

    /// Parses a time in seconds with a fraction, exact to the nanosecond; negative numbers and those with an exponent to the precision of
    /// `Double`. Returns nil from 9·10⁹ s on.
    static func nanoseconds(ofSeconds text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { $0.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }
        guard isPlain, let whole = parts.first, !whole.isEmpty, whole.count <= 10, let seconds = NumberText.integer(whole) else {
            guard let value = NumberText.double(text), abs(value) < 9e9 else { return nil }
            return Int64((value * 1e9).rounded())
        }
        var fraction: Int64 = 0
        guard seconds < 9_000_000_000 else { return nil }
        let digits = parts.count == 2 ? parts[1] : []
        for digit in 0..<9 { fraction = fraction * 10 + (digit < digits.count ? Int64(digits[digits.startIndex + digit] - 0x30) : 0) }
        return seconds * 1_000_000_000 + fraction
    }
}
