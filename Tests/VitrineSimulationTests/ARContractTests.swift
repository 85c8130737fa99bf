import Synchronization
import Testing
import Vitrine
import VitrineAR
import VitrineSensorSimulation
import VitrineTestSupport
import VitrineVision

@testable import VitrineSimulation

/// The behaviour that apps written for ARKit rely on, over a simulated recording of a phone with a depth sensor that circles a table with a poster
/// before it.
@MainActor @Suite(.serialized) struct ARContractTests {
    /// A delegate that logs its calls in order.
    private final class Log: ARSessionDelegate {
        var calls: [String] = []
        var states: [TrackingState] = []
        var added: [ARAnchor] = [], updated: [ARAnchor] = [], removed: [ARAnchor] = []
        var errors: [ARError] = []
        var attemptsRelocalization = true

        func session(_ session: ARSession, didUpdate frame: ARFrame) { calls.append("frame") }
        func session(_ session: ARSession, didAdd anchors: [ARAnchor]) { note("add", anchors, \.added) }
        func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) { note("update", anchors, \.updated) }
        func session(_ session: ARSession, didRemove anchors: [ARAnchor]) { note("remove", anchors, \.removed) }
        func session(_ session: ARSession, didFailWithError error: ARError) {
            calls.append("fail")
            errors.append(error)
        }
        func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {
            calls.append("state")
            states.append(camera.trackingState)
        }
        func sessionWasInterrupted(_ session: ARSession) { calls.append("interrupted") }
        func sessionInterruptionEnded(_ session: ARSession) { calls.append("resumed") }
        func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { attemptsRelocalization }
        func sessionDidRelocalize(_ session: ARSession) { calls.append("relocalized") }
        func sessionDidReachEnd(_ session: ARSession) { calls.append("end") }

