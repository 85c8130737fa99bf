import VitrineMath
import VitrineTracking
import VitrineVision

/// A room with a random texture on its six walls, rendered by casting a ray per pixel.
struct PaintedBox {
    /// Half the sides of the floor, and the height, in metres; the floor is at y = 0.
    static let (half, height) = (3.5, 2.8)
    /// The number of texels per metre.
    private static let texelsPerMetre = 60.0

    private struct Face {
        var width: Int
        var height: Int
        var values: [Float]

        /// The grey level `u` and `v` metres from the corner.
        func value(_ u: Double, _ v: Double) -> Float {
            let (x, y) = (
                min(max(u * texelsPerMetre - 0.5, 0), Double(width - 2)), min(max(v * texelsPerMetre - 0.5, 0), Double(height - 2))
            )
            let (column, row) = (Int(x), Int(y))
            let (a, b) = (Float(x - Double(column)), Float(y - Double(row)))
            let at = row * width + column
            let upper = values[at] * (1 - a) + values[at + 1] * a
            let lower = values[at + width] * (1 - a) + values[at + width + 1] * a
            return upper * (1 - b) + lower * b
        }
    }

    /// x−, x+, y−, y+, z−, z+.
    private var faces: [Face] = []

    init(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let sizes = [(2 * Self.half, Self.height), (2 * Self.half, 2 * Self.half), (2 * Self.half, Self.height)]
        for axis in 0..<3 {
            for _ in 0..<2 { faces.append(Self.painted(sizes[axis].0, sizes[axis].1, &numbers)) }
        }
    }

    /// Overlapping rectangles of all sizes, slightly blurred.
    private static func painted(_ metresWide: Double, _ metresHigh: Double, _ numbers: inout SplitMix64) -> Face {
        let (width, height) = (Int(metresWide * texelsPerMetre), Int(metresHigh * texelsPerMetre))
        var values = [Float](repeating: 120, count: width * height)
        for index in 0..<Int(metresWide * metresHigh * 30) {
            let largest = index < 60 ? 70 : 22
            let (w, h) = (3 + numbers.below(largest), 3 + numbers.below(largest))
            let (x, y) = (numbers.below(width), numbers.below(height))
            let grey = Float(30 + numbers.below(190))
            for row in y..<min(y + h, height) { for column in x..<min(x + w, width) { values[row * width + column] = grey } }
        }
        var soft = values
        for y in 1..<(height - 1) {
            for x in 1..<(width - 1) {
                let at = y * width + x
                soft[at] = values[at] * 0.4 + (values[at - 1] + values[at + 1] + values[at - width] + values[at + width]) * 0.15
            }
        }
        return Face(width: width, height: height, values: soft)
    }

    func image(_ camera: CameraIntrinsics, rays: [Vector3d], _ worldFromCamera: RigidTransform, noise: inout SplitMix64) -> Plane<UInt8> {
        var image = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        let (eye, rotation) = (worldFromCamera.translation, worldFromCamera.rotation)
        for (index, ray) in rays.enumerated() {
            let d = rotation * ray
            let x = ((d.x > 0 ? Self.half : -Self.half) - eye.x) / d.x
            let y = ((d.y > 0 ? Self.height : 0) - eye.y) / d.y
            let z = ((d.z > 0 ? Self.half : -Self.half) - eye.z) / d.z
            let grey: Float
            if x <= y, x <= z {
                let p = eye + d * x
                grey = faces[d.x > 0 ? 1 : 0].value(p.z + Self.half, p.y)
            } else if y <= z {
                let p = eye + d * y
                grey = faces[d.y > 0 ? 3 : 2].value(p.x + Self.half, p.z + Self.half)
            } else {
                let p = eye + d * z
                grey = faces[d.z > 0 ? 5 : 4].value(p.x + Self.half, p.y)
            }
            let deviation = Float(numbers(&noise)) * (1.0 / 64) - 2
            image.values[index] = UInt8(min(max(grey + deviation + 0.5, 0), 255))
        }
        return image
    }

