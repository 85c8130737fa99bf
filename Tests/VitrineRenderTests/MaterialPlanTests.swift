import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// What a material binds and compiles.
@Suite struct MaterialPlanTests {
    private func texture(_ name: String) -> Texture { Texture(name: name, content: .encoded([])) }

    @Test func plainMaterialsShareOneProgram() throws {
        let studio = try Studio()
        let scene = Scene()
        for index in 0..<50 {
            let material = Material(metalness: Float(index) / 50, roughness: 0.5)
            let node = Node(mesh: Mesh(geometry: try square(), material: material))
            node.position.z = Float(index) * 0.01
            scene.rootNode.addChildNode(node)
        }
        _ = try studio.radiance(of: scene, from: straightOn)
        #expect(studio.renderer.resources.materials.programs.count == 1)
    }

    @Test func sharedPicturesAreSampledOnce() throws {
        let material = Material()
        let orm = texture("orm")
        material.roughness = ScalarSlot(1, map: TextureMap(orm), channel: .green)
        material.metalness = ScalarSlot(1, map: TextureMap(orm), channel: .blue)
        material.occlusion = ScalarSlot(1, map: TextureMap(orm), channel: .red)
        let cloth = texture("cloth")
        material.sheen.color = ColorSlot(Vector4(1, 1, 1, 1), map: TextureMap(cloth))
        material.sheen.roughness = ScalarSlot(1, map: TextureMap(cloth), channel: .alpha)
        let plan = try MaterialPlan(material)
        // Colours and the alpha beside them are one sample, one sampler is bound for all.
        #expect(plan.samples.count == 2 && plan.samplers.count == 1)
        #expect(plan.key.lobes == [.physical, .sheen])
        // Numbers in the colour channels are not what a picture of colours holds.
        material.sheen.roughness.channel = .green
        #expect(try MaterialPlan(material).samples.count == 3)
    }

    @Test func whatDoesNotShowIsNotBound() throws {
        let material = Material()
        material.clearcoat.roughness = ScalarSlot(1, map: TextureMap(texture("coat")))
        material.sheen.color.map = TextureMap(texture("sheen"))
        material.transmission.factor = ScalarSlot(0, map: TextureMap(texture("glass")))
        #expect(try MaterialPlan(material).samples.isEmpty)
        material.lightingModel = .constant
        material.emission.map = TextureMap(texture("lamp"))
        #expect(try MaterialPlan(material).samples.isEmpty)
    }

    @Test func moreThanTheGPUBindsIsRefusedByName() throws {
        let material = Material(name: "Everything")
        material.baseColor.map = TextureMap(texture("a"))
        material.emission.map = TextureMap(texture("b"))
        let error = #expect(throws: RenderError.self) { try MaterialPlan(material, limits: SurfaceLimits(textures: 1)) }
        #expect(error?.description.contains("Everything") == true && error?.description.contains("2") == true)
        material.normal.map = TextureMap(texture("c"), set: 1)
        material.roughness.map = TextureMap(texture("d"), set: 2)
        let sets = #expect(throws: RenderError.self) { try MaterialPlan(material) }
        #expect(sets?.description.contains("3 sets of texture coordinates") == true)
    }

    /// The opacity slot multiplies the base colour's alpha.
    @Test func opacityHasASlotOfItsOwn() throws {
        let material = Material(baseColor: .white)
        material.lightingModel = .constant
        material.alphaMode = .blend
        material.opacity = ScalarSlot(0.5, intensity: 0.5)
        let pixel = try Studio().radiance(of: scene(try square(), material), from: straightOn)[528]
        #expect(abs(pixel.w - 0.25) < 1e-3)
    }

    /// One lux straight on: Lambert leaves the base colour over π; Phong and Blinn add their highlight where the eye is mirrored.
    @Test func modelsFromBeforeMicrofacets() throws {
        let studio = try Studio()
        for (model, expected) in [(LightingModel.lambert, Float(0.5)), (.phong, 0.75), (.blinn, 0.75)] {
            let material = Material(baseColor: Color(linearRed: 0.5, green: 0.5, blue: 0.5))
            material.lightingModel = model
            material.highlight.color = ColorSlot(Vector4(0.25, 0.25, 0.25, 1))
            let scene = scene(try square(), material)
            let node = Node(name: "light")
            node.light = Light(.directional, intensity: .pi)
            scene.rootNode.addChildNode(node)
            #expect(abs(try studio.radiance(of: scene, from: straightOn)[528].x - expected) < 2e-3)
        }
    }
}
