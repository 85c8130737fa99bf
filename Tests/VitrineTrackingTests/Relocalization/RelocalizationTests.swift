import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping
@testable import VitrineTracking

/// Relocalization in saved maps and after tracking was lost, in simulated recordings of a room.
@Suite struct RelocalizationTests {
    private static let room = PaintedBox(seed: 3)

    /// A recording of the room, the map that a tracker makes of it, and its results.
    private struct RecordedMap {
        let map: LandmarkMap
        let recording: RoomWalk
        let results: [TrackingResult]

        init() throws {
            recording = try RoomWalk(RelocalizationTests.room, .around, duration: 14)
            let tracker = VisualInertialTracker(rig: recording.rig)
            results = recording.run(tracker)
            map = tracker.landmarkMap
        }
    }

    /// Shared by the tests, which takes seconds less than a recording for each.
    private static let recorded = Result { try RecordedMap() }

    @Test func relocalizesInASavedMap() throws {
        let recorded = try Self.recorded.get()
        let (map, first, seen) = (recorded.map, recorded.recording, recorded.results)
        #expect(map.keyframeCount >= 8)
        let second = try RoomWalk(Self.room, .around, turned: 2, duration: 12, seed: 9)
        let tracker = VisualInertialTracker(rig: second.rig)
        tracker.relocalize(in: try LandmarkMap(encoded: map.encoded()))
        let results = second.run(tracker)
        let found = try #require(results.firstIndex { $0.state == .normal })
        #expect(results[..<found].allSatisfy { $0.state == .limited(.relocalizing) })
        #expect(results[found].relocalizationCorrection != nil)
        #expect(results[found].time < 8)
        // A point in the middle of the room in the first recording's world, and its position in the second one.
        let placed = try #require(seen.last { $0.time < 9 && $0.state == .normal })
        let inRoom = Vector3d(0, 0.8, 0)
        let anchor = try #require(first.worldFromRoom(placed)) * inRoom
        var errors: [Double] = []
        for result in results[found...].prefix(30) where result.state == .normal {
            let pose = try #require(result.worldFromCamera)
            errors.append(length(pose.inverse * anchor - second.worldFromCamera(result.time).inverse * inRoom))
        }
        Measurements.report("relocalized after \(results[found].time) s, errors \(errors.first ?? 0) … \(errors.last ?? 0) m")
        // Most of the error is the drift of the first recording at its keyframes.
        #expect(try #require(errors.first) < 0.2)
    }

    /// A tracker that starts in the middle of the recording that made the map, in motion.
    @Test(arguments: [4.0, 6.5, 9, 11]) func relocalizesAtItsOwnFrames(start: Double) throws {
        let recorded = try Self.recorded.get()
        let tracker = VisualInertialTracker(rig: recorded.recording.rig)
        tracker.relocalize(in: try LandmarkMap(encoded: recorded.map.encoded()))
        var later = recorded.recording
        later.frames.removeAll { !(start...start + 3).contains($0.time) }
        later.samples.removeAll { $0.time < start - 0.2 }
        let results = later.run(tracker)
        let first = try #require(results.first { $0.relocalizationCorrection != nil })
        #expect(first.time < start + 1)
        for result in results.filter({ $0.relocalizationCorrection != nil || $0.state == .normal }).prefix(20) {
            let (pose, known) = (result.worldFromCamera, recorded.results.first { abs($0.time - result.time) < 0.01 }?.worldFromCamera)
            guard let pose, let known else { continue }
            #expect(length(pose.translation - known.translation) < (result.state == .normal ? 0.05 : 0.1))
            #expect(length((known.rotation.transpose * pose.rotation).rotationVector) < 0.09)
        }
        // The filter starts from the poses in the map, without an initialization of its own.
        #expect(tracker.diagnostics.initialization.inMap == 1)
        let normal = try #require(results.first { $0.state == .normal })
        #expect(normal.time < start + 2)
    }

    /// A recording that begins in motion: the map also knows the views from before tracking was initialized.
    @Test func mapsTheFramesBeforeInitialization() throws {
        var recording = try RoomWalk(Self.room, .around, duration: 14)
        recording.frames.removeAll { $0.time < 4 }
        recording.samples.removeAll { $0.time < 3.8 }
        let tracker = VisualInertialTracker(rig: recording.rig)
        let normal = try #require(recording.run(tracker).first { $0.state == .normal })
        #expect(normal.time > 4.5)
        let first = try #require(recording.worldFromRoom(normal)) * recording.worldFromCamera(4.15)
        let nearest = tracker.landmarkMap.worldFromCameras.map { length($0.translation - first.translation) }.min()
        Measurements.report("normal after \(normal.time - 4) s, a keyframe \(nearest ?? 0) m from the pose after 0.15 s")
        #expect(try #require(nearest) < 0.2)
        let second = VisualInertialTracker(rig: recording.rig)
        second.relocalize(in: try LandmarkMap(encoded: tracker.landmarkMap.encoded()))
        let found = try #require(recording.run(second).first { $0.relocalizationCorrection != nil })
        #expect(found.time < 4.8)
    }

