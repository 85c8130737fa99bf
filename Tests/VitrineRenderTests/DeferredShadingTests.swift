import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Surfaces that are shaded once per pixel, from an `AttributeBuffer`.
@Suite struct DeferredShadingTests {
    enum Look: CaseIterable {
        case maps, transformedMaps, sharperMaps, doubleSided, mirrored, plain, occlusion, coat, sheen, anisotropy, iridescence, specular
        case lambert, phong, sharedMaterial, manyMaterials, tooManyMaterials, mixed, transmission, sky, radiance
        case light, manyLights, shadow, areaLight, categories, litMaterials
    }

    private static func texture(_ texel: (Float, Float) -> [UInt8]) throws -> Texture {
        let size = 64
        var bytes: [UInt8] = []
        for y in 0..<size { for x in 0..<size { bytes += texel(Float(x) / Float(size), Float(y) / Float(size)) } }
        return Texture(name: "map", content: .image(try Image(width: size, height: size, format: .rgba8, bytes: bytes)))
    }

    private static func mapped(_ transform: TextureTransform = .identity) throws -> Material {
        let material = Material(metalness: 0.3, roughness: 0.5)
        let color = try texture { x, y in [UInt8(255 * x), UInt8(255 * y), UInt8(100 + 100 * sin(30 * x)), 255] }
        let normal = try texture { x, y in
            let n = normalize(Vector3(sin(x * 40) * 0.4, cos(y * 30) * 0.4, 1))
            return [UInt8(n.x * 127.5 + 127.5), UInt8(n.y * 127.5 + 127.5), UInt8(n.z * 127.5 + 127.5), 255]
        }
        material.baseColor.map = TextureMap(color, transform: transform)
        material.normal.map = TextureMap(normal, transform: transform)
        return material
    }

    /// A ball in a corner of the image for each material.
    private static func balls(_ materials: [Material], geometry: Geometry? = nil) throws -> Scene {
        let scene = Scene()
        let geometry = try geometry ?? sphere()
        let columns = materials.count == 1 ? 1 : Int(Float(materials.count).squareRoot().rounded(.up))
        for (index, material) in materials.enumerated() {
            let node = Node(name: "ball", mesh: Mesh(geometry: geometry, material: material))
            let (x, y) = (index % columns, index / columns)
            node.scale = Vector3(repeating: 0.9 / Float(columns))
            node.position = Vector3((Float(2 * x + 1) / Float(columns) - 1) * 0.95, (Float(2 * y + 1) / Float(columns) - 1) * 0.95, 0)
            scene.rootNode.addChildNode(node)
        }
        scene.environment = .studio()
        return scene
    }

    /// Materials of different colours.
    private static func colors(_ count: Int) -> [Material] {
        (0..<count).map { index in
            let share = Float(index) / Float(count)
            return Material(
                baseColor: Color(linear: Vector4(share, 1 - share, index % 2 == 0 ? 0.8 : 0.1, 1)), roughness: 0.3 + 0.5 * share)
        }
    }

    private static func occludedBall() throws -> Geometry {
        let ball = try sphere()
        var values: [Float] = []
        for vertex in 0..<ball.vertexCount {
            let share = Float(vertex) / Float(ball.vertexCount)
            values += [1.2 * share, 0.5 - share, 0.3, -0.6 * share, 0.2 * share, -0.1, 0.3 * share, 0.1, 0.2]
        }
        return try Geometry(
            attributes: ball.attributes + [VertexAttribute(.occlusionHarmonics, componentCount: 9, values: values)], indices: ball.indices)
    }

