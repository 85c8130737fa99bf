import Vitrine

extension VitrineMeasure {
    /// A grid of nodes that show one box.
    static func grid(count: Int) throws -> (scene: Scene, slots: [Int32]) {
        let scene = Scene()
        let corners: [Float] = [-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
        let positions = VertexAttribute(.position, componentCount: 3, values: corners)
        // A sheet across a box: only its bounds matter here.
        let box = Mesh(geometry: try Geometry(attributes: [positions], indices: [0, 2, 1, 1, 2, 3]), material: Material())
        var side = 1
        while side * side * side < count { side += 1 }
        for i in 0..<count {
            let node = Node(mesh: box)
            let cell = Vector3(Float(i % side), Float(i / side % side), Float(i / (side * side)))
            node.position = (cell - Vector3(repeating: Float(side - 1) / 2)) * 2
            scene.rootNode.addChildNode(node)
        }
        scene.update()
        return (scene, scene.rootNode.childNodes.map(\.slot))
    }

    /// Sets the transform of every node, then updates all world transforms and bounds.
    static func moveNodes(count: Int) throws -> Timing {
        let (scene, slots) = try grid(count: count)
        var frame: Float = 0
        return Timing(repeats: 30, warmup: 3) {
            frame += 1
            scene.modifyTransforms(at: slots) { index, transform in
                transform.translation.y = frame * 0.01 + Float(index & 15)
            }
            scene.update()
        }
    }

    /// Tests which boxes a camera in the middle of the grid sees.
    static func cullNodes(count: Int) throws -> Timing {
        let (scene, _) = try grid(count: count)
        let camera = Camera(projection: .perspective(fieldOfView: .degrees(45)), near: 0.1, far: 1000)
        let clipFromView = camera.clipFromView(aspectRatio: 16 / 9)
        var visible: [Int32] = []
        var turn: Float = 0
        return Timing(repeats: 50, warmup: 5) {
            turn += 0.02
            let viewFromWorld = Matrix4.lookAt(eye: Vector3(20, 10, 20), target: Vector3(40 * turn, 0, -40))
            visible = scene.visibleSlots(in: Frustum(clipFromWorld: clipFromView * viewFromWorld))
        }
    }
}
