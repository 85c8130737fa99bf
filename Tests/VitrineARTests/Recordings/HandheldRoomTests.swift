import Foundation
import Testing
import VitrineMath
import VitrineTestSupport

@testable import VitrineAR

/// A real recording of a hand-held camera with an IMU in a room: starts at rest, has gaps, and camera times are 47 ms late. There is no ground
/// truth, but tracking must not be lost.
@Suite(.serialized) struct HandheldRoomTests {
    private static let isThere = SharedData.has("ar/handheld-room/imu.txt")

    /// The poses and states of the whole recording.
    private func frames() async throws -> [(state: ARCamera.TrackingState, position: Vector3, points: Int)] {
        let source = try SensorSourceFile.open(try SharedData.url("ar/handheld-room"))
        let session = ARSession(source: source, pace: .stepped)
        session.run(ARWorldTrackingConfiguration())
        var frames: [(state: ARCamera.TrackingState, position: Vector3, points: Int)] = []
        for try await frame in session.frames {
            frames.append((frame.camera.trackingState, frame.camera.transform.translation, frame.rawFeaturePoints?.points.count ?? 0))
        }
        return frames
    }

    @Test(.enabled(if: isThere, SharedData.missing)) func trackingIsNeverLost() async throws {
        let frames = try await frames()
        #expect(frames.count == 700)
        let first = try #require(frames.firstIndex { $0.state == .normal })
        #expect(first < 40)
        #expect(frames[first...].allSatisfy { $0.state == .normal })
        let positions = frames[first...].map { $0.position }
        // The path has no jumps and stays within the room.
        #expect(zip(positions, positions.dropFirst()).allSatisfy { length($1 - $0) < 0.12 })
        #expect(positions.allSatisfy { length($0) < 4 })
        #expect(frames[first...].filter { $0.points > 5 }.count > 600)
    }

    @Test(.enabled(if: isThere, SharedData.missing)) func replaysGiveTheSamePath() async throws {
        let (a, b) = (try await frames(), try await frames())
        #expect(a.map { $0.position } == b.map { $0.position })
    }
}
