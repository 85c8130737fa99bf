import VitrineMath
import VitrineVision

/// Synthetic paths of a hand-held camera through a room. Each starts at rest.
///
/// World frame: floor at y = 0, the room's centre at the origin, +Y up.
public enum SimulatedPath: String, Sendable, CaseIterable {
    /// A figure eight through the room; the camera looks ahead and slightly down.
    case eight
    /// Circles an object on the floor in the room's centre; the camera points at it.
    case around
    /// Sways in place, as a person who holds up a phone.
    case held
    /// Follows the walls; the camera points at them sideways.
    case walk
    /// The camera turns in place at arm's length, which causes the only parallax.
    case turn

    /// Returns the camera's poses (x right, y down, z forward) in the world.
    ///
    /// - Parameters:
    ///   - duration: The duration of the path in seconds.
    ///   - rest: Seconds at rest before the motion starts; it reaches full speed one second later.
    ///   - extent: Half the side of the square that contains the path, in metres.
    ///   - rate: Poses per second.
    ///   - seed: The seed of the hand tremor.
    public func cameraPoses(
        duration: Double, rest: Double = 1, extent: Double = 2, rate: Double = 50, seed: UInt64 = 1
    ) -> [TimedPose] {
        let tremor = Tremor(seed: seed)
        return (0...max(4, Int(duration * rate))).map { index in
            let time = Double(index) / rate
            // The rate of the path's time is a smooth step from 0 to 1 within one second.
            let moved = time - rest
            let pace = smoothstep(0, 1, moved)
            let along = moved <= 0 ? 0 : moved >= 1 ? moved - 0.5 : moved * moved * moved * (1 - moved / 2)
            let (eye, target) = view(along, extent)
            let shake = tremor.at(along) * pace
            return TimedPose(time: time, pose: Self.looking(from: eye + shake.translation, to: target, rotatedBy: shake.rotation))
        }
    }

    /// The camera's position and the point that it looks at, `t` seconds into the path.
    private func view(_ t: Double, _ extent: Double) -> (eye: Vector3d, target: Vector3d) {
        switch self {
        case .eight:
            let position = { (t: Double) in
                Vector3d(extent * sin(0.45 * t), 1.4 + 0.15 * sin(0.9 * t), extent * 0.6 * sin(0.9 * t))
            }
            return (position(t), position(t + 1.2) + Vector3d(0, -0.25, 0))
        case .around:
            let angle = 0.5 * t
            let radius = extent * (0.8 + 0.1 * sin(0.7 * t))
            return (Vector3d(radius * sin(angle), 1.3 + 0.25 * sin(0.9 * t), radius * cos(angle)), Vector3d(0, 0.4, 0))
        case .held:
            let eye = Vector3d(0.12 * sin(1.1 * t), 1.45 + 0.06 * sin(1.7 * t), 0.10 * sin(0.8 * t) + extent * 0.5)
            return (eye, Vector3d(0.5 * sin(0.5 * t), 0.7 + 0.2 * sin(0.9 * t), -extent * 0.5))
        case .walk:
            let angle = 0.35 * t
            let eye = Vector3d(extent * sin(angle), 1.5 + 0.03 * sin(11 * t), extent * cos(angle))
            return (eye, Vector3d(extent * 2.2 * sin(angle + 0.7), 1.1, extent * 2.2 * cos(angle + 0.7)))
        case .turn:
            let angle = 0.6 * t
            let ahead = Vector3d(sin(angle), 0, cos(angle))
            return (Vector3d(0, 1.5, 0) + ahead * 0.3, Vector3d(0, 1.3, 0) + ahead * 2)
        }
    }

    /// The pose of a camera at `eye` with `target` in the image centre, rotated about its own axes by a small rotation vector.
    package static func looking(from eye: Vector3d, to target: Vector3d, rotatedBy rotation: Vector3d = .zero) -> RigidTransform {
        let forward = normalize(target - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let axes = Matrix3d(right, cross(forward, right), forward)
        return RigidTransform(rotation: axes * Matrix3d.rotation(rotation), translation: eye)
    }
}

/// The tremor of a hand: a few millimetres and one degree at 1 to 6 Hz.
struct Tremor {
    private let waves: [(frequency: Double, phase: Vector3d, translation: Vector3d, rotation: Vector3d)]

    init(seed: UInt64) {
        var random = GaussianGenerator(seed: seed)
        waves = [1.1, 2.3, 3.7, 5.9].map { frequency in
            let phase = Vector3d(random.uniform(), random.uniform(), random.uniform()) * (2 * Double.pi)
            let translation = random.vector() * (0.006 / (frequency * frequency))
            return (frequency, phase, translation, random.vector() * (0.012 / frequency))
        }
    }

    func at(_ time: Double) -> Offset {
        var offset = Offset()
        for wave in waves {
            for axis in 0..<3 {
                let value = sin(2 * Double.pi * wave.frequency * time + wave.phase[axis])
                offset.translation[axis] += wave.translation[axis] * value
                offset.rotation[axis] += wave.rotation[axis] * value
            }
        }
        return offset
    }

    struct Offset {
        var translation = Vector3d.zero
        /// A rotation vector in radians.
        var rotation = Vector3d.zero

        static func * (offset: Offset, scale: Double) -> Offset {
            Offset(translation: offset.translation * scale, rotation: offset.rotation * scale)
        }
    }
}
