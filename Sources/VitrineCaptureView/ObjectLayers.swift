/// The box, the point cloud and the ring around the object, projected into the view.
final class ObjectLayers {
    let layer = Layer(name: "object")
    private let covered = ObjectLayers.shape("covered directions", fill: CaptureStyle.accent, opacity: 0.85)
    private let uncovered = ObjectLayers.shape("uncovered directions", fill: .white, opacity: 0.28)
    private let hiddenEdges = ObjectLayers.shape(
        "hidden edges", stroke: Stroke(.color(Color(white: 1, alpha: 0.4)), width: 1.5, dashes: [5, 4]))
    private let edgeShadow = ObjectLayers.shape(
        "edge shadow", stroke: Stroke(.color(Color(white: 0, alpha: 0.35)), width: 4.5, cap: .round, join: .round))
    private let edges = ObjectLayers.shape("edges", stroke: Stroke(.color(CaptureStyle.ink), width: 2, cap: .round, join: .round))
    private let cloud = Layer(name: "points")
    private var dots: [Layer] = []
    private let handleBoard = Layer(name: "handles")
    private var handles: [BoxHandle: Layer] = [:]
    /// The handle below the pointer, or the one that is dragged.
    var activeHandle: BoxHandle?

    private static let handleRadius: Float = 8
    /// The most points that are drawn.
    private static let dotLimit = 500

    init() {
        layer.allowsHitTesting = false
        for part in [uncovered, covered, hiddenEdges, cloud, edgeShadow, edges, handleBoard] { layer.add(part) }
        for handle in BoxHandle.allCases {
            let dot = Layer(name: "handle", bounds: Rectangle(x: 0, y: 0, width: 2 * Self.handleRadius, height: 2 * Self.handleRadius))
            dot.shape = handle == .base ? .rectangle : .ellipse
            dot.stroke = Stroke(.color(Color(white: 0, alpha: 0.5)), width: 1.5, placement: .outside)
            handleBoard.add(dot)
            handles[handle] = dot
        }
    }

    private static func shape(_ name: String, fill: Color? = nil, stroke: Stroke? = nil, opacity: Float = 1) -> Layer {
        let layer = Layer(name: name)
        layer.fill = fill.map { .color($0) }
        (layer.stroke, layer.opacity) = (stroke, opacity)
        return layer
    }

    func update(_ display: CaptureDisplay, orientation: InterfaceOrientation, size: Vector2) {
        guard let camera = display.frame?.camera, camera.trackingState != .notAvailable else {
            layer.isHidden = true
            return
        }
        layer.isHidden = false
        for part in layer.sublayers { part.bounds = Rectangle(origin: Vector2(0, 0), size: size) }
        for part in layer.sublayers { part.position = size / 2 }
        func project(_ point: Vector3) -> Vector2? {
            guard let position = camera.projectPoint(point, orientation: orientation, viewportSize: size) else { return nil }
            // Far outside of the view a projection is meaningless.
            return abs(position.x) < 8 * size.x && abs(position.y) < 8 * size.y ? position : nil
        }
        updateBox(display.box, camera, project)
        updateRing(display, project)
        updateCloud(display.points, size, project)
        updateHandles(display, project)
    }

    // MARK: The handles

    /// The handle at a point; nil if there is none.
    func handle(at point: Vector2) -> BoxHandle? {
        let near = handles.filter { !$0.value.isHidden && distance($0.value.position, point) < BoxHandle.reach }
        return near.min { distance($0.value.position, point) < distance($1.value.position, point) }?.key
    }

    private func updateHandles(_ display: CaptureDisplay, _ project: (Vector3) -> Vector2?) {
        for (handle, dot) in handles {
            guard display.isBoxAdjustable, let box = display.box, let position = project(handle.position(on: box)) else {
                dot.isHidden = true
                continue
            }
            (dot.isHidden, dot.position) = (false, position)
            dot.fill = .color(handle == activeHandle ? CaptureStyle.accent : CaptureStyle.ink)
            // During the capture the photos matter more.
            dot.opacity = handle == activeHandle ? 1 : display.state == .detecting ? 0.95 : 0.4
            let scale: Float = handle == activeHandle ? 1.35 : display.state == .detecting ? 1 : 0.7
            dot.transform = Matrix4(scale: Vector3(scale, scale, 1))
        }
    }

