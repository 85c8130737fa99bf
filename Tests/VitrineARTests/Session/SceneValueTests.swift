import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Coaching, probes, smoothed depth and other values that describe the scene.
@MainActor struct SceneValueTests {
    private func frame(_ state: TrackingState, _ advice: TrackingAdvice? = nil, anchors: [ARAnchor] = []) -> ARFrame {
        ARFrame(
            timestamp: 0, capturedImage: CameraSample.scripted(0).image,
            camera: ARCamera(trackingState: state, model: SensorRig.scripted.camera, trackingAdvice: advice), anchors: anchors)
    }

    private func floor(_ y: Float, half: Float = 2) -> ARPlaneAnchor {
        ARPlaneAnchor(
            transform: Matrix4(translation: Vector3(0, y, 0)), alignment: .horizontal,
            planeExtent: ARPlaneExtent(width: 2 * half, height: 2 * half),
            geometry: ARPlaneGeometry(
                boundaryVertices: [
                    Vector3(-half, 0, -half), Vector3(-half, 0, half), Vector3(half, 0, half), Vector3(half, 0, -half),
                ]))
    }

    @Test func coachingFollowsTheGoal() {
        #expect(frame(.limited(.initializing)).coachingAdvice() == .moveSideways)
        #expect(frame(.limited(.initializing), .changeSpeed).coachingAdvice(for: .horizontal) == .changeSpeed)
        #expect(frame(.limited(.relocalizing)).coachingAdvice() == .returnToKnownView)
        #expect(frame(.normal).coachingAdvice() == nil)
        #expect(frame(.normal).coachingAdvice(for: .horizontal) == .scanSurfaces)
        #expect(frame(.normal, anchors: [floor(0)]).coachingAdvice(for: .vertical) == .scanSurfaces)
        #expect(frame(.normal, anchors: [floor(0)]).coachingAdvice(for: [.horizontal, .vertical]) == nil)
    }

    @Test func sessionsHaveIdentifiers() {
        let sessions = (0..<2).map { _ in ARSession(source: ScriptedSource(times: [0])) }
        #expect(sessions[0].identifier != sessions[1].identifier && sessions[0].identifier == sessions[0].identifier)
    }

    /// With the alignment of the camera the camera stays at the origin, and anchors move.
    @Test func theWorldFollowsTheCamera() async throws {
        let poses = (0..<4).map {
            RigidTransform(rotation: .rotation(Vector3d(0.1 * Double($0), 0.3, 3)), translation: Vector3d(Double($0), 1.5, 0))
        }
        let session = ARSession(source: ScriptedSource(times: (0..<8).map(Double.init)), pace: .stepped)
        var configuration = ARWorldTrackingConfiguration(
            tracking: .scripted { index, time in
                TrackingResult(time: time, state: .normal, worldFromCamera: poses[min(index, 3)], rig: .scripted)
            })
        configuration.worldAlignment = .camera
        session.run(configuration)
        let first = try #require(try await session.step())
        #expect(first.camera.transform.isNear(.identity))
        let anchor = ARAnchor(name: "cup", transform: Matrix4(translation: Vector3(0.1, -0.2, -1)))
        try session.add(anchor: anchor)
        let expected = Matrix4(viewing: poses[0]) * anchor.transform
        for index in 1..<4 {
            let frame = try #require(try await session.step())
            #expect(frame.camera.transform.isNear(.identity))
            let moved = try #require(frame.anchors.first)
            // Where it is in the tracker's world.
            #expect((Matrix4(viewing: poses[index]) * moved.transform).isNear(expected))
        }
        // Back in a world along gravity, tracking starts again.
        configuration.worldAlignment = .gravity
        session.run(configuration)
        let frame = try #require(try await session.step())
        #expect(frame.camera.transform.isNear(Matrix4(viewing: poses[3])))
    }

    @Test func headingNeedsACompass() async throws {
        let session = ARSession(source: ScriptedSource(times: [0]), pace: .stepped)
        var configuration = ARWorldTrackingConfiguration()
        configuration.worldAlignment = .gravityAndHeading
        session.run(configuration)
        do {
            _ = try await session.step()
            Issue.record("no error")
        } catch {
            #expect(error.code == .unsupportedConfiguration)
            #expect(error.message.contains("compass"))
        }
    }

