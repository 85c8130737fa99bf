import VitrineMath

extension OrbitController {
    /// What sticks and triggers of a game controller ask for, for as long as they are held.
    public struct Steering: Equatable, Sendable {
        /// Around the target: +x the camera goes to the right, +y up. At most 1 long: then 120° a second.
        public var orbit = Vector2(0, 0)
        /// The target, in the plane of the picture: +x right, +y up. At most 1 long: then the picture's height a second.
        public var pan = Vector2(0, 0)
        /// +1: nearer by a factor of e a second.
        public var zoom: Float = 0

        public static let none = Steering()
        public init() {}

        /// Left stick around, right stick along, triggers nearer and farther.
        public init(_ gamepad: Gamepad) {
            (orbit, pan) = (gamepad.left, gamepad.right)
            zoom = gamepad.rightTrigger - gamepad.leftTrigger
        }

        /// Held inside what a stick can ask for.
        var sane: Steering {
            func held(_ stick: Vector2) -> Vector2 { stick.isFinite ? stick / max(length(stick), 1) : .zero }
            var result = Steering()
            (result.orbit, result.pan) = (held(orbit), held(pan))
            result.zoom = zoom.isFinite ? clamp(zoom, -1, 1) : 0
            return result
        }
    }

    private static let (turnRate, zoomRate): (Float, Float) = (2 * .pi / 3, 1)

    /// Moves on at this rate until it is called again. What is let go of runs out, as after a drag.
    public mutating func steer(_ newSteering: Steering, at time: Double) {
        let (next, last) = (newSteering.sane, steering)
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

    /// What steering does in `elapsed` seconds.
    mutating func advanceSteering(by elapsed: Double) {
        guard steering != .none else { return }
        let share = Float(elapsed)
        azimuth.value += steering.orbit.x * Self.turnRate * share
        let rise = elevation.value + steering.orbit.y * Self.turnRate * share
        if steering.orbit.y != 0 { elevation.value = clamp(rise, limits.elevation.lowerBound, limits.elevation.upperBound) }
        // Before the zoom changes what a point is worth.
        target.value += worldOffset(points: steering.pan * (height * share))
        let depth = zoom.value - steering.zoom * Self.zoomRate * share
        if steering.zoom != 0 { zoom.value = clamp(depth, zoomRange.lowerBound, zoomRange.upperBound) }
    }
}
