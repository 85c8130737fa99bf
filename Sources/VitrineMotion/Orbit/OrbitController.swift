import VitrineGeometry

/// Converts drags, pinches, wheel, keys and sticks to the motion of a camera that orbits a target, with inertia.
///
/// Every call has a time in seconds, on any clock that does not run backwards, so that the same calls give the same poses. Motion is
/// computed in closed form: the frame rate does not change the path.
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
/// The camera never rolls. In a perspective view, a pan moves the target with the pointer.
package struct OrbitController: Equatable, Sendable {
    /// The effect of a drag.
    package enum Drag: Equatable, Hashable, Sendable {
        /// Orbits the camera around the target; the front of the object tracks the pointer.
        case orbit
        /// Moves the target in the plane of the view; the target tracks the pointer.
        case pan
        /// Changes the distance: dragging up moves the camera nearer.
        case zoom
        /// Rotates the environment about +Y; reflections on the front of a sphere track the pointer.
        case environment
    }

    /// The limits of the camera's movement.
    package struct Limits: Equatable, Sendable {
        /// The permitted azimuths in radians. Angles that differ by whole turns are the same. Default: all angles.
        package var azimuth: ClosedRange<Float> = -.infinity...(.infinity)
        /// The permitted elevations, in radians above and below the horizon. Default: just under ±π/2, which keeps "up" defined.
        package var elevation: ClosedRange<Float> = (-Float.pi / 2 + 0.001)...(Float.pi / 2 - 0.001)
        /// The distance from the target in metres, above 0. A pinch may exceed the limits with growing resistance, and springs back.
        package var distance: ClosedRange<Float> = 1e-3...1e6

        /// Creates the default limits.
        package init() {}

        /// Creates limits for an object of this size: 0.02 to 50 times its radius.
        package init(around bounds: BoundingBox) {
            let radius = bounds.radius
            guard !bounds.isEmpty, radius > 0, radius.isFinite else { return }
            distance = radius * 0.02...radius * 50
        }

        /// Returns the whole turns, in radians, between an azimuth and the equal azimuth closest to the limits; 0 without limits.
        fileprivate func wholeTurns(of angle: Float) -> Float {
            let middle = (azimuth.lowerBound + azimuth.upperBound) / 2
            return middle.isFinite ? ((angle - middle) / (2 * .pi)).rounded() * 2 * .pi : 0
        }

        fileprivate func clamped(azimuth angle: Float) -> Float { clamp(angle, azimuth.lowerBound, azimuth.upperBound) }
    }

    /// The input of a game controller's sticks and triggers, in effect until the next one.
    package struct Steering: Equatable, Sendable {
        /// The motion around the target: +x moves the camera to the right, +y up. Length 1, the maximum, is 120° per second.
        package var orbit = Vector2(0, 0)
        /// Moves the target in the plane of the view: +x right, +y up. Length 1, the maximum, is the view's height per second.
        package var pan = Vector2(0, 0)
        /// The change of the distance, −1…1: +1 divides it by e per second.
        package var zoom: Float = 0

        package static let none = Steering()
        package init() {}

        /// Creates a steering from a game controller: the left stick orbits, the right stick pans, the triggers zoom.
        package init(_ gamepad: Gamepad) {
            (orbit, pan) = (gamepad.left, gamepad.right)
            zoom = gamepad.rightTrigger - gamepad.leftTrigger
        }

        /// The steering with finite values within the maxima.
        fileprivate var clamped: Steering {
            func clamped(_ stick: Vector2) -> Vector2 { stick.isFinite ? stick / max(length(stick), 1) : .zero }
            var result = Steering()
            (result.orbit, result.pan) = (clamped(orbit), clamped(pan))
            result.zoom = zoom.isFinite ? clamp(zoom, -1, 1) : 0
            return result
        }
    }

    /// The size of the view in points, which scales drags. Sides below 1 count as 1.
    package var viewportSize = Vector2(1280, 720)
    /// The camera's vertical field of view, which determines the distance of a pan.
    package var fieldOfView: Angle = .degrees(60)
    /// The limits of the movement. A camera outside new limits moves smoothly inside.
    package var limits = Limits() {
        didSet { glideInsideLimits() }
    }
    /// The rotation for a drag as long as the view is high. Default 180°.
    package var turnPerHeight: Angle = .radians(.pi)
    /// The factor on the distance for one notch of the wheel. Default 1.15.
    package var wheelFactor: Float = 1.15
    /// The time in seconds in which a released motion slows to 1/e; 0 stops it at once. Default 0.25.
    package var inertia: Double = 0.25
    /// Whether motion is reduced: a released drag stops at once, and goals are reached within a fifth of a second. Default false.
    package var reducesMotion = false {
        didSet {
            guard reducesMotion != oldValue else { return }
            inertia = reducesMotion ? 0 : 0.25
            spring = Spring(duration: reducesMotion ? 0.12 : 0.35, bounce: 0)
        }
    }
    /// The spring of movements to a goal: by wheel, key and `reset(at:)`, and back inside a limit.
    package var spring = Spring(duration: 0.35, bounce: 0)
    /// The pose that `reset(at:)` returns to.
    package var home: OrbitPose

    private var azimuth, elevation, environment: Glide<Float>
    /// The natural logarithm of the distance, so that zooming by equal factors has a constant speed.
    private var zoom: Glide<Float>
    private var target: Glide<Vector3>
    /// The offset in the world by which the target moves per metre that the camera approaches, to zoom towards the pointer.
    private var zoomAnchor = Vector3(repeating: 0)
    /// The zoom of a pinch without limits; nil without a pinch.
    private var pinchedZoom: Float?
    private var drag: Drag?
    private var steering = Steering.none
    private var tracker = VelocityTracker(startingAt: 0)
    /// The time up to which the motion is computed.
    private var clock: Double = 0

    private static let (turnRate, zoomRate): (Float, Float) = (2 * .pi / 3, 1)

    /// Creates a controller at rest, with `pose` as its home pose.
    package init(pose: OrbitPose = OrbitPose(), environmentRotation: Angle = .zero) {
        home = pose
        azimuth = Glide(pose.azimuth.radians, tolerance: 1e-4)
        elevation = Glide(pose.elevation.radians, tolerance: 1e-4)
        environment = Glide(environmentRotation.radians, tolerance: 1e-4)
        zoom = Glide(log(max(pose.distance, 1e-6)), tolerance: 1e-4)
        target = Glide(pose.target, tolerance: 0)
        clampToLimits()
    }

    /// The camera's pose. Setting it moves the camera there at once, clamped to the limits, and stops all motion.
    package var pose: OrbitPose {
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
            clampToLimits()
        }
    }

    /// The rotation of the environment about +Y, right-handed. Setting it stops its motion.
    package var environmentRotation: Angle {
        get { .radians(environment.value) }
        set { environment.stop(at: newValue.radians) }
    }

    /// The distance from the target in metres.
    package var distance: Float { exp(zoom.value) }

    /// Whether nothing moves until the next call.
    package var isAtRest: Bool {
        steering == .none && azimuth.isAtRest && elevation.isAtRest && environment.isAtRest && zoom.isAtRest && target.isAtRest
    }

    /// The size in metres, at the target, of one point of the view.
    private var metresPerPoint: Float { 2 * distance * tan(fieldOfView.radians / 2) / height }
    private var height: Float { max(viewportSize.y, 1) }
    private var zoomRange: ClosedRange<Float> {
        log(max(limits.distance.lowerBound, 1e-6))...log(max(limits.distance.upperBound, 1e-6))
    }

    private mutating func clampToLimits() {
        azimuth.value = limits.clamped(azimuth: azimuth.value - limits.wholeTurns(of: azimuth.value))
        elevation.value = clamp(elevation.value, limits.elevation.lowerBound, limits.elevation.upperBound)
        zoom.value = clamp(zoom.value, zoomRange.lowerBound, zoomRange.upperBound)
    }

    private mutating func glideInsideLimits() {
        let turn = azimuth.goal ?? azimuth.value
        let wholeTurns = limits.wholeTurns(of: turn)
        let clampedTurn = limits.clamped(azimuth: turn - wholeTurns)
        azimuth.value -= wholeTurns
        if azimuth.goal != nil || clampedTurn != azimuth.value { azimuth.goal = clampedTurn }
        let rise = elevation.goal ?? elevation.value
        let clampedRise = clamp(rise, limits.elevation.lowerBound, limits.elevation.upperBound)
        if clampedRise != rise { elevation.goal = clampedRise }
        let depth = zoom.goal ?? zoom.value
        let clampedDepth = clamp(depth, zoomRange.lowerBound, zoomRange.upperBound)
        if clampedDepth != depth { zoom.goal = clampedDepth }
    }
}

