import Vitrine

/// Ten thousand boxes that share one mesh for each of eight colours: drawn as instances, moved by a wave.
@MainActor func makeCrowd() throws -> SceneView {
    let stage = try Stage(floor: nil, eye: [9, 9, 12], target: [0, -0.6, 0], fieldOfView: .degrees(34))
    stage.scene.environment.background = .color(Color(sRGB: 0x0E1A2B))
    let palette: [UInt32] = [0x0B3954, 0x087E8B, 0x2FB5A8, 0xBFD7EA, 0xFFE3B3, 0xFFB35C, 0xFF5A5F, 0xC81D4E]
    let meshes = palette.map {
        Mesh(
            geometry: .box(size: [0.1, 0.1, 0.1], chamferRadius: 0.012, chamferSegments: 1),
            material: Material(baseColor: Color(sRGB: $0), roughness: 0.35))
    }
    for z in 0..<100 {
        for x in 0..<100 {
            let (u, v) = (Float(x) / 99 * 2 - 1, Float(z) / 99 * 2 - 1)
            let distance = (u * u + v * v).squareRoot()
            let height = 0.9 * sin(9 * distance - 1.2) * exp(-1.6 * distance)
            let node = Node(mesh: meshes[min(7, max(0, Int((height + 0.55) * 7)))])
            node.position = [u * 6, height, v * 6]
            node.scale = [1, 1 + 10 * max(0, height + 0.4), 1]
            stage.scene.rootNode.addChildNode(node)
        }
    }
    stage.add(Light(.directional, intensity: 2.5), at: [4, 8, -3], towards: .zero)
    return SceneView(stage.scene)
}
