import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

@MainActor struct SessionTests {
    private func session(_ steps: [ScriptedSource.Step], delegate: DelegateRecorder? = nil) -> ARSession {
        let session = ARSession(source: ScriptedSource(steps), pace: .stepped)
        session.delegate = delegate
        return session
    }

    @Test func eachStepGivesAFrameUntilTheEnd() async throws {
        let recorder = DelegateRecorder()
        let session = session([.inertial(0), .image(0.1), .inertial(0.2), .image(0.3)], delegate: recorder)
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(session.currentFrame == nil)
        let first = try #require(try await session.step())
        #expect(first.timestamp == 0.1)
        #expect(session.currentFrame == first)
        #expect(first.camera.transform.isClose(to: Matrix4(translation: Vector3(0.1, 0, 0))))
        #expect(try await session.step()?.timestamp == 0.3)
        #expect(session.isRunning)
        #expect(try await session.step() == nil)
        #expect(!session.isRunning)
        #expect(recorder.calls == ["state normal", "frame 0.1", "frame 0.3", "end"])
    }

    @Test func inertialSamplesReachTheTrackerInOrder() async throws {
        let log = ScriptedTracker.Log()
        let session = session([.inertial(0), .inertial(0.01), .image(0.1), .inertial(0.2), .image(0.3)])
        session.run(ARWorldTrackingConfiguration(tracking: .scripted(log) { _, time in .at(time) }))
        while try await session.step() != nil {}
        #expect(log.all == ["made", "reset", "inertial 0.0", "inertial 0.01", "image 0.1", "inertial 0.2", "image 0.3"])
    }

    @Test func stepsNeedARunAndSteppedPace() async throws {
        let session = session([.image(0)])
        await #expect(throws: ARError.self) { try await session.step() }
        let paced = ARSession(source: ScriptedSource(times: [0]), pace: .unpaced)
        let error = await #expect(throws: ARError.self) { try await paced.step() }
        #expect(error?.code == .requestFailed)
    }

