import Foundation
import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport

struct SceneFileTests {
    /// A textured triangle as text with its buffer and image beside it.
    private func write(into folder: URL, uri: String = "pic%20ture.png", pixels: [UInt8]? = nil) throws -> URL {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 0, 0, 1], "VEC2")
        builder.setPrimitive(["material": 0, "attributes": ["POSITION": 0, "TEXCOORD_0": uv]])
        builder.json["materials"] = [["emissiveTexture": ["index": 0], "normalTexture": ["index": 0]]]
        builder.json["textures"] = [["source": 0]]
        builder.json["images"] = [["uri": uri]]
        let image = try Image(width: 2, height: 1, format: .rgba8, bytes: [255, 0, 0, 255, 0, 255, 0, 255])
        try Data(pixels ?? ImageFile.encode(image, as: .png())).write(to: folder.appendingPathComponent("pic ture.png"))
        let url = folder.appendingPathComponent("model.bin")
        try Data(builder.text()).write(to: url)
        return url
    }

    @Test func loadsFilesBesideTheModel() async throws {
        try await withTemporaryDirectory { folder in
            let loaded = try await SceneFile.load(write(into: folder))
            #expect(loaded.warnings.isEmpty && loaded.format == .gltf)
            let material = try #require(loaded.scene.rootNode.childNodes[0].material)
            guard case .image(let image)? = material.emission.map?.texture.content else {
                Issue.record("not decoded")
                return
            }
            #expect(image.width == 2 && image.bytes[0] == 255 && image.bytes[5] == 255)
        }
    }

    @Test func progressRisesToTheEnd() async throws {
        final class Log: @unchecked Sendable {  // Guarded by the lock.
            private let lock = NSLock()
            private var entries: [LoadingProgress] = []
            func add(_ entry: LoadingProgress) { lock.withLock { entries.append(entry) } }
            var all: [LoadingProgress] { lock.withLock { entries } }
        }
        try await withTemporaryDirectory { folder in
            let log = Log()
            _ = try await SceneFile.load(write(into: folder)) { log.add($0) }
            #expect(log.all.map(\.stage) == ["reading", "parsing", "decoding", "done"])
            #expect(log.all.map(\.fraction) == log.all.map(\.fraction).sorted() && log.all.last?.fraction == 1)
        }
    }

    @Test func brokenImagesAreSkippedWithAWarning() async throws {
        try await withTemporaryDirectory { folder in
            let url = try write(into: folder, pixels: [0x89, 0x50, 0x4E, 0x47, 1, 2, 3])
            let loaded = try await SceneFile.load(url)
            #expect(
                loaded.warnings.contains {
                    $0.location == "/images/0" && $0.message.hasPrefix("the texture \"pic%20ture.png\" was omitted: ")
                })
            #expect(loaded.scene.rootNode.childNodes[0].material?.textures.isEmpty == true)
        }
    }

    /// EXT_texture_webp has a plain image beside the WebP image, for readers without the extension.
    @Test(arguments: [true, false])
    func aDamagedWebPImageIsReplacedByThePlainImage(decodesTextures: Bool) async throws {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 0, 0, 1], "VEC2")
        builder.setPrimitive(["material": 0, "attributes": ["POSITION": 0, "TEXCOORD_0": uv]])
        builder.json["extensionsUsed"] = ["EXT_texture_webp"]
        builder.json["materials"] = [["emissiveTexture": ["index": 0]]]
        builder.json["textures"] = [["source": 0, "extensions": ["EXT_texture_webp": ["source": 1]]]]
        builder.json["images"] = [["uri": "plain.png"], ["uri": "damaged.webp"]]
        let image = try Image(width: 2, height: 1, format: .rgba8, bytes: [255, 0, 0, 255, 0, 255, 0, 255])
        let plain = try ImageFile.encode(image, as: .png())
        let text = try builder.text()
        try await withTemporaryDirectory { folder in
            try Data(plain).write(to: folder.appendingPathComponent("plain.png"))
            try Data(Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBP".utf8)).write(to: folder.appendingPathComponent("damaged.webp"))
            let url = folder.appendingPathComponent("model.gltf")
            try Data(text).write(to: url)
            var options = ModelLoadOptions()
            options.decodesTextures = decodesTextures
            let loaded = try await SceneFile.load(url, options: options)
            #expect(loaded.warnings.count { $0.location == "/images/1" && $0.message.contains("its plain image was used") } == 1)
            switch loaded.scene.rootNode.childNodes[0].material?.emission.map?.texture.content {
            case .image(let decoded)?: #expect(decodesTextures && decoded.bytes == image.bytes)
            case .encoded(let bytes)?: #expect(!decodesTextures && bytes == plain)
            default: Issue.record("the texture was removed")
            }
        }
    }

    @Test func missingImagesAndParentFolders() async throws {
        try await withTemporaryDirectory { folder in
            for uri in ["nowhere.png", "../pic%20ture.png", "/pic.png", "https://x/y.png"] {
                let loaded = try await SceneFile.load(write(into: folder, uri: uri))
                #expect(loaded.warnings.contains { $0.location == "/images/0/uri" }, "\(uri)")
            }
        }
    }

    @Test func missingBuffersAreRefusedWithTheirLocation() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.gltf")
            try Data(#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"gone.bin"}]}"#.utf8).write(to: url)
            await #expect(throws: ModelFileError.self) { try await SceneFile.load(url) }
            do {
                _ = try await SceneFile.load(url)
            } catch {
                #expect("\(error)" == "\(url.path):/buffers/0/uri: \"gone.bin\": no such file or directory")
            }
        }
    }

    @Test(arguments: [("Kaydara FBX Binary  ", ModelFormat.fbx), ("; FBX 7.3.0 project file", .fbx)])
    func otherFormatsAreRefusedByName(_ content: String, _ format: ModelFormat) async throws {
        try await withTemporaryDirectory { folder in
            // The name lies on purpose: the first bytes decide.
            let url = folder.appendingPathComponent("a.glb")
            try Data(content.utf8).write(to: url)
            await #expect(throws: ModelFileError(file: url.path, reason: .unsupportedFormat(format))) { try await SceneFile.load(url) }
        }
    }

    @Test func imagesAndNoiseAreRefused() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.gltf")
            try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: url)
            await #expect(throws: ModelFileError(file: url.path, reason: .isImage(.jpeg))) { try await SceneFile.load(url) }
            try Data("hello".utf8).write(to: url)
            await #expect(throws: ModelFileError(file: url.path, reason: .unrecognized)) { try await SceneFile.load(url) }
            await #expect(throws: ModelFileError.self) { try await SceneFile.load(folder) }
        }
    }

    @Test func filesAreBounded() async throws {
        try await withTemporaryDirectory { folder in
            var options = ModelLoadOptions()
            options.maximumFileBytes = 10
            let url = try write(into: folder)
            do {
                _ = try await SceneFile.load(url, options: options)
                Issue.record("taken")
            } catch { #expect("\(error)".hasPrefix("\(url.path): has ") && "\(error)".hasSuffix("bytes, the limit is 10")) }
        }
    }

    @Test func cancelledTasksStop() async throws {
        try await withTemporaryDirectory { folder in
            let url = try write(into: folder)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                _ = try await SceneFile.load(url)
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func sceneKeepsTheContentsOfTheFile() async throws {
        try await withTemporaryDirectory { folder in
            let scene = try await Scene(contentsOf: write(into: folder))
            #expect(scene.rootNode.childNodes.count == 1 && !scene.bounds.isEmpty)
        }
    }
}
