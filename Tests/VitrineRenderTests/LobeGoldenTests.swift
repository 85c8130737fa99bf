import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Each lobe in a row of spheres, as golden images: inspect them before updating with VITRINE_UPDATE_GOLDENS=1.
@Suite struct LobeGoldenTests {
    private func row(_ materials: [Material], behind: Material? = nil) throws -> Image {
        let scene = Scene()
        let ball = try sphere()
        for (index, material) in materials.enumerated() {
            let node = Node(name: "ball", mesh: Mesh(geometry: ball, material: material))
            node.position.x = 2.2 * (Float(index) - Float(materials.count - 1) / 2)
            scene.rootNode.addChildNode(node)
        }
        if let behind {
            let wall = Node(name: "wall", mesh: Mesh(geometry: try square(), material: behind))
            wall.position = Vector3(0, 0, -2)
            wall.scale = Vector3(6, 2, 1)
            scene.rootNode.addChildNode(wall)
        }
        scene.environment = .studio()
        let light = Node(name: "light")
        light.light = Light(.directional, intensity: 1.5)
        light.position = Vector3(-3, 4, 5)
        light.look(at: Vector3(0, 0, 0))
        scene.rootNode.addChildNode(light)
        let view = View.orbit(
            target: Vector3(0, 0, 0), azimuth: .degrees(0), elevation: .degrees(0), distance: 4.8, fieldOfView: .degrees(30))
        return try Studio().image(of: scene, from: view, width: 320, height: 80)
    }

    private func materials(_ values: [Float], _ change: (Material, Float) -> Void) -> [Material] {
        values.map { value in
            let material = Material(baseColor: Color(sRGB: 0x802030), roughness: 0.6)
            change(material, value)
            return material
        }
    }

    @Test func sheen() throws {
        let row = try row(
            materials([0.15, 0.3, 0.6, 1]) { material, roughness in
                material.sheen.color = ColorSlot(Vector4(0.9, 0.8, 1, 1))
                material.sheen.roughness.factor = roughness
                material.roughness = 1
            })
        try GoldenImage.check(row, named: "lobe-sheen")
    }

    @Test func anisotropy() throws {
        let row = try row(
            materials([0, 0.4, 0.8, -0.8]) { material, strength in
                material.baseColor = ColorSlot(Color(sRGB: 0xD0D4DC))
                material.metalness = 1
                material.roughness = 0.3
                material.anisotropy.strength = abs(strength)
                material.anisotropy.rotation = .degrees(strength < 0 ? 90 : 0)
            })
        try GoldenImage.check(row, named: "lobe-anisotropy")
    }

    @Test func iridescence() throws {
        let row = try row(
            materials([200, 350, 500, 700]) { material, thickness in
                material.baseColor = ColorSlot(Color(sRGB: 0x202020))
                material.roughness = 0.15
                material.iridescence = Iridescence(factor: 1, ior: 1.8, thickness: (100, thickness))
            })
        try GoldenImage.check(row, named: "lobe-iridescence")
    }

    @Test func specular() throws {
        let row = try row(
            materials([1, 1.33, 1.5, 2.4]) { material, ior in
                material.roughness = 0.1
                material.ior = ior
            })
        try GoldenImage.check(row, named: "lobe-ior")
    }

    @Test func transmission() throws {
        var bytes: [UInt8] = []
        for y in 0..<8 { for x in 0..<24 { bytes += (x + y) % 2 == 0 ? [240, 200, 60, 255] : [20, 60, 120, 255] } }
        let wall = Material()
        wall.baseColor.map = TextureMap(
            Texture(try Image(width: 24, height: 8, format: .rgba8, bytes: bytes), sampler: Sampler(magnification: .nearest)))
        let row = try row(
            materials([0, 1, 2, 3]) { material, kind in
                material.baseColor = ColorSlot(.white)
                material.transmission.factor = 1
                material.roughness = ScalarSlot(kind == 1 ? 0.35 : 0)
                if kind >= 2 {
                    material.volume.thickness.factor = 2
                    material.volume.attenuationDistance = 1.5
                    material.volume.attenuationColor = Vector3(0.3, 0.8, 0.6)
                }
                if kind == 3 { material.transmission.dispersion = 5 }
            }, behind: wall)
        try GoldenImage.check(row, named: "lobe-transmission")
    }

    @Test func classicModels() throws {
        let models: [LightingModel] = [.constant, .lambert, .phong, .blinn]
        let row = try row(materials([0, 1, 2, 3]) { material, index in material.lightingModel = models[Int(index)] })
        try GoldenImage.check(row, named: "lighting-models")
    }

    @Test func surfaceFunction() throws {
        let row = try row(
            try materials([0.1, 0.3, 0.5, 0.7]).map { material in
                material.surfaceFunction = try SurfaceFunction(
                    source: """
                        // Rust that grows up a sphere of steel.
                        fn noise(p: vec3f) -> f32 {
                            let q = sin(p * 3.1) + sin(p.zxy * 5.3 + 1.7) + 0.5 * sin(p.yzx * 13.7);
                            return 0.5 + 0.2 * (q.x + q.y + q.z) / 1.5;
                        }
                        fn surface(in: SurfaceInput, s: ptr<function, Surface>) {
                            let height = 0.5 * in.localPosition.y + 0.5;
                            let rust = smoothstep(-0.08, 0.08, uniforms.level - height + 0.3 * (noise(in.localPosition * 2.0) - 0.5));
                            (*s).baseColor = mix(vec3f(0.6, 0.62, 0.66), vec3f(0.28, 0.09, 0.03) * (0.5 + noise(in.localPosition * 6.0)), rust);
                            (*s).metalness = 1.0 - rust;
                            (*s).roughness = mix(0.15, 0.9, rust);
                        }
                        """, uniforms: ["level": .float(material.roughness.factor)])
                return material
            })
        try GoldenImage.check(row, named: "surface-function")
    }

    private func materials(_ values: [Float]) throws -> [Material] { materials(values) { $0.roughness = ScalarSlot($1) } }
}
