import VitrineAR
import VitrineMath
import VitrineSensorSimulation
import VitrineVision

/// A camera that moves around a box on a table, with exact poses and depth: images by ray casting, without a GPU.
actor TableTopSource: SensorSource {
    /// A time range in seconds.
    typealias Span = ClosedRange<Double>

    struct Settings: Sendable {
        var width = 160
        var frameRate = 15.0
        /// The exposure time in seconds, which causes motion blur.
        var exposure = 0.004
        /// The amplitude of the object's and the table's texture, 0…1.
        var objectContrast: Float = 0.8
        var tableContrast: Float = 0.5
        /// The mean level of the image for gain 1, encoded.
        var brightness: Float = 0.5
        /// The factor of the light over time.
        var light: @Sendable (Double) -> Float = { _ in 1 }
        /// Times without a pose.
        var lost: [Span] = []
        /// Times of an interruption.
        var interrupted: [Span] = []
        /// An error after this time.
        var failsAt = Double.infinity
        var hasDepth = true
        /// A person who carries the camera and hears feedback, instead of the path's.
        var person: SimulatedPerson?
        /// The object disappears.
        var hasObject = true
        /// Half of the object's size, metres.
        var halfExtents = Vector3d(0.06, 0.09, 0.04)
    }

    struct Failure: Error, CustomStringConvertible { var description: String { "the cable was unplugged" } }

    nonisolated let rig: SensorRig
    nonisolated let path: OrbitPath
    /// The true box of the object.
    nonisolated let object: OrientedBox
    private nonisolated let settings: Settings
    private nonisolated let spline: TrajectorySpline
    nonisolated let tableHeight = 0.74
    private var frame = 0
    private var isInterrupted = false

    nonisolated var isLive: Bool { false }
    nonisolated var problems: SourceProblems { SourceProblems() }

    init(_ path: OrbitPath, settings: Settings = Settings(), seed: UInt64 = 1) throws {
        (self.path, self.settings) = (path, settings)
        rig = SensorRig(
            camera: CameraIntrinsics(width: settings.width, height: settings.width * 3 / 4, verticalFieldOfView: 0.85),
            hasInertialUnit: false)
        // By default 12 × 18 × 8 cm, turned by 25°.
        object = OrientedBox(
            center: Vector3d(0.02, tableHeight + settings.halfExtents.y, -0.01),
            axes: Matrix3d.rotation(Vector3d(0, 25 * Double.pi / 180, 0)), halfExtents: settings.halfExtents)
        spline = try TrajectorySpline(through: path.cameraPoses(rate: 40, seed: seed))
    }

    func next() throws -> SensorEvent? {
        let time = Double(frame) / settings.frameRate
        guard time <= settings.person.map({ $0.walk(until: time + 0.1).end - 0.05 }) ?? path.duration else { return nil }
        if time > settings.failsAt { throw Failure() }
        let isAway = settings.interrupted.contains { $0.contains(time) }
        if isAway != isInterrupted {
            isInterrupted = isAway
            return isAway ? .interruptionBegan : .interruptionEnded
        }
        frame += 1
        return isAway ? try next() : .image(sample(at: time))
    }

    func rewind() { (frame, isInterrupted) = (0, false) }

    nonisolated func worldFromCamera(at time: Double) -> RigidTransform { (settings.person?.spline ?? spline).pose(at: time) }

    /// The camera's direction from the object in radians: azimuth in the frame of `box`, elevation.
    nonisolated func direction(at time: Double, from box: OrientedBox) -> (azimuth: Double, elevation: Double) {
        let to = box.boxFromWorld * worldFromCamera(at: time).translation
        return (VitrineMath.atan2(to.x, to.z), VitrineMath.atan2(to.y, (to.x * to.x + to.z * to.z).squareRoot()))
    }

    /// Returns the number of pixels by which the fastest corner of the object moves during an exposure.
    nonisolated func blur(at time: Double) -> Double {
        func pixels(_ time: Double) -> [Vector2d] {
            let cameraFromWorld = worldFromCamera(at: time).inverse
            return object.corners.map { rig.camera.project(cameraFromWorld * $0) }
        }
        let half = settings.exposure / 2
        return zip(pixels(time - half), pixels(time + half)).map { length($0 - $1) }.max() ?? 0
    }

    private func sample(at time: Double) -> CameraSample {
        let pose = worldFromCamera(at: time)
        let camera = rig.camera
        // A sub-exposure for each pixel of motion.
        let steps = min(max(Int((blur(at: time) / 0.6).rounded(.up)), 1), 6)
        let poses = (0..<steps).map { step in
            worldFromCamera(at: time + ((Double(step) + 0.5) / Double(steps) - 0.5) * settings.exposure)
        }
        var luma = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        let gain = settings.light(time)
        for row in 0..<camera.height {
            for column in 0..<camera.width {
                let ray = camera.normalized(Vector2d(Double(column) + 0.5, Double(row) + 0.5))
                var sum: Float = 0
                for pose in poses { sum += hit(from: pose.translation, along: pose.rotation * Vector3d(ray.x, ray.y, 1)).light }
                luma[column, row] = UInt8(clamp(255 * sum / Float(steps) * gain, 0, 255))
            }
        }
        var depth: DepthImage?
        if settings.hasDepth {
            var metres = Plane<Float>(width: camera.width / 4, height: camera.height / 4, repeating: 0)
            for row in 0..<metres.height {
                for column in 0..<metres.width {
                    let ray = camera.normalized(Vector2d(Double(column) + 0.5, Double(row) + 0.5) * 4)
                    metres[column, row] = Float(hit(from: pose.translation, along: pose.rotation * Vector3d(ray.x, ray.y, 1)).distance)
                }
            }
            depth = DepthImage(metres: metres)
        }
        let isLost = settings.lost.contains { $0.contains(time) }
        return CameraSample(
            time: time, image: CapturedImage(luma: luma), depth: depth, exposureDuration: settings.exposure > 0 ? settings.exposure : nil,
            worldFromCamera: isLost ? nil : pose)
    }

    /// The first surface on a ray. `distance` is in lengths of `direction`.
    private func hit(from origin: Vector3d, along direction: Vector3d) -> (distance: Double, light: Float) {
        var best = (distance: 6.0, light: settings.brightness * 0.6)
        // The floor and the table.
        for (height, half) in [(0.0, Vector2d(9, 9)), (tableHeight, Vector2d(0.6, 0.5))] {
            let distance = (height - origin.y) / direction.y
            let point = origin + direction * distance
            guard distance > 0, distance < best.distance, abs(point.x) < half.x, abs(point.z) < half.y else { continue }
            best = (distance, level(point.x, point.z, height == 0 ? 3 : 60, 1, settings.tableContrast))
        }
        guard settings.hasObject else { return best }
        let (from, along) = (object.boxFromWorld * origin, object.boxFromWorld.rotation * direction)
        var (enter, exit, axis) = (0.0, Double.infinity, 0)
        for index in 0..<3 {
            let (a, b) = (
                (-object.halfExtents[index] - from[index]) / along[index], (object.halfExtents[index] - from[index]) / along[index]
            )
            if min(a, b) > enter { (enter, axis) = (min(a, b), index) }
            exit = min(exit, max(a, b))
        }
        guard enter > 0, enter < exit, enter < best.distance else { return best }
        let point = from + along * enter
        let (u, v) = axis == 0 ? (point.z, point.y) : axis == 1 ? (point.x, point.z) : (point.x, point.y)
        return (enter, level(u, v, 140, UInt32(axis * 2 + (from[axis] > 0 ? 2 : 3)), settings.objectContrast))
    }

    /// Value noise, so fine that blur changes it.
    private func level(_ u: Double, _ v: Double, _ frequency: Float, _ seed: UInt32, _ contrast: Float) -> Float {
        let noise = ValueNoise(seed: seed)
        let (x, y) = (Float(u) * frequency, Float(v) * frequency)
        let value = 0.6 * noise.value(x, y) + 0.4 * noise.value(x * 2.3 + 7, y * 2.3)
        return settings.brightness * (1 + contrast * 2 * (value - 0.5))
    }
}