// MARK: - Drag and pinch

extension OrbitController {
    /// Begins a drag, when a finger or button goes down, and stops the current motion of the same kind.
    package mutating func beginDrag(_ kind: Drag, at time: Double) {
        if drag != nil { endDrag(at: time) }
        wake(at: time)
        drag = kind
        tracker = VelocityTracker(startingAt: time)
        switch kind {
        case .orbit:
            azimuth.stop()
            elevation.stop()
        case .pan: target.stop()
        case .zoom: zoom.stop()
        case .environment: environment.stop()
        }
    }

    /// Moves the drag by `delta` points, +x right, +y *down*. Has no effect without a drag.
    package mutating func drag(by delta: Vector2, at time: Double) {
        guard let drag, delta.isFinite else { return }
        wake(at: time)
        tracker.move(by: delta, at: time)
        let turn = delta * (turnPerHeight.radians / height)
        switch drag {
        case .orbit:
            azimuth.value = limits.clamped(azimuth: azimuth.value - turn.x)
            elevation.value = clamp(elevation.value + turn.y, limits.elevation.lowerBound, limits.elevation.upperBound)
        case .pan: target.value -= worldOffset(points: Vector2(delta.x, -delta.y))
        case .zoom: zoom.value = clamp(zoom.value + zoomPerPoint * delta.y, zoomRange.lowerBound, zoomRange.upperBound)
        case .environment: environment.value += turn.x
        }
    }

