import Foundation
import Testing
import VitrineAR
import VitrineMath
import VitrineSensorSimulation
import VitrineSimulation
import VitrineTestSupport
import VitrineVision

@testable import VitrineCapture

/// Whole captures of a box on a table, with exact truth.
@MainActor @Suite struct CaptureSessionTests {
    typealias Feedback = ObjectCaptureSession.Feedback

    private static let target = Vector3d(0.02, 0.83, -0.01)

    /// A key of a path; angles in degrees.
    nonisolated private static func key(
        _ time: Double, azimuth: Double, elevation: Double = 30, radius: Double = 0.55, aim: Vector2d = .zero
    ) -> OrbitPath.Key {
        OrbitPath.Key(time: time, azimuth: azimuth * .pi / 180, elevation: elevation * .pi / 180, radius: radius, aim: aim)
    }

    /// Looks at the object for a second, then walks around it.
    private static func ring(elevation: Double = 30, radius: Double = 0.55, seconds: Double = 16, turns: Double = 1.06) -> OrbitPath {
        OrbitPath(
            target: target,
            keys: [
                key(0, azimuth: -8, elevation: elevation, radius: radius),
                key(1, azimuth: 0, elevation: elevation, radius: radius),
                key(1 + seconds, azimuth: 360 * turns, elevation: elevation, radius: radius),
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
    private static func startCapturing(
        _ session: ObjectCaptureSession, in folder: URL, _ configuration: ObjectCaptureSession.Configuration = .init()
    ) async throws {
        try session.start(imagesDirectory: folder, configuration: configuration)
        await step(session) { session.state == .ready }
        try session.startDetecting()
        await step(session) { session.boundingBox != nil && session.currentFrame!.timestamp > 0.8 }
        try session.startCapturing()
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
            #expect(session.advice == .anotherHeight(.high))
            #expect(session.pointCloud.points.count > 300)
            // The dial against the true path: every direction that it shows as covered has a shot near it, and the path went all around.
            #expect(session.dial.fraction(at: .middle) == 1 && session.dial.counts[1].reduce(0, +) == session.numberOfShotsTaken)
            // All sides were visible by now: the box has grown to the true one.
            let whole = try #require(session.boundingBox).oriented
            #expect(length(whole.center - source.object.center) < 0.008, "\(whole.center - source.object.center)")
            #expect(whole.axes == box.axes && source.object.corners.allSatisfy { whole.grown(by: 0.01).contains($0) })
            #expect(whole.size.x * whole.size.z < 1.8 * source.object.size.x * source.object.size.z, "\(whole.size)")
            for shot in session.shots {
                let direction = source.direction(at: shot.timestamp, from: whole)
                #expect(session.dial.counts[1][CaptureDial.direction(atAzimuth: direction.azimuth)] > 0)
                #expect(session.dial.covered[1][CaptureDial.direction(atAzimuth: direction.azimuth)])
            }
            try session.finish()
            #expect(session.state == .finishing)
            for await state in session.stateUpdates where state == .completed {}
            #expect(session.state == .completed && session.pointCloud.points.count > 300, "the points stay")
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
            let log = await Self.log(session)
            let blurs = session.shots.map { source.blur(at: $0.timestamp) }
            let all = (15..<300).map { source.blur(at: Double($0) / 15) }
            #expect(all.count { $0 > 0.9 } > 80, "the path blurs many frames: \(all.count { $0 > 0.9 })")
            #expect(session.shots.count >= 18 && Double(blurs.count { $0 <= 0.9 }) >= 0.95 * Double(blurs.count), "\(blurs)")
            // Where no frame of a new view is sharp, the session requests stillness.
            #expect(all.allSatisfy { $0 < 3 } && log.entries.contains { $0.feedback.contains(.movingTooFast) })
        }
    }

    /// A hasty person with trembling hands leaves gaps, unless the feedback is followed.
    @Test(arguments: [true, false]) func aPersonWhoFollowsTheFeedbackCompletesThePass(followsFeedback: Bool) async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            settings.exposure = 1.0 / 30
            var path = Self.ring(seconds: 12, turns: 1.05)
            path.tremor = 2
            let person = followsFeedback ? SimulatedPerson(GuidedWalk(path, passes: [1...13])) : nil
            settings.person = person
            let source = try TableTopSource(path, settings: settings)
            // Pixels of the test's small images.
            let session = Self.session(source) { $0.maximumBlur = 0.6 }
            try await Self.startCapturing(session, in: folder)
            var poses: [(time: Double, pose: RigidTransform)] = []
            while !session.userCompletedScanPass, await session.step() {
                person?.follow(session)
                let time = session.currentFrame!.timestamp
                poses.append((time, source.worldFromCamera(at: time)))
            }
            #expect(session.userCompletedScanPass == followsFeedback, "\(session.dial.fraction) by \(session.numberOfShotsTaken) shots")
            guard followsFeedback else { return }
            #expect(session.numberOfShotsTaken <= 40)
            let blurs = session.shots.map { source.blur(at: $0.timestamp) }
            #expect(Double(blurs.count { $0 <= 0.7 }) >= 0.95 * Double(blurs.count), "\(blurs)")
            // Feedback changes nothing that was rendered before.
            #expect(poses.allSatisfy { source.worldFromCamera(at: $0.time) == $0.pose })
        }
    }

