import Vitrine

/// A wristwatch: brushed steel, a lacquered dial, polished hands, a leather strap. The scale is 20 : 1.
@MainActor func makeWatch() throws -> SceneView {
    let stage = try Stage(
        floor: Color(sRGB: 0xD9D4CC), eye: [-0.5, 2.3, 2.1], target: [0, 0.05, 0.02], fieldOfView: .degrees(24), turn: .degrees(110))
    let brushed = Material(name: "Brushed steel", baseColor: Color(white: 0.78), metalness: 1, roughness: 0.32)
    brushed.anisotropy = Anisotropy(strength: 0.8)
    let polished = Material(name: "Polished steel", baseColor: Color(white: 0.85), metalness: 1, roughness: 0.06)
    let dial = Material(name: "Dial", baseColor: Color(sRGB: 0x14304F), metalness: 0.4, roughness: 0.35)
    dial.clearcoat = Clearcoat(factor: 1, roughness: 0.03)
    let gold = Material(name: "Gold", baseColor: Color(linear: [1, 0.72, 0.32, 1]), metalness: 1, roughness: 0.15)
    let white = Material(name: "Print", baseColor: .white, roughness: 0.5)

    let watch = Node(name: "Watch")
    watch.position = [0, 0.12, 0]
    stage.scene.rootNode.addChildNode(watch)
    func place(_ geometry: Geometry, _ material: Material, at position: Vector3, angle: Float = 0, flat: Bool = true) {
        let (arm, part) = (Node(), Node(mesh: Mesh(geometry: geometry, material: material)))
        arm.eulerAngles.y = -angle
        part.position = position
        if flat { part.eulerAngles.x = -.pi / 2 }
        arm.addChildNode(part)
        watch.addChildNode(arm)
    }
    func ring(_ outer: Float, _ inner: Float) -> Path {
        var path = Path.circle(radius: outer)
        path.append(Path.circle(radius: inner))
        return path
    }
    let bevel = Bevel(radius: 0.02)
    place(try .extruded(ring(0.5, 0.42), depth: 0.16, bevel: bevel, fillRule: .evenOdd), brushed, at: [0, 0.02, 0])
    place(try .extruded(ring(0.455, 0.405), depth: 0.05, bevel: Bevel(radius: 0.015), fillRule: .evenOdd), polished, at: [0, 0.11, 0])
    place(.cylinder(radius: 0.44, height: 0.1, segments: 96), dial, at: [0, -0.01, 0], flat: false)
    for hour in 0..<60 {
        let isHour = hour % 5 == 0
        let mark = try Geometry.extruded(
            .roundedRectangle(width: isHour ? 0.016 : 0.005, height: isHour ? 0.075 : 0.03, cornerRadius: 0.002), depth: 0.012,
            bevel: Bevel(radius: 0.003))
        place(mark, isHour ? polished : white, at: [0, 0.045, isHour ? -0.335 : -0.365], angle: Float(hour) / 60 * 2 * .pi)
    }
    for (length, width, hours) in [(Float(0.21), Float(0.032), Float(10.15)), (0.32, 0.024, 1.8)] {
        let hand = try Geometry.extruded(
            .polygon([[-width / 2, -0.04], [width / 2, -0.04], [width / 3, length * 0.8], [0, length], [-width / 3, length * 0.8]]),
            depth: 0.012, bevel: Bevel(radius: 0.004))
        place(hand, polished, at: [0, 0.065 + width, 0], angle: hours / 12 * 2 * .pi)
    }
    place(try .extruded(.rectangle(width: 0.007, height: 0.44), depth: 0.006), gold, at: [0, 0.11, -0.12], angle: 3.9)
    place(.cylinder(radius: 0.018, height: 0.05), gold, at: [0, 0.095, 0], flat: false)
    place(try .text("VITRINE", style: TextStyle(size: 0.045, letterSpacing: 0.1), depth: 0.004), white, at: [0, 0.042, -0.17])
    // The crown, at three o'clock.
    let crown = Node(mesh: Mesh(geometry: .cylinder(radius: 0.05, height: 0.08, segments: 32), material: brushed))
    (crown.position, crown.eulerAngles) = ([0.54, 0, 0], [0, 0, .pi / 2])
    watch.addChildNode(crown)
    for (side, end) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] as [(Float, Float)] {
        place(.box(size: [0.08, 0.09, 0.26], chamferRadius: 0.03), polished, at: [0.27 * side, -0.03, 0.46 * end], flat: false)
    }
    let leather = Material(name: "Leather", baseColor: Color(sRGB: 0x5A3420), roughness: 0.55)
    leather.sheen = Sheen(color: ColorSlot(Color(sRGB: 0x6B4A34)), roughness: ScalarSlot(0.5, channel: .alpha))
    for end in [Float(-1), 1] {
        place(.box(size: [0.44, 0.07, 1.6], chamferRadius: 0.03), leather, at: [0, -0.03, 1.24 * end], flat: false)
    }
    stage.add(Light(.disc(radius: 0.6), intensity: 14), at: [-1.8, 2.6, 0.6], towards: .zero)
    return SceneView(stage.scene)
}
