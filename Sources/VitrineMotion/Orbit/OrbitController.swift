import VitrineGeometry

/// Turns drags, pinches, wheel and keys into a camera that orbits a target, with inertia.
///
/// It owns no clock: every call carries the time, seconds on any clock that does not run backwards, so that the same calls give the
/// same picture. Motion is computed in closed form, so the frame rate does not change the path.
///
/// ```swift
/// var orbit = OrbitController(pose: OrbitPose(fitting: scene.bounds, fieldOfView: .degrees(60), aspectRatio: 16 / 9))
/// orbit.beginDrag(.orbit, at: time)
/// orbit.drag(by: [12, 0], at: time + 0.01)
/// orbit.endDrag(at: time + 0.02)
/// while !orbit.isAtRest {            // then the window may sleep
///     orbit.update(at: clock())
///     draw(orbit.pose)
/// }
/// ```
///
/// It does not roll the camera, and pans for a perspective picture.
public struct OrbitController: Equatable, Sendable {
    /// What a drag does.
    public enum Drag: Equatable, Hashable, Sendable {
        /// Turns the camera around the target; what is in front follows the pointer.
        case orbit
        /// Moves the target in the plane of the picture; the target follows the pointer.
        case pan
        /// Up is nearer.
        case zoom
        /// Turns the environment about +Y; what the front of a shiny ball mirrors follows the pointer.
        case environment
    }

    /// How far the camera may go.
    public struct Limits: Equatable, Sendable {
        /// Above and below the horizon; just under 90° by default, which keeps "up" meaningful.
        public var elevation: ClosedRange<Float> = (-Float.pi / 2 + 0.001)...(Float.pi / 2 - 0.001)
        /// Metres, above 0. A pinch may pull beyond it, ever harder, and springs back.
        public var distance: ClosedRange<Float> = 1e-3...1e6

        public init() {}

        /// Limits that suit an object of this size: from almost touching to far off.
        public init(around bounds: BoundingBox) {
            let radius = bounds.radius
            guard !bounds.isEmpty, radius > 0, radius.isFinite else { return }
            distance = radius * 0.02...radius * 50
        }
    }

    /// In points, width and height: what a drag across the picture is measured by. Sides below 1 count as 1.
    public var viewportSize = Vector2(1280, 720)
    /// The camera's vertical field of view: makes a pan follow the pointer.
    public var fieldOfView: Angle = .degrees(60)
    /// A camera outside new limits glides inside.
    public var limits = Limits() {
        didSet { glideInsideLimits() }
    }
    /// The turn for a drag as long as the picture is high.
    public var turnPerHeight: Angle = .radians(.pi)
    /// The factor on the distance for one notch of a wheel towards the viewer.
    public var wheelFactor: Float = 1.15
    /// Seconds in which a released motion slows to 1/e; 0 stops it at once.
    public var inertia: Double = 0.25
    /// For people who asked for less motion: what is let go stops, goals are reached in a fifth of a second.
    public var reducesMotion = false {
        didSet {
            guard reducesMotion != oldValue else { return }
            inertia = reducesMotion ? 0 : 0.25
            spring = Spring(duration: reducesMotion ? 0.12 : 0.35, bounce: 0)
        }
    }
    /// Moves to goals: wheel, keys, resetting, and back from beyond a limit.
    public var spring = Spring(duration: 0.35, bounce: 0)
    /// Where `reset(at:)` goes.
    public var home: OrbitPose

    var azimuth, elevation, environment: Glide<Float>
    /// The distance's natural logarithm: zooming by equal factors feels even.
    var zoom: Glide<Float>
    var target: Glide<Vector3>
    /// World offset that the target moves for each metre the camera comes nearer: zooming towards the pointer.
    var zoomAnchor = Vector3(repeating: 0)
    /// The zoom as a pinch would have it without limits.
    var pinchedZoom: Float?
    var drag: Drag?
    /// What sticks ask for at the moment.
    var steering = Steering.none
    var tracker = VelocityTracker(startingAt: 0)
    /// The time up to which the motion was computed.
    var clock: Double = 0

    public init(pose: OrbitPose = OrbitPose(), environmentRotation: Angle = .zero) {
        home = pose
        azimuth = Glide(pose.azimuth.radians, tolerance: 1e-4)
        elevation = Glide(pose.elevation.radians, tolerance: 1e-4)
        environment = Glide(environmentRotation.radians, tolerance: 1e-4)
        zoom = Glide(log(max(pose.distance, 1e-6)), tolerance: 1e-4)
        target = Glide(pose.target, tolerance: 0)
        holdInsideLimits()
    }

    /// Where the camera is. Setting it jumps there, held inside the limits, and stops all motion.
    public var pose: OrbitPose {
        get {
            OrbitPose(
                azimuth: .radians(azimuth.value), elevation: .radians(elevation.value), distance: distance, target: target.value)
        }
        set {
            azimuth.stop(at: newValue.azimuth.radians)
            elevation.stop(at: newValue.elevation.radians)
            zoom.stop(at: log(max(newValue.distance, 1e-6)))
            target.stop(at: newValue.target)
            (pinchedZoom, zoomAnchor) = (nil, Vector3(repeating: 0))
            holdInsideLimits()
        }
    }

    /// About +Y, right-handed. Setting it stops its motion.
    public var environmentRotation: Angle {
        get { .radians(environment.value) }
        set { environment.stop(at: newValue.radians) }
    }

    public var distance: Float { exp(zoom.value) }

    /// Whether nothing moves by itself: until the next call there is nothing new to draw.
    public var isAtRest: Bool {
        steering == .none && azimuth.isAtRest && elevation.isAtRest && environment.isAtRest && zoom.isAtRest && target.isAtRest
    }

    /// World metres at the target for one point on the picture.
    var metresPerPoint: Float { 2 * distance * tan(fieldOfView.radians / 2) / height }
    var height: Float { max(viewportSize.y, 1) }
    var zoomRange: ClosedRange<Float> { log(max(limits.distance.lowerBound, 1e-6))...log(max(limits.distance.upperBound, 1e-6)) }

    mutating func holdInsideLimits() {
        elevation.value = clamp(elevation.value, limits.elevation.lowerBound, limits.elevation.upperBound)
        zoom.value = clamp(zoom.value, zoomRange.lowerBound, zoomRange.upperBound)
    }

    private mutating func glideInsideLimits() {
        let rise = elevation.goal ?? elevation.value
        let heldRise = clamp(rise, limits.elevation.lowerBound, limits.elevation.upperBound)
        if heldRise != rise { elevation.goal = heldRise }
        let depth = zoom.goal ?? zoom.value
        let heldDepth = clamp(depth, zoomRange.lowerBound, zoomRange.upperBound)
        if heldDepth != depth { zoom.goal = heldDepth }
    }
}
