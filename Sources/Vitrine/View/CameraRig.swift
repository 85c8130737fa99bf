import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// The camera that a person moves: an orbit around the scene, with a lens.
struct CameraRig {
    var orbit = OrbitController()
    /// Vertical; a parallel picture shows at the target what this angle would.
    var fieldOfView = Angle.degrees(45) {
        didSet { orbit.fieldOfView = fieldOfView }
    }
    var isOrthographic = false
    /// nil: everything is sharp, and so is a parallel picture.
    var lens: Lens?
    /// Whether the lens is focused on what the camera circles, wherever it goes.
    var focusesOnTarget = true
    /// Stops of exposure that came with the camera that was taken over.
    var exposure: Float = 0
    /// Around the scene, when it was looked at last.
    private(set) var bounds = BoundingBox.empty
    /// Nobody has moved it yet: it keeps fitting the scene when the window changes.
    private(set) var isUntouched = true

    init() { orbit.fieldOfView = fieldOfView }

    /// Points; a picture of another shape is fitted anew while nobody has moved the camera.
    var viewportSize: Vector2 {
        get { orbit.viewportSize }
        set {
            guard newValue != orbit.viewportSize, newValue.x >= 1, newValue.y >= 1 else { return }
            orbit.viewportSize = newValue
            if isUntouched { stand(azimuth: orbit.pose.azimuth, elevation: orbit.pose.elevation) }
        }
    }

    private var aspectRatio: Float { orbit.viewportSize.x / max(orbit.viewportSize.y, 1) }

    /// Looks at all of `bounds`, at once, from the usual side or another one.
    mutating func frame(_ bounds: BoundingBox, azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15)) {
        self.bounds = bounds
        orbit.limits.distance = OrbitController.Limits(around: bounds).distance
        stand(azimuth: azimuth, elevation: elevation)
        isUntouched = true
    }

    /// Frames other bounds from the same side, unless the user has moved the camera.
    mutating func refit(_ bounds: BoundingBox) {
        guard isUntouched, bounds != self.bounds else { return }
        frame(bounds, azimuth: orbit.pose.azimuth, elevation: orbit.pose.elevation)
    }

    private mutating func stand(azimuth: Angle, elevation: Angle) {
        orbit.pose = OrbitPose(
            fitting: bounds, azimuth: azimuth, elevation: elevation, fieldOfView: fieldOfView, aspectRatio: aspectRatio)
        orbit.home = orbit.pose
    }

    /// Stands exactly there, and comes back there.
    mutating func place(_ pose: OrbitPose, around bounds: BoundingBox) {
        self.bounds = bounds
        orbit.limits.distance = OrbitController.Limits(around: bounds).distance
        orbit.limits.distance = min(orbit.limits.distance.lowerBound, pose.distance)...max(orbit.limits.distance.upperBound, pose.distance)
        orbit.pose = pose
        orbit.home = pose
        isUntouched = false
    }

    mutating func touched() { isUntouched = false }

    /// Glides to where everything is seen from the side it is seen from now.
    mutating func fit(at time: Double) {
        touched()
        orbit.fit(bounds, at: time)
    }

    /// Goes on from where another camera stands: looks the same way, around the depth at which the scene's middle lies. A roll is lost.
    mutating func takeOver(from view: View, bounds: BoundingBox) {
        let eye = view.worldFromCamera.translation
        let back = normalize(view.worldFromCamera.linear.z)
        let center = bounds.isEmpty ? eye - back : bounds.center
        let depth = max(dot(eye - center, back), max(bounds.radius, 1e-3) * 0.1)
        switch view.camera.projection {
        case .perspective(let angle): (fieldOfView, isOrthographic) = (angle, false)
        case .orthographic(let scale):
            isOrthographic = true
            // The angle under which the picture's half height is seen from as far as the target.
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

    /// What it sees now.
    var view: View {
        let pose = orbit.pose
        guard isOrthographic else {
            var camera = Camera(
                projection: .perspective(fieldOfView: fieldOfView), near: pose.distance * 0.01, exposure: exposure, lens: lens)
            if focusesOnTarget { camera.lens?.focusDistance = pose.distance }
            return View(camera: camera, worldFromCamera: pose.worldFromCamera)
        }
        // Parallel rays see the same from any distance: from outside everything, nothing is cut off in front.
        let radius = bounds.isEmpty ? 1 : max(bounds.radius, 1e-6)
        let distance = max(pose.distance, length(bounds.isEmpty ? Vector3(repeating: 0) : bounds.center - pose.target) + radius * 1.1)
        let eye = pose.target + pose.direction * distance
        let camera = Camera(
            projection: .orthographic(scale: pose.distance * tan(fieldOfView.radians / 2)), near: distance * 1e-3,
            far: distance + length(pose.target - (bounds.isEmpty ? pose.target : bounds.center)) + radius * 2, exposure: exposure)
        return View(camera: camera, worldFromCamera: Matrix4(Matrix3(pose.orientation), translation: eye))
    }
}
