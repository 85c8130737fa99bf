import Synchronization
import Vitrine
import VitrineAR
import VitrineVision

@testable import VitrineSimulation

/// Events in memory: a recording that many sessions replay.
final class EventSource: SensorSource {
    let rig: SensorRig
    let isLive = false
    private let events: [SensorEvent]
    private let failure: String?
    private let position = Mutex(0)

    /// - Parameter failure: The reason why reading fails after the last event; nil for an end.
    init(_ events: [SensorEvent], rig: SensorRig, failure: String? = nil) { (self.events, self.rig, self.failure) = (events, rig, failure) }

    var problems: SourceProblems { SourceProblems() }

    func next() async throws -> SensorEvent? {
        let event = position.withLock { position -> SensorEvent? in
            guard position < events.count else { return nil }
            defer { position += 1 }
            return events[position]
        }
        if event == nil, let failure { throw SourceError.broken(failure) }
        return event
    }

    func rewind() async throws { position.withLock { $0 = 0 } }
}

/// A simulated recording with the poster's true pose.
struct SimulatedEvents: Sendable {
    let events: [SensorEvent]
    let rig: SensorRig
    /// x right, y out of the poster, z down.
    let worldFromPoster: Matrix4
    /// The camera's true pose (x right, y down, z forward) at a time.
    let truth: @Sendable (Double) -> RigidTransform

    /// A poster of shapes in random colours, 4 : 3.
    static let poster: Image = {
        var random = SplitMix64(seed: 20)
        func number() -> Float { Float(random.below(10_001)) / 10_000 }
        let shapes = (0..<160).map { index -> (center: Vector2, size: Vector2, color: Vector3, isRound: Bool) in
            let size = (index < 40 ? 0.12 : 0.035) * (0.4 + number())
            return (
                Vector2(number(), number()), Vector2(size, size * (0.5 + number())), Vector3(number(), number(), number()), index % 2 == 0
            )
        }
        return Image.painted(width: 480, height: 360, name: "shapes") { u, v in
            var color = Vector3(0.92, 0.9, 0.85)
            for shape in shapes {
                let away = (Vector2(u, v) - shape.center) / shape.size
                if shape.isRound ? (away * away).sum() < 1 : max(abs(away.x), abs(away.y)) < 1 { color = shape.color }
            }
            return color
        }
    }()

    /// Records a phone in a room with the poster on the floor.
    ///
    /// - Parameters:
    ///   - width: Of the poster in metres.
    ///   - position: Of its centre.
    ///   - change: Of the settings: 320 × 240 pixels at 15 frames per second by default.
    static func record(
        _ style: SimulatedRoom.Style, along poses: [TimedPose], posterWidth width: Float, at position: Vector3, turnedBy turn: Quaternion,
        _ change: (inout SimulationSettings) -> Void
    ) async throws -> SimulatedEvents {
        var rig = SimulatedDevice.phone.rig
        rig.camera = CameraIntrinsics(width: 320, height: 240, verticalFieldOfView: 0.9)
        var settings = SimulationSettings()
        settings.frameRate = 15
        change(&settings)
        let room = SimulatedRoom(style, around: poses.map(\.pose.translation))
        let material = Material(name: "poster", baseColor: .white)
        material.baseColor.map = TextureMap(Texture(poster))
        let plane = Geometry.plane(width: width, height: width * 0.75)
        room.add(Node(name: "poster", mesh: Mesh(geometry: plane, material: material)), at: position, rotatedBy: turn)
        let source = try SimulatedSource(in: room, along: poses, rig: rig, settings: settings)
        var events: [SensorEvent] = []
        while let event = try await source.next() { events.append(event) }
        // From the axes of an image anchor to those of the plane: x right, y up, z out of the poster.
        let planeFromAnchor = Matrix4(Matrix3(Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)), translation: .zero)
        return SimulatedEvents(
            events: events, rig: source.rig, worldFromPoster: Matrix4(Matrix3(turn), translation: position) * planeFromAnchor,
            truth: { source.worldFromCamera(at: $0) })
    }

    func session(_ change: ([SensorEvent]) -> [SensorEvent] = { $0 }) -> ARSession {
        ARSession(source: EventSource(change(events), rig: rig), pace: .stepped)
    }
}

extension Matrix4 {
    /// The distance in metres and the angle in degrees to another pose.
    func difference(from other: Matrix4) -> (metres: Float, degrees: Float) {
        let turn = linear.transpose * other.linear
        let cosine = (turn.x.x + turn.y.y + turn.z.z - 1) / 2
        return (length(translation - other.translation), acos(min(max(cosine, -1), 1)) * 180 / .pi)
    }
}
