import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Casters whose material has holes.
@Suite struct CutOutShadowTests {
    /// Left half opaque, right half not there, on a square 1 m above the floor; lit from 45° on the left.
    @Test(arguments: [AlphaMode.mask(cutoff: 0.5), .blend]) func holesLetLightThrough(_ mode: AlphaMode) throws {
        let material = Material(roughness: 1)
        var bytes: [UInt8] = []
        for _ in 0..<16 { for x in 0..<16 { bytes += [255, 255, 255, x < 8 ? 255 : 0] } }
        let image = try Image(width: 16, height: 16, format: .rgba8, bytes: bytes, name: "half")
        material.baseColor.map = TextureMap(Texture(image))
        material.alphaMode = mode
        let scene = Scene()
        scene.environment.background = .transparent
        let floor = Node(name: "floor", mesh: Mesh(geometry: .plane(width: 8, height: 8), material: Material(roughness: 1)))
        let leaf = Node(name: "leaf", mesh: Mesh(geometry: .plane(), material: material))
        leaf.position = Vector3(0, 0, 1)
        let lightNode = Node(name: "light")
        lightNode.light = Light(.directional, intensity: 3, castsShadow: true)
        lightNode.transform = .lookAt(eye: Vector3(-5, 0, 5), target: Vector3(0, 0, 0))
        for node in [floor, leaf, lightNode] { scene.rootNode.addChildNode(node) }
        let view = View(
            camera: Camera(projection: .orthographic(scale: 2.5), near: 0.1, far: 20),
            worldFromCamera: Matrix4(translation: Vector3(0, 0, 10)))
        let pixels = try Studio().radiance(of: scene, from: view, width: 100, height: 100)
        func at(_ x: Float) -> Float { pixels[50 * 100 + Int((x + 2.5) / 5 * 100)].x }
        #expect(at(0.75) == 0)
        #expect(at(1.25) > 0.5)
        #expect(at(2) > 0.5)
    }
}
