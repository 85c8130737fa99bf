import Vitrine

/// Sixty columns in the evening sun: one directional light, four shadow cascades, edges as soft as the sun is wide.
@MainActor func makeColonnade() throws -> SceneView {
    let stage = try Stage(floor: nil, eye: [-3.2, 2.2, 9], target: [3.5, 1.5, -8], fieldOfView: .degrees(42), turn: .degrees(160))
    stage.scene.environment.intensity = 0.55
    stage.scene.environment.background = .color(Color(sRGB: 0xB9CBDD))
    let stone = Material(name: "Limestone", baseColor: Color(sRGB: 0xD8C9B0), roughness: 0.85)
    stage.add(.floor(width: 120, length: 120), stone)
    let (shaft, block) = (
        Geometry.cone(topRadius: 0.26, bottomRadius: 0.32, height: 3, segments: 24),
        Geometry.box(size: [0.82, 0.2, 0.82], chamferRadius: 0.03)
    )
    for row in 0..<2 {
        for index in 0..<30 {
            let position = Vector3(Float(row) * 3.4, 0, 4 - 1.9 * Float(index))
            stage.add(shaft, stone, at: position + [0, 1.7, 0])
            stage.add(block, stone, at: position + [0, 0.1, 0])
            stage.add(block, stone, at: position + [0, 3.3, 0])
        }
        stage.add(.box(size: [0.7, 0.5, 60]), stone, at: [Float(row) * 3.4, 3.65, -24.5])
    }
    let sun = Light(.directional, intensity: 5, temperature: 4200)
    stage.add(sun, at: [-9, 7, 5], towards: .zero)
    return SceneView(stage.scene)
}
