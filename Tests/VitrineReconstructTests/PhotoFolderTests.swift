import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReconstruct

@Suite struct PhotoFolderTests {
    private func names(_ files: [String], masks: [String] = [], _ body: (PhotoFolder) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let photos = folder.appendingPathComponent("photos")
            let maskFolder = folder.appendingPathComponent("masks")
            for place in [photos, maskFolder] { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
            for (place, list) in [(photos, files), (maskFolder, masks)] {
                for file in list {
                    let url = place.appendingPathComponent(file)
                    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data([1]).write(to: url)
                }
            }
            try body(try PhotoFolder(photos, masks: masks.isEmpty ? nil : maskFolder))
        }
    }

    @Test func numbersSortAsNumbers() throws {
        try names(["img10.jpg", "img2.jpg", "img1.jpg", ".hidden.jpg", "IMG3.jpg"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["IMG3.jpg", "img1.jpg", "img2.jpg", "img10.jpg"])
        }
    }

    @Test func masksAndDepthsGoWithTheirPhotos() throws {
        try names(["a.color.jpg", "a.depth.png", "b.jpg", "b_mask.png", "c.jpg", "c.exr", "notes.txt"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["a.color.jpg", "b.jpg", "c.jpg", "notes.txt"])
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == ["a.depth.png", nil, "c.exr", nil])
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == [nil, "b_mask.png", nil, nil])
        }
    }

    @Test func aFolderOfMasksGoesByNames() throws {
        try names(["a.jpg", "b.jpg", "c.jpg"], masks: ["a.png", "b.jpg.png"]) { folder in
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == ["a.png", "b.jpg.png", nil])
        }
    }

    @Test func photosMayLieOneFolderDown() throws {
        try names(["cameras.json", "images/a.jpg", "images/b.jpg", "depth/a.png"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["a.jpg", "b.jpg"])
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == ["a.png", nil])
        }
    }

    @Test func anEmptyOrMissingFolderIsAnError() throws {
        try withTemporaryDirectory { folder in
            #expect(throws: PhotogrammetrySession.Error.invalidImages(folder)) { try PhotogrammetrySession(input: folder) }
            let missing = folder.appendingPathComponent("none")
            #expect(throws: PhotogrammetrySession.Error.invalidImages(missing)) { try PhotogrammetrySession(input: missing) }
        }
    }
}
