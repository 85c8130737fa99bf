import Vitrine

/// A studio for the gallery: a floor that bends up into a wall, the studio's environment, and a camera.
struct Stage {
    let scene = Scene()

    /// - Parameters:
    ///   - floor: The colour of floor and wall; nil for none.
    ///   - eye, target: The position of the camera and the point at the centre of the image, in metres.
    init(floor: Color?, eye: Vector3, target: Vector3, fieldOfView: Angle = .degrees(28), turn: Angle = .degrees(30), lens: Lens? = nil)
        throws
    {
        scene.environment = .studio()
        scene.environment.rotation = turn
        scene.environment.background = .color(floor ?? .black)
        if let floor {
            let paper = Material(name: "Paper", baseColor: floor, roughness: 0.9)
            paper.isDoubleSided = true
            // The profile of the paper: floor, a quarter of a circle, wall; extruded along x.
            var profile = Path()
            profile.move(to: [-6, 0])
            profile.line(to: [2, 0])
            profile.cubic(to: [4, 2], control1: [3.1, 0], control2: [4, 0.9])
            profile.line(to: [4, 7])
            profile.line(to: [4.02, 7])
            profile.line(to: [4.02, -0.02])
            profile.line(to: [-6, -0.02])
            profile.close()
            let sweep = Node(
                name: "Paper", mesh: Mesh(geometry: try .extruded(profile, depth: 16, creaseAngle: .degrees(30)), material: paper))
            sweep.eulerAngles.y = .pi / 2
            scene.rootNode.addChildNode(sweep)
        }
        let camera = Node(name: "Camera")
        camera.camera = Camera(projection: .perspective(fieldOfView: fieldOfView), lens: lens)
        camera.position = eye
        camera.look(at: target)
        scene.rootNode.addChildNode(camera)
        scene.pointOfView = camera
    }

    /// Adds an object, optionally turned about its own axes.
    @discardableResult func add(_ geometry: Geometry, _ material: Material, at position: Vector3 = .zero, turned angles: Vector3 = .zero)
        -> Node
    {
        let node = Node(mesh: Mesh(geometry: geometry, material: material))
        (node.position, node.eulerAngles) = (position, angles)
        scene.rootNode.addChildNode(node)
        return node
    }

    /// Adds a light that shines on `target` and casts a shadow.
    func add(_ light: Light, at position: Vector3, towards target: Vector3) {
        let node = Node(name: "Light")
        node.light = light
        node.light?.castsShadow = true
        node.position = position
        node.look(at: target)
        scene.rootNode.addChildNode(node)
    }
}
