import VitrineMath
import VitrineVision

/// A hand-held path around an object, as a person walks who captures it: through key views, with tremor.
package struct OrbitPath: Sendable {
    /// A view of the object at a time. Between two keys all values change evenly.
    package struct Key: Equatable, Sendable {
        /// The time in seconds, increasing.
        package var time: Double
        /// The azimuth of the camera about the vertical axis through the target, radians from +Z towards +X; may exceed 2π.
        package var azimuth: Double
        /// The elevation of the camera above the target, radians, −1.4…1.4.
        package var elevation: Double
        /// The distance from the target in metres.
        package var radius: Double
        /// The offset of the aim from the target: right and up in the image, metres.
        package var aim: Vector2d

        /// Creates a key.
        package init(time: Double, azimuth: Double, elevation: Double, radius: Double, aim: Vector2d = .zero) {
            (self.time, self.azimuth, self.elevation, self.radius, self.aim) = (time, azimuth, elevation, radius, aim)
        }
    }

    /// The centre of the object in the world, +Y up.
    package var target: Vector3d
    /// The key poses of the path, at least one.
    package var keys: [Key]
    /// The amplitude of the hand's tremor: 1, the default, is a few millimetres and one degree; 0 is no tremor.
    package var tremor = 1.0

    /// Creates a path.
    package init(target: Vector3d, keys: [Key]) { (self.target, self.keys) = (target, keys) }

    /// The end of the last key in seconds.
    package var duration: Double { keys.last?.time ?? 0 }

    /// Returns the camera's poses (x right, y down, z forward) in the world.
    ///
    /// - Parameters:
    ///   - rate: Poses per second.
    ///   - seed: The seed of the hand tremor.
    package func cameraPoses(rate: Double = 50, seed: UInt64 = 1) -> [TimedPose] {
        let shake = Tremor(seed: seed)
        return (0...max(4, Int(duration * rate))).map { index in
            let time = Double(index) / rate
            return TimedPose(time: time, pose: pose(key(at: time), shakenBy: shake.at(time) * tremor))
        }
    }

    /// The camera's pose (x right, y down, z forward) in the world at a key view.
    func pose(_ key: Key, shakenBy offset: Tremor.Offset) -> RigidTransform {
        let (a, e) = (key.azimuth, key.elevation)
        let direction = Vector3d(sin(a) * cos(e), sin(e), cos(a) * cos(e))
        let eye = target + direction * key.radius
        let right = normalize(cross(-direction, Vector3d(0, 1, 0)))
        let aim = target + right * key.aim.x + cross(right, -direction) * key.aim.y
        return SimulatedPath.looking(from: eye + offset.translation, to: aim, rotatedBy: offset.rotation)
    }

    /// The view at a time: that of the first or the last key beyond them.
    func key(at time: Double) -> Key {
        guard let next = keys.firstIndex(where: { $0.time > time }) else { return keys[keys.count - 1] }
        guard next > 0 else { return keys[0] }
        let (a, b) = (keys[next - 1], keys[next])
        let share = (time - a.time) / (b.time - a.time)
        return Key(
            time: time, azimuth: mix(a.azimuth, b.azimuth, share), elevation: mix(a.elevation, b.elevation, share),
            radius: mix(a.radius, b.radius, share), aim: a.aim + (b.aim - a.aim) * share)
    }
}
