import Vitrine

/// Three bodies of coloured glass that light passes through: refraction, and colour that deepens with thickness. Made for path quality.
@MainActor func makeGlass() throws -> SceneView {
    let stage = try Stage(floor: Color(sRGB: 0xC4C0B9), eye: [0, 1.3, 5.1], target: [0, 0.42, 0], turn: .degrees(60))
    func glass(_ color: Vector3, distance: Float) -> Material {
        let material = Material(name: "Glass", baseColor: .white, roughness: 0)
        material.transmission = Transmission(factor: 1, dispersion: 0.2)
        material.volume = Volume(thickness: ScalarSlot(0.8), attenuationDistance: distance, attenuationColor: color)
        return material
    }
    stage.add(.sphere(radius: 0.46), glass([0.25, 0.62, 0.95], distance: 0.5), at: [0.02, 0.46, 0])
    stage.add(
        .box(size: [0.62, 0.62, 0.62], chamferRadius: 0.06), glass([0.95, 0.45, 0.25], distance: 0.6), at: [-1.02, 0.31, -0.1],
        turned: [0, 0.6, 0])
    let star = try Geometry.extruded(.star(radius: 0.46, innerRadius: 0.24), depth: 0.24, bevel: Bevel(radius: 0.06))
    stage.add(star, glass([0.35, 0.85, 0.5], distance: 0.4), at: [1.03, 0.41, -0.05], turned: [0, -0.5, 0])
    stage.add(Light(.rectangle(width: 1.4, height: 1.4), intensity: 8), at: [2.2, 3.2, 1.2], towards: [0, 0.2, 0])
    return SceneView(stage.scene)
}
