import Foundation
import Testing

@testable import VitrineImageFiles

/// Replacements of text functions of the full Foundation, compared with it.
@Suite struct TextTests {
    @Test func decimalsEqualThoseOfPrintf() {
        var random = SystemSeeded(state: 7)
        var values = [
            0, -0.0, 0.5, 1.5, 2.5, 0.125, 0.375, -0.001, 1e-9, 999.9995, 1e15, 123_456_789.987_654_3, .leastNonzeroMagnitude,
            1e-300 * 1e-10,
        ]
        for _ in 0..<2000 { values.append(Double(bitPattern: random.next())) }
        for _ in 0..<2000 { values.append(Double(Int64(bitPattern: random.next()) >> 20) / 65536) }
        for value in values where abs(value) < 1e18 {
            for decimals in [0, 1, 2, 6, 9] { #expect(value.fixed(decimals) == String(format: "%.\(decimals)f", value)) }
        }
        #expect((3.5).fixed(0, showsPlus: true) == "+4" && (-3.5).fixed(1, showsPlus: true) == "-3.5")
        #expect(Float.infinity.fixed(2) == "inf" && Double.nan.fixed(2) == "nan")
    }

    @Test func significantDigitsHaveNoTrailingZeros() {
        #expect(
            [0.123456, 1.0, 12.30, 0.000_123_4, 1234.5, 0, 0.9999].map { $0.significant(3) } == [
                "0.123", "1", "12.3", "0.000123", "1234", "0", "1",
            ])
    }

    @Test func numbersAndColumnsArePadded() {
        #expect([7, 1234, -7].map { $0.padded(3) } == ["007", "1234", "-07"])
        #expect("ab".padded(to: 4) == "ab  " && "abcde".padded(to: 4) == "abcde")
        #expect("\t a b \n".trimmed == "a b" && "  ".trimmed == "")
    }

    /// NSString has the same last components and extensions. Its folder of "a" traps in Swift 6.3's Foundation.
    @Test(arguments: [
        ("a/b.tar.gz", "b.tar.gz", "a", "gz"), (".profile", ".profile", "", ""), ("a/.profile", ".profile", "a", ""),
        ("a.b/c", "c", "a.b", ""), ("a/b.png/", "b.png", "a", "png"), ("/", "/", "/", ""), ("", "", "", ""), ("/a", "a", "/", ""),
        ("a", "a", "", ""), ("name.", "name.", "", ""), ("a//b.c", "b.c", "a", "c"), ("/a/b", "b", "/a", ""),
    ])
    func pathsHaveParts(path: String, last: String, folder: String, ending: String) {
        #expect(path.lastPathComponent == last && path.deletingLastPathComponent == folder && path.pathExtension == ending)
        #expect(last == (path as NSString).lastPathComponent && ending == (path as NSString).pathExtension)
    }

    @Test func partsAreRemoved() {
        #expect("a/b.png".deletingPathExtension == "a/b" && "a/b".deletingPathExtension == "a/b")
    }

    @Test func aFileStatusSeesANewVersion() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-status-\(getpid())")
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(FileStatus(path: url.path) == nil)
        try Data("one".utf8).write(to: url)
        let first = try #require(FileStatus(path: url.path))
        #expect(first.kind == .file && first.size == 3 && first == FileStatus(path: url.path))
        try Data("two".utf8).write(to: url, options: .atomic)
        #expect(first != FileStatus(path: url.path))
        #expect(FileStatus.isFolder(FileManager.default.temporaryDirectory.path) && !FileStatus.isFolder(url.path))
    }

    @Test func aLinkToANewFileStays() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("vitrine-links-\(getpid())")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        func link(_ name: String, to target: String) throws -> URL {
            let url = folder.appendingPathComponent(name)
            try manager.createSymbolicLink(atPath: url.path, withDestinationPath: target)
            return url
        }
        try AtomicFile.write([1], to: link("first", to: "new"))
        #expect(try manager.destinationOfSymbolicLink(atPath: folder.path + "/first") == "new")
        #expect(try Data(contentsOf: folder.appendingPathComponent("new")) == Data([1]))
        #expect(throws: FileError.self) { try AtomicFile.write([1], to: link("broken", to: "nowhere/new")) }
        #expect(throws: FileError.self) { try AtomicFile.write([1], to: link("loop", to: "loop")) }
    }

    @Test func aFileIsReadInParts() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-parts-\(getpid())")
        defer { try? FileManager.default.removeItem(at: url) }
        let bytes = (0..<(1 << 20) + 5).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(bytes).write(to: url)
        var (read, counts): ([UInt8], [Int]) = ([], [])
        try FileBytes.readParts(url) { part in
            read += part
            counts.append(part.count)
        }
        #expect(read == bytes && counts == [1 << 20, 5])
    }
}

private struct SystemSeeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
