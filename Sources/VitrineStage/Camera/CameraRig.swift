import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// The camera that the user moves: it orbits the scene and has a lens.
///
/// Until the user moves the camera, it fits the scene into the viewport, even when the viewport changes.
package struct CameraRig {
    private var orbit = OrbitController()
    /// The vertical field of view. For an orthographic view, the angle of the view's height at the camera's distance from the target.
    package var fieldOfView = Angle.degrees(45) {
        didSet { orbit.fieldOfView = fieldOfView }
    }
    package var isOrthographic = false
    /// The lens, which blurs out-of-focus objects; nil for none. Orthographic views have no blur.
    package var lens: Lens?
    /// Whether the lens focuses on the target of the orbit.
    package var focusesOnTarget = true
    /// The exposure in stops, copied from a camera of the scene.
    private var exposure: Float = 0
    /// The bounds that were last framed.
    private var bounds = BoundingBox.empty
    /// The limits of the distance; nil for limits by the size of the scene.
    private var distanceLimits: ClosedRange<Float>?
    /// Whether drags, pinches, keys and double taps may move the target.
    package var allowsPan = true
    /// Whether drags, pinches, the wheel and keys may change the distance.
    package var allowsZoom = true
    /// Whether the camera still fits the scene.
    private var fitsScene = true

    package init() { orbit.fieldOfView = fieldOfView }

    /// The viewport in points. Sizes below one point are ignored.
    package var viewportSize: Vector2 {
        get { orbit.viewportSize }
        set {
            guard newValue != orbit.viewportSize, newValue.x >= 1, newValue.y >= 1 else { return }
            orbit.viewportSize = newValue
            if fitsScene { fit(azimuth: orbit.pose.azimuth, elevation: orbit.pose.elevation) }
        }
    }

    /// The pose on the orbit.
    package var pose: OrbitPose { orbit.pose }

    package var reducesMotion: Bool {
        get { orbit.reducesMotion }
        set { orbit.reducesMotion = newValue }
    }

    /// Whether the camera is at rest until the next call.
    package var isAtRest: Bool { orbit.isAtRest }

    private var aspectRatio: Float { orbit.viewportSize.x / max(orbit.viewportSize.y, 1) }

    // MARK: Placement

    /// Moves the camera at once to a pose that shows all of `bounds`, which becomes the home pose.
    package mutating func frame(_ bounds: BoundingBox, azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15)) {
        self.bounds = bounds
        orbit.limits.distance = distanceLimits ?? OrbitController.Limits(around: bounds).distance
        fit(azimuth: azimuth, elevation: elevation)
        fitsScene = true
    }

    /// Frames changed bounds from the same direction, unless the user has moved the camera.
    package mutating func refit(_ bounds: BoundingBox) {
        guard fitsScene, bounds != self.bounds else { return }
        frame(bounds, azimuth: orbit.pose.azimuth, elevation: orbit.pose.elevation)
    }

    private mutating func fit(azimuth: Angle, elevation: Angle) {
        orbit.pose = OrbitPose(
            fitting: bounds, azimuth: azimuth, elevation: elevation, fieldOfView: fieldOfView, aspectRatio: aspectRatio)
        orbit.home = orbit.pose
    }

    /// Moves the camera at once to this pose, which becomes the home pose.
    package mutating func place(_ pose: OrbitPose, around bounds: BoundingBox) {
        self.bounds = bounds
        let distance = distanceLimits ?? OrbitController.Limits(around: bounds).distance
        orbit.limits.distance = min(distance.lowerBound, pose.distance)...max(distance.upperBound, pose.distance)
        orbit.pose = pose
        orbit.home = pose
        fitsScene = false
    }

    /// Continues from another camera with the same position and direction; the orbit's target is at the depth of the scene's centre. Removes roll. Does
    /// not change the home pose.
    package mutating func takeOver(from view: View, bounds: BoundingBox) {
        let eye = view.worldFromCamera.translation
        let back = normalize(view.worldFromCamera.linear.z)
        let center = bounds.isEmpty ? eye - back : bounds.center
        let depth = max(dot(eye - center, back), max(bounds.radius, 1e-3) * 0.1)
        switch view.camera.projection {
        case .perspective(let angle): (fieldOfView, isOrthographic) = (angle, false)
        case .orthographic(let scale):
            isOrthographic = true
            fieldOfView = .radians(2 * atan2(scale, depth))
        }
        exposure = view.camera.exposure
        if let taken = view.camera.lens { (lens, focusesOnTarget) = (taken, false) }
        let pose = OrbitPose(
            azimuth: .radians(atan2(back.x, back.z)), elevation: .radians(asin(clamp(back.y, -1, 1))), distance: depth,
            target: eye - back * depth)
        let home = orbit.home
        place(pose, around: bounds)
        orbit.home = home
    }

    /// Limits azimuth and elevation in radians and the distance in metres; nil for the default limits.
    package mutating func setLimits(azimuth: ClosedRange<Float>?, elevation: ClosedRange<Float>?, distance: ClosedRange<Float>?) {
        distanceLimits = distance
        var limits = OrbitController.Limits(around: bounds)
        if let azimuth { limits.azimuth = azimuth }
        if let elevation {
            let possible = limits.elevation
            let lowest = clamp(elevation.lowerBound, possible.lowerBound, possible.upperBound)
            limits.elevation = lowest...clamp(elevation.upperBound, lowest, possible.upperBound)
        }
        if let distance { limits.distance = distance }
        orbit.limits = limits
    }

    // MARK: Motion

    /// Rotates around the target at once.
    package mutating func turn(by azimuth: Angle) {
        var pose = orbit.pose
        pose.azimuth += azimuth
        orbit.pose = pose
    }

    /// Animates the camera to a pose.
    package mutating func glide(to pose: OrbitPose, at time: Double) { orbit.glide(to: pose, at: time) }

    /// Records that the user has moved the camera, which then no longer fits the scene automatically.
    package mutating func userMoved() { fitsScene = false }

    /// Advances the motion to `time`, in seconds.
    package mutating func update(at time: Double) { orbit.update(at: time) }

    /// Moves the camera smoothly until all of the framed bounds is visible, from the same direction.
    package mutating func fit(at time: Double) {
        userMoved()
        orbit.fit(bounds, at: time)
    }

    /// Moves the camera smoothly to the home pose.
    package mutating func reset(at time: Double) { orbit.reset(at: time) }

    /// Moves the camera smoothly, so that it orbits `target`.
    package mutating func orbit(around target: Vector3, at time: Double) {
        guard allowsPan else { return }
        var pose = orbit.pose
        pose.target = target
        orbit.glide(to: pose, at: time)
    }

    /// Applies a gesture; taps have no effect.
    package mutating func apply(_ gesture: CameraGesture, at time: Double) {
        switch gesture {
        case .dragBegan(.pan) where !allowsPan: break
        case .dragBegan(.zoom) where !allowsZoom: break
        case .dragBegan(let kind): orbit.beginDrag(kind, at: time)
        case .dragged(let step): orbit.drag(by: step, at: time)
        case .dragEnded: orbit.endDrag(at: time)
        case .pinchBegan: orbit.beginPinch(at: time)
        case .pinched(let scale, let point):
            if allowsZoom { orbit.pinch(by: scale, towards: allowsPan ? fromCenter(point) : nil, at: time) }
        case .pinchEnded: orbit.endPinch(at: time)
        case .scrolled(let notches, let point):
            if allowsZoom { orbit.scroll(by: notches, towards: allowsPan ? fromCenter(point) : nil, at: time) }
        case .tapped, .doubleTapped: break
        }
    }

    /// Applies the sticks and triggers of a game controller.
    package mutating func steer(_ steering: OrbitController.Steering, at time: Double) { orbit.steer(steering, at: time) }

    /// Performs a command: orbits by 15°, pans by a tenth of the view, zooms by a factor of 1.25, fits or resets.
    package mutating func perform(_ command: CameraCommand, at time: Double) {
        let (turn, step): (Angle, Float) = (.degrees(15), 0.1)
        func pan(_ heights: Vector2) { if allowsPan { orbit.pan(byHeights: heights, at: time) } }
        func zoom(_ factor: Float) { if allowsZoom { orbit.zoom(by: factor, at: time) } }
        switch command {
        case .orbitLeft: orbit.turn(azimuth: -turn, at: time)
        case .orbitRight: orbit.turn(azimuth: turn, at: time)
        case .orbitUp: orbit.turn(azimuth: .zero, elevation: turn, at: time)
        case .orbitDown: orbit.turn(azimuth: .zero, elevation: -turn, at: time)
        case .panLeft: pan(Vector2(-step, 0))
        case .panRight: pan(Vector2(step, 0))
        case .panUp: pan(Vector2(0, step))
        case .panDown: pan(Vector2(0, -step))
        case .zoomIn: zoom(1.25)
        case .zoomOut: zoom(1 / 1.25)
        case .fit: fit(at: time)
        case .reset: reset(at: time)
        }
    }

    /// Converts points from the upper left corner, y down, to points from the centre, y up.
    private func fromCenter(_ point: Vector2) -> Vector2 {
        Vector2(point.x - viewportSize.x / 2, viewportSize.y / 2 - point.y)
    }

    /// The rotation of the environment by gestures.
    package var environmentRotation: Angle { orbit.environmentRotation }

    package mutating func resetEnvironmentRotation() { orbit.environmentRotation = .zero }

    // MARK: View

    /// The current view.
    package var view: View {
        let pose = orbit.pose
        guard isOrthographic else {
            var camera = Camera(
                projection: .perspective(fieldOfView: fieldOfView), near: pose.distance * 0.01, exposure: exposure, lens: lens)
            if focusesOnTarget { camera.lens?.focusDistance = pose.distance }
            return View(camera: camera, worldFromCamera: pose.worldFromCamera)
        }
        // An orthographic camera is placed outside the scene, so that the near plane clips nothing; the image does not depend on the distance.
        let radius = bounds.isEmpty ? 1 : max(bounds.radius, 1e-6)
        let distance = max(pose.distance, length(bounds.isEmpty ? Vector3(repeating: 0) : bounds.center - pose.target) + radius * 1.1)
        let eye = pose.target + pose.direction * distance
        let camera = Camera(
            projection: .orthographic(scale: pose.distance * tan(fieldOfView.radians / 2)), near: distance * 1e-3,
            far: distance + length(pose.target - (bounds.isEmpty ? pose.target : bounds.center)) + radius * 2, exposure: exposure)
        return View(camera: camera, worldFromCamera: Matrix4(Matrix3(pose.orientation), translation: eye))
    }
}