    /// A tracked raycast on estimated surfaces continues on the plane once that is detected.
    @Test func trackedRaycastsMoveOntoPlanes() async throws {
        // Points of a surface at a height of 0.1 m, which is a floor at 0.
        let points = (0..<40).map {
            TrackedPoint(id: $0, position: Vector3d(Double($0 % 8) * 0.05 - 0.2, 0.1, Double($0 / 8) * 0.05 - 2.1), pixel: .zero)
        }
        let session = ARSession(source: ScriptedSource(times: (0..<9).map(Double.init)), pace: .stepped)
        session.run(ARWorldTrackingConfiguration(tracking: .scripted { _, time in .at(time, Vector3d(0, 1.5, 0), points: points) }))
        var heights: [Float?] = []
        _ = try await session.step()
        let query = ARRaycastQuery(
            origin: Vector3(0, 1.5, 0), direction: Vector3(0, -1.4, -2), allowing: .estimatedPlane, alignment: .horizontal)
        let tracked = session.trackedRaycast(query) { heights.append($0.first?.worldTransform.translation.y) }
        _ = try await session.step()
        try session.add(anchor: floor(0, half: 4))
        _ = try await session.step()
        _ = try await session.step()
        #expect(heights.count == 2)
        #expect(abs((heights.first ?? nil) ?? 9 - 0.1) < 0.11 && heights.last == 0)
        // A plane far from the estimate is another surface.
        #expect(session.raycast(query).first?.target == .estimatedPlane)
        _ = tracked
    }

    @Test func probesHaveTheColorsOfTheImages() async throws {
        let camera = CameraIntrinsics(width: 32, height: 24, verticalFieldOfView: 1.6)
        let steps = (0..<6).map { ScriptedSource.Step.event(.image(.scripted(Double($0), width: 32, height: 24))) }
        let session = ARSession(source: ScriptedSource(steps, rig: SensorRig(camera: camera)), pace: .stepped)
        var configuration = ARWorldTrackingConfiguration.walking
        configuration.environmentTexturing = .manual
        session.run(configuration)
        let own = AREnvironmentProbeAnchor(name: "own", transform: .identity, extent: Vector3(1, 1, 1))
        try session.add(anchor: own)
        for _ in 0..<3 { _ = try await session.step() }
        let probes = session.currentFrame?.anchors.compactMap { $0 as? AREnvironmentProbeAnchor } ?? []
        #expect(probes.map(\.name) == ["own"] && probes[0].extent == Vector3(1, 1, 1))
        let map = try #require(probes[0].environmentTexture)
        #expect(map.width == 64 && map.height == 32)
        // Grey level 128 in linear light.
        let red = map.bytes.withUnsafeBytes { $0.loadUnaligned(as: Float.self) }
        #expect(abs(red - linearFromSRGB(128.0 / 255)) < 0.01)

        configuration.environmentTexturing = .automatic
        session.run(configuration)
        _ = try await session.step()
        let both = session.currentFrame?.anchors.compactMap { $0 as? AREnvironmentProbeAnchor } ?? []
        #expect(both.count == 2 && both.allSatisfy { $0.environmentTexture != nil })
        #expect(try await session.getCurrentWorldMapOrNil()?.anchors.isEmpty ?? true)
    }

    /// Noise decreases; a surface that appears in front counts at once.
    @Test func smoothedDepthHasLessNoise() async throws {
        var random = SplitMix64(seed: 7)
        let camera = CameraIntrinsics(width: 32, height: 24, verticalFieldOfView: 1)
        func noise() -> Float { (Float(random.below(2001)) / 1000 - 1) * 0.02 }
        let steps = (0..<20).map { number -> ScriptedSource.Step in
            var sample = CameraSample.scripted(Double(number), width: 32, height: 24, worldFromCamera: .identity)
            var metres = Plane<Float>(width: 32, height: 24, repeating: 0)
            for index in metres.values.indices { metres.values[index] = (number < 15 ? 2 : 1) + noise() }
            sample.depth = DepthImage(metres: metres)
            return .event(.image(sample))
        }
        let session = ARSession(source: ScriptedSource(steps, rig: SensorRig(camera: camera)), pace: .stepped)
        var configuration = ARWorldTrackingConfiguration(tracking: .recorded)
        #expect(try await firstDepth(session, configuration) == nil)
        configuration.smoothsSceneDepth = true
        session.run(configuration)
        var frames: [ARFrame] = []
        while let frame = try await session.step() { frames.append(frame) }
        func deviation(_ image: DepthImage?, _ mean: Float) -> Float {
            let values = image?.metres.values ?? []
            return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(max(1, values.count))).squareRoot()
        }
        #expect(deviation(frames[12].smoothedSceneDepth, 2) < 0.6 * deviation(frames[12].sceneDepth, 2))
        #expect(deviation(frames[14].smoothedSceneDepth, 1) < 0.02)
    }

    private func firstDepth(_ session: ARSession, _ configuration: ARWorldTrackingConfiguration) async throws -> DepthImage? {
        session.run(configuration)
        return try await session.step()?.smoothedSceneDepth
    }
}

extension ARSession {
    fileprivate func getCurrentWorldMapOrNil() async throws -> ARWorldMap? { try? await getCurrentWorldMap() }
}

extension Matrix4 {
    fileprivate func isNear(_ other: Matrix4) -> Bool {
        let difference = [x - other.x, y - other.y, z - other.z, w - other.w]
        return difference.allSatisfy { abs($0.x) < 1e-4 && abs($0.y) < 1e-4 && abs($0.z) < 1e-4 && abs($0.w) < 1e-4 }
    }
}
