import VitrineMath
import VitrineVision

/// Ways in which somebody might carry a camera through a room, made in code. Each begins at rest.
///
/// The world has the floor at y = 0 and the room's middle at the origin.
public enum SimulatedPath: String, Sendable, CaseIterable {
    /// A lying eight through the room, looking ahead and a little down.
    case eight
    /// Around something on the floor in the middle, looking at it.
    case around
    /// Standing, and swaying as somebody does who holds a telephone up.
    case held
    /// Along the walls, looking at them sideways.
    case walk
    /// Turning on the spot, as somebody does who looks about: no parallax but what the arm gives.
    case turn

    /// The camera's poses (x right, y down, z forward) in the world.
    ///
    /// - Parameters:
    ///   - duration: in seconds.
    ///   - rest: seconds at rest before the path begins; it gathers pace in the second after.
    ///   - extent: half the side of the square that the path stays within, in metres.
    ///   - rate: poses a second.
    ///   - seed: of the hand's tremor.
    public func cameraPoses(
        duration: Double, rest: Double = 1, extent: Double = 2, rate: Double = 50, seed: UInt64 = 1
    ) -> [TimedPose] {
        let tremor = Tremor(seed: seed)
        return (0...max(4, Int(duration * rate))).map { index in
            let time = Double(index) / rate
            // The path's own time starts slowly: its rate is a smooth step from 0 to 1 in one second.
            let moved = time - rest
            let pace = smoothstep(0, 1, moved)
            let along = moved <= 0 ? 0 : moved >= 1 ? moved - 0.5 : moved * moved * moved * (1 - moved / 2)
            let (eye, target) = view(along, extent)
            let shake = tremor.at(along) * pace
            return TimedPose(time: time, pose: Self.looking(from: eye + shake.place, to: target, turned: shake.turn))
        }
    }

    /// Where the camera is and what it looks at, `t` seconds into the path.
    private func view(_ t: Double, _ extent: Double) -> (eye: Vector3d, target: Vector3d) {
        switch self {
        case .eight:
            let place = { (t: Double) in
                Vector3d(extent * sin(0.45 * t), 1.4 + 0.15 * sin(0.9 * t), extent * 0.6 * sin(0.9 * t))
            }
            return (place(t), place(t + 1.2) + Vector3d(0, -0.25, 0))
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

    /// A camera at `eye` that sees `target` in its middle, then turned about its own axes by a small rotation vector.
    static func looking(from eye: Vector3d, to target: Vector3d, turned: Vector3d = .zero) -> RigidTransform {
        let forward = normalize(target - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let axes = Matrix3d(right, cross(forward, right), forward)
        return RigidTransform(rotation: axes * Matrix3d.rotation(turned), translation: eye)
    }
}

/// A hand's: a few millimetres and a degree, at 1 to 6 swings a second.
private struct Tremor {
    private let waves: [(frequency: Double, phase: Vector3d, place: Vector3d, turn: Vector3d)]

    init(seed: UInt64) {
        var random = NormalNumbers(seed: seed)
        waves = [1.1, 2.3, 3.7, 5.9].map { frequency in
            let phase = Vector3d(random.even(), random.even(), random.even()) * (2 * Double.pi)
            let place = random.vector() * (0.006 / (frequency * frequency))
            return (frequency, phase, place, random.vector() * (0.012 / frequency))
        }
    }

    func at(_ time: Double) -> Shake {
        var shake = Shake()
        for wave in waves {
            for axis in 0..<3 {
                let swing = sin(2 * Double.pi * wave.frequency * time + wave.phase[axis])
                shake.place[axis] += wave.place[axis] * swing
                shake.turn[axis] += wave.turn[axis] * swing
            }
        }
        return shake
    }
}

private struct Shake {
    var place = Vector3d.zero
    var turn = Vector3d.zero

    static func * (shake: Shake, scale: Double) -> Shake { Shake(place: shake.place * scale, turn: shake.turn * scale) }
}
