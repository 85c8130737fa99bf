import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct VisualTrackerTests {
    /// Injected failures.
    struct Failures {
        var covered: ClosedRange<Double>?
        var hasGaps = false
        var hasIMU = false
    }

    struct Run {
        var results: [TrackingResult] = []
        var tracker: VisualTracker
        var device: SimulatedDevice

        func comparison(_ alignment: TrajectoryComparison.Alignment) throws -> TrajectoryComparison {
            let known = results.filter(\.state.isTracking)
            let estimate = known.compactMap { result in result.worldFromCamera.map { TimedPose(time: result.time, pose: $0) } }
            let truth = known.map {
                TimedPose(time: $0.time, pose: device.spline.pose(at: $0.time) * device.rig.cameraFromBody.inverse)
            }
            return try TrajectoryComparison(estimate: estimate, truth: truth, alignment: alignment)
        }

        func states(_ times: ClosedRange<Double>) -> [TrackingState] { results.filter { times.contains($0.time) }.map(\.state) }
    }

    private func run(_ device: SimulatedDevice, _ failures: Failures = Failures(), settings: VisualTracker.Settings = .init()) -> Run {
        var rig = device.rig
        rig.hasInertialUnit = failures.hasIMU
        var run = Run(tracker: VisualTracker(rig: rig, settings: settings), device: device)
        var next = 0
        for frame in device.frames {
            while failures.hasIMU, next < device.recording.samples.count, device.recording.samples[next].time <= frame.time {
                run.tracker.add(device.recording.samples[next])
                next += 1
            }
            if failures.hasGaps, Int(frame.time) % 3 == 1, frame.time - frame.time.rounded(.down) < 0.4 { continue }
            let isCovered = failures.covered?.contains(frame.time) ?? false
            run.results.append(run.tracker.track(isCovered ? [] : frame.features, time: frame.time))
        }
        return run
    }

    @Test(arguments: [SimulatedPath.eight, .around, .held, .walk])
    func tracksThePathUpToScale(_ path: SimulatedPath) throws {
        let run = try run(SimulatedDevice(path, duration: 14))
        #expect(run.tracker.diagnostics.initializations == 1)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(run.results.first?.state == .limited(.initializing))
        // Small motion of a hand gives little parallax.
        #expect((run.results.first { $0.state.isTracking }?.time ?? 99) < (path == .held ? 9 : 4))
        let comparison = try run.comparison(.similarity)
        #expect(comparison.positionRMSE < 0.01 + 0.005 * comparison.pathLength)
    }

    @Test func usesTheGivenDepthAsScale() throws {
        let device = try SimulatedDevice(.eight, duration: 8)
        let (one, three) = (
            run(device, settings: .init(scale: .medianDepth(1))), run(device, settings: .init(scale: .medianDepth(3)))
        )
        let (a, b) = (try one.comparison(.similarity), try three.comparison(.similarity))
        #expect(abs(a.truthFromEstimate.scale / b.truthFromEstimate.scale - 3) < 1e-6)
    }

    @Test func levelsTheWorldWithAnIMU() throws {
        let run = try run(SimulatedDevice(.eight, duration: 10), Failures(hasIMU: true))
        // The direction of gravity must be correct in every frame.
        let (known, device) = (run.results.filter(\.state.isTracking), run.device)
        for result in known {
            let truth = (device.spline.pose(at: result.time) * device.rig.cameraFromBody.inverse).rotation
            let up = try #require(result.worldFromCamera).rotation.transpose * Vector3d(0, 1, 0)
            #expect(length(up - truth.transpose * Vector3d(0, 1, 0)) < 0.05)
        }
        #expect(known.count > 50)
    }

    @Test func bridgesMissingFrames() throws {
        let run = try run(SimulatedDevice(.around, duration: 14), Failures(hasGaps: true))
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison(.similarity)
        #expect(comparison.positionRMSE < 0.02 + 0.015 * comparison.pathLength)
    }

    @Test func reportsTrackingLoss() throws {
        let run = try run(SimulatedDevice(.eight, duration: 10), Failures(covered: 6...7))
        #expect(run.states(6.05...6.25).allSatisfy { $0 == .limited(.insufficientFeatures) || $0 == .limited(.excessiveMotion) })
        #expect(run.states(6.5...6.95).allSatisfy { $0 == .limited(.relocalizing) })
        #expect(run.tracker.diagnostics.losses == 1)
        // Without images there is nothing to relocalize by: the state stays, also when features return.
        #expect(run.states(7...9.9).allSatisfy { $0 == .limited(.relocalizing) })
        #expect(!run.results.contains { $0.startsNewWorld })
    }

    /// On request tracking that was lost starts a new world, which the result reports.
    @Test func startsANewWorldOnRequest() throws {
        let device = try SimulatedDevice(.eight, duration: 12)
        var rig = device.rig
        rig.hasInertialUnit = false
        let tracker = VisualTracker(rig: rig)
        tracker.newWorldDelay = 2
        let results = device.frames.map { tracker.track((6...7).contains($0.time) ? [] : $0.features, time: $0.time) }
        let restart = try #require(results.firstIndex { $0.startsNewWorld })
        #expect(results[restart].time > 9)
        #expect(results.filter { $0.time > 6.5 && $0.time < results[restart].time }.allSatisfy { !$0.state.isTracking })
        #expect(results.last?.state == .limited(.scaleUnknown))
    }

    /// Without a known length the scale is a guess, which the state reports.
    @Test func aGuessedScaleIsNeverNormal() throws {
        let device = try SimulatedDevice(.eight, duration: 5)
        let guessed = run(device).results.map(\.state)
        #expect(guessed.contains(.limited(.scaleUnknown)) && !guessed.contains(.normal))
        let given = run(device, settings: .init(scale: .medianDepth(2))).results.map(\.state)
        #expect(given.contains(.normal) && !given.contains(.limited(.scaleUnknown)))
    }

    @Test func isDeterministic() throws {
        let device = try SimulatedDevice(.walk, duration: 6)
        #expect(run(device).results == run(device).results)
        let tracker = VisualTracker(rig: device.rig)
        var twice: [[TrackingResult]] = []
        for _ in 0..<2 {
            twice.append(device.frames.map { tracker.track($0.features, time: $0.time) })
            tracker.reset()
        }
        #expect(twice[0] == twice[1])
    }

    @Test func countsFramesOutOfOrder() throws {
        let device = try SimulatedDevice(.eight, duration: 3)
        let tracker = VisualTracker(rig: device.rig)
        for frame in device.frames {
            let result = tracker.track(frame.features, time: frame.time)
            #expect(tracker.track(frame.features, time: frame.time - 1) == result)
            #expect(tracker.track(frame.features, time: .nan) == result)
        }
        #expect(tracker.diagnostics.framesSkipped == 2 * device.frames.count)
    }

    // MARK: Markers

    /// The detection of a marker in a frame: its projected corners. Empty if it is not entirely in view.
    private func detections(of worldFromMarker: RigidTransform, edge: Double, _ device: SimulatedDevice, at time: Double) -> [Marker] {
        let cameraFromMarker = device.rig.cameraFromBody * device.spline.pose(at: time).inverse * worldFromMarker
        let h = edge / 2
        let corners = [Vector3d(-h, h, 0), Vector3d(h, h, 0), Vector3d(h, -h, 0), Vector3d(-h, -h, 0)].map { cameraFromMarker * $0 }
        guard corners.allSatisfy({ $0.z > 0.1 }) else { return [] }
        let pixels = corners.map(device.rig.camera.project)
        let (width, height) = (Double(device.rig.camera.width), Double(device.rig.camera.height))
        guard pixels.allSatisfy({ $0.x > 0 && $0.y > 0 && $0.x < width && $0.y < height }) else { return [] }
        return [Marker(dictionary: .aprilTag36h11, id: 7, corners: pixels, corrected: 0)]
    }

    @Test func markerSetsScaleAndGravityDirection() throws {
        let device = try SimulatedDevice(.around, duration: 12)
        var rig = device.rig
        rig.hasInertialUnit = false
        let tracker = VisualTracker(rig: rig, settings: .init(scale: .marker(edge: 0.3)))
        // It lies flat in the centre of the camera's path.
        let worldFromMarker = RigidTransform(
            rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 0, -1), Vector3d(0, 1, 0)), translation: Vector3d(0, 0.4, 0))
        var run = Run(tracker: tracker, device: device)
        for frame in device.frames {
            let markers = detections(of: worldFromMarker, edge: 0.3, device, at: frame.time)
            run.results.append(tracker.track(frame.features, markers: markers, time: frame.time))
        }
        #expect(tracker.diagnostics.markerFrames > 100 && tracker.diagnostics.losses == 0)
        let (level, similar) = (try run.comparison(.yaw), try run.comparison(.similarity))
        #expect(abs(similar.truthFromEstimate.scale - 1) < 0.01)
        #expect(level.positionRMSE < 0.03)
        #expect(level.orientationRMSE < 0.02)
        // From the first frame on, from the marker alone.
        #expect(run.results.first?.state == .normal)
    }

    @Test func movedMarkerCorrectsTheMap() throws {
        let device = try SimulatedDevice(.around, duration: 14)
        var rig = device.rig
        rig.hasInertialUnit = false
        let tracker = VisualTracker(rig: rig, settings: .init(scale: .marker(edge: 0.3)))
        let flat = Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 0, -1), Vector3d(0, 1, 0))
        /// Moves the marker by a quarter of a metre after 8 s: as if the map had drifted.
        func worldFromMarker(_ time: Double) -> RigidTransform {
            RigidTransform(rotation: flat, translation: Vector3d(time < 8 ? 0 : 0.25, 0.4, 0))
        }
        var reported: [(time: Double, marker: Vector3d)] = []
        for frame in device.frames {
            let markers = detections(of: worldFromMarker(frame.time), edge: 0.3, device, at: frame.time)
            let result = tracker.track(frame.features, markers: markers, time: frame.time)
            guard result.state == .normal, let pose = result.worldFromCamera else { continue }
            let inCamera =
                device.rig.cameraFromBody * (device.spline.pose(at: frame.time).inverse * worldFromMarker(frame.time).translation)
            reported.append((frame.time, pose * inCamera))
        }
        #expect(tracker.diagnostics.markerResets == 1)
        let before = try #require(reported.last { $0.time < 8 }).marker
        // Wrong at first; then the tracker corrects its map, and the marker is at its first position again.
        #expect(length(try #require(reported.first { $0.time > 8 }).marker - before) > 0.2)
        let after = reported.filter { $0.time > 10 }
        #expect(after.count > 40)
        #expect(after.allSatisfy { length($0.marker - before) < 0.08 })
    }

    @Test func withoutAMarkerTheScaleIsUnknown() throws {
        let run = try run(SimulatedDevice(.eight, duration: 6), settings: .init(scale: .marker(edge: 0.2)))
        #expect(run.results.allSatisfy { $0.state == .limited(.initializing) })
        #expect(run.results.allSatisfy { $0.worldFromCamera?.translation == .zero && $0.points.isEmpty })
    }
}