    @inline(__always) private func numbers(_ noise: inout SplitMix64) -> UInt64 { noise.next() >> 56 }
}

/// A recording of a device in a painted room: images, inertial samples and ground truth.
struct RoomWalk {
    struct Frame {
        /// The time on the clock of both the IMU and the camera.
        var time: Double
        var image: Plane<UInt8>
    }

    var rig: SensorRig
    var spline: TrajectorySpline
    var samples: [InertialSample]
    var frames: [Frame] = []

    /// - Parameter turned: Rotation of the path about the middle of the room in radians.
    init(_ room: PaintedBox, _ path: SimulatedPath, turned: Double = 0, duration: Double, seed: UInt64 = 1) throws {
        let camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(230, 230), center: Vector2d(160.5, 119))
        let cameraFromBody = RigidTransform(
            rotation: Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(0, 0, -1), Vector3d(1, 0, 0)), translation: Vector3d(0.01, -0.03, 0.02))
        rig = SensorRig(camera: camera, cameraFromBody: cameraFromBody)
        let turn = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, turned, 0)), translation: .zero)
        let poses = path.cameraPoses(duration: duration, rest: 1, seed: seed).map {
            TimedPose(time: $0.time, pose: turn * $0.pose * cameraFromBody)
        }
        spline = try TrajectorySpline(through: poses)
        samples =
            InertialSimulator(
                rate: 200, noise: rig.noise, gyroscopeBias: Vector3d(0.01, -0.02, 0.015), accelerometerBias: Vector3d(0.05, -0.04, 0.06),
                seed: seed
            ).record(spline).samples
        let rays = (0..<camera.width * camera.height).map { index -> Vector3d in
            let pixel = Vector2d(Double(index % camera.width) + 0.5, Double(index / camera.width) + 0.5)
            let normalized = camera.normalized(pixel)
            return Vector3d(normalized.x, normalized.y, 1)
        }
        var noise = SplitMix64(seed: seed &+ 77)
        var time = spline.start + 0.1
        while time < spline.end - 0.1 {
            frames.append(Frame(time: time, image: room.image(camera, rays: rays, worldFromCamera(time), noise: &noise)))
            time += 1 / 15.0
        }
    }

    /// Ground truth.
    func worldFromCamera(_ time: Double) -> RigidTransform { spline.pose(at: time) * rig.cameraFromBody.inverse }

    /// Removes a part of the recording. Later frames and samples follow without a gap.
    mutating func cut(from start: Double, seconds: Double) {
        let span = start..<(start + seconds)
        frames.removeAll { span.contains($0.time) }
        samples.removeAll { span.contains($0.time) }
        for index in frames.indices where frames[index].time >= start { frames[index].time -= seconds }
        for index in samples.indices where samples[index].time >= start { samples[index].time -= seconds }
    }

    /// Runs a tracker on the recording.
    /// - Parameter isUncovered: Whether the lens is not covered at a time.
    func run(_ tracker: VisualInertialTracker, isUncovered: (Double) -> Bool = { _ in true }) -> [TrackingResult] {
        var (next, results): (Int, [TrackingResult]) = (0, [])
        let dark = Plane<UInt8>(width: rig.camera.width, height: rig.camera.height, repeating: 3)
        for frame in frames {
            while next < samples.count, samples[next].time <= frame.time + 0.004 {
                tracker.add(samples[next])
                next += 1
            }
            results.append(tracker.track(isUncovered(frame.time) ? frame.image : dark, time: frame.time))
        }
        return results
    }

    /// The room's pose in the tracker's world, by a result and the ground truth.
    func worldFromRoom(_ result: TrackingResult) -> RigidTransform? {
        result.worldFromCamera.map { $0 * worldFromCamera(result.time).inverse }
    }
}
