import Foundation
import Testing
import VitrineAR
import VitrineMath
import VitrineSensorSimulation
import VitrineTestSupport
import VitrineVision

@testable import VitrineCapture

/// Whole captures of a box on a table, with exact truth.
@MainActor @Suite struct CaptureSessionTests {
    typealias Key = OrbitPath.Key

    /// Looks at the object, then walks around it.
    private static func ring(elevation: Double = 30, radius: Double = 0.55, seconds: Double = 16, turns: Double = 1.06) -> OrbitPath {
        OrbitPath(
            target: Vector3d(0.02, 0.83, -0.01),
            keys: [
                Key(time: 0, azimuth: -8, elevation: elevation, radius: radius),
                Key(time: 1, azimuth: 0, elevation: elevation, radius: radius),
                Key(time: 1 + seconds, azimuth: 360 * turns, elevation: elevation, radius: radius),
            ])
    }

    private static func session(_ source: TableTopSource, _ change: (inout CaptureThresholds) -> Void = { _ in }) -> ObjectCaptureSession {
        var thresholds = CaptureThresholds()
        change(&thresholds)
        return ObjectCaptureSession(
            source: source, pace: .stepped, tracking: .recorded, thresholds: thresholds,
            id: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!)
    }

    /// Steps until a condition is true.
    @discardableResult private static func step(_ session: ObjectCaptureSession, until condition: () -> Bool = { false }) async -> Int {
        var steps = 0
        while !condition(), await session.step() { steps += 1 }
        return steps
    }

    @Test func onePassIsCompleteInFewSharpShots() async throws {
        try await withTemporaryDirectory { folder in
            let source = try TableTopSource(Self.ring())
            let session = Self.session(source)
            try session.start(imagesDirectory: folder)
            await Self.step(session) { session.state == .ready }
            try session.startDetecting()
            await Self.step(session) { session.boundingBox != nil && session.currentFrame!.timestamp > 0.9 }
            let box = try #require(session.boundingBox).oriented
            print("BOX", box.center - source.object.center, box.size, source.object.size, session.currentFrame!.timestamp)
            try session.startCapturing()
            await Self.step(session) { session.userCompletedScanPass }
            print("SHOTS", session.numberOfShotsTaken, session.dial.fraction, session.currentFrame!.timestamp, session.feedback)
            print(session.shots.map { ($0.timestamp, $0.sharpness) })
            print(session.isObjectFlippable as Any, session.pointCloud.points.count, session.advice as Any)
            #expect(session.userCompletedScanPass && session.numberOfShotsTaken <= 40)
            try session.finish()
            for await state in session.stateUpdates where state == .completed {}
            #expect(session.state == .completed)
            #expect(try CaptureFolder(opening: folder).shots == session.shots)
        }
    }
}
