import Vitrine

/// A row of pearls, one of them in focus: depth of field, iridescence under a clear coat.
@MainActor func makePearls() throws -> SceneView {
    let lens = Lens(focusDistance: 1.28, fNumber: 5.6, sensorHeight: 36)
    let stage = try Stage(
        floor: Color(sRGB: 0x2B2630), eye: [-0.55, 0.36, 1.25], target: [0, 0.1, 0.05], fieldOfView: .degrees(24), turn: .degrees(75),
        lens: lens)
    for index in 0..<15 {
        let pearl = Material(
            name: "Pearl", baseColor: Color(sRGB: [0xF3EBE0, 0xE6D3D6, 0xD6DCE6][index % 3]), metalness: 0.25, roughness: 0.28)
        pearl.iridescence = Iridescence(factor: 0.6, ior: 1.5, thickness: (minimum: 200, maximum: 380))
        pearl.clearcoat = Clearcoat(factor: 0.8, roughness: 0.08)
        let along = Float(index) - 5
        stage.add(.sphere(radius: 0.085), pearl, at: [0.16 * along * 0.75, 0.085, 0.05 - 0.19 * along])
    }
    stage.add(Light(.disc(radius: 0.25), intensity: 16), at: [-0.9, 1.4, 0.9], towards: [0, 0.1, 0])
    return SceneView(stage.scene)
}
