import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// A failure of the camera, in seconds of the true time.
struct Failure {
    /// The time of the failure.
    var span = 6.0...7.0
    /// Exposure relative to the correct one, by time.
    var gain: (Double) -> Float = { _ in 1 }
    /// Contrast relative to the correct one.
    var contrast: Float = 1
    /// Standard deviation of the image noise in grey levels.
    var noise: Float = 1.5
    /// Exposure time in seconds: motion blur.
    var exposure = 0.0
    /// An object that moves through the image covers a third of it.
    var hasMovingObject = false
    /// No frames arrive.
    var isGap = false
}

/// A simulated camera and IMU in a painted room: images with a failure, samples and ground truth.
struct FailingDevice {
    var rig: SensorRig
    var spline: TrajectorySpline
    /// Delay of the frames' time stamps in seconds.
    var clock = 0.0
    private let room = PaintedRoom()
    private let rays: [SIMD3<Float>]
    private let samples: [InertialSample]

    static let rate = 15.0

    init(_ poses: [TimedPose], clock: Double = 0) throws {
        let camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(240, 240), center: Vector2d(160, 120))
        let cameraFromBody = RigidTransform(
            rotation: Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(0, 0, -1), Vector3d(1, 0, 0)), translation: Vector3d(0.01, -0.03, 0.02))
        rig = SensorRig(camera: camera, cameraFromBody: cameraFromBody)
        rays = (0..<320 * 240).map { index in
            let normalized = camera.normalized(Vector2d(Double(index % 320), Double(index / 320)) + 0.5)
            return SIMD3<Float>(Float(normalized.x), Float(normalized.y), 1)
        }
        spline = try TrajectorySpline(through: poses.map { TimedPose(time: $0.time, pose: $0.pose * cameraFromBody) })
        samples =
            InertialSimulator(
                rate: 200, noise: rig.noise, gyroscopeBias: Vector3d(0.01, -0.02, 0.015), accelerometerBias: Vector3d(0.05, -0.04, 0.06),
                seed: 3
            ).record(spline).samples
        self.clock = clock
    }

    /// The camera's pose: `worldFromCamera`.
    func truth(at time: Double) -> RigidTransform { spline.pose(at: time) * rig.cameraFromBody.inverse }

    func image(at time: Double, _ index: Int, _ failure: Failure?) -> Plane<UInt8> {
        guard let failure else { return room.image(room.light(rays, truth(at: time)), width: 320, gain: 1, noise: 1.5, seed: index) }
        let moments = failure.exposure > 0 ? 6 : 1
        var light = [Float](repeating: 0, count: rays.count)
        for moment in 0..<moments {
            let shift = (Double(moment) + 0.5) / Double(moments) - 0.5
            let part = room.light(rays, truth(at: min(max(time + shift * failure.exposure, spline.start), spline.end)))
            for pixel in light.indices { light[pixel] += part[pixel] / Float(moments) }
        }
        if failure.hasMovingObject {
            drawObject(&light, time - failure.span.lowerBound, of: failure.span.upperBound - failure.span.lowerBound)
        }
        if failure.contrast < 1 { for pixel in light.indices { light[pixel] = 0.5 + (light[pixel] - 0.5) * failure.contrast } }
        return room.image(light, width: 320, gain: failure.gain(time), noise: failure.noise, seed: index)
    }

    /// Draws the moving object: from left to right, and a little down.
    private func drawObject(_ light: inout [Float], _ since: Double, of duration: Double) {
        let left = Int(-107 + 427 * since / duration)
        for y in 0..<240 {
            for x in max(0, left)..<max(0, min(320, left + 107)) {
                light[y * 320 + x] = room.paper(2 * (x - left), y * 2 - Int(since * 40))
            }
        }
    }

    /// Runs the tracker on the path.
    func run(_ failure: Failure? = nil) -> FailureRun {
        // A pixel of these small images corresponds to two of a phone's.
        var settings = VisualInertialTracker.Settings()
        (settings.filter.pixelNoise, settings.featureTracking.maximumFeatures) = (0.5, 120)
        var run = FailureRun(device: self, tracker: VisualInertialTracker(rig: rig, settings: settings))
        var next = 0
        let count = Int((spline.end - spline.start - 0.2) * Self.rate)
        for index in 0..<count {
            let time = spline.start + 0.1 + Double(index) / Self.rate
            while next < samples.count, samples[next].time <= time {
                run.tracker.add(samples[next])
                next += 1
            }
            let now = failure.flatMap { $0.span.contains(time) ? $0 : nil }
            if now?.isGap == true { continue }
            run.add(run.tracker.track(image(at: time, index, now), time: time + clock), at: time)
        }
        return run
    }
}

/// The tracker's results, with access to the ground truth.
struct FailureRun {
    let device: FailingDevice
    let tracker: VisualInertialTracker
    private(set) var results: [(time: Double, result: TrackingResult)] = []
    /// The number of tracked features per frame.
    private(set) var tracked: [Int] = []

    init(device: FailingDevice, tracker: VisualInertialTracker) { (self.device, self.tracker) = (device, tracker) }

    mutating func add(_ result: TrackingResult, at time: Double) {
        results.append((time, result))
        tracked.append(tracker.featureTracker.report.tracked)
    }

    func states(_ span: ClosedRange<Double>) -> [TrackingState] { results.filter { span.contains($0.time) }.map(\.result.state) }

    func share(_ span: ClosedRange<Double>, _ matches: (TrackingState) -> Bool) -> Double {
        let states = states(span)
        return Double(states.count(where: matches)) / Double(max(1, states.count))
    }

    /// The largest position error within `span` in metres. The worlds are aligned by heading and position at the last frame before `span`: only the drift
    /// since then counts.
    func drift(_ span: ClosedRange<Double>) throws -> Double {
        let from = try #require(results.lastIndex { $0.time <= span.lowerBound })
        let seen = results[from...].filter { $0.time <= span.upperBound && $0.result.worldFromCamera != nil }
        let comparison = try TrajectoryComparison(
            estimate: seen.map { TimedPose(time: $0.time, pose: $0.result.worldFromCamera!) },
            truth: seen.map { TimedPose(time: $0.time, pose: device.truth(at: $0.time)) }, alignment: .first, largestGap: 1)
        return comparison.pairs.map { length($0.positionError) }.max() ?? .infinity
    }
}
