import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct OrientationTrackerTests {
    @Test(arguments: [SimulatedPath.eight, .turn, .held])
    func tracksTheOrientation(_ path: SimulatedPath) throws {
        let device = try SimulatedDevice(path, duration: 18, rest: 1.5)
        let tracker = OrientationTracker(rig: device.rig)
        var (next, errors): (Int, [Double]) = (0, [])
        var offset: Matrix3d?
        for frame in device.frames {
            while next < device.recording.samples.count, device.recording.samples[next].time <= frame.time {
                tracker.add(device.recording.samples[next])
                next += 1
            }
            let result = tracker.track(time: frame.time)
            guard let pose = result.worldFromCamera else { continue }
            #expect(pose.translation == .zero)
            #expect(result.state == (frame.time < 0.3 ? .limited(.initializing) : .normal))
            let truth = (device.spline.pose(at: frame.time) * device.rig.cameraFromBody.inverse).rotation
            // The initial heading is arbitrary.
            if offset == nil { offset = Rotations.heading(from: truth, to: pose.rotation) }
            errors.append(length((pose.rotation * (offset! * truth).transpose).rotationVector))
        }
        #expect(errors.count > 300)
        #expect((errors.max() ?? 1) < 0.08)
        #expect(length(tracker.gyroscopeBias - device.gyroscopeBias) < 0.003)
    }

    @Test func startsLevelAndFacesMinusZ() {
        let rig = SensorRig(camera: CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1))
        let tracker = OrientationTracker(rig: rig)
        #expect(tracker.track(time: 0).state == .notAvailable)
        // Upright: the camera's y axis, down, is opposite to the specific force.
        tracker.add(InertialSample(time: 0.01, angularVelocity: .zero, acceleration: Vector3d(0, -9.81, 0)))
        let pose = tracker.track(time: 0.02).worldFromCamera
        #expect(
            pose.map { length($0.rotation.z - Vector3d(0, 0, -1)) < 1e-9 && length($0.rotation.y - Vector3d(0, -1, 0)) < 1e-9 } ?? false)
    }

    @Test func skipsBrokenSamples() {
        let rig = SensorRig(camera: CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 1))
        let tracker = OrientationTracker(rig: rig)
        for k in 0..<100 {
            var sample = InertialSample(time: Double(k) * 0.01, angularVelocity: .zero, acceleration: Vector3d(0, -9.81, 0))
            if k % 10 == 3 { sample.acceleration.y = .nan }
            if k % 10 == 5 { sample.time -= 0.2 }
            if k == 50 { sample.time += 1e6 }
            tracker.add(sample)
        }
        let result = tracker.track(time: 1)
        #expect(result.state == .normal)
        #expect(tracker.skipped.samples == 21)
        #expect(tracker.track(time: 0.5) == result)
        #expect(tracker.skipped.frames == 1)
        // Without samples for too long the orientation is unknown.
        #expect(tracker.track(time: 3).state == .notAvailable)
    }
}
