// A logo in three steps, to copy from: a layer that tilts, layers at different depths that tilt together, a model. main.swift only shows it in
// a window or renders frames.
//
// The reference's numbers: seen from 600 points; drags of π/4 (layers) and π/2 and π/4 (model) across half the size; layers at depths 0, 20, 35;
// release springs of 1.5 s with damping ratio 0.35 (layers), and of damping 6 cut off at 1.5 s (model), both with initial velocity 0.3; an orthographic
// camera of scale 2.5 at (0, 5, 0), ambient light and three spot lights. Differences: the model's spring runs in plain time, without the
// reference's ease in and out; a logo caught in mid-flight keeps its velocity.
import Vitrine

/// The outline of the mark, in points of a square of 200 with y down.
enum Mark {
    static let left: [Vector2] = [[30, 52], [76, 52], [100, 118], [100, 172]]
    static let right: [Vector2] = [[170, 52], [124, 52], [100, 118], [100, 172]]
    static let gem: [Vector2] = [[100, 30], [121, 60], [100, 90], [79, 60]]
    static let leftColors = [Color(sRGB: 0xFFB627), Color(sRGB: 0xF4442E)]
    static let rightColors = [Color(sRGB: 0xF72585), Color(sRGB: 0x6A0DAD)]
    static let gemColors = [Color(sRGB: 0x9BF6FF), Color(sRGB: 0x3A86FF)]
    static let night = [Color(sRGB: 0x2B2350), Color(sRGB: 0x120E26)]

    static func path(_ points: [Vector2]) -> Path {
        var path = Path()
        path.move(to: points[0])
        for point in points.dropFirst() { path.line(to: point) }
        path.close()
        return path
    }
}

