import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct VisualTrackerTests {
    /// What happens on the way.
    struct Trouble {
        var covered: ClosedRange<Double>?
        var hasGaps = false
        var hasIMU = false
    }

    struct Run {
        var results: [TrackingResult] = []
        var tracker: VisualTracker
        var device: SimulatedDevice

        func comparison(_ alignment: TrajectoryComparison.Alignment) throws -> TrajectoryComparison {
            let known = results.filter { $0.state == .normal }
            let estimate = known.compactMap { result in result.worldFromCamera.map { TimedPose(time: result.time, pose: $0) } }
            let truth = known.map {
                TimedPose(time: $0.time, pose: device.spline.pose(at: $0.time) * device.rig.cameraFromBody.inverse)
            }
            return try TrajectoryComparison(estimate: estimate, truth: truth, alignment: alignment)
        }

        func states(_ times: ClosedRange<Double>) -> [TrackingState] { results.filter { times.contains($0.time) }.map(\.state) }
    }

    private func run(_ device: SimulatedDevice, _ trouble: Trouble = Trouble(), settings: VisualTracker.Settings = .init()) -> Run {
        var rig = device.rig
        rig.hasInertialUnit = trouble.hasIMU
        var run = Run(tracker: VisualTracker(rig: rig, settings: settings), device: device)
        var next = 0
        for picture in device.pictures {
            while trouble.hasIMU, next < device.recording.samples.count, device.recording.samples[next].time <= picture.time {
                run.tracker.add(device.recording.samples[next])
                next += 1
            }
            if trouble.hasGaps, Int(picture.time) % 3 == 1, picture.time - picture.time.rounded(.down) < 0.4 { continue }
            let isCovered = trouble.covered?.contains(picture.time) ?? false
            run.results.append(run.tracker.track(isCovered ? [] : picture.features, time: picture.time))
        }
        return run
    }

    @Test(arguments: [SimulatedPath.eight, .around, .held, .walk])
    func theShapeOfThePathIsFound(_ path: SimulatedPath) throws {
        let run = try run(SimulatedDevice(path, duration: 14))
        #expect(run.tracker.diagnostics.initializations == 1)
        #expect(run.tracker.diagnostics.losses == 0)
        #expect(run.results.first?.state == .limited(.initializing))
        // A hand that only sways shows little from two places.
        #expect((run.results.first { $0.state == .normal }?.time ?? 99) < (path == .held ? 9 : 4))
        let comparison = try run.comparison(.similarity)
        #expect(comparison.positionRMSE < 0.01 + 0.005 * comparison.pathLength)
    }

    @Test func theScaleIsAsGiven() throws {
        let device = try SimulatedDevice(.eight, duration: 8)
        let (one, three) = (
            run(device, settings: .init(scale: .medianDepth(1))), run(device, settings: .init(scale: .medianDepth(3)))
        )
        let (a, b) = (try one.comparison(.similarity), try three.comparison(.similarity))
        #expect(abs(a.truthFromEstimate.scale / b.truthFromEstimate.scale - 3) < 1e-6)
    }

    @Test func gravityLevelsTheWorldWhereThereIsAnIMU() throws {
        let run = try run(SimulatedDevice(.eight, duration: 10), Trouble(hasIMU: true))
        // Aligned by heading and place alone, and scaled, the orientation is right.
        let (known, device) = (run.results.filter { $0.state == .normal }, run.device)
        for result in known {
            let truth = (device.spline.pose(at: result.time) * device.rig.cameraFromBody.inverse).rotation
            let up = try #require(result.worldFromCamera).rotation.transpose * Vector3d(0, 1, 0)
            #expect(length(up - truth.transpose * Vector3d(0, 1, 0)) < 0.05)
        }
        #expect(known.count > 50)
    }

    @Test func gapsOfTheCameraAreBridged() throws {
        let run = try run(SimulatedDevice(.around, duration: 14), Trouble(hasGaps: true))
        #expect(run.tracker.diagnostics.losses == 0)
        let comparison = try run.comparison(.similarity)
        #expect(comparison.positionRMSE < 0.02 + 0.015 * comparison.pathLength)
    }

    @Test func whereNothingIsSeenThePlaceIsSaidToBeLost() throws {
        let run = try run(SimulatedDevice(.eight, duration: 10), Trouble(covered: 6...7))
        #expect(run.states(6.05...6.25).allSatisfy { $0 == .limited(.insufficientFeatures) || $0 == .limited(.excessiveMotion) })
        #expect(run.states(6.5...6.95).allSatisfy { $0 == .limited(.relocalizing) })
        #expect(run.tracker.diagnostics.losses == 1)
    }

    @Test func theSamePicturesGiveTheSameBits() throws {
        let device = try SimulatedDevice(.walk, duration: 6)
        #expect(run(device).results == run(device).results)
        let tracker = VisualTracker(rig: device.rig)
        var twice: [[TrackingResult]] = []
        for _ in 0..<2 {
            twice.append(device.pictures.map { tracker.track($0.features, time: $0.time) })
            tracker.reset()
        }
        #expect(twice[0] == twice[1])
    }

    @Test func picturesOutOfOrderAreCounted() throws {
        let device = try SimulatedDevice(.eight, duration: 3)
        let tracker = VisualTracker(rig: device.rig)
        for picture in device.pictures {
            let result = tracker.track(picture.features, time: picture.time)
            #expect(tracker.track(picture.features, time: picture.time - 1) == result)
            #expect(tracker.track(picture.features, time: .nan) == result)
        }
        #expect(tracker.diagnostics.framesSkipped == 2 * device.pictures.count)
    }

    // MARK: Markers

    /// A marker on a simulated room's wall, as its corners would be found: in the middle of what the first picture shows.
    private func seen(_ worldFromMarker: RigidTransform, edge: Double, _ device: SimulatedDevice, at time: Double) -> [Marker] {
        let cameraFromMarker = device.rig.cameraFromBody * device.spline.pose(at: time).inverse * worldFromMarker
        let h = edge / 2
        let corners = [Vector3d(-h, h, 0), Vector3d(h, h, 0), Vector3d(h, -h, 0), Vector3d(-h, -h, 0)].map { cameraFromMarker * $0 }
        guard corners.allSatisfy({ $0.z > 0.1 }) else { return [] }
        let pixels = corners.map(device.rig.camera.project)
        let (width, height) = (Double(device.rig.camera.width), Double(device.rig.camera.height))
        guard pixels.allSatisfy({ $0.x > 0 && $0.y > 0 && $0.x < width && $0.y < height }) else { return [] }
        return [Marker(dictionary: .aprilTag36h11, id: 7, corners: pixels, corrected: 0)]
    }

    @Test func aMarkerGivesMetresAndWhatIsUp() throws {
        let device = try SimulatedDevice(.around, duration: 12)
        var rig = device.rig
        rig.hasInertialUnit = false
        let tracker = VisualTracker(rig: rig, settings: .init(scale: .marker(edge: 0.3)))
        // It lies flat in the middle of what the camera goes around.
        let worldFromMarker = RigidTransform(
            rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 0, -1), Vector3d(0, 1, 0)), translation: Vector3d(0, 0.4, 0))
        var run = Run(tracker: tracker, device: device)
        for picture in device.pictures {
            let markers = seen(worldFromMarker, edge: 0.3, device, at: picture.time)
            run.results.append(tracker.track(picture.features, markers: markers, time: picture.time))
        }
        #expect(tracker.diagnostics.markerFrames > 100 && tracker.diagnostics.losses == 0)
        let (level, similar) = (try run.comparison(.yaw), try run.comparison(.similarity))
        #expect(abs(similar.truthFromEstimate.scale - 1) < 0.01)
        #expect(level.positionRMSE < 0.03)
        #expect(level.orientationRMSE < 0.02)
        // From the first picture on, by the marker alone.
        #expect(run.results.first?.state == .normal)
    }

    @Test func aMarkerThatIsSeenElsewherePutsAMapRight() throws {
        let device = try SimulatedDevice(.around, duration: 14)
        var rig = device.rig
        rig.hasInertialUnit = false
        let tracker = VisualTracker(rig: rig, settings: .init(scale: .marker(edge: 0.3)))
        let flat = Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 0, -1), Vector3d(0, 1, 0))
        /// A map that has drifted by a quarter of a metre after 8 s: so it looks.
        func place(_ time: Double) -> RigidTransform {
            RigidTransform(rotation: flat, translation: Vector3d(time < 8 ? 0 : 0.25, 0.4, 0))
        }
        var told: [(time: Double, marker: Vector3d)] = []
        for picture in device.pictures {
            let markers = seen(place(picture.time), edge: 0.3, device, at: picture.time)
            let result = tracker.track(picture.features, markers: markers, time: picture.time)
            guard result.state == .normal, let pose = result.worldFromCamera else { continue }
            let inCamera = device.rig.cameraFromBody * (device.spline.pose(at: picture.time).inverse * place(picture.time).translation)
            told.append((picture.time, pose * inCamera))
        }
        #expect(tracker.diagnostics.markerResets == 1)
        let before = try #require(told.last { $0.time < 8 }).marker
        // Wrong at first; but then the marker is where it was.
        #expect(length(try #require(told.first { $0.time > 8 }).marker - before) > 0.2)
        let after = told.filter { $0.time > 10 }
        #expect(after.count > 40)
        #expect(after.allSatisfy { length($0.marker - before) < 0.08 })
    }

    @Test func withoutItsMarkerTheScaleIsNotKnown() throws {
        let run = try run(SimulatedDevice(.eight, duration: 6), settings: .init(scale: .marker(edge: 0.2)))
        #expect(run.results.allSatisfy { $0.state == .limited(.initializing) })
        #expect(run.results.allSatisfy { $0.worldFromCamera?.translation == .zero && $0.points.isEmpty })
    }
}
