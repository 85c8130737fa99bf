import VitrineMath

/// Smooths the attitude of a device and measures it relative to the initial one.
///
/// ```swift
/// var attitude = AttitudeFilter()
/// attitude.handle(event)
/// scene.environment.rotation = attitude.turn                       // moves highlights over the surface
/// tilt.lean(to: attitude.angles * 0.5, at: event.time)             // tilts a layer for depth
/// ```
public struct AttitudeFilter: Equatable, Sendable {
    /// The time constant of the smoothing in seconds; 0 for no smoothing. Default 0.05.
    public var timeConstant: Double
    /// The rotation `referenceFromDevice` of the neutral attitude: the first one, until `recenter()`. nil before the first.
    public private(set) var reference: Quaternion?
    private var smoothed = Quaternion.identity
    private var time = 0.0

    /// Creates a filter.
    public init(timeConstant: Double = 0.05) { self.timeConstant = max(timeConstant, 0) }

    /// Handles an event.
    ///
    /// - Returns: Whether the event is an attitude.
    @discardableResult public mutating func handle(_ event: InputEvent) -> Bool {
        guard case .attitude(let attitude) = event.kind else { return false }
        update(attitude, at: event.time)
        return true
    }

    /// Adds an attitude.
    ///
    /// - Parameter attitude: referenceFromDevice. Ignored if it is not a rotation.
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

    /// Makes the current attitude the neutral one.
    public mutating func recenter() { if reference != nil { reference = smoothed } }

    /// The rotation from the neutral attitude, in the device's frame at that attitude: +x right, +y up, +z towards the user.
    public var rotation: Quaternion { reference.map { $0.inverse * smoothed } ?? .identity }

    /// The rotation about +y, counterclockwise as seen from above.
    public var turn: Angle { .radians(rotation.offset(from: .identity).y) }

    /// The rotation about x and y in radians in the frame of `TiltController` (y down), for `TiltController.lean(to:at:)`.
    public var angles: Vector2 {
        let vector = rotation.offset(from: .identity)
        return Vector2(-vector.x, vector.y)
    }
}
