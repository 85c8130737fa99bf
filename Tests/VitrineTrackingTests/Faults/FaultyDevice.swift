import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// What happens to a camera on its way, in seconds of the true time.
struct Fault {
    /// When.
    var span = 6.0...7.0
    /// The light that falls in, over what is right.
    var gain: (Double) -> Float = { _ in 1 }
    /// What is left of contrast.
    var contrast: Float = 1
    /// Grey levels of noise in `span`.
    var noise: Float = 1.5
    /// Seconds of exposure, over which the picture is drawn out.
    var exposure = 0.0
    /// Something that moves across covers a third of the picture.
    var hasVisitor = false
    /// Pictures are missing.
    var isGap = false
}

/// A camera and an IMU that are carried through a painted room: pictures drawn with their faults, samples, truth.
struct FaultyDevice {
    var rig: SensorRig
    var spline: TrajectorySpline
    /// Seconds by which the pictures' stamps are late.
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

    /// Of the camera.
    func truth(at time: Double) -> RigidTransform { spline.pose(at: time) * rig.cameraFromBody.inverse }

    func picture(at time: Double, _ index: Int, _ fault: Fault?) -> Plane<UInt8> {
        guard let fault else { return room.picture(room.light(rays, truth(at: time)), width: 320, gain: 1, noise: 1.5, seed: index) }
        let moments = fault.exposure > 0 ? 6 : 1
        var light = [Float](repeating: 0, count: rays.count)
        for moment in 0..<moments {
            let shift = (Double(moment) + 0.5) / Double(moments) - 0.5
            let part = room.light(rays, truth(at: min(max(time + shift * fault.exposure, spline.start), spline.end)))
            for pixel in light.indices { light[pixel] += part[pixel] / Float(moments) }
        }
        if fault.hasVisitor { show(&light, time - fault.span.lowerBound, of: fault.span.upperBound - fault.span.lowerBound) }
        if fault.contrast < 1 { for pixel in light.indices { light[pixel] = 0.5 + (light[pixel] - 0.5) * fault.contrast } }
        return room.picture(light, width: 320, gain: fault.gain(time), noise: fault.noise, seed: index)
    }

    /// From left to right, and a little down.
    private func show(_ light: inout [Float], _ since: Double, of duration: Double) {
        let left = Int(-107 + 427 * since / duration)
        for y in 0..<240 {
            for x in max(0, left)..<max(0, min(320, left + 107)) {
                light[y * 320 + x] = room.paper(2 * (x - left), y * 2 - Int(since * 40))
            }
        }
    }

    /// Carries it through.
    func run(_ fault: Fault? = nil) -> FaultyRun {
        // A pixel of these small pictures is worth two of a telephone's.
        var settings = VisualInertialTracker.Settings()
        (settings.filter.pixelNoise, settings.featureTracking.maximumFeatures) = (0.5, 120)
        var run = FaultyRun(device: self, tracker: VisualInertialTracker(rig: rig, settings: settings))
        var next = 0
        let count = Int((spline.end - spline.start - 0.2) * Self.rate)
        for index in 0..<count {
            let time = spline.start + 0.1 + Double(index) / Self.rate
            while next < samples.count, samples[next].time <= time {
                run.tracker.add(samples[next])
                next += 1
            }
            let now = fault.flatMap { $0.span.contains(time) ? $0 : nil }
            if now?.isGap == true { continue }
            run.add(run.tracker.track(picture(at: time, index, now), time: time + clock), at: time)
        }
        return run
    }
}

/// What the tracker said, beside the truth.
struct FaultyRun {
    let device: FaultyDevice
    let tracker: VisualInertialTracker
    private(set) var results: [(time: Double, result: TrackingResult)] = []
    private(set) var followed: [Int] = []

    init(device: FaultyDevice, tracker: VisualInertialTracker) { (self.device, self.tracker) = (device, tracker) }

    mutating func add(_ result: TrackingResult, at time: Double) {
        results.append((time, result))
        followed.append(tracker.featureTracker.report.tracked)
    }

    func states(_ span: ClosedRange<Double>) -> [TrackingState] { results.filter { span.contains($0.time) }.map(\.result.state) }

    func share(_ span: ClosedRange<Double>, _ matches: (TrackingState) -> Bool) -> Double {
        let states = states(span)
        return Double(states.count(where: matches)) / Double(max(1, states.count))
    }

    /// Metres by which the camera is said to be elsewhere than it is, at most within `span`, where both worlds are laid over one another at the last
    /// picture before it (heading and place): what happened since is what is measured.
    func drift(_ span: ClosedRange<Double>) throws -> Double {
        let from = try #require(results.lastIndex { $0.time <= span.lowerBound })
        let seen = results[from...].filter { $0.time <= span.upperBound && $0.result.worldFromCamera != nil }
        let comparison = try TrajectoryComparison(
            estimate: seen.map { TimedPose(time: $0.time, pose: $0.result.worldFromCamera!) },
            truth: seen.map { TimedPose(time: $0.time, pose: device.truth(at: $0.time)) }, alignment: .first, largestGap: 1)
        return comparison.pairs.map { length($0.positionError) }.max() ?? .infinity
    }
}
