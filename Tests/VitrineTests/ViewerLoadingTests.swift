import Foundation
import Testing
import Vitrine
import VitrineTestSupport

/// Files dropped on a viewer, without a window.
@MainActor @Suite struct ViewerLoadingTests {
    /// A triangle, 36 bytes of positions in a data URI.
    private static let model: String = {
        let positions: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
        let bytes = positions.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        return """
            {"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"dropped","mesh":0}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
            "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
            "bufferViews":[{"buffer":0,"byteLength":36}],
            "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,\(Data(bytes).base64EncodedString())"}]}
            """
    }()

    /// Opens a file in a viewer and returns the event that ends its loading.
    private func open(_ path: String, in view: SceneView) async -> ViewerEvent? {
        let viewer = Viewer(view)
        return await withCheckedContinuation { continuation in
            viewer.onEvent = { [viewer] event in
                switch event {
                case .loaded, .failed: continuation.resume(returning: event)
                default: break
                }
                _ = viewer
            }
            viewer.open([path])
        }
    }

    @Test func aModelReplacesTheSceneAndKeepsTheEnvironment() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appendingPathComponent("model.with no extension")
            try Data(Self.model.utf8).write(to: url)
            let view = SceneView(Scene())
            view.scene.environment = .studio()
            let light = view.scene.environment
            guard case .loaded(url.path, _)? = await open(url.absoluteString, in: view) else {
                Issue.record("not loaded")
                return
            }
            #expect(view.scene["dropped"] != nil && view.scene.environment === light)
            let seen = view.projectPoint(Vector3(0.5, 0.5, 0))
            #expect(abs(seen.x - view.size.x / 2) < 1 && abs(seen.y - view.size.y / 2) < 1, "the camera looks at it")
        }
    }

    @Test func anImageTwiceAsWideAsHighIsAnEnvironment() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appendingPathComponent("light.png")
            try Image(width: 8, height: 4, format: .rgba8, bytes: [UInt8](repeating: 200, count: 128)).write(to: url)
            let view = SceneView(Scene())
            view.scene.environment.rotation = .degrees(20)
            let scene = view.scene
            guard case .loaded? = await open(url.path, in: view) else {
                Issue.record("not loaded")
                return
            }
            #expect(view.scene === scene && scene.environment.image?.width == 8 && scene.environment.rotation == .degrees(20))
        }
    }

    @Test func failuresAreReportedAndKeepTheScene() async throws {
        try await withTemporaryDirectory { directory in
            let square = directory.appendingPathComponent("square.png")
            try Image(width: 4, height: 4, format: .rgba8, bytes: [UInt8](repeating: 200, count: 64)).write(to: square)
            let broken = directory.appendingPathComponent("broken.gltf")
            try Data(#"{"asset":{"version":"2.0"},"nodes":[{"mesh":7}]}"#.utf8).write(to: broken)
            let text = directory.appendingPathComponent("letter.txt")
            try Data("Dear".utf8).write(to: text)
            let view = SceneView(Scene())
            let (scene, environment) = (view.scene, view.scene.environment)
            for url in [square, broken, text, directory, directory.appendingPathComponent("missing")] {
                guard case .failed(let message)? = await open(url.path, in: view) else {
                    Issue.record("\(url.path) was taken")
                    return
                }
                #expect(message.hasPrefix(url.path), "\(message)")
            }
            #expect(view.scene === scene && scene.environment === environment)
        }
    }
}
