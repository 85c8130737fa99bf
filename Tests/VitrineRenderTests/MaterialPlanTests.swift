import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Bindings and shaders of materials.
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

    @Test func sharedTexturesAreSampledOnce() throws {
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
        // Numbers in colour channels need a sample of their own: colour textures are sRGB.
        material.sheen.roughness.channel = .green
        #expect(try MaterialPlan(material).samples.count == 3)
    }

    /// Each lobe has a condition of its own, and each slot one map, so that a shader reads the bound texture under the name that it expects.
    @Test func lobesDescribeEverySlotOnce() {
        #expect(Set(MaterialLobe.all.map { $0.condition }).count == MaterialLobe.all.count)
        #expect(Set(MaterialLobe.all.map { $0.lobe.rawValue }).count == MaterialLobe.all.count)
        #expect(Set(MaterialMap.all.map { $0.name }).count == MaterialMap.all.count)
        #expect(MaterialMap.all.map { $0.slot.rawValue }.sorted() == MaterialSlot.allCases.map { $0.rawValue })
    }

    /// Numbers of lobes that a material lacks are not in its block.
    @Test func blocksHoldTheNumbersOfTheLobes() throws {
        let material = Material()
        #expect(try MaterialPlan(material).block.vectors.count == 2)
        material.iridescence = Iridescence(factor: 0.5, ior: 1.4, thickness: (minimum: 200, maximum: 300))
        let plan = try MaterialPlan(material)
        #expect(plan.block.vectors.prefix(2) == [Vector4(0.5, 0, 0, 0), Vector4(1.4, 200, 300, 0)])
        #expect(MaterialUniforms.byteCount + plan.block.vectors.count * 16 == MaterialUniforms.byteCount(plan.key))
    }

    @Test func mapsWithoutEffectAreNotBound() throws {
        let material = Material()
        material.clearcoat.roughness = ScalarSlot(1, map: TextureMap(texture("coat")))
        material.sheen.color.map = TextureMap(texture("sheen"))
        material.transmission.factor = ScalarSlot(0, map: TextureMap(texture("glass")))
        #expect(try MaterialPlan(material).samples.isEmpty)
        material.lightingModel = .constant
        material.emission.map = TextureMap(texture("light"))
        #expect(try MaterialPlan(material).samples.isEmpty)
    }

    @Test func tooManyTextureCoordinateSetsThrow() throws {
        let material = Material(name: "Everything")
        material.baseColor.map = TextureMap(texture("a"))
        material.normal.map = TextureMap(texture("b"), set: 1)
        material.roughness.map = TextureMap(texture("c"), set: 2)
        let error = #expect(throws: RenderError.self) { try MaterialPlan(material) }
        #expect(error?.description.contains("3 sets of texture coordinates") == true)
    }

    // MARK: Limits

    /// 16 maps, each with a texture of its own.
    private func layeredMaterial(_ texture: (String) -> Texture) -> Material {
        func map(_ name: String) -> TextureMap { TextureMap(texture(name)) }
        let material = Material(name: "Everything")
        material.baseColor.map = map("baseColor")
        material.normal.map = map("normal")
        material.occlusion.map = map("occlusion")
        material.emission.map = map("emission")
        material.roughness = ScalarSlot(1, map: map("roughness"), channel: .green)
        material.metalness = ScalarSlot(1, map: map("metalness"), channel: .blue)
        material.clearcoat.factor = ScalarSlot(1, map: map("coat"))
        material.clearcoat.roughness = ScalarSlot(1, map: map("coatRoughness"))
        material.clearcoat.normal.map = map("coatNormal")
        material.sheen.color = ColorSlot(Vector4(1, 1, 1, 1), map: map("sheenColor"))
        material.sheen.roughness = ScalarSlot(1, map: map("sheenRoughness"))
        material.specular.factor.map = map("specular")
        material.specular.color.map = map("specularColor")
        material.transmission.factor = ScalarSlot(1, map: map("transmission"))
        material.iridescence.factor = ScalarSlot(1, map: map("iridescence"))
        material.iridescence.thicknessMap = map("iridescenceThickness")
        return material
    }

    @Test func limitDropsTheLeastImportantMaps() throws {
        let material = layeredMaterial(texture)
        #expect(try MaterialPlan(material).samples.count == 16)
        let plan = try MaterialPlan(material, limits: SurfaceLimits(textures: 10, samplers: 12))
        #expect(
            plan.droppedSlots == [.iridescenceThickness, .sheenRoughness, .coatRoughness, .coatNormal, .specular, .specularColor])
        #expect(plan.samples.count == 10 && plan.key[.iridescence] != nil && plan.key[.coatNormal] == nil)
        #expect(try MaterialPlan(material, limits: SurfaceLimits(textures: 1)).samples.map { $0.map.texture.name } == ["baseColor"])
    }

    @Test func limitKeepsSlotsThatShareAnImportantTexture() throws {
        let material = Material()
        let shared = texture("shared")
        material.roughness = ScalarSlot(1, map: TextureMap(shared), channel: .green)
        material.clearcoat.factor = ScalarSlot(1, map: TextureMap(texture("coat")))
        material.clearcoat.roughness = ScalarSlot(1, map: TextureMap(shared), channel: .green)
        let plan = try MaterialPlan(material, limits: SurfaceLimits(textures: 1))
        #expect(plan.droppedSlots == [.coat])
        #expect(plan.key[.coatRoughness] == plan.key[.roughness])
    }

    @Test func limitCountsSamplers() throws {
        let material = Material()
        let nearest = Texture(name: "coat", content: .encoded([]), sampler: Sampler(magnification: .nearest))
        material.baseColor.map = TextureMap(texture("base"))
        material.clearcoat.factor = ScalarSlot(1, map: TextureMap(nearest))
        #expect(try MaterialPlan(material, limits: SurfaceLimits(samplers: 1)).droppedSlots == [.coat])
    }

    @Test func limitBelowTheSurfaceFunctionThrows() throws {
        let material = Material(name: "Painted")
        material.baseColor.map = TextureMap(texture("base"))
        material.surfaceFunction = try SurfaceFunction(
            source: "fn surface(in: SurfaceInput, s: ptr<function, Surface>) { (*s).baseColor = a(in.uv).rgb * b(in.uv).rgb; }",
            textures: ["a": TextureMap(texture("a")), "b": TextureMap(texture("b"))])
        #expect(try MaterialPlan(material, limits: SurfaceLimits(textures: 2)).droppedSlots == [.baseColor])
        let error = #expect(throws: RenderError.self) { try MaterialPlan(material, limits: SurfaceLimits(textures: 1)) }
        #expect(error?.description.contains("Painted") == true && error?.description.contains("2") == true)
    }

    /// The frame has the colour of the maps that are drawn, and one warning names the others.
    @Test func droppedMapsAreReportedOnce() throws {
        let device = try GPUDevice.make()
        let resources = try RenderResources(device, limits: SurfaceLimits(textures: 10, samplers: 12))
        let renderer = try Renderer(resources, isWarmUp: false)
        var warnings: [String] = []
        renderer.onWarning = { warnings.append($0) }
        let material = layeredMaterial { name in
            Texture(name: name, content: .image(Image.painted(width: 2, height: 2) { _, _ in Vector3(0.5, 0.5, 1) }))
        }
        let scene = scene(try square(), material)
        let target = try OffscreenTarget(device, width: 8, height: 8)
        for _ in 0..<2 { try renderer.render(scene, from: straightOn, to: target) }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("'Everything'") == true && warnings.first?.contains("coatNormal") == true)
    }

    /// The opacity slot multiplies the base colour's alpha.
    @Test func opacityMultipliesBaseColorAlpha() throws {
        let material = Material(baseColor: .white)
        material.lightingModel = .constant
        material.alphaMode = .blend
        material.opacity = ScalarSlot(0.5, intensity: 0.5)
        let pixel = try Studio().radiance(of: scene(try square(), material), from: straightOn)[528]
        #expect(abs(pixel.w - 0.25) < 1e-3)
    }

    /// One lux straight on: Lambert leaves the base colour over π; Phong and Blinn add their highlight where the eye is mirrored.
    @Test func classicLightingModels() throws {
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
