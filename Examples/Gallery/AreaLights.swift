import Vitrine

/// Three area lights over glossy and matt balls: soft shadows, and highlights in the shape of the lights.
@MainActor func makeAreaLights() throws -> SceneView {
    let stage = try Stage(floor: Color(sRGB: 0x3A3A3C), eye: [0, 1.9, 5.2], target: [0, 0.35, 0], fieldOfView: .degrees(38))
    stage.scene.environment.intensity = 0.15
    for index in 0..<5 {
        let material = Material(
            name: "Ball", baseColor: Color(white: 0.8), metalness: index % 2 == 0 ? 1 : 0, roughness: 0.08 + 0.16 * Float(index))
        stage.add(.sphere(radius: 0.38), material, at: [0.9 * (Float(index) - 2), 0.38, 0.12 * abs(Float(index) - 2)])
    }
    let lights: [(Light.Kind, UInt32, Vector3)] = [
        (.rectangle(width: 0.5, height: 1.6), 0xFF9A5A, [-2.6, 1.7, 0.2]), (.disc(radius: 0.5), 0xFFFFFF, [0, 2.7, 0.6]),
        (.rectangle(width: 0.5, height: 1.6), 0x5AA0FF, [2.6, 1.7, 0.2]),
    ]
    for (kind, color, position) in lights {
        stage.add(Light(kind, color: Color(sRGB: color), intensity: 45), at: position, towards: [0, 0.3, 0])
    }
    return SceneView(stage.scene)
}
