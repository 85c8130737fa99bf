import VitrineMath
import VitrineVision

/// Measures the depths of tracked features in the image of a second camera that exposes at the same time.
///
/// A new feature is searched along its epipolar line in a coarse level of the pyramid, a known one starts at its last depth; both are matched from
/// coarse to fine like features between frames (``PatchMatcher``). The match must be near the epipolar line, which the search does not enforce.
struct StereoMatcher: Sendable {
    /// The standard deviation of a match along the epipolar line, in working pixels.
    private static let deviation = 0.35
    /// The largest inverse depth of the search, 1/m.
    private static let largestInverseDepth = 1 / 0.2
    /// A depth is measured if its inverse is at least this many standard deviations from 0.
    private static let significance = 4.0
    /// The pyramid level of the search along the epipolar line, and the largest number of its steps of one pixel.
    private static let searchLevel = 2, maximumSteps = 160
    /// The smallest correlation in the search, and by how much that of every other maximum must be lower.
    private static let minimumSimilarity: Float = 0.7, uniqueness: Float = 0.05
    /// The smallest distance of another maximum from the highest one, in steps.
    private static let minimumSeparation = 3

    private let first, second: CameraIntrinsics
    private let secondFromFirst: RigidTransform
    private var matcher = PatchMatcher()
    private var image = ImagePyramid()
    /// The inverse depths in the last frame, by feature.
    private var known: [Int: Double] = [:]

    /// Creates a matcher; nil for a device with one camera.
    init?(_ rig: SensorRig) {
        guard let second = rig.secondCamera, length(rig.secondFromCamera.translation) > 1e-3 else { return nil }
        (first, self.second, secondFromFirst) = (rig.camera, second, rig.secondFromCamera)
    }

    /// Forgets the last frame.
    mutating func reset() { known = [:] }

    /// Measures the depths of the newest features.
    ///
    /// - Parameters:
    ///   - tracker: Has tracked the features into the first camera's image.
    ///   - secondImage: The second camera's image of the same time.
    /// - Returns: The depths by feature, along the first camera's z axis.
    mutating func depths(of tracker: FeatureTracker, in secondImage: Plane<UInt8>) -> [Int: MeasuredDepth] {
        guard !tracker.report.isFeatureless, secondImage.width >= 16, secondImage.height >= 16 else { return [:] }
        image.build(secondImage, maximumWidth: tracker.settings.maximumWidth, levels: tracker.settings.levels)
        let lens = second.resized(width: secondImage.width, height: secondImage.height)
        var result: [Int: MeasuredDepth] = [:]
        for track in tracker.tracks {
            let line = EpipolarLine(
                ray: first.normalized(Vector2d(track.position) * Double(tracker.workingScale)), secondFromFirst: secondFromFirst,
                lens: lens, scale: Double(image.scale))
            result[track.id] = depth(track, line, in: tracker.newestPyramid, tracker.settings)
        }
        known = result.mapValues { 1 / $0.metres }
        return result
    }

    private mutating func depth(
        _ track: FeatureTracker.Track, _ line: EpipolarLine, in firstImage: ImagePyramid, _ settings: FeatureTracker.Settings
    ) -> MeasuredDepth? {
        var start = known[track.id]
        if start == nil { start = search(track.position, line, in: firstImage) }
        guard let start, let guess = line.pixel(start), let match = match(track.position, in: firstImage, from: guess),
            matcher.similarity(image.levels[0], match) >= settings.minimumSimilarity,
            let nearest = line.nearest(to: match, from: start), nearest.distance <= settings.maximumEpipolarError
        else { return nil }
        let deviation = Self.deviation / nearest.slope
        guard nearest.inverseDepth >= Self.significance * deviation, nearest.inverseDepth <= Self.largestInverseDepth else { return nil }
        return MeasuredDepth(
            metres: 1 / nearest.inverseDepth, inverseNoise: deviation, turnSlope: line.turnSlope(at: match, nearest.inverseDepth))
    }

    /// The inverse depth with the highest correlation along the epipolar line; nil if there is none, or several.
    private mutating func search(_ position: SIMD2<Float>, _ line: EpipolarLine, in firstImage: ImagePyramid) -> Double? {
        let index = min(Self.searchLevel, min(firstImage.levels.count, image.levels.count) - 1)
        let (scale, level) = (1 / Float(1 << index), image.levels[index])
        guard let strength = matcher.loadTemplate(firstImage.levels[index], position * scale), strength > 0.5 else { return nil }
        var found: [(inverseDepth: Double, similarity: Float)] = []
        var inverse = 0.0
        while inverse <= Self.largestInverseDepth, found.count < Self.maximumSteps, let pixel = line.pixel(inverse),
            let slope = line.slope(inverse), slope > 1e-6
        {
            let at = pixel * scale
            let isInside = at.x >= 0 && at.y >= 0 && at.x < Float(level.width) && at.y < Float(level.height)
            found.append((inverse, isInside ? matcher.similarity(level, at) : -1))
            inverse += 1 / (slope * Double(scale))
        }
        guard let best = found.indices.max(by: { found[$0].similarity < found[$1].similarity }),
            found[best].similarity >= Self.minimumSimilarity
        else { return nil }
        for other in found.indices where abs(other - best) >= Self.minimumSeparation {
            if found[other].similarity > found[best].similarity - Self.uniqueness { return nil }
        }
        return found[best].inverseDepth
    }