    /// Ends the drag, when the finger or button goes up: the motion continues and slows down.
    package mutating func endDrag(at time: Double) {
        guard let drag else { return }
        wake(at: time)
        self.drag = nil
        guard inertia > 0 else { return }
        let speed = tracker.velocity(releasedAt: time)
        let turn = speed * (turnPerHeight.radians / height)
        switch drag {
        case .orbit:
            azimuth.velocity = -turn.x
            elevation.velocity = turn.y
        case .pan: target.velocity = worldOffset(points: Vector2(-speed.x, speed.y))
        case .zoom: coastZoom(velocity: zoomPerPoint * speed.y)
        case .environment: environment.velocity = turn.x
        }
    }

    /// Whether a drag is in progress.
    package var isDragging: Bool { drag != nil }

    /// The zoom per point: a drag as long as the view is high zooms by e².
    private var zoomPerPoint: Float { 2 / height }

    /// Springs a released zoom to the value at which it would have coasted to a stop, or to the limit before it.
    private mutating func coastZoom(velocity: Float) {
        let end = zoom.value + velocity * Float(inertia)
        zoom.velocity = velocity
        zoom.goal = clamp(end, zoomRange.lowerBound, zoomRange.upperBound)
    }

    /// Begins a pinch, when a second finger goes down. A drag may be in progress at the same time: fingers that move together pan.
    package mutating func beginPinch(at time: Double) {
        wake(at: time)
        zoom.stop()
        pinchedZoom = zoom.value
    }

    /// Changes the distance by the factor `scale` of the distance between the fingers since the last call: above 1 moves the camera nearer.
    ///
    /// - Parameter pointer: The mean position of the fingers, in points from the centre of the view, +y *up*; nil: the centre.
    package mutating func pinch(by scale: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard scale > 0, scale.isFinite, let pinched = pinchedZoom else { return }
        wake(at: time)
        let before = distance
        pinchedZoom = pinched - log(scale)
        setAnchor(pointer)
        zoom.value = rubberBanded(pinched - log(scale))
        moveTargetTowardsAnchor(from: before)
    }

