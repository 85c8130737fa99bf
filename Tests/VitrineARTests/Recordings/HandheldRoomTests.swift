import Foundation
import Testing
import VitrineMath
import VitrineTestSupport

@testable import VitrineAR

/// A real recording: a hand carries a camera and an IMU through a room, from rest, with gaps, the camera's clock 47 ms late. Nobody knows the
/// truth, but it must not get lost.
@Suite(.serialized) struct HandheldRoomTests {
    private static let isThere = SharedData.has("ar/handheld-room/imu.txt")

    /// What a session says of the whole recording.
    private func frames() async throws -> [(state: ARCamera.TrackingState, place: Vector3, points: Int)] {
        let source = try SensorSourceFile.open(try SharedData.url("ar/handheld-room"))
        let session = ARSession(source: source, pace: .stepped)
        session.run(ARWorldTrackingConfiguration())
        var frames: [(state: ARCamera.TrackingState, place: Vector3, points: Int)] = []
        for try await frame in session.frames {
            frames.append((frame.camera.trackingState, frame.camera.transform.translation, frame.rawFeaturePoints?.points.count ?? 0))
        }
        return frames
    }

    @Test(.enabled(if: isThere, SharedData.missing)) func aHandInARoomIsNeverLost() async throws {
        let frames = try await frames()
        #expect(frames.count == 700)
        let first = try #require(frames.firstIndex { $0.state == .normal })
        #expect(first < 40)
        #expect(frames[first...].allSatisfy { $0.state == .normal })
        let places = frames[first...].map { $0.place }
        // A hand in a room: no jumps, no walks through walls.
        #expect(zip(places, places.dropFirst()).allSatisfy { length($1 - $0) < 0.12 })
        #expect(places.allSatisfy { length($0) < 4 })
        #expect(frames[first...].filter { $0.points > 5 }.count > 600)
    }

    @Test(.enabled(if: isThere, SharedData.missing)) func theSameRecordingGivesTheSamePath() async throws {
        let (a, b) = (try await frames(), try await frames())
        #expect(a.map { $0.place } == b.map { $0.place })
    }
}
