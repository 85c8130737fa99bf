import Testing
import VitrineMath

@testable import VitrineTracking
@testable import VitrineVision

/// A drone's camera before a board of known corners, moved by hand, with its IMU: the board gives the truth, the filter isn't told of it.
struct BoardRecording {
    var rig = TrackingData.eurocRig
    var samples: [InertialSample]
    var pictures: [FilterRun.Picture] = []
    /// The body's poses, from the board's corners: in a world with the board somewhere, +Y against gravity.
    var truth: [TimedPose] = []
    /// A state for the first picture: what the truth of the first second and the IMU together say.
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
            if pictures.last?.time != time { pictures.append(.init(time: time, features: [])) }
            pictures[pictures.count - 1].features.append(ObservedFeature(id: id, pixel: Vector2d(line[6] + 0.5, line[7] + 0.5)))
        }
        // Pictures from before the first sample can't be used.
        pictures.removeAll { $0.time < samples[0].time }
        solveBoard(corners)
        turnUpright()
    }

    /// The body in the board's frame, for every second picture, ten a second.
    private mutating func solveBoard(_ corners: [Int: Vector3d]) {
        let intrinsics = rig.camera
        var resection = Resection()
        resection.options.maximumError = 3
        truth = stride(from: 0, to: pictures.count, by: 2).map { pictures[$0] }.compactMap { picture in
            guard picture.features.count >= 12 else { return nil }
            let points = picture.features.map { corners[$0.id]! }
            guard let result = resection.solve(pixels: picture.features.map(\.pixel), points: points, intrinsics: intrinsics) else {
                return nil
            }
            guard result.inliers.count * 10 > points.count * 9 else { return nil }
            return TimedPose(time: picture.time, pose: result.cameraFromWorld.inverse * rig.cameraFromBody)
        }
    }

    /// Finds gravity and the first velocity in the board's frame by least squares over the first two seconds, and turns the world upright.
    private mutating func turnUpright() {
        var queue = InertialQueue()
        for sample in samples.prefix(1000) { queue.add(sample) }
        let first = truth[0]
        func reckoned(to time: Double, _ bias: Vector3d) -> RigidTransform {
            var state = FilterState(time: first.time, worldFromBody: first.pose)
            state.gyroscopeBias = bias
            var reckoning = InertialPropagation(state, gravity: .zero, noise: rig.noise)
            reckoning.integrate(queue.span(from: first.time, to: time), withErrors: false)
            return reckoning.state.worldFromBody
        }
        // The gyroscope's bias: what it turns more than the truth does in a second.
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
