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
    typealias Feedback = ObjectCaptureSession.Feedback

    private static let target = Vector3d(0.02, 0.83, -0.01)

    /// Looks at the object for a second, then walks around it.
    private static func ring(elevation: Double = 30, radius: Double = 0.55, seconds: Double = 16, turns: Double = 1.06) -> OrbitPath {
        OrbitPath(
            target: target,
            keys: [
                Key(time: 0, azimuth: -8, elevation: elevation, radius: radius),
                Key(time: 1, azimuth: 0, elevation: elevation, radius: radius),
                Key(time: 1 + seconds, azimuth: 360 * turns, elevation: elevation, radius: radius),
            ])
    }

    private static func session(
        _ source: any SensorSource, _ change: (inout CaptureThresholds) -> Void = { _ in }
    ) -> ObjectCaptureSession {
        var thresholds = CaptureThresholds()
        change(&thresholds)
        return ObjectCaptureSession(
            source: source, pace: .stepped, tracking: .recorded, thresholds: thresholds,
            id: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!)
    }

    /// Steps until a condition is true or the source ends.
    private static func step(_ session: ObjectCaptureSession, until condition: () -> Bool = { false }) async {
        while !condition(), await session.step() {}
    }

    /// Starts, detects the object within the first second, and starts to capture.
    private static func startCapturing(_ session: ObjectCaptureSession, in folder: URL) async throws {
        try session.start(imagesDirectory: folder)
        await step(session) { session.state == .ready }
        try session.startDetecting()
        await step(session) { session.boundingBox != nil && session.currentFrame!.timestamp > 0.8 }
        try session.startCapturing()
    }

    /// Motion blur of a shot in pixels by the true path: the fastest corner of the true box.
    private static func trueBlur(of shot: ObjectCaptureSession.Shot, _ source: TableTopSource, exposure: Double) -> Double {
        func pixels(_ time: Double) -> [Vector2d] {
            let cameraFromWorld = source.worldFromCamera(at: time).inverse
            return source.object.corners.map { source.rig.camera.project(cameraFromWorld * $0) }
        }
        let (before, after) = (pixels(shot.timestamp - exposure / 2), pixels(shot.timestamp + exposure / 2))
        return zip(before, after).map { length($0 - $1) }.max() ?? 0
    }

    // MARK: Passes

    @Test func onePassIsCompleteInFewShots() async throws {
        try await withTemporaryDirectory { folder in
            let source = try TableTopSource(Self.ring())
            let session = Self.session(source)
            try await Self.startCapturing(session, in: folder)
            let box = try #require(session.boundingBox).oriented
            // Only the front is visible so far.
            #expect(length(box.center - source.object.center) < 0.025, "\(box.center - source.object.center)")
            #expect(abs(box.center.y - box.halfExtents.y - source.tableHeight) < 0.004)
            #expect(abs(box.size.y - source.object.size.y) < 0.015, "\(box.size)")
            await Self.step(session) { session.userCompletedScanPass }
            #expect(session.userCompletedScanPass && (22...40).contains(session.numberOfShotsTaken), "\(session.numberOfShotsTaken)")
            #expect(session.advice == .anotherHeight(.high) && session.isObjectFlippable == true)
            #expect(session.pointCloud.points.count > 300)
            // The dial against the true path: every direction that it shows as covered has a shot near it, and the path went all around.
            #expect(session.dial.fraction(at: .middle) == 1 && session.dial.counts[1].reduce(0, +) == session.numberOfShotsTaken)
            for shot in session.shots {
                let direction = source.direction(at: shot.timestamp, from: box)
                #expect(session.dial.counts[1][CaptureDial.direction(atAzimuth: direction.azimuth)] > 0)
                #expect(session.dial.covered[1][CaptureDial.direction(atAzimuth: direction.azimuth)])
            }
            try session.finish()
            #expect(session.state == .finishing)
            for await state in session.stateUpdates where state == .completed {}
            #expect(session.state == .completed)
            let opened = try CaptureFolder(opening: folder)
            #expect(opened.shots == session.shots && opened.removedFiles.isEmpty && opened.problems.isEmpty)
        }
    }

    @Test func shotsOfAHandHeldPathAreSharp() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            (settings.exposure, settings.hasDepth) = (1.0 / 30, true)
            var path = Self.ring(seconds: 20, turns: 1.05)
            path.tremor = 2
            let source = try TableTopSource(path, settings: settings)
            // Pixels of the test's small images.
            let session = Self.session(source) { $0.maximumBlur = 0.8 }
            try await Self.startCapturing(session, in: folder)
            await Self.step(session)
            let blurs = session.shots.map { Self.trueBlur(of: $0, source, exposure: settings.exposure) }
            let all = (0..<300).map { Double($0) / 15 + 1 }.map { time -> Double in
                let shot = session.shots[0]
                return Self.trueBlur(of: shot.moved(to: time), source, exposure: settings.exposure)
            }
            #expect(all.count { $0 > 1 } > 60, "the path blurs many frames: \(all.count { $0 > 1 })")
            #expect(session.shots.count >= 20 && Double(blurs.count { $0 <= 1 }) >= 0.95 * Double(blurs.count), "\(blurs)")
        }
    }

    @Test func passesAtHeightsAndAfterAFlip() async throws {
        try await withTemporaryDirectory { folder in
            var path = Self.ring(seconds: 9)
            path.keys += [
                Key(time: 11, azimuth: 380, elevation: 58, radius: 0.5), Key(time: 19, azimuth: 740, elevation: 58, radius: 0.5),
                Key(time: 25, azimuth: 830, elevation: 30, radius: 0.5),
            ]
            let session = Self.session(try TableTopSource(path))
            try await Self.startCapturing(session, in: folder)
            await Self.step(session) { session.userCompletedScanPass }
            try session.beginNewScanPass()
            #expect(session.state == .capturing && !session.userCompletedScanPass && session.boundingBox != nil)
            await Self.step(session) { session.userCompletedScanPass }
            #expect(session.dial.fraction(at: .high) > 0.9, "\(session.dial.fraction(at: .high)) at \(session.currentFrame!.timestamp)")
            try session.beginNewScanPassAfterFlip()
            #expect(session.state == .ready && session.boundingBox == nil && session.dial == CaptureDial())
            try session.startDetecting()
            await Self.step(session) { session.boundingBox != nil }
            try session.startCapturing()
            let count = session.numberOfShotsTaken
            await Self.step(session)
            #expect(session.numberOfShotsTaken > count && session.isSourceAtEnd)
            #expect(Set(session.shots.map(\.passID)).count == 3 && Set(session.shots.map(\.objectPoseID)).count == 2)
        }
    }

    // MARK: Feedback

    /// The frames of a session: time, feedback, direction and the number of shots.
    private struct Log {
        var entries: [(time: Double, feedback: Set<Feedback>, direction: SIMD2<Float>?, shots: Int)] = []

        /// The share of the frames in a time range that have a feedback.
        func share(of feedback: Feedback, in range: ClosedRange<Double>) -> Double {
            let inside = entries.filter { range.contains($0.time) }
            return Double(inside.count { $0.feedback.contains(feedback) }) / Double(max(1, inside.count))
        }
    }

    private static func log(_ session: ObjectCaptureSession) async -> Log {
        var log = Log()
        while await session.step() {
            log.entries.append(
                (session.currentFrame!.timestamp, session.feedback, session.outOfFieldOfViewDirection, session.numberOfShotsTaken))
        }
        return log
    }

    @Test func feedbackFollowsFramingMotionAndLight() async throws {
        try await withTemporaryDirectory { folder in
            func key(_ time: Double, _ azimuth: Double, radius: Double = 0.55, aim: Vector2d = .zero) -> Key {
                Key(time: time, azimuth: azimuth, elevation: 30, radius: radius, aim: aim)
            }
            // Seconds: 3–5 far, 7–9 close, 11–13 aimed too far to the right, 15–17 fast, 19–22 darker and dark, 23–25 overexposed.
            var path = OrbitPath(
                target: Self.target,
                keys: [
                    key(0, 0), key(2.5, 10), key(3, 10, radius: 1.6), key(5, 14, radius: 1.6), key(5.5, 15), key(6.5, 17),
                    key(7, 18, radius: 0.19),
                    key(9, 20, radius: 0.19), key(9.5, 22), key(10.5, 24), key(11, 24, aim: Vector2d(0.24, 0)),
                    key(13, 26, aim: Vector2d(0.24, 0)),
                    key(13.5, 28), key(15, 30), key(17, 210), key(18, 215), key(26, 230),
                ])
            path.tremor = 0.2
            var settings = TableTopSource.Settings()
            settings.exposure = 1.0 / 60
            settings.light = { time in
                switch time {
                case 19..<20.5: 0.42
                case 20.5..<22: 0.12
                case 23..<25: 2.4
                default: 1
                }
            }
            let session = Self.session(try TableTopSource(path, settings: settings)) { $0.movingTooFastBlur = 1.2 }
            try await Self.startCapturing(session, in: folder)
            let log = await Self.log(session)
            let expected: [(Feedback, ClosedRange<Double>)] = [
                (.objectTooFar, 3.5...4.9), (.objectTooClose, 7.5...8.9), (.outOfFieldOfView, 11.5...12.9), (.movingTooFast, 15.6...16.9),
                (.environmentLowLight, 19.6...20.4), (.environmentTooDark, 21.1...21.9), (.environmentTooBright, 23.6...24.9),
            ]
            for (feedback, range) in expected {
                #expect(log.share(of: feedback, in: range) == 1, "\(feedback): \(log.share(of: feedback, in: range))")
                // Quiet at all other times, but for a second around.
                let outside = log.entries.filter { $0.time < range.lowerBound - 1.2 || $0.time > range.upperBound + 1.2 }
                #expect(
                    !outside.contains { $0.feedback.contains(feedback) },
                    "\(feedback) at \(outside.filter { $0.feedback.contains(feedback) }.map(\.time))")
            }
            // The camera is aimed to the right of the object, which is then at the left edge.
            let arrows = log.entries.filter { (11.5...12.9).contains($0.time) }.compactMap(\.direction)
            #expect(!arrows.isEmpty && arrows.allSatisfy { $0.x < -0.9 })
            // Darkness and speed stop the shots.
            for range in [21.0...22.0, 15.9...16.9] {
                #expect(Set(log.entries.filter { range.contains($0.time) }.map(\.shots)).count == 1, "\(range)")
            }
            // Nothing flickers: a few changes for each condition.
            let changes = zip(log.entries, log.entries.dropFirst()).count { $0.feedback != $1.feedback }
            #expect(changes <= 2 * expected.count + 6, "\(changes)")
        }
    }

    @Test func noObjectIsReported() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            settings.hasObject = false
            let session = Self.session(try TableTopSource(Self.ring(seconds: 3, turns: 0.1), settings: settings))
            try session.start(imagesDirectory: folder)
            await Self.step(session) { session.state == .ready }
            try session.startDetecting()
            let log = await Self.log(session)
            #expect(session.boundingBox == nil && session.feedback.contains(.objectNotDetected))
            #expect(log.share(of: .objectNotDetected, in: 0...1.9) == 0)
            #expect(throws: ObjectCaptureSession.InvalidCall.self) { try session.startCapturing() }
            #expect(try session.resetDetection() == false)
            #expect(session.state == .ready)
        }
    }

    @Test func plainObjectsAreNotFlippable() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            settings.objectContrast = 0.02
            let session = Self.session(try TableTopSource(Self.ring(seconds: 8, turns: 0.6), settings: settings))
            try await Self.startCapturing(session, in: folder)
            await Self.step(session)
            #expect(session.numberOfShotsTaken >= 6 && session.isObjectFlippable == false)
            #expect(session.feedback.contains(.objectNotFlippable))
        }
    }

    // MARK: Interruptions, failures, calls

    @Test func interruptionsAndLostTrackingTakeNoShots() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            (settings.lost, settings.interrupted) = ([4...6], [9...11])
            let source = try TableTopSource(Self.ring(seconds: 16), settings: settings)
            let session = Self.session(source)
            try await Self.startCapturing(session, in: folder)
            let log = await Self.log(session)
            #expect(session.state == .capturing && session.numberOfShotsTaken > 12)
            for span in settings.lost + settings.interrupted {
                #expect(!session.shots.contains { span.contains($0.timestamp) })
                #expect(session.shots.contains { $0.timestamp > span.upperBound })
            }
            #expect(log.entries.contains { $0.time > 11.5 })
            // The gaps in the dial are where the path was not captured.
            let box = try #require(session.boundingBox).oriented
            let gap = source.direction(at: 10, from: box)
            #expect(!session.dial.covered[1][CaptureDial.direction(atAzimuth: gap.azimuth)] && !session.userCompletedScanPass)
        }
    }

    @Test func manualShotsOverCaptureAndPause() async throws {
        try await withTemporaryDirectory { folder in
            let session = Self.session(try TableTopSource(Self.ring(seconds: 12))) { $0.maximumNumberOfInputImages = 5 }
            try await Self.startCapturing(session, in: folder)
            session.isAutoCaptureEnabled = false
            await Self.step(session) { session.currentFrame!.timestamp > 3 }
            #expect(session.numberOfShotsTaken == 0 && session.canRequestImageCapture)
            try session.requestImageCapture()
            #expect(!session.canRequestImageCapture)
            #expect(throws: ObjectCaptureSession.InvalidCall.self) { try session.requestImageCapture() }
            await session.step()
            #expect(session.numberOfShotsTaken == 1 && session.shots[0].isManual && session.canRequestImageCapture)
            try session.pause()
            #expect(session.isPaused && !session.canRequestImageCapture)
            #expect(await session.step() == false)
            try session.resume()
            session.isAutoCaptureEnabled = true
            await Self.step(session)
            // Without over-capture, automatic shots end at the limit.
            #expect(session.numberOfShotsTaken == 5 && session.feedback.contains(.overCapturing))
            try session.finish()

            let other = folder.appendingPathComponent("more")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let over = Self.session(try TableTopSource(Self.ring(seconds: 8))) { $0.maximumNumberOfInputImages = 5 }
            try over.start(imagesDirectory: other, configuration: .init(isOverCaptureEnabled: true))
            await Self.step(over) { over.state == .ready }
            try over.startDetecting()
            await Self.step(over) { over.boundingBox != nil }
            try over.startCapturing()
            await Self.step(over)
            #expect(over.numberOfShotsTaken > 10 && over.feedback.contains(.overCapturing))
        }
    }

    @Test func areasAreCapturedWithoutABox() async throws {
        try await withTemporaryDirectory { folder in
            let session = Self.session(try TableTopSource(Self.ring(seconds: 6, turns: 0.5)))
            try session.start(imagesDirectory: folder)
            await Self.step(session) { session.state == .ready }
            try session.startCapturing()
            await Self.step(session)
            #expect(session.numberOfShotsTaken > 6 && session.boundingBox == nil && !session.userCompletedScanPass)
            #expect(session.shots.allSatisfy { $0.boundingBox == nil } && session.pointCloud.points.count > 1_000)
            try session.cancel()
            #expect(session.state == .failed(.cancelled))
            #expect(try CaptureFolder(opening: folder).shots.count == session.numberOfShotsTaken, "nothing is lost")
        }
    }

    @Test func aBoxSetByHandStays() async throws {
        try await withTemporaryDirectory { folder in
            let source = try TableTopSource(Self.ring(seconds: 3, turns: 0.3))
            let session = Self.session(source)
            try session.start(imagesDirectory: folder)
            await Self.step(session) { session.state == .ready }
            try session.startDetecting()
            let box = OrientedBoundingBox(source.object)
            try session.adjust(boundingBox: box)
            await Self.step(session) { session.currentFrame!.timestamp > 1 }
            let kept = try #require(session.boundingBox).oriented
            #expect(length(kept.center - source.object.center) < 1e-5 && length(kept.size - source.object.size) < 1e-5)
            let flat = OrientedBoundingBox(bounds: BoundingBox(minimum: .zero, maximum: .zero))
            #expect(throws: ObjectCaptureSession.InvalidCall.self) { try session.adjust(boundingBox: flat) }
        }
    }

    @Test func failuresKeepTheShots() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            settings.failsAt = 5
            let session = Self.session(try TableTopSource(Self.ring(seconds: 12), settings: settings))
            var states: [ObjectCaptureSession.CaptureState] = []
            let updates = session.stateUpdates
            try await Self.startCapturing(session, in: folder)
            await Self.step(session)
            guard case .failed(.sensorFailed(let reason)) = session.state else { return #expect(Bool(false), "\(session.state)") }
            #expect(reason.contains("unplugged"))
            for await state in updates { states.append(state) }
            #expect(states == [.initializing, .ready, .detecting, .capturing, session.state], "the sequence has all states and ends")
            #expect(throws: ObjectCaptureSession.InvalidCall.self) { try session.resume() }
            let count = try CaptureFolder(opening: folder).shots.count
            #expect(count == session.numberOfShotsTaken && count > 3)

            // The folder is not empty.
            let second = Self.session(try TableTopSource(Self.ring()))
            try second.start(imagesDirectory: folder)
            #expect(second.state == .failed(.directoryNotEmpty(folder)))
            // Another session may continue.
            let third = Self.session(try TableTopSource(Self.ring(seconds: 4, turns: 0.2)))
            try third.start(imagesDirectory: folder, configuration: .init(continuesCapture: true))
            #expect(third.numberOfShotsTaken == count)
            await Self.step(third) { third.state == .ready }
            try third.startCapturing()
            await Self.step(third) { third.numberOfShotsTaken > count }
            #expect(third.shots.last?.id == count + 1)
        }
    }

    @Test func aRemovedFolderFailsTheSession() async throws {
        try await withTemporaryDirectory { parent in
            let folder = parent.appendingPathComponent("shots")
            let missing = Self.session(try TableTopSource(Self.ring()))
            try missing.start(imagesDirectory: folder)
            guard case .failed(.directoryUnavailable) = missing.state else { return #expect(Bool(false), "\(missing.state)") }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let session = Self.session(try TableTopSource(Self.ring()))
            try await Self.startCapturing(session, in: folder)
            await Self.step(session) { session.numberOfShotsTaken == 2 }
            try FileManager.default.removeItem(at: folder)
            await Self.step(session)
            guard case .failed(.directoryUnavailable(folder, _)) = session.state else { return #expect(Bool(false), "\(session.state)") }
        }
    }
}

extension ObjectCaptureSession.Shot {
    fileprivate func moved(to time: Double) -> Self {
        Self(
            id: id, url: url, depthURL: depthURL, passID: passID, objectPoseID: objectPoseID, timestamp: time, camera: camera,
            boundingBox: boundingBox, sharpness: sharpness, isManual: isManual)
    }
}
