import Vitrine

/// Soap bubbles: a thin film whose colours depend on its thickness and on the angle of view.
@MainActor func makeBubbles() throws -> SceneView {
    let stage = try Stage(floor: nil, eye: [0, 0, 5], target: .zero, fieldOfView: .degrees(32), turn: .degrees(200))
    stage.scene.environment.intensity = 14
    stage.scene.environment.background = .color(Color(sRGB: 0x10141C))
    var state: UInt32 = 12
    func next(_ range: ClosedRange<Float>) -> Float {
        state = state &* 1_664_525 &+ 1_013_904_223
        return range.lowerBound + (range.upperBound - range.lowerBound) * Float(state >> 8) / Float(1 << 24)
    }
    for index in 0..<26 {
        let film = Material(name: "Film", baseColor: Color(white: 0, alpha: 0.45), roughness: 0.03)
        film.alphaMode = .blend
        film.iridescence = Iridescence(factor: 1, ior: 1.33, thickness: (minimum: 100, maximum: 220 + next(0...420)))
        film.specular = Specular(factor: 1, color: ColorSlot(.white))
        film.ior = 1.9
        let radius = index == 0 ? 0.72 : next(0.09...0.4)
        let position = index == 0 ? Vector3(-0.25, 0.05, 0) : Vector3(next(-1.9...1.9), next(-1.35...1.35), next(-1.6...0.9))
        stage.add(.sphere(radius: radius), film, at: position, turned: [next(0...3), next(0...3), 0])
    }
    return SceneView(stage.scene)
}
