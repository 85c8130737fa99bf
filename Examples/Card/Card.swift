// All that a card needs, to copy from. main.swift beside it only shows it in a window or renders an image.
//
// The reference's numbers: turns forever by (0, 2, 0) radians per second; metalness from the print's brightness with white at 0.9; a noise normal map
// of 1024 × 1024. Differences: a real clearcoat in place of the metalness map's lower intensity, and the environment is rotated in place of camera and card.
import Vitrine

// The print, by position on the card: u from the left, v from the top, sRGB. Bright areas become foil.

func front(_ u: Float, _ v: Float) -> Vector3 {
    let (x, y) = ((u - 1.02) * 1.585, v + 0.12)
    let (radius, angle) = ((x * x + y * y).squareRoot(), atan2(y, x))
    let wave = (radius + 0.012 * sin(9 * angle)) * 21
    let line = smoothstep(0.20, 0.06, abs(wave - wave.rounded())) * smoothstep(1.25, 0.35, radius)
    let ground = mix(Vector3(0.02, 0.04, 0.15), Vector3(0.30, 0.06, 0.34), clamp(u * 0.9 - v * 0.35 + 0.1, 0, 1))
    return mix(ground, Vector3(1, 0.84, 0.52), line)
}

func back(_ u: Float, _ v: Float) -> Vector3 {
    v > 0.12 && v < 0.32 ? Vector3(repeating: 0.02) : mix(Vector3(0.30, 0.06, 0.34), Vector3(0.02, 0.04, 0.15), u)
}

/// Creates the material of a print under clear lacquer, with metalness from its brightness and sparkling noise.
func lacquered(_ print: (Float, Float) -> Vector3) -> Material {
    var recipe = ImageMaterialRecipe()
    (recipe.metalnessIntensity, recipe.roughness, recipe.sparkle, recipe.sparkleRepeats) = (1, 0.32, 0.08, 2)
    let material = Material(image: Image.painted(width: 1024, height: 646, print), recipe: recipe)
    material.clearcoat = Clearcoat(factor: 1, roughness: 0.03)
    return material
}

/// Creates the card, 85.6 × 54 mm around the origin and facing +Z, with raised letters and the contacts of a chip.
func makeCard() throws -> Node {
    let gold = Material(name: "gold", baseColor: Color(red: 1, green: 0.82, blue: 0.50), metalness: 1, roughness: 0.22)
    let (printed, behind) = (lacquered(front), lacquered(back))
    let outline = Path.roundedRectangle(width: 0.0856, height: 0.054, cornerRadius: 0.0034)
    let body = try Shape.extruded(outline, depth: 0.0014, bevel: Bevel(radius: 0.0003))
    let card = Node(name: "card", mesh: Mesh(shape: body) { $0 == .front ? printed : $0 == .back ? behind : gold })
    func raise(_ shape: Shape, _ x: Float, _ y: Float) {
        card.addChildNode(Node(mesh: Mesh(shape: shape, materials: [gold])))
        card.childNodes.last?.position = [x, y, 0.0007]
    }
    func write(_ text: String, size: Float, y: Float) throws {
        let style = TextStyle(size: size, alignment: .left, anchor: .baseline, letterSpacing: 0.06)
        raise(try .text(text, style: style, depth: 0.0007, bevel: Bevel(radius: 0.0001)), -0.0365, y)
    }
    try write("VITRINE", size: 0.0068, y: 0.0158)
    try write("4007  2026  1121  0004", size: 0.0054, y: -0.0095)
    try write("ADA  NEWCOMER", size: 0.0037, y: -0.0208)
    let contact = Path.roundedRectangle(width: 0.0053, height: 0.0027, cornerRadius: 0.0008)
    let pad = try Shape.extruded(contact, depth: 0.0004, bevel: Bevel(radius: 0.00012))
    for index in 0..<6 { raise(pad, -0.0338 + 0.0056 * Float(index % 2), 0.002 + 0.003 * Float(index / 2)) }
    return card
}

/// The card above a table, in a studio or another environment. It turns continuously and tilts with a drag; the light follows the pointer.
@MainActor func makeView(in environment: Environment) throws -> SceneView {
    let (scene, tilt, turn, card) = (Scene(), Node(), Node(), try makeCard())
    let (table, spotlight, eye) = (Node(name: "table"), Node(name: "spotlight"), Node(name: "eye"))
    for node in [tilt, table, spotlight, eye] { scene.rootNode.addChildNode(node) }
    tilt.addChildNode(turn)
    turn.addChildNode(card)
    (table.position, spotlight.position, eye.position) = ([0, -0.034, 0], [-0.14, 0.40, 0.22], [0, 0.075, 0.265])
    let wood = Material(baseColor: Color(red: 0.80, green: 0.77, blue: 0.72), roughness: 0.5)
    table.mesh = Mesh(geometry: .floor(width: 6, length: 6), material: wood)
    spotlight.light = Light(.spot(inner: .degrees(9), outer: .degrees(22)), intensity: 0.7, castsShadow: true)
    spotlight.light?.radius = 0.015
    spotlight.constraints = [.lookAt(card)]
    eye.camera = Camera(projection: .perspective(fieldOfView: .degrees(24)))
    eye.constraints = [.lookAt(scene.rootNode, isGimbalLockEnabled: true)]
    (scene.pointOfView, scene.environment, table.castsShadow) = (eye, environment, false)
    let turning = Action.repeatForever(.rotate(byX: 0, y: 2, z: 0, duration: 1))
    turn.eulerAngles.y = -0.5
    turn.runAction(turning)

    // Held, it tilts; let go, it springs back; a press during the motion continues from the current angles.
    let (view, spring) = (SceneView(scene), Spring(response: 0.6, dampingRatio: 0.35))
    var (angles, caught) = (Vector2.zero, Vector2.zero)
    func lean(_ newAngles: Vector2) {
        angles = newAngles
        tilt.eulerAngles = [angles.y - 0.28, angles.x, 0]
    }
    view.onDrag = { drag in
        for node in [turn, tilt] { node.removeAllActions() }
        if drag.phase == .began { caught = angles }
        lean(caught + drag.translation / min(view.size.x, view.size.y) * (.pi / 2))
        guard drag.phase == .ended else { return }
        let released = angles
        tilt.runAction(.customAction(duration: spring.settlingDuration) { lean(spring.value(from: released, to: .zero, time: $1)) })
        turn.runAction(.sequence([.wait(duration: 1.5), turning]))
    }
    // The pointer replaces the attitude of a phone.
    func light(from x: Float) { scene.environment.rotation = .degrees((x / view.size.x - 0.5) * 120 - 35) }
    view.onPointerMove = { light(from: $0.x) }
    light(from: view.size.x / 2)
    lean(.zero)
    return view
}
