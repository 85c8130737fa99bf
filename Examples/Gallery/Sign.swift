import Vitrine

/// A sign of glowing tubes: text and a path extruded thinly, emission, bloom.
@MainActor func makeSign() throws -> SceneView {
    let stage = try Stage(floor: nil, eye: [0.9, 0.2, 5.4], target: [0, 0, 0], fieldOfView: .degrees(30))
    stage.scene.environment.intensity = 0.12
    stage.scene.environment.background = .color(Color(sRGB: 0x07080B))
    let wall = Material(name: "Brick", baseColor: Color(sRGB: 0x4A2A22), roughness: 0.85)
    wall.baseColor.map = TextureMap(
        Texture(
            Image.painted(width: 512, height: 512) { u, v in
                let row = (v * 16).rounded(.down)
                let x = u * 8 + (Int(row) % 2 == 0 ? 0 : 0.5)
                let joint = min(min(x - x.rounded(.down), 1 - (x - x.rounded(.down))) * 2, min(v * 16 - row, 1 - (v * 16 - row)))
                let shade = 0.75 + 0.25 * sin(7.1 * x.rounded(.down) + 3.3 * row)
                return joint < 0.06 ? Vector3(repeating: 0.28) : Vector3(repeating: shade)
            }))
    stage.add(.plane(width: 9, height: 6), wall, at: [0, 0, -0.35])
    func tube(_ color: UInt32) -> Material {
        let material = Material(name: "Tube", baseColor: .black, roughness: 0.4)
        material.emission = ColorSlot(Color(sRGB: color).linear, intensity: 5)
        return material
    }
    let word = try Geometry.text("open", style: TextStyle(size: 1.15), depth: 0.05, bevel: Bevel(radius: 0.02))
    stage.add(word, tube(0xFF3B6B), at: [0, 0.05, 0])
    var frame = Path.roundedRectangle(width: 3.5, height: 1.75, cornerRadius: 0.5)
    frame.append(.roundedRectangle(width: 3.38, height: 1.63, cornerRadius: 0.44))
    stage.add(try .extruded(frame, depth: 0.05, bevel: Bevel(radius: 0.02), fillRule: .evenOdd), tube(0x2DC7FF))
    stage.add(Light(.rectangle(width: 3, height: 0.8), color: Color(sRGB: 0xFF5577), intensity: 5), at: [0, 0, 0.02], towards: [0, 0, -1])
    let view = SceneView(stage.scene)
    view.options.bloom = Bloom(intensity: 0.14, spread: 0.8)
    return view
}
