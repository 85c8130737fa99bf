import Testing
import VitrineMath

@testable import VitrineTracking
@testable import VitrineVision

/// A drone's camera and IMU, moved by hand in front of a board of known corners. The board provides the ground truth, which the filter does not use.
struct BoardRecording {
    var rig = TrackingData.eurocRig
    var samples: [InertialSample]
    var frames: [FilterRun.Frame] = []
    /// Ground truth: the body's poses from the board's corners. World: +Y up, the origin is the board's.
    var truth: [TimedPose] = []
    /// The state at the first frame, from the ground truth of the first two seconds and the IMU.
    var start = FilterState(time: 0)

    init() throws {
        let lines = try TrackingData.numbers("april-corners/cam0-corners.csv.gz").filter { $0.count == 13 }
        let origin = lines[0][0]
        samples = try TrackingData.samples("april-corners/imu0.csv.gz", secondsPerUnit: 1e-9, origin: origin)
        var corners: [Int: Vector3d] = [:]
        for line in lines {
            let time = (line[0] - origin) * 1e-9
            let id = Int(line[11]) * 4 + Int(line[12])
            corners[id] = Vector3d(line[8], line[9], line[10])
            if frames.last?.time != time { frames.append(.init(time: time, features: [])) }
            frames[frames.count - 1].features.append(ObservedFeature(id: id, pixel: Vector2d(line[6] + 0.5, line[7] + 0.5)))
        }
        // Frames before the first sample cannot be used.
        frames.removeAll { $0.time < samples[0].time }
        solveBoard(corners)
        alignWithGravity()
    }

    /// Computes the body's poses in the board's frame for every second frame, ten per second.
    private mutating func solveBoard(_ corners: [Int: Vector3d]) {
        let intrinsics = rig.camera
        var resection = Resection()
        resection.options.maximumError = 3
        truth = stride(from: 0, to: frames.count, by: 2).map { frames[$0] }.compactMap { frame in
            guard frame.features.count >= 12 else { return nil }
            let points = frame.features.map { corners[$0.id]! }
            guard let result = resection.solve(pixels: frame.features.map(\.pixel), points: points, intrinsics: intrinsics) else {
                return nil
            }
            guard result.inliers.count * 10 > points.count * 9 else { return nil }
            return TimedPose(time: frame.time, pose: result.cameraFromWorld.inverse * rig.cameraFromBody)
        }
    }

    /// Estimates gravity and the first velocity in the board's frame by least squares over the first two seconds, and rotates the world to +Y up.
    private mutating func alignWithGravity() {
        var buffer = InertialBuffer()
        for sample in samples.prefix(1000) { _ = buffer.append(sample) }
        let first = truth[0]
        func reckoned(to time: Double, _ bias: Vector3d) -> RigidTransform {
            var state = FilterState(time: first.time, worldFromBody: first.pose)
            state.gyroscopeBias = bias
            var reckoning = InertialPropagation(state, gravity: .zero, noise: rig.noise)
            reckoning.integrate(buffer.samples(from: first.time, to: time), withErrors: false)
            return reckoning.state.worldFromBody
        }
        // The gyroscope's bias: its excess rotation over one second.
        var bias = Vector3d.zero
        for _ in 0..<3 {
            let excess = truth[10].pose.rotation.transpose * reckoned(to: truth[10].time, bias).rotation
            bias += excess.rotationVector / (truth[10].time - first.time)
        }
        // Position less dead reckoning without gravity and velocity: v t + g t²/2.
        var (a, b, c) = (0.0, 0.0, 0.0)
        var right = [Vector3d.zero, .zero]
        for pose in truth[1...20] {
            let rest = pose.pose.translation - reckoned(to: pose.time, bias).translation
            let t = pose.time - first.time
            (a, b, c) = (a + t * t, b + t * t * t / 2, c + t * t * t * t / 4)
            right[0] += rest * t
            right[1] += rest * (t * t / 2)
        }
        let determinant = a * c - b * b
        let velocity = (right[0] * c - right[1] * b) / determinant
        let gravity = (right[1] * a - right[0] * b) / determinant
        let up = normalize(-gravity)
        let axis = cross(up, Vector3d(0, 1, 0))
        let upright = Matrix3d.rotation(normalize(axis) * atan2(length(axis), up.y))
        truth = truth.map {
            TimedPose(time: $0.time, pose: RigidTransform(rotation: upright * $0.pose.rotation, translation: upright * $0.pose.translation))
        }
        start = FilterState(time: first.time, worldFromBody: truth[0].pose, velocity: upright * velocity, gyroscopeBias: bias)
    }
}
