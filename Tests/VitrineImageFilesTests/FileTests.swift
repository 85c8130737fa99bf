import Foundation
import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct FileTests {
    private let image = try! TestImage.noise(width: 5, height: 4, format: .rgba8, opaque: true)

    @Test func extensionDeterminesOnlyTheWrittenFormat() throws {
        try withTemporaryDirectory { directory in
            let png = directory.appendingPathComponent("picture.PNG")
            try image.write(to: png)
            let misnamed = directory.appendingPathComponent("picture.jpg")
            try FileManager.default.moveItem(at: png, to: misnamed)
            let back = try Image(contentsOf: misnamed)
            #expect(back.bytes == image.bytes)
            #expect(back.name == "picture.jpg")
            try image.write(to: misnamed)
            #expect(ImageFile.kind(of: try FileBytes.read(misnamed)) == .jpeg)
            try image.write(to: misnamed, encoding: .png())
            #expect(ImageFile.kind(of: try FileBytes.read(misnamed)) == .png)
            #expect(throws: ImageFileError.self) { try image.write(to: directory.appendingPathComponent("picture.tiff")) }
            #expect(throws: ImageFileError.self) { try image.write(to: directory.appendingPathComponent("picture")) }
        }
    }

    @Test func whatCannotBeReadIsAnErrorWithThePath() throws {
        try withTemporaryDirectory { directory in
            let empty = directory.appendingPathComponent("empty.png")
            try Data().write(to: empty)
            let pipe = directory.appendingPathComponent("pipe.png")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            for (url, reason) in [
                (directory.appendingPathComponent("missing.png"), "no such file"), (directory, "is a directory"), (empty, "empty"),
                (pipe, "not a regular file"),
            ] {
                #expect(throws: ImageFileError.self) { try Image(contentsOf: url) }
                #expect { try Image(contentsOf: url) } throws: { "\($0)".contains(reason) && "\($0)".contains(url.path) }
            }
            #expect(throws: FileError.self) { try FileBytes.read(URL(string: "https://example.com/a.png")!) }
        }
    }

    @Test func aFileOverTheLimitIsNotRead() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appendingPathComponent("bytes")
            try AtomicFile.write([1, 2, 3], to: url)
            #expect(try FileBytes.read(url, limit: 3) == [1, 2, 3])
            #expect(throws: FileError.self) { try FileBytes.read(url, limit: 2) }
            #expect { try Image(contentsOf: url, limits: ImageLimits(maximumFileBytes: 2)) } throws: { "\($0)".contains("has 3 bytes") }
        }
    }

    @Test func writesRemoveTemporaryFilesOfKilledProcesses() throws {
        try withTemporaryDirectory { directory in
            let abandoned = directory.appendingPathComponent(".vitrine-1-2-0.tmp")
            let writing = directory.appendingPathComponent(".vitrine-3-4-0.tmp")
            let other = directory.appendingPathComponent(".other-1.tmp")
            for url in [abandoned, writing, other] { try Data([1]).write(to: url) }
            // A lock, as of a process that is still writing.
            let descriptor = open(writing.path, O_WRONLY)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
            defer { close(descriptor) }
            try AtomicFile.write([2], to: directory.appendingPathComponent("file"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
                    ".other-1.tmp", ".vitrine-3-4-0.tmp", "file",
                ])
        }
    }

    @Test func atomicWritesReplaceWholeFilesAndLeaveNothingElse() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appendingPathComponent("a b ü.bin")
            try AtomicFile.write([1], to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
            try AtomicFile.write([2, 3], to: url)
            #expect(try FileBytes.read(url) == [2, 3])
            let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect(permissions == 0o640)
            try AtomicFile.write([], to: url)
            #expect(try FileBytes.read(url) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a b ü.bin"])
        }
    }

    @Test func aLinkStaysALink() throws {
        try withTemporaryDirectory { directory in
            let (target, link) = (directory.appendingPathComponent("target"), directory.appendingPathComponent("link"))
            try AtomicFile.write([1], to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            try AtomicFile.write([2], to: link)
            #expect(try FileBytes.read(target) == [2])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        }
    }

    @Test func aFailedWriteLeavesTheDirectoryUnchanged() throws {
        try withTemporaryDirectory { directory in
            #expect(throws: FileError.self) { try AtomicFile.write([1], to: directory) }
            #expect(throws: FileError.self) { try AtomicFile.write([1], to: directory.appendingPathComponent("no/such/folder")) }
            let transparent = try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: false)
            #expect(throws: ImageFileError.self) { try transparent.write(to: directory.appendingPathComponent("a.jpg")) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