    @Test func passesAtHeightsAndAfterAFlip() async throws {
        try await withTemporaryDirectory { folder in
            var path = Self.ring(seconds: 9)
            path.keys += [
                Self.key(11, azimuth: 380, elevation: 58, radius: 0.5), Self.key(19, azimuth: 740, elevation: 58, radius: 0.5),
                Self.key(25, azimuth: 830, elevation: 30, radius: 0.5),
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

    // MARK: Reconstruction

    /// The folder is the input of a reconstruction with the session's checkpoint folder: it uses depth, box and poses, and another one restores its stages.
    @Test func aReconstructionSharesFolderAndCheckpoint() async throws {
        try await withTemporaryDirectory { folder in
            let (photos, checkpoint) = (folder.appendingPathComponent("shots"), folder.appendingPathComponent("checkpoint"))
            try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
            var settings = TableTopSource.Settings()
            (settings.width, settings.frameRate) = (320, 8)
            let source = try TableTopSource(Self.ring(seconds: 6, turns: 0.5), settings: settings)
            let session = Self.session(source)
            try await Self.startCapturing(session, in: photos, .init(checkpointDirectory: checkpoint))
            await Self.step(session)
            try session.finish()
            for await state in session.stateUpdates where state == .completed {}
            let count = session.numberOfShotsTaken
            #expect(count >= 9)

            func reconstruct() async throws -> ReconstructionSummary {
                var configuration = PhotogrammetrySession.Configuration(checkpointDirectory: checkpoint)
                configuration.threads = 2
                let session = try PhotogrammetrySession(input: photos, configuration: configuration)
                try session.process(requests: [.poses, .bounds])
                for try await output in session.outputs {
                    if case .requestError(_, let error) = output { Issue.record(error) }
                }
                return try #require(session.summary)
            }
            let first = try await reconstruct()
            #expect(first.photos.count == count && first.usedCount == count && first.isMetric)
            #expect(first.steps.allSatisfy { !$0.wasRestored })
            // The box is turned by 25° to the axes of the model: only its height is the same.
            let size = try #require(first.bounds).size
            #expect(abs(Double(size.y) - source.object.size.y) < 0.02, "\(size)")
            let second = try await reconstruct()
            #expect(second.steps.count == first.steps.count && second.steps.allSatisfy(\.wasRestored))
            #expect(second.bounds == first.bounds)
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
            func key(_ time: Double, _ azimuth: Double, radius: Double = 0.55, aim: Vector2d = .zero) -> OrbitPath.Key {
                Self.key(time, azimuth: azimuth, radius: radius, aim: aim)
            }
            // Seconds: 3.5–5.5 far, 10–12 close, 16.5–18.5 aimed too far to the right, 21–23 fast, 25–28 darker and dark, 29–31 overexposed.
            let right = Vector2d(0.24, 0)
            var path = OrbitPath(
                target: Self.target,
                keys: [
                    key(0, 0), key(2, 8), key(3.5, 10, radius: 1.6), key(5.5, 14, radius: 1.6), key(7, 15), key(7.5, 17),
                    key(10, 18, radius: 0.2), key(12, 20, radius: 0.2), key(14.5, 22), key(15, 24), key(16.5, 24, aim: right),
                    key(18.5, 26, aim: right), key(20, 28), key(21, 30, radius: 0.3), key(23, 470, radius: 0.3), key(24, 475), key(32, 500),
                ])
            path.tremor = 0.2
            var settings = TableTopSource.Settings()
            (settings.exposure, settings.frameRate) = (1.0 / 30, 10)
            settings.light = { time in
                switch time {
                case 25..<26.5: 0.42
                case 26.5..<28: 0.12
                case 29..<31: 2.4
                default: 1
                }
            }
            let session = Self.session(try TableTopSource(path, settings: settings)) { ($0.maximumBlur, $0.movingTooFastBlur) = (2.5, 3) }
            try await Self.startCapturing(session, in: folder)
            let log = await Self.log(session)
            let expected: [(Feedback, ClosedRange<Double>)] = [
                (.objectTooFar, 4...5.4), (.objectTooClose, 10.5...11.9), (.outOfFieldOfView, 17...18.4), (.movingTooFast, 21.6...22.8),
                (.environmentLowLight, 25.6...26.4), (.environmentTooDark, 27.1...27.9), (.environmentTooBright, 29.6...30.9),
            ]
            for (feedback, range) in expected {
                #expect(log.share(of: feedback, in: range) == 1, "\(feedback): \(log.share(of: feedback, in: range))")
                // Quiet at all other times, but for the way there and back.
                let outside = log.entries.filter { $0.time < range.lowerBound - 2.5 || $0.time > range.upperBound + 2.5 }
                let wrong = outside.filter { $0.feedback.contains(feedback) }.map(\.time)
                #expect(wrong.isEmpty, "\(feedback) at \(wrong)")
            }
            // The camera is aimed to the right of the object, which is then at the left edge.
            let arrows = log.entries.filter { (17...18.4).contains($0.time) }.compactMap(\.direction)
            #expect(!arrows.isEmpty && arrows.allSatisfy { $0.x < -0.9 })
            // Darkness and speed stop the shots.
            for range in [26.7...28.0, 21.6...22.8] {
                #expect(Set(log.entries.filter { range.contains($0.time) }.map(\.shots)).count == 1, "\(range)")
            }
            // Nothing flickers: a few changes for each condition.
            let changes = zip(log.entries, log.entries.dropFirst()).count { $0.feedback != $1.feedback }
            #expect(changes <= 2 * expected.count + 6, "\(changes)")
        }
    }

    @Test func noShotsAreTakenTooFarAway() async throws {
        try await withTemporaryDirectory { folder in
            let path = OrbitPath(
                target: Self.target,
                keys: [
                    Self.key(0, azimuth: 0), Self.key(1, azimuth: 0), Self.key(4, azimuth: 70), Self.key(5, azimuth: 80, radius: 1.5),
                    Self.key(8, azimuth: 180, radius: 1.5), Self.key(9, azimuth: 200), Self.key(10, azimuth: 230),
                ])
            var settings = TableTopSource.Settings()
            settings.frameRate = 10
            let session = Self.session(try TableTopSource(path, settings: settings))
            try await Self.startCapturing(session, in: folder)
            let log = await Self.log(session)
            let far = log.entries.filter { $0.feedback.contains(.objectTooFar) }.map(\.time)
            #expect(far.count > 25 && far.allSatisfy { (4.5...9.2).contains($0) }, "\(far)")
            #expect(session.shots.allSatisfy { !far.contains($0.timestamp) && !(5...8).contains($0.timestamp) })
            #expect(session.shots.contains { $0.timestamp < 5 } && session.shots.contains { $0.timestamp > 9 })
        }
    }

    /// Landmarks of the front alone give too small a box.
    @Test(arguments: [false, true]) func aBoxFromOneSideIsNotTooFar(isConfirmed: Bool) throws {
        let lens = CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 0.85)
        let box = OrientedBox(center: Vector3d(0, 0, 1), axes: .identity, halfExtents: Vector3d(0.1, 0.06, 0.02))
        let projection = BoxProjection(box, PosedCamera(intrinsics: lens, cameraFromWorld: .identity))
        #expect((0.15...0.25).contains(projection.size), "\(projection.size)")
        var monitor = FeedbackMonitor(CaptureThresholds())
        var feedback = Set<Feedback>()
        for step in 0..<10 {
            let quality = ImageQuality(sharpness: 0.5, brightness: 0.5, overexposed: 0)
            feedback = monitor.update(
                FrameMeasurements(time: 0.1 * Double(step), projection: projection, isBoxConfirmed: isConfirmed, quality: quality),
                isDetecting: false)
        }
        #expect(feedback == (isConfirmed ? [.objectTooFar] : []))
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

    @Test(arguments: [(contrast: Float(0.02), isFlippable: false), (0.8, true)])
    func textureDecidesOnFlips(_ object: (contrast: Float, isFlippable: Bool)) async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            (settings.objectContrast, settings.width, settings.frameRate) = (object.contrast, 400, 6)
            let session = Self.session(try TableTopSource(Self.ring(radius: 0.45, seconds: 5, turns: 0.3), settings: settings)) {
                $0.flippableShots = 4
            }
            try await Self.startCapturing(session, in: folder)
            await Self.step(session)
            #expect(session.numberOfShotsTaken >= 4 && session.isObjectFlippable == object.isFlippable)
            #expect(session.feedback.contains(.objectNotFlippable) == !object.isFlippable)
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

    @Test func manualShotsAndPause() async throws {
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
        }
    }

    @Test func overCaptureTakesMoreShots() async throws {
        try await withTemporaryDirectory { folder in
            let over = Self.session(try TableTopSource(Self.ring(seconds: 8))) { $0.maximumNumberOfInputImages = 5 }
            try over.start(imagesDirectory: folder, configuration: .init(isOverCaptureEnabled: true))
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