    // MARK: The box

    private func updateBox(_ box: OrientedBoundingBox?, _ camera: ARCamera, _ project: (Vector3) -> Vector2?) {
        var (visible, hidden) = (Path(), Path())
        if let box {
            let corners = (0..<8).map { box.corner($0) }
            let eye = camera.transform.translation
            // The three edges at the farthest corner are behind the box.
            let farthest = corners.indices.max { distance(corners[$0], eye) < distance(corners[$1], eye) } ?? 0
            for corner in 0..<8 {
                for axis in 0..<3 where corner & (1 << axis) == 0 {
                    let other = corner | (1 << axis)
                    guard let from = project(corners[corner]), let to = project(corners[other]) else { continue }
                    if corner == farthest || other == farthest { hidden.add(from, to) } else { visible.add(from, to) }
                }
            }
        }
        for (layer, path) in [(edges, visible), (edgeShadow, visible), (hiddenEdges, hidden)] {
            layer.shape = .path(path)
            layer.isHidden = path.isEmpty
        }
    }

    // MARK: The ring on the table

    private func updateRing(_ display: CaptureDisplay, _ project: (Vector3) -> Vector2?) {
        var (done, open) = (Path(), Path())
        if let box = display.box, display.state == .capturing {
            let bounds = box.bounds
            let inner = 0.62 * (bounds.size.x * bounds.size.x + bounds.size.z * bounds.size.z).squareRoot()
            let outer = inner * 1.16
            let step = 2 * Float.pi / Float(CaptureDial.directionCount)
            for direction in 0..<CaptureDial.directionCount {
                let isCovered = display.dial.covered.contains { $0[direction] }
                let (from, to) = (step * (Float(direction) + 0.06), step * (Float(direction) + 0.94))
                let outline = [(inner, from), (inner, (from + to) / 2), (inner, to), (outer, to), (outer, (from + to) / 2), (outer, from)]
                let corners = outline.map { radius, angle in
                    project(
                        box.orientation.rotate(
                            Vector3(
                                bounds.center.x + radius * sin(angle), bounds.minimum.y, bounds.center.z + radius * cos(angle))))
                }
                guard !corners.contains(where: { $0 == nil }) else { continue }
                if isCovered { done.add(polygon: corners.compactMap { $0 }) } else { open.add(polygon: corners.compactMap { $0 }) }
            }
        }
        for (layer, path) in [(covered, done), (uncovered, open)] {
            layer.shape = .path(path)
            layer.isHidden = path.isEmpty
        }
    }

    // MARK: The points

    private func updateCloud(
        _ points: [PhotogrammetrySession.PointCloud.Point], _ size: Vector2, _ project: (Vector3) -> Vector2?
    ) {
        let step = max(1, (points.count + Self.dotLimit - 1) / Self.dotLimit)
        var used = 0
        for index in stride(from: 0, to: points.count, by: step) {
            guard let position = project(points[index].position), position.x > 0, position.y > 0, position.x < size.x, position.y < size.y
            else {
                continue
            }
            if used == dots.count {
                let dot = Layer(name: "point", bounds: Rectangle(x: 0, y: 0, width: 4, height: 4))
                dot.shape = .ellipse
                dot.fill = .color(CaptureStyle.accent)
                dot.opacity = 0.8
                cloud.add(dot)
                dots.append(dot)
            }
            dots[used].position = position
            dots[used].isHidden = false
            used += 1
        }
        for dot in dots[used...] where !dot.isHidden { dot.isHidden = true }
    }
}

extension OrientedBoundingBox {
    /// The bits of `index` choose the end on x, y and z.
    fileprivate func corner(_ index: Int) -> Vector3 {
        let (low, high) = (bounds.minimum, bounds.maximum)
        return orientation.rotate(
            Vector3(index & 1 == 0 ? low.x : high.x, index & 2 == 0 ? low.y : high.y, index & 4 == 0 ? low.z : high.z))
    }
}

extension Path {
    fileprivate mutating func add(_ from: Vector2, _ to: Vector2) {
        move(to: from)
        line(to: to)
    }

    fileprivate mutating func add(polygon: [Vector2]) {
        for (index, point) in polygon.enumerated() { if index == 0 { move(to: point) } else { line(to: point) } }
        close()
    }
}