    /// Ends the pinch, and springs back if a limit was exceeded.
    package mutating func endPinch(at time: Double) {
        guard pinchedZoom != nil else { return }
        wake(at: time)
        pinchedZoom = nil
        zoomAnchor = Vector3(repeating: 0)
        let inside = clamp(zoom.value, zoomRange.lowerBound, zoomRange.upperBound)
        if inside != zoom.value { zoom.goal = inside }
    }

    /// Limits a value with growing resistance: beyond a limit, the distance changes by at most a factor of e^0.35.
    private func rubberBanded(_ value: Float) -> Float {
        let inside = clamp(value, zoomRange.lowerBound, zoomRange.upperBound)
        let over = value - inside
        let give: Float = 0.35
        return inside + give * over / (give + abs(over))
    }
}

// MARK: - Goals

extension OrbitController {
    /// Orbits smoothly by these angles; calls in quick succession add up.
    package mutating func turn(azimuth turn: Angle, elevation rise: Angle = .zero, at time: Double) {
        guard turn.radians.isFinite, rise.radians.isFinite else { return }
        wake(at: time)
        azimuth.goal = limits.clamped(azimuth: azimuth.destination(timeConstant: inertia) + turn.radians)
        let end = elevation.destination(timeConstant: inertia) + rise.radians
        elevation.goal = clamp(end, limits.elevation.lowerBound, limits.elevation.upperBound)
    }

    /// Moves the target smoothly by fractions of the view's height, to the right and up.
    package mutating func pan(byHeights move: Vector2, at time: Double) {
        guard move.isFinite else { return }
        wake(at: time)
        target.goal = target.destination(timeConstant: inertia) + worldOffset(points: move * height)
    }

    /// Divides the distance smoothly by `factor`: above 1 moves the camera nearer.
    ///
    /// - Parameter pointer: The point that stays fixed, in points from the centre of the view, +x right, +y *up*; nil for the centre.
    package mutating func zoom(by factor: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard factor > 0, factor.isFinite else { return }
        wake(at: time)
        setAnchor(pointer)
        zoom.goal = clamp(zoom.destination(timeConstant: 0) - log(factor), zoomRange.lowerBound, zoomRange.upperBound)
    }

    /// Zooms by notches of a wheel: positive (away from the user) moves the camera nearer. See `zoom(by:towards:at:)`.
    package mutating func scroll(by notches: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard notches.isFinite else { return }
        zoom(by: pow(wheelFactor, clamp(notches, -50, 50)), towards: pointer, at: time)
    }

    /// Moves smoothly back to `home` by the shorter rotation.
    package mutating func reset(at time: Double) { glide(to: home, at: time) }

    /// Moves smoothly until `bounds` fills the view, from the same direction, and sets the limits for it.
    package mutating func fit(_ bounds: BoundingBox, at time: Double) {
        wake(at: time)
        limits.distance = Limits(around: bounds).distance
        glide(
            to: OrbitPose(
                fitting: bounds, azimuth: pose.azimuth, elevation: pose.elevation, fieldOfView: fieldOfView,
                aspectRatio: max(viewportSize.x, 1) / height), at: time)
    }

    /// Moves smoothly to a pose, clamped to the limits, by the shorter rotation that stays inside the limits.
    package mutating func glide(to pose: OrbitPose, at time: Double) {
        wake(at: time)
        let turn = 2 * Float.pi
        let shortest = pose.azimuth.radians - ((pose.azimuth.radians - azimuth.value) / turn).rounded() * turn
        azimuth.goal = limits.clamped(azimuth: shortest - limits.wholeTurns(of: shortest))
        elevation.goal = clamp(pose.elevation.radians, limits.elevation.lowerBound, limits.elevation.upperBound)
        zoom.goal = clamp(log(max(pose.distance, 1e-6)), zoomRange.lowerBound, zoomRange.upperBound)
        target.goal = pose.target
        (zoomAnchor, pinchedZoom) = (Vector3(repeating: 0), nil)
    }

    /// Stops all motion.
    package mutating func stop() {
        steering = .none
        azimuth.stop()
        elevation.stop()
        environment.stop()
        target.stop()
        zoom.stop()
        clampToLimits()
    }