    @Test func stateChangesAreReportedBeforeTheirFrame() async throws {
        let recorder = DelegateRecorder()
        let states: [TrackingState] = [
            .notAvailable, .limited(.initializing), .normal, .normal, .limited(.excessiveMotion), .limited(.insufficientFeatures), .normal,
        ]
        let session = session(states.indices.map { .image(Double($0)) }, delegate: recorder)
        session.run(ARWorldTrackingConfiguration(tracking: .scripted { index, time in .at(time, .zero, states[index]) }))
        var seen: [TrackingState] = []
        while let frame = try await session.step() { seen.append(frame.camera.trackingState) }
        #expect(seen == states)
        #expect(
            recorder.calls == [
                "state notAvailable", "frame 0.0", "state initializing", "frame 1.0", "state normal", "frame 2.0", "frame 3.0",
                "state excessiveMotion", "frame 4.0", "state insufficientFeatures", "frame 5.0", "state normal", "frame 6.0", "end",
            ])
    }

    @Test func runResumesAfterAPause() async throws {
        let recorder = DelegateRecorder()
        let session = session((0..<6).map { .image(Double($0)) }, delegate: recorder)
        session.run(ARWorldTrackingConfiguration.walking)
        _ = try await session.step()
        session.pause()
        #expect(try await session.step() == nil)
        #expect(session.currentFrame?.timestamp == 0)
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await session.step()?.timestamp == 1)
        #expect(recorder.calls == ["state normal", "frame 0.0", "frame 1.0"])
    }

    @Test func anotherRunKeepsTheTracker() async throws {
        let log = ScriptedTracker.Log()
        let tracking = TrackingMethod.scripted(log) { _, time in .at(time) }
        let session = session((0..<6).map { .image(Double($0)) })
        session.run(ARWorldTrackingConfiguration(tracking: tracking))
        _ = try await session.step()
        session.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal], tracking: tracking))
        _ = try await session.step()
        #expect(log.count("made") == 1)
        #expect(log.count("reset") == 1)
        session.run(ARWorldTrackingConfiguration(tracking: tracking), options: [.resetTracking])
        _ = try await session.step()
        #expect(log.count("made") == 1)
        #expect(log.count("reset") == 2)
        session.run(AROrientationTrackingConfiguration(tracking: tracking))
        _ = try await session.step()
        #expect(log.count("made") == 2)
        #expect(session.configuration is AROrientationTrackingConfiguration)
    }

    @Test func runAfterTheEndRestarts() async throws {
        let source = ScriptedSource(times: [0, 1])
        let log = ScriptedTracker.Log()
        let session = ARSession(source: source, pace: .stepped)
        let configuration = ARWorldTrackingConfiguration(tracking: .scripted(log) { _, time in .at(time) })
        for round in 1...3 {
            session.run(configuration)
            var times: [Double] = []
            while let frame = try await session.step() { times.append(frame.timestamp) }
            #expect(times == [0, 1])
            #expect(source.rewinds == round - 1)
            #expect(log.count("reset") == round)
        }
    }

    @Test func aFailedSessionPauses() async throws {
        let recorder = DelegateRecorder()
        let session = session([.image(0), .fail("room.jsonl:7: no frame"), .image(1)], delegate: recorder)
        session.run(ARWorldTrackingConfiguration.walking)
        _ = try await session.step()
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error == ARError(.sensorFailed, "room.jsonl:7: no frame"))
        #expect(!session.isRunning)
        #expect(recorder.errors == [error].compactMap { $0 })
        #expect(recorder.calls == ["state normal", "frame 0.0", "fail"])
        // It can run again once the cause is resolved.
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await session.step()?.timestamp == 1)
    }

    @Test func anEndedLiveSourceCannotRestart() async throws {
        let source = LiveSource()
        let session = ARSession(source: source, pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        source.send(.image(.scripted(0)))
        source.finish()
        #expect(try await session.step() != nil)
        #expect(try await session.step() == nil)
        session.run(ARWorldTrackingConfiguration.walking)
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error?.code == .sensorUnavailable)
    }

    @Test func unsupportedConfigurationsFailAndCanFallBack() async throws {
        var rig = SensorRig.scripted
        rig.hasInertialUnit = false
        let blind = ScriptedSource(times: [0], rig: rig)
        // Images alone suffice for world tracking without scale, but not for orientation tracking.
        #expect(ARWorldTrackingConfiguration.isSupported(by: blind))
        #expect(!AROrientationTrackingConfiguration.isSupported(by: blind))
        #expect(ARWorldTrackingConfiguration().orFallback(for: blind) is ARWorldTrackingConfiguration)
        #expect(ARWorldTrackingConfiguration().orFallback(for: ScriptedSource(times: [])) is ARWorldTrackingConfiguration)

        let recorder = DelegateRecorder()
        let session = ARSession(source: blind, pace: .stepped)
        session.delegate = recorder
        session.run(AROrientationTrackingConfiguration())
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error?.code == .unsupportedConfiguration)
        #expect(recorder.calls == ["fail"])
        #expect(!session.isRunning)
    }

    @Test func orientationTrackingHasNoPosition() async throws {
        let session = session([.image(0), .image(1)])
        session.run(
            AROrientationTrackingConfiguration(
                tracking: .scripted { _, time in
                    .at(time, Vector3d(3, 4, 5), points: [TrackedPoint(id: 1, position: .zero, pixel: .zero)])
                }))
        let frame = try #require(try await session.step())
        #expect(frame.camera.transform == .identity)
        #expect(frame.rawFeaturePoints == nil)
        #expect(frame.worldMappingStatus == .notAvailable)
    }

    @Test func recordedPosesAreUsed() async throws {
        let pose = RigidTransform(rotation: .lookingAhead, translation: Vector3d(1, 2, 3))
        let session = session([.image(0, worldFromCamera: pose), .image(1)])
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        let first = try #require(try await session.step())
        #expect(first.camera.transform == Matrix4(translation: Vector3(1, 2, 3)))
        #expect(first.camera.trackingState == .normal)
        let second = try #require(try await session.step())
        #expect(second.camera.trackingState == .limited(.insufficientFeatures))
        #expect(second.camera.transform == first.camera.transform)
    }

    @Test func invalidPosesAreRejected() async throws {
        let bad: [RigidTransform] = [
            RigidTransform(rotation: .identity, translation: Vector3d(.nan, 0, 0)),
            RigidTransform(rotation: .identity * .nan, translation: .zero),
            RigidTransform(rotation: .identity * 2, translation: .zero),
            RigidTransform(rotation: .identity * -1, translation: .zero),
            RigidTransform(rotation: .identity, translation: Vector3d(.infinity, 0, 0)),
        ]
        let session = session((0...bad.count).map { .image(Double($0)) })
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    var result = TrackingResult.at(time, Vector3d(7, 0, 0))
                    if index > 0 { result.worldFromCamera = bad[index - 1] }
                    return result
                }))
        let good = try #require(try await session.step()).camera
        #expect(good.trackingState == .normal)
        for _ in bad {
            let camera = try #require(try await session.step()).camera
            #expect(camera.transform == good.transform)
            #expect(camera.trackingState == .notAvailable)
        }
        #expect(session.problems.count == bad.count)
    }

    @Test func unusableImagesAreCounted() async throws {
        let session = session([
            .image(1), .image(0.5), .image(1), .image(.nan), .event(.image(.scripted(2, width: 4))), .image(3),
        ])
        session.run(ARWorldTrackingConfiguration.walking)
        var times: [Double] = []
        while let frame = try await session.step() { times.append(frame.timestamp) }
        #expect(times == [1, 3])
        #expect(session.problems.count == 4)
        #expect(session.problems.messages.last == "image at 2.0 s: has 4 × 6 pixels, the camera 8 × 6")
    }

    @Test func pointsKeepTheirIdentifiers() async throws {
        let session = session([.image(0)])
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { _, time in
                    .at(
                        time,
                        points: [
                            TrackedPoint(id: 3, position: Vector3d(1, 2, 3), pixel: .zero),
                            TrackedPoint(id: 4, position: Vector3d(.nan, 2, 3), pixel: .zero),
                            TrackedPoint(id: 9, position: Vector3d(4, 5, 6), pixel: .zero),
                        ])
                }))
        let points = try #require(try await session.step()?.rawFeaturePoints)
        #expect(points.identifiers == [3, 9])
        #expect(points.points == [Vector3(1, 2, 3), Vector3(4, 5, 6)])
    }

    @Test func mappingStatusBecomesMapped() async throws {
        let session = session((0..<40).map { .image(Double($0) / 10) })
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    // Twenty points for two seconds, then twenty other ones.
                    let first = index < 20 ? 0 : 100
                    let points = (first..<first + 20).map { TrackedPoint(id: $0, position: Vector3d(Double($0), 0, -2), pixel: .zero) }
                    return .at(time, points: index == 39 ? Array(points.prefix(5)) : points)
                }))
        var statuses: [ARFrame.WorldMappingStatus] = []
        while let frame = try await session.step() { statuses.append(frame.worldMappingStatus) }
        #expect(statuses[0...9].allSatisfy { $0 == .extending })
        #expect(statuses[10...19].allSatisfy { $0 == .mapped })
        #expect(statuses[20...29].allSatisfy { $0 == .extending })
        #expect(statuses[30...38].allSatisfy { $0 == .mapped })
        #expect(statuses[39] == .limited)
    }

    @Test func lightIsEstimatedOnRequest() async throws {
        // Linear grey of 0.18, sRGB level 118.
        var sample = CameraSample.scripted(0)
        sample.image.luma = Plane(width: 8, height: 6, repeating: 118)
        let session = session([.event(.image(sample)), .image(1)])
        session.run(ARWorldTrackingConfiguration(tracking: .walking))
        let light = try #require(try await session.step()?.lightEstimate)
        #expect(abs(light.ambientIntensity - 1000) < 20)
        #expect(light.ambientColorTemperature == 6500)
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try #require(try await session.step()).lightEstimate == nil)
    }
}
