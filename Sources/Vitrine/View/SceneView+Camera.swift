import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

extension SceneView {
    /// Where the view's own camera stands. Setting it jumps there and looks through it.
    public var cameraPose: OrbitPose {
        get { rig.orbit.pose }
        set {
            rig.place(newValue, around: scene.subjectCullingBounds)
            pointOfView = nil
            setNeedsDisplay()
        }
    }

    /// The vertical field of view of the view's own camera. Default 45°.
    public var fieldOfView: Angle {
        get { rig.fieldOfView }
        set {
            rig.fieldOfView = newValue
            setNeedsDisplay()
        }
    }

    /// Whether the view's own camera draws without perspective. Default false.
    public var isOrthographic: Bool {
        get { rig.isOrthographic }
        set {
            rig.isOrthographic = newValue
            setNeedsDisplay()
        }
    }

    /// What makes near and far things blurred in the view's own camera. Default nil: everything is sharp.
    public var lens: Lens? {
        get { rig.lens }
        set {
            rig.lens = newValue
            setNeedsDisplay()
        }
    }

    /// Whether `lens` is focused on what the camera circles, in place of its own distance. Default true.
    public var focusesOnTarget: Bool {
        get { rig.focusesOnTarget }
        set {
            rig.focusesOnTarget = newValue
            setNeedsDisplay()
        }
    }

    /// Looks at the whole scene from these angles, through the view's own camera.
    public func frameScene(azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15)) {
        rig.frame(scene.subjectBounds, azimuth: azimuth, elevation: elevation)
        pointOfView = nil
        setNeedsDisplay()
    }

    /// How the scene is seen now.
    public var currentView: View {
        if let node = pointOfView, let view = View(of: node) { return view }
        return rig.view
    }

    /// A gesture begins: the person's camera goes on from where the file's camera stands.
    func takeCamera() {
        if let node = pointOfView, let view = View(of: node) {
            rig.takeOver(from: view, bounds: scene.subjectCullingBounds)
        }
        if pointOfView != nil { pointOfView = nil }
        rig.touched()
    }

    /// The nodes of the scene with a camera, in the order of the tree.
    var cameraNodes: [Node] {
        var nodes: [Node] = []
        scene.rootNode.forSubtree { if $0.camera != nil { nodes.append($0) } }
        return nodes
    }
}

// MARK: - Between the scene and the picture

extension SceneView {
    /// In points: the window's, or 1280 × 720 without one.
    public var size: Vector2 { rig.viewportSize }

    /// Where a point of the world is seen: x and y in points from the upper left corner, z the distance along the view direction in metres
    /// (below 0 is behind the camera: x and y mean nothing then).
    public func projectPoint(_ pointInWorld: Vector3) -> Vector3 {
        let view = currentView
        let pointInView = view.worldFromCamera.affineInverse.transform(point: pointInWorld)
        let clip = view.camera.clipFromView(aspectRatio: size.x / size.y) * Vector4(pointInView, 1)
        return Vector3((clip.x / clip.w + 1) / 2 * size.x, (1 - clip.y / clip.w) / 2 * size.y, -pointInView.z)
    }

    /// The point of the world that `projectPoint` puts there.
    ///
    /// - Parameter point: x and y in points, z the distance along the view direction in metres.
    public func unprojectPoint(_ point: Vector3) -> Vector3 {
        let view = currentView
        let clipFromView = view.camera.clipFromView(aspectRatio: size.x / size.y)
        let x = (point.x / size.x * 2 - 1)
        let y = (1 - point.y / size.y * 2)
        let z = -point.z
        // The projection's rows for x and y: clip.x = a x + b z, and the same for y; w is −z or 1.
        let w = clipFromView.z.w * z + clipFromView.w.w
        let pointInView = Vector3(x * w / clipFromView.x.x, y * w / clipFromView.y.y, z)
        return view.worldFromCamera.transform(point: pointInView)
    }

    /// The ray of sight through a point of the picture, points from the upper left corner; its direction has length 1.
    public func ray(through point: Vector2) -> Ray {
        let view = currentView
        return view.camera.ray(through: point, viewportSize: size, worldFromCamera: view.worldFromCamera)
    }

    /// The surface that is seen at a point of the picture, points from the upper left corner; nil where there is none.
    ///
    /// ```swift
    /// view.onTap = { point in
    ///     if let hit = view.hitTest(point) { print(hit.node.name, hit.textureCoordinates) }
    /// }
    /// ```
    public func hitTest(_ point: Vector2, options: PickOptions = PickOptions()) -> PickHit? {
        scene.pick(ray(through: point), options: options)
    }
}