    /// Matches the patch at a position of the first image, from the level of the search to the finest; nil if the finest level fails.
    private mutating func match(_ position: SIMD2<Float>, in firstImage: ImagePyramid, from guess: SIMD2<Float>) -> SIMD2<Float>? {
        var there = guess
        for index in stride(from: min(Self.searchLevel, min(firstImage.levels.count, image.levels.count) - 1), through: 0, by: -1) {
            let scale = 1 / Float(1 << index)
            let strength = matcher.loadTemplate(firstImage.levels[index], position * scale)
            let start = there * scale
            if let strength, strength > 0.5,
                let found = matcher.find(image.levels[index], from: start, iterations: index == 0 ? 12 : 6, precision: 0.01),
                squaredDistance(found, start) < 16
            {
                there = found / scale
            } else if index == 0 {
                return nil
            }
        }
        return there
    }
}

/// The projections of the points of a ray of the first camera into the second one.
private struct EpipolarLine {
    /// The ray on the second camera's axes, with length 1 along the first camera's z axis.
    private let direction: Vector3d
    private let origin: Vector3d
    private let lens: CameraIntrinsics
    private let scale: Double

    init(ray: Vector2d, secondFromFirst: RigidTransform, lens: CameraIntrinsics, scale: Double) {
        direction = secondFromFirst.rotation * Vector3d(ray.x, ray.y, 1)
        (origin, self.lens, self.scale) = (secondFromFirst.translation, lens, scale)
    }

    private func exact(_ inverseDepth: Double) -> Vector2d? {
        let point = direction + origin * inverseDepth
        guard point.z > 0.05 else { return nil }
        let pixel = lens.project(point) / scale
        return abs(pixel.x) < 1e5 && abs(pixel.y) < 1e5 ? pixel : nil
    }

    /// The projection in working pixels; nil behind the camera.
    func pixel(_ inverseDepth: Double) -> SIMD2<Float>? { exact(inverseDepth).map { SIMD2(Float($0.x), Float($0.y)) } }

    private static let step = 1e-3

    private func derivative(_ inverseDepth: Double) -> Vector2d? {
        guard let here = exact(inverseDepth), let there = exact(inverseDepth + Self.step) else { return nil }
        return (there - here) / Self.step
    }

    /// Working pixels for an inverse depth of 1/m.
    func slope(_ inverseDepth: Double) -> Double? { derivative(inverseDepth).map { ($0 * $0).sum().squareRoot() } }

    /// The derivative of the inverse depth of a match by a rotation of the camera: see ``MeasuredDepth/turnSlope``.
    func turnSlope(at match: SIMD2<Float>, _ inverseDepth: Double) -> Double {
        let axis = cross(Vector3d(0, 0, 1), origin)
        guard lengthSquared(axis) > 1e-12, let derivative = derivative(inverseDepth) else { return 0 }
        let normalized = lens.normalized(Vector2d(match) * scale)
        let turned = Matrix3d.rotation(normalize(axis) * Self.step) * Vector3d(normalized.x, normalized.y, 1)
        let shift = (lens.project(turned) / scale - Vector2d(match)) / Self.step
        return (shift * derivative).sum() / (derivative * derivative).sum()
    }

    /// The point of the line nearest to a position: its inverse depth, its distance in working pixels, and the slope there.
    func nearest(to position: SIMD2<Float>, from start: Double) -> (inverseDepth: Double, distance: Double, slope: Double)? {
        var inverse = start
        for _ in 0..<5 {
            guard let here = exact(inverse), let derivative = derivative(inverse) else { return nil }
            let square = (derivative * derivative).sum()
            guard square > 1e-9 else { return nil }
            let step = (derivative * (Vector2d(position) - here)).sum() / square
            inverse += step
            if abs(step) < 1e-6 { break }
        }
        guard let here = exact(inverse), let slope = slope(inverse) else { return nil }
        let offset = Vector2d(position) - here
        return (inverse, (offset * offset).sum().squareRoot(), slope)
    }
}
