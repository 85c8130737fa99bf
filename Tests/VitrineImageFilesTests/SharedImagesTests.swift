import Foundation
import Testing
import VitrineImageFiles
import VitrineScene
import VitrineTestSupport

@testable import VitrineTestFiles

@Suite struct SharedImagesTests {
    /// The files that are broken on purpose.
    static let refused: Set<String> = ["invalid_image_data.jpg", "png_eos.png", "unrecognized_format.png"]

    @Test(.enabled(if: SharedData.has("gltf"), SharedData.missing))
    func texturesLoad() throws {
        for url in SharedData.files(under: "gltf", extensions: ["png", "jpg", "jpeg", "webp"]) {
            if Self.refused.contains(url.lastPathComponent) {
                #expect(throws: ImageFileError.self, "\(url.path)") { try Image(contentsOf: url) }
                continue
            }
            #expect(throws: Never.self, "\(url.path)") {
                let image = try Image(contentsOf: url)
                #expect(image.width > 0 && image.name == url.lastPathComponent)
            }
        }
    }

    /// Each folder's first image: its makers' habits, in a debug build's time.
    @Test(.enabled(if: SharedData.root != nil, SharedData.missing))
    func oneImageOfEachFolderLoads() async throws {
        var folders: Set<URL> = []
        let files = SharedData.files(extensions: ["png", "jpg", "jpeg", "webp", "hdr", "exr"]).filter { url in
            !Self.refused.contains(url.lastPathComponent) && folders.insert(url.deletingLastPathComponent()).inserted
        }
        for result in await ImageFile.decodeAll(files.map { .file($0) }) {
            #expect(throws: Never.self) { try result.get() }
        }
    }

    @Test(.enabled(if: SharedData.has("environments"), SharedData.missing))
    func environmentsLoad() throws {
        for url in SharedData.files(under: "environments", extensions: ["hdr", "exr"]) {
            #expect(throws: Never.self, "\(url.path)") {
                let image = try Image(contentsOf: url)
                #expect(image.format == .rgba32Float)
                // Lossy compression of OpenEXR leaves small negative values.
                #expect(image.floats.allSatisfy { $0.isFinite && $0 > -0.01 })
            }
        }
    }

    /// Means that OpenEXR's own RGBA interface gives.
    @Test(.enabled(if: SharedData.has("environments/city.exr"), SharedData.missing))
    func meansAgreeWithTheLibrary() throws {
        for (name, mean) in [("city", 1.04779), ("courtyard", 0.557858), ("studio", 0.256111), ("sunset", 0.464407)] {
            let floats = try Image(contentsOf: SharedData.url("environments/\(name).exr")).floats
            let sum = floats.indices.reduce(0.0) { $1 % 4 == 3 ? $0 : $0 + Double(floats[$1]) }
            #expect(abs(sum / Double(floats.count / 4 * 3) / mean - 1) < 1e-3, "\(name)")
        }
    }
}