        private func note(_ call: String, _ anchors: [ARAnchor], _ list: ReferenceWritableKeyPath<Log, [ARAnchor]>) {
            calls.append(call)
            self[keyPath: list] += anchors
        }
    }

    private static let posterPosition = Vector3(0, 0.02, 0.75)
    nonisolated static let recording = Task {
        try await SimulatedEvents.record(
            .study, along: SimulatedPath.around.cameraPoses(duration: 6, rest: 0.6, extent: 1.3), posterWidth: 0.7,
            at: Vector3(0, 0.02, 0.75), turnedBy: Quaternion(angle: .degrees(-90), axis: .right)
        ) { $0.depthSize = SIMD2(48, 36) }
    }

    private func session(
        _ log: Log? = nil, _ change: ([SensorEvent]) -> [SensorEvent] = { $0 }
    ) async throws -> ARSession {
        let session = try await Self.recording.value.session(change)
        session.delegate = log
        return session
    }

    func steps(_ session: ARSession, _ count: Int = .max) async throws -> [ARFrame] {
        var frames: [ARFrame] = []
        while frames.count < count, let frame = try await session.step() { frames.append(frame) }
        return frames
    }

    /// The largest distance of the camera from the truth, after aligning the first of the frames by heading and position.
    private func error(_ frames: [ARFrame]) async throws -> Double {
        let recording = try await Self.recording.value
        func pose(_ frame: ARFrame) -> RigidTransform {
            let m = frame.camera.transform.linear
            return RigidTransform(
                rotation: Matrix3d(Vector3d(m.x), -Vector3d(m.y), -Vector3d(m.z)), translation: Vector3d(frame.camera.transform.translation)
            )
        }
        let first = try #require(frames.first)
        let change = recording.truth(first.timestamp) * pose(first).inverse
        return frames.map { length((change * pose($0)).translation - recording.truth($0.timestamp).translation) }.max() ?? 0
    }

    // MARK: Running

    @Test func statesRunFromInitializingToNormal() async throws {
        let log = Log()
        let session = try await session(log)
        #expect(session.currentFrame == nil && session.configuration == nil && !session.isRunning)
        session.run(ARWorldTrackingConfiguration())
        let frames = try await steps(session)
        #expect(frames.count == 91 && zip(frames, frames.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        #expect(log.states == [.limited(.initializing), .normal])
        #expect(log.calls.prefix(2) == ["state", "frame"] && log.calls.last == "end" && !session.isRunning)
        #expect(frames[0].coachingAdvice() != nil && frames[90].coachingAdvice() == nil)
        #expect(frames[90].worldMappingStatus == .mapped || frames[90].worldMappingStatus == .extending)
        let normal = frames.filter { $0.camera.trackingState == .normal }
        #expect(try await error(normal) < 0.05)
        // Gravity is the world's −Y.
        #expect(abs(frames[90].camera.eulerAngles.z) < 0.2)
    }

    @Test func pausesKeepTheWorld() async throws {
        let log = Log()
        let session = try await session(log)
        session.run(ARWorldTrackingConfiguration())
        let before = try await steps(session, 50)
        #expect(before.last?.camera.trackingState == .normal)
        try session.add(anchor: ARAnchor(name: "kept", transform: .identity))
        _ = try await steps(session, 1)
        session.pause()
        #expect(!session.isRunning && session.currentFrame != nil)
        #expect(try await session.step() == nil)
        session.run(ARWorldTrackingConfiguration())
        let after = try await steps(session, 10)
        #expect(after.count == 10 && after[0].timestamp > before[49].timestamp)
        #expect(after.allSatisfy { $0.camera.trackingState == .normal } && after[9].anchors.map(\.name) == ["kept"])
        // A reset starts over; existing anchors go only on demand.
        session.run(ARWorldTrackingConfiguration(), options: [.resetTracking, .removeExistingAnchors])
        let reset = try #require(try await session.step())
        #expect(reset.camera.trackingState == .limited(.initializing) && reset.anchors.isEmpty)
        #expect(log.removed.map(\.name) == ["kept"])
    }

    /// Half a second of the recording is an interruption.
    private func interrupted(_ events: [SensorEvent]) -> [SensorEvent] {
        var (result, isInterrupted): ([SensorEvent], Bool) = ([], false)
        for event in events {
            let time: Double
            switch event {
            case .image(let sample): time = sample.time
            case .inertial(let sample): time = sample.time
            default: continue
            }
            let isInside = (3.5..<4.0).contains(time)
            if isInside != isInterrupted { result.append(isInside ? .interruptionBegan : .interruptionEnded) }
            isInterrupted = isInside
            if !isInside { result.append(event) }
        }
        return result
    }

    @Test(arguments: [true, false]) func interruptionsAreReported(attemptsRelocalization: Bool) async throws {
        let log = Log()
        log.attemptsRelocalization = attemptsRelocalization
        let session = try await session(log, interrupted)
        session.run(ARWorldTrackingConfiguration())
        let before = try await steps(session, 50)
        let anchor = ARAnchor(name: "desk", transform: Matrix4(translation: Vector3(0, -0.5, -1)))
        try session.add(anchor: anchor)
        let rest = try await steps(session)
        let calls = log.calls.filter { $0 == "interrupted" || $0 == "resumed" }
        #expect(calls == ["interrupted", "resumed"] && before.count == 50)
        let end = try #require(rest.last)
        #expect(end.anchors.map(\.name) == ["desk"])
        if attemptsRelocalization {
            #expect(log.states.prefix(4) == [.limited(.initializing), .normal, .notAvailable, .limited(.relocalizing)])
        } else {
            #expect(log.states.prefix(4) == [.limited(.initializing), .normal, .notAvailable, .limited(.initializing)])
        }
    }

    // MARK: World maps

    /// Another session relocalizes in the map of the first, and has its anchors in the same place of the room.
    @Test func loadedMapsRelocalize() async throws {
        let first = try await session()
        first.run(ARWorldTrackingConfiguration())
        let frames = try await steps(first)
        let transform = try #require(frames.last).camera.transform * Matrix4(translation: Vector3(0, 0, -1))
        try first.add(anchor: ARAnchor(name: "saved", transform: transform))
        first.run(ARWorldTrackingConfiguration(), options: [])
        let again = try await session()
        again.run(ARWorldTrackingConfiguration())
        let known = try await steps(again, 60)
        let here = try #require(known.last).camera.transform
        try again.add(anchor: ARAnchor(name: "saved", transform: here * Matrix4(translation: Vector3(0, 0, -1))))
        _ = try await steps(again, 1)
        let map = try await again.getCurrentWorldMap()
        #expect(map.supportsRelocalization && map.anchors.map(\.name) == ["saved"])

        let log = Log()
        let later = try await session(log)
        later.run(ARWorldTrackingConfiguration(initialWorldMap: try ARWorldMap(json: try map.json())))
        let found = try await steps(later)
        #expect(log.states.first == .limited(.relocalizing) && log.calls.contains("relocalized"))
        #expect(log.added.map(\.name) == ["saved"] && found.last?.camera.trackingState == .normal)
        // At the time of the map's last frame, the camera is where it was in the map's world.
        let same = try #require(found.min { abs($0.timestamp - known[59].timestamp) < abs($1.timestamp - known[59].timestamp) })
        // The estimated offset of the camera's clock differs.
        #expect(abs(same.timestamp - known[59].timestamp) < 0.02)
        #expect(same.camera.transform.difference(from: here).metres < 0.12)
    }

    // MARK: Anchors

    @Test func anchorsFollowTheApp() async throws {
        let log = Log()
        let session = try await session(log)
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        let first = try #require(try await session.step())
        // Where an ARKit template puts its cube.
        let anchor = ARAnchor(name: "cube", transform: first.camera.transform * Matrix4(translation: Vector3(0, 0, -0.3)))
        try session.add(anchor: anchor)
        #expect(try await session.step()?.anchors == [anchor])
        let moved = ARAnchor(name: "cube", transform: .identity, identifier: anchor.identifier)
        try session.add(anchor: moved)
        _ = try await session.step()
        session.remove(anchor: anchor)
        #expect(try await session.step()?.anchors == [])
        #expect(log.added == [anchor] && log.updated == [moved] && log.removed.map(\.identifier) == [anchor.identifier])
        #expect(log.calls.filter { $0 != "frame" && $0 != "state" } == ["add", "update", "remove"])
        let invalid = #expect(throws: ARError.self) {
            try session.add(anchor: ARAnchor(transform: Matrix4(translation: Vector3(.nan, 0, 0))))
        }
        #expect(invalid?.code == .invalidValue)
    }

    /// Points of two parts of one floor, and later of the part between.
    final class FloorTracker: Tracker {
        private let rig: SensorRig
        private let truth: @Sendable (Double) -> RigidTransform

        init(_ rig: SensorRig, _ truth: @escaping @Sendable (Double) -> RigidTransform) { (self.rig, self.truth) = (rig, truth) }

        func add(_ sample: InertialSample) {}
        func reset() {}

        func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult {
            let points = (0..<360).compactMap { index -> TrackedPoint? in
                let (x, z) = (Double(index % 30) * 0.1 - 1.45, Double(index / 30) * 0.1 - 0.6)
                return abs(x) < 0.75 && time < 3 ? nil : TrackedPoint(id: index, position: Vector3d(x, 0.01 * sin(x * 40), z), pixel: .zero)
            }
            return TrackingResult(time: time, state: .normal, worldFromCamera: truth(time), points: points, rig: rig)
        }
    }

    @Test func planesMerge() async throws {
        let recording = try await Self.recording.value
        let log = Log()
        let events = recording.events.map { event -> SensorEvent in
            guard case .image(var sample) = event else { return event }
            sample.depth = nil
            return .image(sample)
        }
        let session = try await session(log) { _ in events }
        let tracker = CustomTracker(name: "floor") { FloorTracker($0, recording.truth) }
        session.run(ARWorldTrackingConfiguration(planeDetection: .horizontal, tracking: .custom(tracker)))
        let frames = try await steps(session)
        func planes(_ frame: ARFrame) -> [ARPlaneAnchor] { frame.anchors.compactMap { $0 as? ARPlaneAnchor } }
        let most = try #require(frames.max { planes($0).count < planes($1).count })
        #expect(planes(most).count == 2)
        let end = planes(try #require(frames.last))
        #expect(end.count == 1 && log.removed.count == 1 && planes(most).contains { $0.identifier == log.removed[0].identifier })
        // The survivor keeps its identity and its transform, and grows.
        let before = try #require(planes(most).first { $0.identifier == end[0].identifier })
        #expect(end[0].transform == before.transform)
        #expect(max(end[0].planeExtent.width, end[0].planeExtent.height) > 1.5 * max(before.planeExtent.width, before.planeExtent.height))
    }

    // MARK: Scene understanding

    @Test func theSceneIsUnderstood() async throws {
        let recording = try await Self.recording.value
        let log = Log()
        let session = try await session(log)
        let poster = try ARReferenceImage(SimulatedEvents.poster, physicalWidth: 0.7, name: "shapes")
        var configuration = ARWorldTrackingConfiguration(
            planeDetection: [.horizontal, .vertical], tracking: .recorded, detectionImages: [poster], sceneReconstruction: .mesh)
        (configuration.environmentTexturing, configuration.smoothsSceneDepth) = (.automatic, true)
        session.run(configuration)
        let frames = try await steps(session)
        let end = try #require(frames.last)

        // The poster, at its true place.
        let images = log.added.compactMap { $0 as? ARImageAnchor }
        #expect(images.count == 1 && images.first?.referenceImage == poster && images.first?.isTracked == true)
        let seen = frames.compactMap { frame in frame.anchors.lazy.compactMap { $0 as? ARImageAnchor }.first { $0.isTracked } }
        #expect(seen.count > 12)
        let errors = seen.map { $0.transform.difference(from: recording.worldFromPoster).metres }.sorted()
        #expect(errors[errors.count / 2] < 0.006, "\(errors[errors.count / 2])")

        // The mesh of floor and table.
        let meshes = end.anchors.compactMap { $0 as? ARMeshAnchor }
        #expect(meshes.count > 10 && log.updated.contains { $0 is ARMeshAnchor })
        let heights = meshes.flatMap { mesh in mesh.geometry.vertices.map { mesh.transform.transform(point: $0).y } }
        #expect(heights.count { abs($0) < 0.02 } > 500 && heights.count { abs($0 - 0.44) < 0.02 } > 100)

        // Rays: the detected floor, the mesh, and nothing of another alignment.
        let down = { (target: ARRaycastQuery.Target, alignment: ARRaycastQuery.TargetAlignment) in
            session.raycast(
                ARRaycastQuery(origin: Vector3(0.15, 1.2, 0.75), direction: Vector3(0, -1, 0), allowing: target, alignment: alignment))
        }
        for target in ARRaycastQuery.Target.allCases {
            let hit = try #require(down(target, .horizontal).last, "\(target)")
            #expect(abs(hit.worldTransform.translation.y) < 0.03 && abs(hit.distance - 1.2) < 0.03, "\(target)")
            if target != .existingPlaneInfinite { #expect(down(target, .vertical).isEmpty) }
        }
        #expect(down(.estimatedPlane, .any).first?.anchor is ARMeshAnchor)
        #expect(down(.existingPlaneGeometry, .any).first?.anchor is ARPlaneAnchor)

        // Surroundings and depth.
        let probes = end.anchors.compactMap { $0 as? AREnvironmentProbeAnchor }
        #expect(probes.count == 1 && probes.first?.environmentTexture?.width == 64)
        #expect(end.smoothedSceneDepth?.metres.width == 48 && end.lightEstimate != nil)

        // A map contains everything that cannot be detected again.
        try session.add(anchor: ARAnchor(name: "own", transform: .identity))
        #expect(log.removed.allSatisfy { !($0 is ARImageAnchor) })
    }

    // MARK: Configurations and errors

    @Test func unsupportedConfigurationsFallBack() async throws {
        let recording = try await Self.recording.value
        var rig = recording.rig
        rig.hasInertialUnit = false
        let source = EventSource(recording.events, rig: rig)
        #expect(!AROrientationTrackingConfiguration.isSupported(by: source) && ARWorldTrackingConfiguration.isSupported(by: source))
        #expect(ARWorldTrackingConfiguration().orFallback(for: source) is ARWorldTrackingConfiguration)
        let session = ARSession(source: source, pace: .stepped)
        let log = Log()
        session.delegate = log
        session.run(AROrientationTrackingConfiguration())
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error?.code == .unsupportedConfiguration && log.errors.count == 1 && !session.isRunning)
        // A supported configuration continues from there.
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        #expect(try await session.step()?.camera.trackingState == .normal)

        // A device without a camera image of its own size has only its IMU.
        var blind = recording.rig
        (blind.camera.width, blind.camera.height) = (0, 0)
        let fallback = ARWorldTrackingConfiguration().orFallback(for: EventSource([], rig: blind))
        #expect(fallback is AROrientationTrackingConfiguration)
    }

    @Test func sensorFailuresPauseTheSession() async throws {
        let recording = try await Self.recording.value
        let session = ARSession(
            source: EventSource(Array(recording.events.prefix(200)), rig: recording.rig, failure: "unplugged"), pace: .stepped)
        let log = Log()
        session.delegate = log
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        let error = await #expect(throws: ARError.self) { while try await session.step() != nil {} }
        #expect(error?.code == .sensorFailed && error?.message == "unplugged" && log.errors == [error].compactMap { $0 })
        #expect(!session.isRunning && session.currentFrame != nil)
        #expect(
            session.trackedRaycast(
                ARRaycastQuery(origin: .zero, direction: Vector3(0, -1, 0), allowing: .estimatedPlane, alignment: .any)
            ) { _ in } == nil)
    }
}
