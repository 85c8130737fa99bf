import VitrineMath

/// How a device is held, made useful: smoothed, and counted from how it was held at first.
///
/// ```swift
/// var attitude = AttitudeFilter()
/// attitude.handle(event)
/// scene.environment.rotation = attitude.turn                       // light that wanders over the surface
/// tilt.lean(to: attitude.angles * 0.5, at: event.time)             // a picture that looks into its depth
/// ```
public struct AttitudeFilter: Equatable, Sendable {
    /// Seconds in which a change is followed to 1 − 1/e. 0: at once.
    public var timeConstant: Double
    /// referenceFromDevice of "straight ahead": the first one, until `recenter()`.
    public private(set) var reference: Quaternion?
    private var smoothed = Quaternion.identity
    private var time = 0.0

    public init(timeConstant: Double = 0.05) { self.timeConstant = max(timeConstant, 0) }

    /// Whether the event was an attitude.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        guard case .attitude(let attitude) = event.kind else { return false }
        update(attitude, at: event.time)
        return true
    }

    /// - Parameter attitude: referenceFromDevice. What isn't a rotation is left out.
    public mutating func update(_ attitude: Quaternion, at time: Double) {
        guard attitude.vector.isFinite, time.isFinite, length(attitude.vector) > 0.1 else { return }
        let attitude = attitude.normalized
        guard reference != nil else {
            (reference, smoothed, self.time) = (attitude, attitude, time)
            return
        }
        let elapsed = time - self.time
        guard elapsed > 0 else { return }
        let share = timeConstant > 0 ? Float(1 - exp(-elapsed / timeConstant)) : 1
        smoothed = smoothed.slerp(to: attitude, share).normalized
        self.time = time
    }

    /// How it is held now becomes straight ahead.
    public mutating func recenter() { if reference != nil { reference = smoothed } }

    /// The turn from straight ahead, in the device's frame at that time: +x right, +y up, +z towards the person.
    public var rotation: Quaternion { reference.map { $0.inverse * smoothed } ?? .identity }

    /// About +y: counter-clockwise as seen from above.
    public var turn: Angle { .radians(rotation.offset(from: .identity).y) }

    /// About x and y as `TiltController` has them (y down): what looks into a picture's depth when it is leant to it.
    public var angles: Vector2 {
        let vector = rotation.offset(from: .identity)
        return Vector2(-vector.x, vector.y)
    }
}
