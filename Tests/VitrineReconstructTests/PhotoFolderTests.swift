import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReconstruct

@Suite struct PhotoFolderTests {
    private func names(_ files: [String], masks: [String] = [], _ body: (PhotoFolder) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let photos = folder.appendingPathComponent("photos")
            let maskFolder = folder.appendingPathComponent("masks")
            for directory in [photos, maskFolder] {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            }
            for (directory, list) in [(photos, files), (maskFolder, masks)] {
                for file in list {
                    let url = directory.appendingPathComponent(file)
                    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data([1]).write(to: url)
                }
            }
            try body(try PhotoFolder(photos, masks: masks.isEmpty ? nil : maskFolder))
        }
    }

    @Test func namesSortByTheirNumbers() throws {
        try names(["img10.jpg", "img2.jpg", "img1.jpg", ".hidden.jpg", "IMG3.jpg"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["IMG3.jpg", "img1.jpg", "img2.jpg", "img10.jpg"])
        }
    }

    /// The first of several copies is used.
    @Test func originalsPrecedeTheirCopies() throws {
        try names(["IMG (1).jpg", "IMG.jpg", "IMG-2.jpg", "IMG.png"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["IMG.jpg", "IMG.png", "IMG (1).jpg", "IMG-2.jpg"])
        }
    }

    @Test func masksAndDepthMapsMatchPhotosByName() throws {
        try names(["a.color.jpg", "a.depth.png", "b.jpg", "b_mask.png", "c.jpg", "c.exr", "notes.txt"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["a.color.jpg", "b.jpg", "c.jpg", "notes.txt"])
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == ["a.depth.png", nil, "c.exr", nil])
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == [nil, "b_mask.png", nil, nil])
        }
    }

    @Test func masksOfAFolderMatchPhotosByName() throws {
        try names(["a.jpg", "b.jpg", "c.jpg"], masks: ["a.png", "b.jpg.png"]) { folder in
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == ["a.png", "b.jpg.png", nil])
        }
    }

    @Test func subfoldersArePasses() throws {
        try names(["lying/a.jpg", "upright/a.jpg", "upright/b.jpg", "upright/b_mask.png", "notes/text.txt"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["a.jpg", "a.jpg", "b.jpg"])
            #expect(folder.entries.map(\.pass) == ["lying", "upright", "upright"])
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == [nil, nil, "b_mask.png"])
        }
    }

    @Test func photosMayBeInASubfolder() throws {
        try names(["cameras.json", "images/a.jpg", "images/b.jpg", "depth/a.png"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["a.jpg", "b.jpg"])
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == ["a.png", nil])
        }
    }

    /// Names of RGB-D captures.
    @Test(arguments: [
        (["frame-000000.color.jpg", "frame-000001.color.jpg"], ["depth/frame-000000.depth.png", "depth/frame-000001.depth.png"]),
        (["rgb_1.png", "rgb_2.png"], ["depth_1.png", "depth_2.png"]),
        (["1-color.png", "2-color.png"], ["1-depth.png", "2-depth.png"]),
        (["a.HEIC", "b.heic"], ["a.exr", "b.depth.exr"]),
        (["000001.jpg", "000002.jpg"], ["depth/1.png", "depth/2.png"]),
    ])
    func depthMapsMatchPhotosByName(_ photos: [String], _ depths: [String]) throws {
        try names(photos + depths) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == photos)
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == depths.map { ($0 as NSString).lastPathComponent })
            #expect(folder.entries.allSatisfy { $0.refusal == nil })
            #expect(folder.warnings.isEmpty)
        }
    }

    /// Each unused file gives a warning.
    @Test func companionsWithoutAPhotoGiveWarnings() throws {
        try names(["a.jpg", "b.jpg", "c.depth.png", "depth/a.png", "depth/x.png"]) { folder in
            #expect(folder.entries.map { $0.depth?.lastPathComponent } == ["a.png", nil, nil])
            #expect(folder.entries[2].refusal?.contains("depth map") == true)
            #expect(folder.warnings == ["depth: there is no photo for x.png", "no depth map in depth for b.jpg"])
        }
        try names(["a.jpg", "b.jpg", "depth/17.25.png"]) { folder in
            #expect(folder.warnings == ["depth: no file of 1 has the name of a photo: no depth map is used"])
        }
        #expect(throws: ReconstructionError.self) { try names(["a.jpg", "b.jpg"], masks: ["x.png"]) { _ in } }
        try withTemporaryDirectory { folder in
            try Data([1]).write(to: folder.appendingPathComponent("a.jpg"))
            let none = folder.appendingPathComponent("none")
            #expect(throws: ReconstructionError.invalidOption("\(none.relativePath): not a folder with masks")) {
                try PhotoFolder(folder, masks: none)
            }
        }
    }

    @Test func filesNamedLikeMasksArePhotosIfThereAreNoOthers() throws {
        try names(["gold_mask.jpg", "wood_mask.jpg"]) { folder in
            #expect(folder.entries.map(\.url.lastPathComponent) == ["gold_mask.jpg", "wood_mask.jpg"])
            #expect(folder.entries.allSatisfy { $0.refusal == nil && $0.mask == nil })
        }
        try names(["depth-of-field.jpg", "mask-of-gold.jpg", "x.jpg"]) { folder in
            #expect(folder.entries.allSatisfy { $0.refusal == nil })
        }
    }

    @Test func masksMatchPhotosByNumber() throws {
        try names(["000007.jpg", "000012.jpg", "000100.jpg"], masks: ["007.png", "012.png", "100.png"]) { folder in
            #expect(folder.entries.map { $0.mask?.lastPathComponent } == ["007.png", "012.png", "100.png"])
        }
        #expect(CompanionName.plainNumbers("a007b10_000") == "a7b10_0")
    }

    @Test func emptyOrMissingFolderGivesAnError() throws {
        try withTemporaryDirectory { folder in
            #expect(throws: PhotogrammetrySession.Error.invalidImages(folder)) { try PhotogrammetrySession(input: folder) }
            let missing = folder.appendingPathComponent("none")
            #expect(throws: PhotogrammetrySession.Error.invalidImages(missing)) { try PhotogrammetrySession(input: missing) }
        }
    }
}
