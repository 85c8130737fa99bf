import Foundation
import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport

@Suite struct SharedPicturesTests {
    /// These are broken on purpose.
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

    @Test(.enabled(if: SharedData.has("environments"), SharedData.missing))
    func environmentsLoad() throws {
        for url in SharedData.files(under: "environments", extensions: ["hdr"]) {
            #expect(throws: Never.self, "\(url.path)") {
                let image = try Image(contentsOf: url)
                #expect(image.format == .rgba32Float)
                #expect(image.bytes.withUnsafeBytes { $0.bindMemory(to: Float.self).allSatisfy { $0.isFinite && $0 >= 0 } })
            }
        }
    }
}