    /// Steers at this rate until the next call. A direction that is released slows down as after a drag.
    package mutating func steer(_ newSteering: Steering, at time: Double) {
        let (next, last) = (newSteering.clamped, steering)
        guard next != last else { return }
        wake(at: time)
        steering = next
        if next.orbit != .zero {
            azimuth.stop()
            elevation.stop()
        } else if last.orbit != .zero, inertia > 0 {
            (azimuth.velocity, elevation.velocity) = (last.orbit.x * Self.turnRate, last.orbit.y * Self.turnRate)
        }
        if next.pan != .zero {
            target.stop()
        } else if last.pan != .zero, inertia > 0 {
            target.velocity = worldOffset(points: last.pan * height)
        }
        if next.zoom != 0 { zoom.stop() } else if last.zoom != 0, inertia > 0 { coastZoom(velocity: -last.zoom * Self.zoomRate) }
    }
}

// MARK: - Motion

extension OrbitController {
    /// Advances all motion to `time`. Call it before each frame. Has no effect if `time` is before that of an earlier call.
    package mutating func update(at time: Double) {
        let elapsed = time - clock
        guard elapsed > 0, elapsed.isFinite else { return }
        clock = time
        guard !isAtRest else { return }
        let timeConstant = max(inertia, 1e-3)
        advanceSteering(by: elapsed)
        Self.advance(&azimuth, by: elapsed, spring, timeConstant, within: limits.azimuth)
        environment.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        Self.advance(&elevation, by: elapsed, spring, timeConstant, within: limits.elevation)
        target.tolerance = Double(distance) * 1e-4
        target.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        advanceZoom(by: elapsed, timeConstant: timeConstant)
    }

    private mutating func advanceSteering(by elapsed: Double) {
        guard steering != .none else { return }
        let share = Float(elapsed)
        azimuth.value = limits.clamped(azimuth: azimuth.value + steering.orbit.x * Self.turnRate * share)
        let rise = elevation.value + steering.orbit.y * Self.turnRate * share
        if steering.orbit.y != 0 { elevation.value = clamp(rise, limits.elevation.lowerBound, limits.elevation.upperBound) }
        // Applied before the zoom, which changes the length of a point in the world.
        target.value += worldOffset(points: steering.pan * (height * share))
        let depth = zoom.value - steering.zoom * Self.zoomRate * share
        if steering.zoom != 0 { zoom.value = clamp(depth, zoomRange.lowerBound, zoomRange.upperBound) }
    }

    private static func advance(
        _ angle: inout Glide<Float>, by elapsed: Double, _ spring: Spring, _ timeConstant: Double, within range: ClosedRange<Float>
    ) {
        angle.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        let inside = clamp(angle.value, range.lowerBound, range.upperBound)
        // A spring already leads inside; coasting ends at the limit.
        if inside != angle.value, angle.goal == nil { angle.stop(at: inside) }
    }

    private mutating func advanceZoom(by elapsed: Double, timeConstant: Double) {
        let before = distance
        zoom.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        moveTargetTowardsAnchor(from: before)
        if zoom.isAtRest { zoomAnchor = Vector3(repeating: 0) }
    }

    /// Keeps the point under the pointer fixed while the distance changes.
    private mutating func moveTargetTowardsAnchor(from before: Float) {
        let shift = zoomAnchor * (before - distance)
        target.value += shift
        if let goal = target.goal { target.goal = goal + shift }
    }

    /// Advances the motion to `time`, so that a new motion starts from the current state.
    private mutating func wake(at time: Double) {
        update(at: time)
        target.tolerance = Double(distance) * 1e-4
    }

    /// Returns the vector in the world for `points` of the view (+y up) at the depth of the target.
    private func worldOffset(points: Vector2) -> Vector3 {
        let orientation = pose.orientation
        return (orientation.rotate(.right) * points.x + orientation.rotate(.up) * points.y) * metresPerPoint
    }

    private mutating func setAnchor(_ pointer: Vector2?) {
        guard let pointer, pointer.isFinite else {
            zoomAnchor = Vector3(repeating: 0)
            return
        }
        zoomAnchor = worldOffset(points: pointer) / distance
    }
}