    private static func stage(_ look: Look) throws -> (Scene, RenderOptions) {
        var options = RenderOptions(sampleCount: 1)
        let plain = Material(baseColor: Color(sRGB: 0xC03028), roughness: 0.4)
        var materials = [plain]
        var geometry: Geometry?
        switch look {
        case .maps, .doubleSided, .mirrored, .sky, .radiance: materials = [try mapped()]
        case .transformedMaps:
            materials = [try mapped(TextureTransform(offset: Vector2(0.3, 0.1), rotation: .degrees(30), scale: Vector2(3, 2)))]
        case .sharperMaps:
            materials = [try mapped()]
            options.mipBias = -2
        case .plain: break
        case .occlusion: (geometry, materials) = (try occludedBall(), [try mapped()])
        case .coat: plain.clearcoat.factor.factor = 1
        case .sheen: plain.sheen.color = ColorSlot(Vector4(0.8, 0.8, 0.9, 1))
        case .anisotropy: (plain.anisotropy.strength, plain.anisotropy.rotation) = (0.8, .degrees(30))
        case .iridescence: plain.iridescence.factor.factor = 1
        case .specular: plain.specular.color = ColorSlot(Vector4(1, 0.5, 0.2, 1))
        case .lambert: plain.lightingModel = .lambert
        case .phong: plain.lightingModel = .phong
        case .sharedMaterial: materials = [plain, plain]
        case .manyMaterials: materials = colors(AttributeBuffer.materialCount)
        case .tooManyMaterials: materials = colors(AttributeBuffer.materialCount + 4)
        case .mixed:
            materials = colors(9)
            materials[1].alphaMode = .mask(cutoff: 0.5)
            (materials[3].alphaMode, materials[3].opacity.factor) = (.blend, 0.5)
            materials[5].lightingModel = .constant
            materials[7].isDoubleSided = true
        case .transmission:
            materials = colors(4)
            materials[0].transmission.factor.factor = 1
        case .light, .manyLights, .shadow, .areaLight: materials = [try mapped()]
        case .categories, .litMaterials: materials = colors(9)
        }
        let scene = try balls(materials, geometry: geometry)
        if look == .sky { scene.environment.background = .environment }
        // Two pipelines for one material.
        if look == .sharedMaterial { scene.rootNode.childNodes[1].mesh = Mesh(geometry: try occludedBall(), material: plain) }
        if [.light, .manyLights, .shadow, .areaLight, .categories, .litMaterials].contains(look) { addLights(look, to: scene) }
        if look == .mirrored { scene.rootNode.childNodes[0].scale.x = -0.9 }
        if look == .doubleSided {
            materials[0].isDoubleSided = true
            // Cut open by the near plane, so that its inner side is visible.
            scene.rootNode.childNodes[0].position.z = 4.6
        }
        return (scene, options)
    }

    private static func addLights(_ look: Look, to scene: Scene) {
        for index in 0..<(look == .manyLights ? 70 : 2) {
            let node = Node(name: "light")
            let angle = Float(index) * 2.4
            node.position = Vector3(2 * cos(angle), 2 * sin(angle), 1.5)
            node.light = Light(.point, intensity: look == .manyLights ? 0.3 : 6, range: look == .manyLights ? 3 : nil)
            if look == .areaLight { node.light?.kind = .rectangle(width: 1, height: 0.5) }
            node.light?.castsShadow = look == .shadow || look == .litMaterials
            if look == .categories { node.light?.categoryBitMask = index == 0 ? 2 : 4 }
            scene.rootNode.addChildNode(node)
        }
        guard look == .categories else { return }
        for (index, ball) in scene.rootNode.childNodes.enumerated() where ball.mesh != nil { ball.categoryBitMask = index % 2 == 0 ? 2 : 4 }
    }

    /// Whether the last frame had an `AttributeBuffer`.
    private func isDeferred(_ studio: Studio) -> Bool { studio.renderer.transientTextures.texture(labeled: "attributes 1") != nil }