/// A piece of the mark, as large as the whole square.
@MainActor func piece(_ name: String, _ points: [Vector2], _ colors: [Color]) -> Layer {
    let layer = Layer(name: name, frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
    layer.shape = .path(Mark.path(points))
    layer.fill = .gradient(.vertical(colors))
    return layer
}

@MainActor func plate() -> Layer {
    let plate = Layer(name: "plate", frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
    plate.cornerRadius = 44
    plate.fill = .gradient(.vertical(Mark.night))
    return plate
}

/// Step 1: one flat layer.
@MainActor func flatLogo() -> Layer {
    let logo = plate()
    for part in [
        piece("left", Mark.left, Mark.leftColors), piece("right", Mark.right, Mark.rightColors), piece("gem", Mark.gem, Mark.gemColors),
    ] {
        logo.add(part)
    }
    return logo
}

/// Step 2: three layers 0, 20 and 35 points in front of the plane.
@MainActor func layeredLogo() -> Layer {
    let space = Layer(name: "space", frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
    space.isFlattened = false
    let arms = Layer(name: "arms", frame: space.bounds)
    arms.add(piece("left", Mark.left, Mark.leftColors))
    arms.add(piece("right", Mark.right, Mark.rightColors))
    let gem = piece("gem", Mark.gem, Mark.gemColors)
    for (layer, depth) in [(plate(), Float(0)), (arms, 20), (gem, 35)] {
        layer.zPosition = depth
        space.add(layer)
    }
    return space
}

/// Step 3: the same as a model that lies on its back, under a camera that looks down; each face has a colour of its own.
@MainActor final class SolidLogo {
    let scene = Scene()
    let drawing: SceneDrawing
    let layer = Layer(name: "model", frame: Rectangle(x: 0, y: 0, width: 200, height: 200))
    private let model = Node(name: "model")
    private let eye = Node(name: "eye")
    var isOrthographic = true { didSet { aim() } }

    init() throws(PathError) {
        drawing = SceneDrawing(scene)
        let dark = Mark.night.map { matte($0) }
        try add(.roundedRectangle(width: 4, height: 4, cornerRadius: 0.88), from: 0, depth: 0.3, front: dark[0], side: dark[1])
        try add(solid(Mark.left, x: -1.5), from: 0.3, depth: 0.4, front: matte(Mark.leftColors[0]), side: matte(Mark.leftColors[1]))
        try add(solid(Mark.right, x: 1.5), from: 0.3, depth: 0.4, front: matte(Mark.rightColors[0]), side: matte(Mark.rightColors[1]))
        try add(solid(Mark.gem, x: 0), from: 0.3, depth: 0.7, front: matte(Mark.gemColors[0]), side: matte(Mark.gemColors[1]))
        eye.position = [0, 5, 0]
        eye.eulerAngles = [-.pi / 2, 0, 0]
        for node in [model, eye] { scene.rootNode.addChildNode(node) }
        light()
        scene.pointOfView = eye
        layer.fill = .drawing(drawing)
        aim()
    }

    /// Rotates the model about its own axes.
    func turn(to orientation: Quaternion) {
        guard model.orientation != orientation else { return }
        model.orientation = orientation
        drawing.setNeedsDisplay()
    }

    private func matte(_ color: Color) -> Material { Material(baseColor: color, metalness: 0, roughness: 0.45) }

    /// Returns a path of the mark's points in metres with y up, moved to the side by `x` points. The square of the mark is 4 m wide.
    private func solid(_ points: [Vector2], x: Float) -> Path { Mark.path(points.map { Vector2($0.x + x - 100, 100 - $0.y) / 50 }) }

    private func add(_ outline: Path, from height: Float, depth: Float, front: Material, side: Material) throws(PathError) {
        let shape = try Shape.extruded(outline, depth: depth, bevel: Bevel(radius: 0.05))
        let node = Node(mesh: Mesh(shape: shape) { $0 == .front ? front : side })
        // Extruded along +Z and about the middle: on its back, front up.
        node.eulerAngles = [-.pi / 2, 0, 0]
        node.position = [0, height + depth / 2 - 0.4, 0]
        model.addChildNode(node)
    }

    private func light() {
        let ambient = Node(name: "ambient")
        ambient.light = Light(.ambient, intensity: 0.35)
        scene.rootNode.addChildNode(ambient)
        for (position, strength) in [(Vector3(-4, 7, -3), Float(60)), (Vector3(5, 6, 2), 35), (Vector3(0, 7, 5), 30)] {
            let spotlight = Node(name: "spot")
            spotlight.light = Light(.spot(inner: .degrees(20), outer: .degrees(45)), intensity: strength, castsShadow: true)
            spotlight.position = position
            spotlight.constraints = [.lookAt(model)]
            scene.rootNode.addChildNode(spotlight)
        }
    }

    private func aim() {
        // 2.5 m from the middle to the edge either way.
        let angle = Angle.radians(2 * atan2(2.5, 5))
        eye.camera = Camera(projection: isOrthographic ? .orthographic(scale: 2.5) : .perspective(fieldOfView: angle))
        drawing.setNeedsDisplay()
    }
}

/// An error of creating a logo. Pages need one type of error (Examples/Web/Logo).
enum LogoError: Error, CustomStringConvertible {
    case text(TextError)
    case shape(PathError)

    var description: String {
        switch self {
        case .text(let error): error.description
        case .shape(let error): error.description
        }
    }
}

/// The three steps beside each other.
@MainActor final class LogoBoard {
    private let logos: [Layer]
    private let solid: SolidLogo
    private var tilts: [TiltController]
    private var turn: TurnController
    private let projection: Layer
    private var tap = TapGesture()

    /// The size in points: three cells, each 280 wide.
    static let size = Vector2(840, 320)

    init(in root: Layer) throws(LogoError) {
        do throws(PathError) { solid = try SolidLogo() } catch { throw .shape(error) }
        logos = [flatLogo(), layeredLogo(), solid.layer]
        let frames = (0..<3).map { Rectangle(x: 40 + 280 * Float($0), y: 40, width: 200, height: 200) }
        tilts = frames.prefix(2).map { TiltController(bounds: $0) }
        turn = TurnController(bounds: frames[2])
        turn.releaseDuration = 1.5
        // The camera looks down: up on the screen is −Z.
        (turn.horizontalAxis, turn.verticalAxis) = ([0, 0, -1], [1, 0, 0])
        var captions: [Layer] = []
        for (index, title) in ["flat", "in depth", "orthographic"].enumerated() {
            do throws(TextError) {
                captions.append(try Layer(text: title, size: 15, color: Color(sRGB: 0x6A6478)))
            } catch { throw .text(error) }
            captions[index].position = [140 + 280 * Float(index), 282]
            root.add(captions[index])
        }
        projection = captions[2]
        for (logo, frame) in zip(logos, frames) {
            // Each is seen from 600 points in front of its own middle.
            let window = Layer(frame: frame)
            window.perspectiveDistance = 600
            window.isFlattened = false
            logo.position = [100, 100]
            window.add(logo)
            root.add(window)
        }
    }

    func handle(_ event: InputEvent) {
        for index in tilts.indices { tilts[index].handle(event) }
        turn.handle(event)
        for change in tap.handle(event) where change.phase == .ended && projection.frame.inset(by: -12).contains(change.value.location) {
            switchProjection()
        }
        if case .keyPressed(.character("p"), isRepeat: false) = event.kind { switchProjection() }
    }

    private func switchProjection() {
        solid.isOrthographic.toggle()
        try? projection.setText(solid.isOrthographic ? "orthographic" : "perspective", size: 15)
    }

    /// Updates all animations to a time, and returns whether any continues.
    func update(at time: Double) -> Bool {
        for (logo, tilt) in zip(logos, tilts) { logo.transform = Matrix4(Matrix3(tilt.orientation(at: time))) }
        solid.turn(to: turn.orientation(at: time))
        return !(tilts.allSatisfy { $0.isAtRest(at: time) } && turn.isAtRest(at: time))
    }
}

/// A view of the board.
@MainActor func makeView() throws(LogoError) -> LayerView {
    let view = LayerView(background: Color(sRGB: 0xF5F1E8))
    let board = try LogoBoard(in: view.root)
    view.onEvent = { board.handle($0) }
    view.onUpdate = { board.update(at: $0) }
    return view
}
