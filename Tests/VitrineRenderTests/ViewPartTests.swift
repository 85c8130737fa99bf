import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Parts of a camera's image, and occluders.
@Suite struct ViewPartTests {
    private func stage() -> Scene {
        let scene = Scene()
        scene.environment.background = .transparent
        for (index, position) in [Vector3(-1.2, 0.4, -0.5), [0.3, -0.6, 0.4], [1.1, 0.7, -2]].enumerated() {
            let material = Material(baseColor: Color(red: 0.9, green: 0.3 * Float(index), blue: 0.2), roughness: 0.4)
            let node = Node(mesh: Mesh(geometry: .box(), material: material))
            node.position = position
            node.eulerAngles = [0.4, 0.7 * Float(index), 0]
            scene.rootNode.addChildNode(node)
        }
        // With a range: lights that go by clusters.
        for index in 0..<6 {
            let lightNode = Node(name: "light")
            lightNode.light = Light(intensity: 6, range: 3)
            lightNode.position = Vector3(Float(index) - 2.5, 1.2, 1.5)
            scene.rootNode.addChildNode(lightNode)
        }
        let sun = Node(name: "sun")
        sun.light = Light(.directional, intensity: 2, castsShadow: true)
        sun.transform = .lookAt(eye: [2, 4, 3], target: .zero)
        scene.rootNode.addChildNode(sun)
        return scene
    }

    private let view = View(worldFromCamera: .lookAt(eye: Vector3(0.5, 1, 5), target: .zero))

    @Test(arguments: [1, 4]) func aPartIsCutFromTheWhole(samples: Int) throws {
        let (studio, scene, options) = (try Studio(), stage(), RenderOptions(sampleCount: samples))
        let whole = try studio.image(of: scene, from: view, width: 160, height: 120, options: options)
        var partly = view
        // 64 × 48 pixels from (40, 30).
        partly.part = Rectangle(x: 0.25, y: 0.25, width: 0.4, height: 0.4)
        let part = try studio.image(of: scene, from: partly, width: 64, height: 48, options: options)
        var (far, lit) = (0, 0)
        for y in 0..<48 {
            for x in 0..<64 {
                let (a, b) = ((y * 64 + x) * 4, ((y + 30) * 160 + x + 40) * 4)
                lit += part.bytes[a + 3] > 0 ? 1 : 0
                if (0..<4).contains(where: { abs(Int(part.bytes[a + $0]) - Int(whole.bytes[b + $0])) > 2 }) { far += 1 }
            }
        }
        #expect(lit > 800, "there is nothing in the part")
        // Edges that run through a sample.
        #expect(far < 8, "\(far) pixels differ")
    }

    /// A camera with a shifted principal point: the part moves the point on the optical axis.
    @Test func partMayExceedTheImage() throws {
        let scene = Scene()
        scene.environment.background = .transparent
        let dot = Node(mesh: Mesh(geometry: .plane(width: 0.1, height: 0.1), material: Material()))
        dot.material?.lightingModel = .constant
        scene.rootNode.addChildNode(dot)
        var shifted = View(worldFromCamera: Matrix4(translation: [0, 0, 2]))
        shifted.part = Rectangle(x: -0.25, y: 0.125, width: 1, height: 1)
        let image = try Studio().image(of: scene, from: shifted, width: 96, height: 96)
        var (sum, weight) = (Vector2(0, 0), Float(0))
        for index in 0..<96 * 96 {
            let alpha = Float(image.bytes[index * 4 + 3])
            sum += Vector2(Float(index % 96) + 0.5, Float(index / 96) + 0.5) * alpha
            weight += alpha
        }
        #expect(length(sum / weight - Vector2(72, 36)) < 0.05)
    }

    @Test func emptyPartsThrow() throws {
        var none = view
        none.part = Rectangle(x: 0, y: 0, width: 0, height: 1)
        #expect(throws: RenderError.self) { try Studio().image(of: Scene(), from: none) }
        none.part = Rectangle(x: 0, y: 0, width: 0.5, height: 1)
        none.camera.lens = Lens(focusDistance: 1)
        #expect(throws: RenderError.self) { try Studio().image(of: Scene(), from: none) }
    }

    // MARK: Occluders

    private func hidden(_ metres: [Float], samples: Int = 4) throws -> Image {
        let scene = Scene()
        scene.environment.background = .transparent
        let wall = Node(mesh: Mesh(geometry: .plane(width: 40, height: 40), material: Material()))
        wall.material?.lightingModel = .constant
        let pane = Node(mesh: Mesh(geometry: .plane(width: 40, height: 40), material: Material(baseColor: .white)))
        pane.material?.lightingModel = .constant
        pane.material?.alphaMode = .blend
        pane.opacity = 0.5
        pane.position = [0, 0, 1]
        for node in [wall, pane] { scene.rootNode.addChildNode(node) }
        let device = try GPUDevice.make()
        let depth = try device.makeTexture(
            GPUTextureDescriptor("depth", size: GPUExtent(4, 1), format: .r32Float, usage: [.textureBinding, .copyDestination]))
        device.queue.write(metres, to: depth.copyInfo())
        let target = try OffscreenTarget(device, width: 4, height: 1)
        try Renderer(device: device).render(
            scene, from: View(worldFromCamera: Matrix4(translation: [0, 0, 3])), to: target.view,
            options: RenderOptions(sampleCount: samples), occluder: try depth.makeView())
        return try target.image()
    }

    /// The wall is 3 m away, the pane before it 2 m.
    @Test(arguments: [1, 4]) func whatIsNearerHides(samples: Int) throws {
        let image = try hidden([0, 1.99, 2.5, 3.01], samples: samples)
        let alphas = (0..<4).map { image.bytes[$0 * 4 + 3] }
        #expect(alphas[0] == 255 && alphas[1] == 0 && alphas[3] == 255)
        #expect(abs(Int(alphas[2]) - 128) <= 1, "only the wall is hidden")
    }

    @Test func occludersMustFit() throws {
        let device = try GPUDevice.make()
        let target = try OffscreenTarget(device, width: 4, height: 4)
        let renderer = try Renderer(device: device)
        for (format, size) in [(GPUTextureFormat.r32Float, 5), (.rgba8Unorm, 4)] {
            let depth = try device.makeTexture(
                GPUTextureDescriptor("depth", size: GPUExtent(4, size), format: format, usage: .textureBinding))
            #expect(throws: RenderError.self) { try renderer.render(Scene(), from: view, to: target.view, occluder: depth.makeView()) }
        }
    }
}