    /// A saved map keeps its limit, also if it is full before the early frames are added.
    @Test func earlyFramesKeepTheLimitOfTheMap() throws {
        var recording = try RoomWalk(Self.room, .around, duration: 10)
        recording.frames.removeAll { $0.time < 4 }
        recording.samples.removeAll { $0.time < 3.8 }
        var settings = VisualInertialTracker.Settings()
        settings.relocalization.maximumKeyframes = 2
        let tracker = VisualInertialTracker(rig: recording.rig, settings: settings)
        _ = recording.run(tracker)
        #expect(tracker.landmarkMap.keyframeCount == 2)
    }

    @Test func doesNotRelocalizeInAnotherRoom() throws {
        let second = try RoomWalk(PaintedBox(seed: 4), .around, turned: 2, duration: 10)
        let tracker = VisualInertialTracker(rig: second.rig)
        tracker.relocalize(in: try Self.recorded.get().map)
        let results = second.run(tracker)
        #expect(results.allSatisfy { $0.relocalizationCorrection == nil && $0.state == .limited(.relocalizing) })
        #expect(tracker.relocalizer.counts.attempts > 3)
        #expect(tracker.relocalizer.counts.merges == 0)
        Measurements.report("another room: \(tracker.relocalizer.counts)")
    }

    @Test func relocalizesAfterACoveredLens() throws {
        let recording = try RoomWalk(Self.room, .around, duration: 30)
        let tracker = VisualInertialTracker(rig: recording.rig)
        let results = recording.run(tracker) { !(12...18).contains($0) }
        #expect(tracker.diagnostics.losses >= 1)
        let index = try #require(results.firstIndex { $0.time > 18 && $0.state == .normal })
        let found = results[index]
        #expect(found.relocalizationCorrection != nil)
        #expect(found.time < 26)
        #expect(results.filter { (16.5...18).contains($0.time) }.allSatisfy { $0.state == .limited(.relocalizing) })
        let first = try #require(results.firstIndex { $0.relocalizationCorrection != nil })
        let truth = try #require(results.last { $0.time < 12 && $0.state == .normal }.flatMap(recording.worldFromRoom))
        func error(_ result: TrackingResult) throws -> Double {
            let reported = try #require(recording.worldFromRoom(result))
            return length(reported * Vector3d(0, 1, 0) - truth * Vector3d(0, 1, 0))
        }
        let (before, after) = (try error(results[first - 1]), try error(found))
        let last = try error(try #require(results.last { $0.state == .normal }))
        Measurements.report(
            "lost at 12 s, relocalized after \(found.time) s: error \(before) m before, \(after) m after, \(last) m at the end; "
                + "\(tracker.relocalizer.counts)")
        // Further matches remove the residual of the first correction.
        #expect(tracker.relocalizer.counts.matches > 8)
        #expect(last < after + 0.05)
        // The error includes the filter's drift in these small images within half a minute.
        #expect(after < 0.35)
        #expect(after < before / 3)
        // Anchors hang on keyframes, which measurements move.
        #expect(results.allSatisfy { $0.state == .normal || $0.referenceKeyframe == nil })
        #expect(results.count { $0.time > 3 && $0.state == .normal && $0.referenceKeyframe == nil } < 5)
        #expect(results.contains { !$0.keyframeMoves.isEmpty })
        // Old and new keyframes make one map.
        #expect(!tracker.relocalizer.isRelocalizing)
        #expect(tracker.landmarkMap.keyframeCount >= tracker.relocalizer.keyframes.count)
    }

    /// The recording is cut: from one frame to the next the device is somewhere else, and the IMU has not measured the way.
    @Test(arguments: [0.15, 0.3, 7]) func relocalizesAfterACut(seconds: Double) throws {
        let start = 14.0
        var recording = try RoomWalk(Self.room, .around, duration: start + seconds + 6)
        let whole = recording
        recording.cut(from: start, seconds: seconds)
        let tracker = VisualInertialTracker(rig: recording.rig)
        let results = recording.run(tracker)
        let truth = try #require(results.last { $0.time < start && $0.state == .normal }.flatMap(whole.worldFromRoom))
        var errors: [(time: Double, error: Double)] = []
        for result in results where result.time >= start && result.state == .normal {
            let pose = try #require(result.worldFromCamera)
            let expected = truth * whole.worldFromCamera(result.time + seconds)
            errors.append((result.time - start, length(pose.translation - expected.translation)))
        }
        let first = try #require(errors.first)
        Measurements.report("cut of \(seconds) s: normal after \(first.time) s, largest error \(errors.map(\.error).max() ?? 0) m")
        #expect(tracker.diagnostics.lastLoss == .discontinuity && tracker.diagnostics.losses == 1)
        #expect(first.time < 2.5)
        #expect(errors.allSatisfy { $0.error < 0.1 })
        #expect(results.contains { $0.time > start && $0.state == .limited(.relocalizing) })
    }

    /// While the lens is covered, the IMU reports a push of a quarter of a metre that did not happen. The images afterwards agree with the wrong position;
    /// only the map contradicts it.
    @Test func repeatedContradictionsOfTheMapEndTracking() throws {
        var recording = try RoomWalk(Self.room, .around, duration: 22)
        let (start, duration) = (14.0, 1.1)
        for index in recording.samples.indices {
            let time = recording.samples[index].time
            guard (start..<start + duration).contains(time) else { continue }
            let push = Vector3d(1.3 * VitrineMath.sin(2 * .pi * (time - start) / duration), 0, 0)
            recording.samples[index].acceleration += recording.spline.pose(at: time).rotation.transpose * push
        }
        let tracker = VisualInertialTracker(rig: recording.rig)
        let results = recording.run(tracker) { !(start..<start + duration).contains($0) }
        let truth = try #require(results.last { $0.time < start && $0.state == .normal }.flatMap(recording.worldFromRoom))
        func error(_ result: TrackingResult) throws -> Double {
            length(try #require(result.worldFromCamera).translation - (truth * recording.worldFromCamera(result.time)).translation)
        }
        let lost = try #require(results.firstIndex { $0.time > start + duration && $0.state == .limited(.relocalizing) })
        let wrong = try #require(results[..<lost].last { $0.state == .normal })
        let found = try #require(results[lost...].first { $0.state == .normal })
        let errors = try results.filter { $0.time >= found.time && $0.state == .normal }.map(error)
        Measurements.report(
            "contradicted after \(results[lost].time - start - duration) s, \(try error(wrong)) m off; normal after "
                + "\(found.time - results[lost].time) s, largest error \(errors.max() ?? 0) m; \(tracker.relocalizer.counts)")
        #expect(try error(wrong) > 0.15)
        #expect(tracker.diagnostics.lastLoss == .contradictsMap && tracker.diagnostics.losses == 1)
        #expect(results[lost].time < start + duration + 3)
        #expect(errors.count > 20 && errors.allSatisfy { $0 < 0.1 })
    }

    /// A tracker that was carried to another room while its lens was covered.
    private func kidnapped(newWorldDelay: Double?) throws -> (results: [TrackingResult], tracker: VisualInertialTracker) {
        var recording = try RoomWalk(Self.room, .around, duration: 26)
        let elsewhere = try RoomWalk(PaintedBox(seed: 8), .around, duration: 26)
        for index in recording.frames.indices where recording.frames[index].time > 9 {
            recording.frames[index].image = elsewhere.frames[index].image
        }
        let tracker = VisualInertialTracker(rig: recording.rig)
        tracker.newWorldDelay = newWorldDelay
        return (recording.run(tracker) { !(8...13.5).contains($0) }, tracker)
    }

    /// Without relocalization the state is never normal again: earlier anchors have no known position.
    @Test func staysLimitedWithoutRelocalization() throws {
        let (results, tracker) = try kidnapped(newWorldDelay: nil)
        #expect(results.contains { $0.time < 8 && $0.state == .normal })
        #expect(results.allSatisfy { $0.relocalizationCorrection == nil && !$0.startsNewWorld })
        #expect(results.filter { $0.time > 13.5 }.allSatisfy { $0.state == .limited(.relocalizing) })
        #expect(results.last?.advice == .returnToKnownView)
        #expect(tracker.relocalizer.counts.attempts > 3)
        // A reset starts over.
        tracker.reset()
        #expect(tracker.track(Plane(width: 320, height: 240, repeating: 0), time: 100).state != .limited(.relocalizing))
    }

    /// On request a new world starts after the delay, which one frame reports.
    @Test func startsANewWorldOnRequest() throws {
        let (results, tracker) = try kidnapped(newWorldDelay: 2)
        let restart = try #require(results.firstIndex { $0.startsNewWorld })
        #expect(results[restart].time > 15.5)
        #expect(results[..<restart].filter { $0.time > 13.5 }.allSatisfy { $0.state == .limited(.relocalizing) })
        #expect(results[restart...].allSatisfy { $0.state == .normal })
        #expect(results.count { $0.startsNewWorld } == 1)
        #expect(results.allSatisfy { $0.relocalizationCorrection == nil })
        #expect(!tracker.relocalizer.isRelocalizing)
    }

    @Test func isDeterministic() throws {
        let recording = try RoomWalk(Self.room, .eight, duration: 7)
        let (a, b) = (VisualInertialTracker(rig: recording.rig), VisualInertialTracker(rig: recording.rig))
        #expect(recording.run(a) == recording.run(b))
        #expect(a.landmarkMap == b.landmarkMap)
        #expect(a.landmarkMap.encoded() == b.landmarkMap.encoded())
        #expect(a.landmarkMap.keyframeCount > 2)
    }
}

private enum Measurements {
    static func report(_ text: String) {
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil { print(text) }
    }
}
