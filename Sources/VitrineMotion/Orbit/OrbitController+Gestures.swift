import VitrineMath

extension OrbitController {
    /// A finger or button went down: stops what moved there.
    public mutating func beginDrag(_ kind: Drag, at time: Double) {
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

    /// The pointer moved by `delta` points, +x right, +y *down*, as windows count. Without a drag begun it changes nothing.
    public mutating func drag(by delta: Vector2, at time: Double) {
        guard let drag, delta.isFinite else { return }
        wake(at: time)
        tracker.move(by: delta, at: time)
        let turn = delta * (turnPerHeight.radians / height)
        switch drag {
        case .orbit:
            azimuth.value -= turn.x
            elevation.value = clamp(elevation.value + turn.y, limits.elevation.lowerBound, limits.elevation.upperBound)
        case .pan: target.value -= worldOffset(points: Vector2(delta.x, -delta.y))
        case .zoom: zoom.value = clamp(zoom.value + zoomPerPoint * delta.y, zoomRange.lowerBound, zoomRange.upperBound)
        case .environment: environment.value += turn.x
        }
    }

    /// The finger or button went up: the motion goes on by itself and slows down.
    public mutating func endDrag(at time: Double) {
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

    /// Whether a drag is under way.
    public var isDragging: Bool { drag != nil }

    /// A drag as long as the picture is high zooms by e².
    private var zoomPerPoint: Float { 2 / height }

    /// A released zoom springs to where it would have coasted, or to the limit before that.
    mutating func coastZoom(velocity: Float) {
        let end = zoom.value + velocity * Float(inertia)
        zoom.velocity = velocity
        zoom.goal = clamp(end, zoomRange.lowerBound, zoomRange.upperBound)
    }

    // MARK: Pinch

    /// Two fingers went down. A drag may run beside it: fingers that move together pan.
    public mutating func beginPinch(at time: Double) {
        wake(at: time)
        zoom.stop()
        pinchedZoom = zoom.value
    }

    /// The fingers' distance changed by `scale` since the last call: above 1 is nearer.
    ///
    /// - Parameter pointer: Between the fingers, in points from the picture's middle, +y *up*; nil: the middle.
    public mutating func pinch(by scale: Float, towards pointer: Vector2? = nil, at time: Double) {
        guard scale > 0, scale.isFinite, let pinched = pinchedZoom else { return }
        wake(at: time)
        let before = distance
        pinchedZoom = pinched - log(scale)
        setAnchor(pointer)
        zoom.value = rubberBanded(pinched - log(scale))
        moveTargetTowardsAnchor(from: before)
    }

    /// The fingers went up: springs back where a limit was passed.
    public mutating func endPinch(at time: Double) {
        guard pinchedZoom != nil else { return }
        wake(at: time)
        pinchedZoom = nil
        zoomAnchor = Vector3(repeating: 0)
        let held = clamp(zoom.value, zoomRange.lowerBound, zoomRange.upperBound)
        if held != zoom.value { zoom.goal = held }
    }

    /// Beyond a limit a pull counts ever less: at most a factor of e^0.35 is given.
    private func rubberBanded(_ value: Float) -> Float {
        let held = clamp(value, zoomRange.lowerBound, zoomRange.upperBound)
        let over = value - held
        let give: Float = 0.35
        return held + give * over / (give + abs(over))
    }
}