    /// Largest and mean difference of two images.
    private func difference(_ a: [UInt8], _ b: [UInt8]) -> (largest: Int, mean: Double) {
        let differences = zip(a, b).map { abs(Int($0) - Int($1)) }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(differences.count))
    }

    @Test(arguments: Look.allCases) func deferredShadingGivesTheSameImage(_ look: Look) throws {
        let studio = try Studio()
        let (scene, options) = try Self.stage(look)
        if look == .radiance {
            studio.renderer.deferredChoice = .never
            let forward = try studio.radiance(of: scene, from: straightOn, width: 64, height: 64, options: options)
            studio.renderer.deferredChoice = .always
            let deferred = try studio.radiance(of: scene, from: straightOn, width: 64, height: 64, options: options)
            #expect(isDeferred(studio) == AttributeBuffer.isUseful(on: studio.renderer.device))
            #expect(zip(forward, deferred).allSatisfy { length($0 - $1) < 0.03 * (1 + length($0)) })
            return
        }
        studio.renderer.deferredChoice = .never
        let forward = try studio.image(of: scene, from: straightOn, options: options)
        #expect(!isDeferred(studio))
        studio.renderer.deferredChoice = .always
        let deferred = try studio.image(of: scene, from: straightOn, options: options)
        #expect(isDeferred(studio) == AttributeBuffer.isUseful(on: studio.renderer.device))
        let (largest, mean) = difference(forward.bytes, deferred.bytes)
        #expect(Set(forward.bytes).count > 20)
        #expect(largest <= 12, "largest difference \(largest), mean \(mean)")
        #expect(mean < 0.1, "largest difference \(largest), mean \(mean)")
    }

    /// In stills, whose shadows of the environment fall on the balls, too.
    @Test func shadowsOfTheEnvironmentAreTheSame() throws {
        let scene = try Self.balls(Self.colors(4))
        for (index, ball) in scene.rootNode.childNodes.enumerated() { ball.position.z = Float(index) * 0.3 }
        scene.environment = try uniformEnvironment(1)
        var images: [[Vector4]] = []
        for choice in [DeferredShading.Choice.never, .always] {
            let studio = try Studio()
            studio.renderer.deferredChoice = choice
            let target = try OffscreenTarget(studio.renderer.device, width: 64, height: 64, content: .radiance)
            var options = RenderOptions()
            options.environmentShadows = true
            try studio.renderer.renderStill(scene, from: straightOn, to: target, samples: 8, options: options)
            #expect(isDeferred(studio) == (choice == .always && AttributeBuffer.isUseful(on: studio.renderer.device)))
            images.append(
                try target.image().bytes.withUnsafeBytes { raw in
                    (0..<64 * 64).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
                })
        }
        // A texel at the edge of a shadow may be read differently.
        let differing = zip(images[0], images[1]).count { length($0 - $1) > 0.03 * (1 + length($0)) }
        #expect(differing < 64 * 64 / 100, "\(differing) pixels")
    }

    /// Several samples per pixel need other attributes at edges.
    @Test func otherFramesAreShadedDirectly() throws {
        let studio = try Studio()
        studio.renderer.deferredChoice = .always
        let scene = try Self.balls(Self.colors(1))
        for options in [
            RenderOptions(sampleCount: 4), RenderOptions(sampleCount: 1, debugView: .normals),
            RenderOptions(sampleCount: 1, normalSamples: 2),
            RenderOptions(sampleCount: 1, screenOcclusion: ScreenOcclusion(radius: 1)),
        ] {
            _ = try studio.image(of: scene, from: straightOn, options: options)
            #expect(!isDeferred(studio))
        }
        let options = RenderOptions(sampleCount: 1)
        _ = try studio.image(of: scene, from: straightOn, options: options)
        #expect(isDeferred(studio) == AttributeBuffer.isUseful(on: studio.renderer.device))
    }

    /// Photos of the sample had dots along edges: of textures with another anisotropy than 1.
    @Test func anisotropicFilteringIsShadedDirectly() throws {
        let studio = try Studio()
        studio.renderer.deferredChoice = .always
        let material = try Self.mapped()
        let scene = try Self.balls([material])
        _ = try studio.image(of: scene, from: straightOn, options: RenderOptions(sampleCount: 1, anisotropy: 4))
        #expect(!isDeferred(studio))
        let map = try #require(material.baseColor.map)
        let sampler = Sampler(maximumAnisotropy: 8)
        material.baseColor.map = TextureMap(Texture(name: "map", content: map.texture.content, sampler: sampler))
        _ = try studio.image(of: scene, from: straightOn, options: RenderOptions(sampleCount: 1))
        #expect(!isDeferred(studio))
    }

    /// A browser's default limit is 16 textures, to which the attributes count.
    @Test func materialsWithManyMapsAreShadedDirectly() throws {
        let adapter = try GPUInstance().adapter(.automatic)
        var limits = adapter.limits
        limits.maxSampledTexturesPerShaderStage = 16
        let device = try adapter.makeDevice(limits: limits)
        let renderer = try Renderer(device: device)
        renderer.deferredChoice = .always
        let target = try OffscreenTarget(device, width: 64, height: 64)
        func isDeferred(_ material: Material) throws -> Bool {
            try renderer.render(try Self.balls([material]), from: straightOn, to: target, options: RenderOptions(sampleCount: 1))
            return renderer.transientTextures.texture(labeled: "attributes 1") != nil
        }
        let material = try Self.mapped()
        #expect(try isDeferred(material) == AttributeBuffer.isUseful(on: device))
        for slot in [
            \Material.clearcoat.factor.map, \.clearcoat.roughness.map, \.clearcoat.normal.map, \.sheen.color.map, \.sheen.roughness.map,
        ] {
            material[keyPath: slot] = TextureMap(try Self.texture { x, y in [UInt8(255 * x), UInt8(255 * y), 128, 255] })
        }
        material.specular.color.map = material.clearcoat.factor.map
        (material.clearcoat.factor.factor, material.sheen.color) = (1, ColorSlot(Vector4(1, 1, 1, 1), map: material.sheen.color.map))
        material.emission.map = TextureMap(try Self.texture { x, _ in [UInt8(255 * x), 0, 0, 255] })
        #expect(try !isDeferred(material))
    }

    @Test func surfacesWithSmallTrianglesAreDeferred() {
        func candidate(
            triangles: Int, hasMaps: Bool = true, output: GPUTextureFormat = .rgba8Unorm
        ) -> DeferredShading.Candidate {
            let key = PipelineKey(entry: .deferred, features: [], toneMapping: .none, debugView: nil, format: output, sampleCount: 1)
            return DeferredShading.Candidate(
                material: DeferredShading.Material(bindings: ObjectIdentifier(Scene.self), shading: key), area: 50_000,
                triangleCount: triangles, hasMaps: hasMaps)
        }
        let (fine, coarse) = (candidate(triangles: 4_000), candidate(triangles: 400))
        let pixels = 400 * 300
        func choice(_ candidates: [DeferredShading.Candidate?], pixels: Int = 400 * 300, hasLights: Bool = false) -> [Bool] {
            DeferredShading.choose(candidates, .automatic, pixels: pixels, hasLights: hasLights)
        }
        #expect(choice([fine, nil, coarse]) == [true, false, false])
        #expect(DeferredShading.choose([fine, nil, coarse], .always, pixels: pixels, hasLights: false) == [true, false, true])
        #expect(DeferredShading.choose([fine, nil, coarse], .never, pixels: pixels, hasLights: false) == [false, false, false])
        // Surfaces without maps and several materials pay only with lights.
        let unmapped = candidate(triangles: 4_000, hasMaps: false)
        #expect(choice([fine, unmapped]) == [true, false])
        #expect(choice([fine, unmapped], hasLights: true) == [true, true])
        let other = candidate(triangles: 4_000, output: .rgba16Float)
        #expect(choice([fine, other]) == [false, false])
        #expect(choice([fine, other], hasLights: true) == [true, true])
        // Another pass does not pay for a twentieth of the image.
        #expect(choice([fine, coarse], pixels: 20 * 50_000) == [false, false])
    }

    /// The choice follows the size in the image.
    @Test func nearSurfacesAreShadedDirectly() throws {
        let studio = try Studio()
        let scene = try Self.balls([try Self.mapped()], geometry: sphere(rings: 48, segments: 96))
        let options = RenderOptions(sampleCount: 1)
        for (scale, expected) in [(Float(1), true), (0.05, false)] {
            let view = View(
                camera: Camera(projection: .orthographic(scale: scale), near: 0.1, far: 10),
                worldFromCamera: Matrix4(translation: Vector3(0, 0, 5)))
            _ = try studio.image(of: scene, from: view, options: options)
            #expect(isDeferred(studio) == (expected && AttributeBuffer.isUseful(on: studio.renderer.device)), "scale \(scale)")
        }
    }
}
