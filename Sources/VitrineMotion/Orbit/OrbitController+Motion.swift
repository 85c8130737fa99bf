import VitrineGeometry

extension OrbitController {
    /// Moves everything on to `time`. Call it before drawing a frame. A time before that of an earlier call changes nothing.
    public mutating func update(at time: Double) {
        let elapsed = time - clock
        guard elapsed > 0, elapsed.isFinite else { return }
        clock = time
        guard !isAtRest else { return }
        let timeConstant = max(inertia, 1e-3)
        advanceSteering(by: elapsed)
        azimuth.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        environment.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        advanceElevation(by: elapsed, timeConstant: timeConstant)
        target.tolerance = Double(distance) * 1e-4
        target.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        advanceZoom(by: elapsed, timeConstant: timeConstant)
    }

    private mutating func advanceElevation(by elapsed: Double, timeConstant: Double) {
        elevation.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        let held = clamp(elevation.value, limits.elevation.lowerBound, limits.elevation.upperBound)
        // A spring is on its way inside; a coast ends at the limit.
        if held != elevation.value, elevation.goal == nil {
            elevation.value = held
            elevation.velocity = 0
        }
    }

    private mutating func advanceZoom(by elapsed: Double, timeConstant: Double) {
        let before = distance
        zoom.advance(by: elapsed, spring: spring, timeConstant: timeConstant)
        moveTargetTowardsAnchor(from: before)
        if zoom.isAtRest { zoomAnchor = Vector3(repeating: 0) }
    }

    /// Keeps the point under the pointer where it is while the distance changes.
    mutating func moveTargetTowardsAnchor(from before: Float) {
        let shift = zoomAnchor * (before - distance)
        target.value += shift
        if let goal = target.goal { target.goal = goal + shift }
    }

    // MARK: Goals

    /// Turns by these angles, gliding; calls in quick succession add up.
    public mutating func turn(azimuth turn: Angle, elevation rise: Angle = .zero, at time: Double) {
        guard turn.radians.isFinite, rise.radians.isFinite else { return }
        wake(at: time)
        azimuth.goal = azimuth.destination(timeConstant: inertia) + turn.radians
        let end = elevation.destination(timeConstant: inertia) + rise.radians
        elevation.goal = clamp(end, limits.elevation.lowerBound, limits.elevation.upperBound)
    }

    /// Moves the target by parts of the picture's height, to the right and up, gliding.
    public mutating func pan(byHeights move: Vector2, at time: Double) {
        guard move.isFinite else { return }
        wake(at: time)
        target.goal = target.destination(timeConstant: inertia) + worldOffset(points: move * height)
    }

    /// Divides the distance by `factor`, gliding: above 1 is nearer.
    ///
    /// - Parameter pointer: The point that stays where it is, in points from the picture's middle, +x right, +y *up*; nil: the middle.
    public mutating func zoom(by factor: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard factor > 0, factor.isFinite else { return }
        wake(at: time)
        setAnchor(pointer)
        zoom.goal = clamp(zoom.destination(timeConstant: 0) - log(factor), zoomRange.lowerBound, zoomRange.upperBound)
    }

    /// Notches of a wheel: positive (away from the person) is nearer. See `zoom(by:towards:at:)`.
    public mutating func scroll(by notches: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard notches.isFinite else { return }
        zoom(by: pow(wheelFactor, clamp(notches, -50, 50)), towards: pointer, at: time)
    }

    /// Glides back to `home`, the shorter way round.
    public mutating func reset(at time: Double) { glide(to: home, at: time) }

    /// Glides so that `bounds` fills the picture, seen from the same direction, and makes the limits suit it.
    public mutating func fit(_ bounds: BoundingBox, at time: Double) {
        wake(at: time)
        limits.distance = Limits(around: bounds).distance
        glide(
            to: OrbitPose(
                fitting: bounds, azimuth: pose.azimuth, elevation: pose.elevation, fieldOfView: fieldOfView,
                aspectRatio: max(viewportSize.x, 1) / height), at: time)
    }

    /// Glides to a pose, held inside the limits, the shorter way round.
    public mutating func glide(to pose: OrbitPose, at time: Double) {
        wake(at: time)
        let turn = 2 * Float.pi
        let turns = ((pose.azimuth.radians - azimuth.value) / turn).rounded()
        azimuth.goal = pose.azimuth.radians - turns * turn
        elevation.goal = clamp(pose.elevation.radians, limits.elevation.lowerBound, limits.elevation.upperBound)
        zoom.goal = clamp(log(max(pose.distance, 1e-6)), zoomRange.lowerBound, zoomRange.upperBound)
        target.goal = pose.target
        (zoomAnchor, pinchedZoom) = (Vector3(repeating: 0), nil)
    }

    /// Stops everything where it is.
    public mutating func stop() {
        steering = .none
        azimuth.stop()
        elevation.stop()
        environment.stop()
        target.stop()
        zoom.stop()
        holdInsideLimits()
    }

    /// Brings motion up to `time`, so that a new one starts there and not when the last one ended.
    mutating func wake(at time: Double) {
        update(at: time)
        target.tolerance = Double(distance) * 1e-4
    }

    /// The world vector that crosses `points` of the picture (+y up) at the target's depth.
    func worldOffset(points: Vector2) -> Vector3 {
        let orientation = pose.orientation
        return (orientation.rotate(.right) * points.x + orientation.rotate(.up) * points.y) * metresPerPoint
    }

    mutating func setAnchor(_ pointer: Vector2?) {
        guard let pointer, pointer.isFinite else {
            zoomAnchor = Vector3(repeating: 0)
            return
        }
        zoomAnchor = worldOffset(points: pointer) / distance
    }
}
