import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Preparation in steps and on several threads does not change the image.
@Suite struct PrepareTests {
    /// A textured, bumpy square without tangents: its texture is uploaded in several bands, its tangents are computed.
    private func scene() throws -> Scene {
        let colors = Image.painted(width: 1000, height: 700) { u, v in Vector3(u, v, (u * 9).rounded() / 9) }
        let bumps = Image.painted(width: 600, height: 600) { u, v in Vector3(0.5 + 0.2 * sin(u * 40), 0.5 + 0.2 * sin(v * 30), 0.9) }
        let material = Material(roughness: 0.3)
        material.baseColor.map = TextureMap(Texture(colors))
        material.normal.map = TextureMap(Texture(bumps))
        let square = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
                VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: [0, 1, 1, 1, 1, 0, 0, 0]),
            ], indices: [0, 1, 2, 0, 2, 3])
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: square, material: material)))
        scene.environment = try uniformEnvironment(0.8)
        return scene
    }

    @Test func stepsAndThreadsDoNotChangeTheImage() async throws {
        let scene = try scene()
        let view = View.framing(scene.bounds, aspectRatio: 4 / 3)
        let expected = try Studio().image(of: scene, from: view)

        let studio = try Studio()
        let renderer = studio.renderer
        let work = try renderer.pendingWork(for: scene)
        #expect(work.count == 1)
        for work in work { renderer.take(await Task.detached { work.run() }.value) }
        #expect(try renderer.pendingWork(for: scene).isEmpty)
        let programs = try renderer.pendingPrograms(for: scene)
        // The surface, mip levels of colours and of normals, and the shaders that prepare environments.
        #expect(programs.count == 4)
        for program in programs { renderer.take(try await Task.detached { try program.run() }.value) }
        #expect(try renderer.pendingPrograms(for: scene).isEmpty)
        var (steps, shares) = (0, [Double]())
        while true {
            // Stops as early as possible and still advances: one test of the part, two steps of its textures.
            var calls = 0
            let isDone = try renderer.prepare(scene, waits: false) { share in
                calls += 1
                shares.append(share)
                return share >= 1 || calls < 3
            }
            steps += 1
            if isDone || steps > 1_000_000 { break }
        }
        // Three bands and nine levels of the one, two bands and nine levels of the other, two at a time; steps in which the GPU was
        // busy do not advance; their number depends on the machine.
        #expect(Set(shares).count > 8 && shares.last == 1, "\(steps) steps, \(shares)")
        let warmUp = try renderer.warmUp(of: scene, from: view, to: .rgba8Unorm)
        let pipelines = try warmUp.pendingPipelines()
        #expect(pipelines.count == 1)
        for pipeline in pipelines { renderer.take(try await Task.detached { try pipeline.run() }.value) }
        #expect(try warmUp.pendingPipelines().isEmpty)
        #expect(renderer.resources.pipelines.compiledInPlace == 0)
        #expect(try studio.image(of: scene, from: view).bytes == expected.bytes)
    }

    @Test func changedTextureRestartsItsUpload() throws {
        let texture = Texture(Image.painted(width: 1024, height: 1024) { _, _ in Vector3(1, 0, 0) })
        let cache = try Studio().renderer.resources.materials.textures
        #expect(try cache.advance(TextureContents(texture: texture, use: .color)) == nil)
        texture.content = .image(Image.painted(width: 8, height: 8) { _, _ in Vector3(0, 1, 0) })
        var entry: TextureCache.Entry?
        for _ in 0..<8 where entry == nil { entry = try cache.advance(TextureContents(texture: texture, use: .color)) }
        #expect(entry?.view.texture.width == 8)
        cache.purge()
        #expect(try cache.view(of: TextureContents(texture: texture, use: .color)).texture.height == 8)
    }
}
