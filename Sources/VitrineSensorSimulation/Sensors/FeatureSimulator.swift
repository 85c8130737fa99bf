import VitrineMath
import VitrineVision

/// Simulates the output of a feature tracker in an empty room: points on walls, floor and ceiling, tracked while they are in view.
///
/// A point that leaves the view and returns gets a new id, as from a real tracker.
package struct FeatureSimulator: Sendable {
    package struct Settings: Equatable, Sendable {
        /// The most points tracked at a time.
        package var count: Int
        /// The standard deviation of observations in pixels, along each axis.
        package var noise: Double
        /// The standard deviation per frame of the random walk of a tracked patch over its surface, in pixels along each axis: the drift of
        /// a tracker that compares each frame with the previous one.
        package var drift: Double
        /// The share of observations, 0…1, that are up to 30 pixels off.
        package var outliers: Double
        /// The number of points in the room.
        package var density: Int
        package var seed: UInt64

        package init(
            count: Int = 120, noise: Double = 1, drift: Double = 0, outliers: Double = 0, density: Int = 4000, seed: UInt64 = 1
        ) {
            (self.count, self.noise, self.drift, self.outliers, self.density, self.seed) = (count, noise, drift, outliers, density, seed)
        }
    }

    package let settings: Settings
    package let rig: SensorRig
    /// The true position in the world for each id, in metres.
    package private(set) var truth: [Vector3d] = []
    private let points: [Vector3d]
    /// The tracked points in the order in which tracking began: index in `points`, id, accumulated drift in pixels.
    private var tracked: [(point: Int, id: Int, drift: Vector2d)] = []
    private var random: GaussianGenerator

    /// Creates a room whose walls lie `margin` metres outside of all `positions`.
    package init(rig: SensorRig, around positions: [Vector3d], margin: Double = 2, settings: Settings = Settings()) {
        var (low, high) = (positions.first ?? .zero, positions.first ?? .zero)
        for position in positions { (low, high) = (pointwiseMin(low, position), pointwiseMax(high, position)) }
        self.init(rig: rig, low: low - margin, high: high + margin, settings: settings)
    }

    /// Creates a room between two opposite corners.
    package init(rig: SensorRig, low: Vector3d, high: Vector3d, settings: Settings = Settings()) {
        (self.rig, self.settings) = (rig, settings)
        random = GaussianGenerator(seed: settings.seed)
        points = Self.points(on: low, high, settings.density, &random)
    }

    /// Points on the room's six faces, in proportion to their areas.
    private static func points(on low: Vector3d, _ high: Vector3d, _ count: Int, _ random: inout GaussianGenerator) -> [Vector3d] {
        let size = high - low
        let areas = [size.y * size.z, size.z * size.x, size.x * size.y]
        let total = areas[0] + areas[1] + areas[2]
        return (0..<count).map { _ in
            var choice = random.uniform() * total
            var axis = 0
            while axis < 2, choice >= areas[axis] {
                choice -= areas[axis]
                axis += 1
            }
            var share = Vector3d(random.uniform(), random.uniform(), random.uniform())
            share[axis] = share[axis] < 0.5 ? 0 : 1
            return low + size * share
        }
    }

    /// The observations in a frame, by increasing id.
    ///
    /// - Parameter worldFromBody: The IMU's pose; the rig gives the camera's.
    package mutating func observe(_ worldFromBody: RigidTransform) -> [ObservedFeature] {
        observe(poses: { (_: Double) -> RigidTransform in worldFromBody })
    }

    /// The observations in a frame of a rolling shutter, by increasing id.
    ///
    /// - Parameters:
    ///   - spline: The IMU's path. Each row has the pose of its own time.
    ///   - time: The time of the middle row.
    ///   - readoutTime: Seconds from the first row to the last.
    package mutating func observe(_ spline: TrajectorySpline, at time: Double, readoutTime: Double) -> [ObservedFeature] {
        guard readoutTime != 0 else { return observe(spline.pose(at: time)) }
        return observe(poses: { (share: Double) -> RigidTransform in spline.pose(at: time + share * readoutTime) })
    }

    /// The exposure of a pixel's row relative to that of the middle row, as a share of the readout time: −0.5…0.5.
    private func readoutShare(_ pixel: Vector2d) -> Double { min(max(pixel.y / Double(max(rig.camera.height, 1)), 0), 1) - 0.5 }

    /// Returns the features that the camera observes along a moving pose.
    ///
    /// - Parameter pose: The IMU's pose for a share of the readout time, −0.5…0.5.
    private mutating func observe(poses pose: (Double) -> RigidTransform) -> [ObservedFeature] {
        let middle = rig.cameraFromBody * pose(0).inverse
        var pixels: [Vector2d?] = Array(repeating: nil, count: points.count)
        for (i, point) in points.enumerated() {
            guard var found = pixel(middle * point) else { continue }
            // The row of the projection determines the pose, which determines the row.
            for _ in 0..<4 {
                let cameraFromWorld = rig.cameraFromBody * pose(readoutShare(found)).inverse
                guard let next = pixel(cameraFromWorld * point) else { break }
                let isSettled = lengthSquared(next - found) < 1e-12
                found = next
                if isSettled { break }
            }
            pixels[i] = found
        }
        tracked.removeAll { pixels[$0.point] == nil }
        applyDrift()
        addTracks(pixels)
        return tracked.map { ObservedFeature(id: $0.id, pixel: withNoise(pixels[$0.point]!) + $0.drift) }
    }

    private mutating func applyDrift() {
        guard settings.drift > 0 else { return }
        for index in tracked.indices {
            let x = random.next()
            tracked[index].drift += Vector2d(x, random.next()) * settings.drift
        }
    }

    /// Starts tracks at random points in view until there are enough.
    private mutating func addTracks(_ pixels: [Vector2d?]) {
        guard tracked.count < settings.count else { return }
        let known = Set(tracked.map(\.point))
        var candidates = pixels.indices.filter { pixels[$0] != nil && !known.contains($0) }
        while tracked.count < settings.count, !candidates.isEmpty {
            let chosen = random.below(candidates.count)
            let point = candidates[chosen]
            candidates.swapAt(chosen, candidates.count - 1)
            candidates.removeLast()
            tracked.append((point, truth.count, .zero))
            truth.append(points[point])
        }
    }

    private mutating func withNoise(_ pixel: Vector2d) -> Vector2d {
        let x = random.next()
        var moved = pixel + Vector2d(x, random.next()) * settings.noise
        if settings.outliers > 0, random.uniform() < settings.outliers {
            let right = random.uniform()
            moved += (Vector2d(right, random.uniform()) * 2 - 1) * 30
        }
        return moved
    }

    /// The projection of a point; nil if it is behind the camera, outside of the image, or beyond the lens model's valid range.
    private func pixel(_ point: Vector3d) -> Vector2d? {
        guard point.z > 0.1 else { return nil }
        let pixel = rig.camera.project(point)
        guard pixel.x > 0, pixel.y > 0, pixel.x < Double(rig.camera.width), pixel.y < Double(rig.camera.height) else { return nil }
        // Far outside of the image the distortion polynomial folds back into it.
        let back = rig.camera.normalized(pixel) - Vector2d(point.x, point.y) / point.z
        return lengthSquared(back) < 1e-8 ? pixel : nil
    }
}
