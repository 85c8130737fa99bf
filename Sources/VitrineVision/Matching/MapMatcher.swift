import CDescriptors
import VitrineGeometry

/// Matches photos that could not be registered with a map.
///
/// Pairwise matching fails at wide baselines: few features are matched correctly, too few for an epipolar geometry. The points of a map have descriptors from
/// several views, and a pose needs fewer correct matches than an epipolar geometry (Sattler et al. 2011). The estimated pose then guides the matching with the
/// photos of the map along epipolar lines, which verifies the pose: most matches of a wrong pose are random (`PairMatcher`).
package struct MapMatcher: Sendable {
    package struct Options: Sendable, Equatable {
        /// The number of features of a photo, largest first, that are compared with the map. Default 6,000.
        package var searchedFeatures = 6000
        /// The number of descriptors of the map. Default 30,000.
        package var mapDescriptors = 30_000
        /// The ratio test against the descriptors of other points. Default 0.85.
        package var ratio: Float = 0.85
        /// The fewest points that agree with a pose before it is verified. Default 8.
        package var minimumInliers = 8
        /// The largest reprojection error of these, in pixels of an image 1,000 pixels long. Default 8.
        package var maximumError = 8.0
        /// The largest angle between the directions from which a photo and an observing photo see a point, degrees. Default 70.
        package var largestAngle = 70.0
        /// The number of photos of the map, the most similar directions first, that a photo is matched with. Default 8.
        package var neighbours = 8

        package init() {}
    }

    package var options: Options
    private let model: SparseModel
    /// The initial intrinsics of each photo.
    private let guesses: [CameraGuess]
    private let descriptors: PointDescriptors

    /// Creates a matcher for a model.
    ///
    /// - Parameters:
    ///   - features: The features of a photo, as the model's observations refer to.
    package init(
        _ model: SparseModel, guesses: [CameraGuess], options: Options = Options(), features: (Int) throws -> FeatureSet
    ) rethrows {
        (self.model, self.guesses, self.options) = (model, guesses, options)
        descriptors = try PointDescriptors(model, count: options.mapDescriptors, features: features)
    }

    /// The verified pairs of an unregistered photo with photos of the map; empty if no pose is verified.
    package func pairs(
        of photo: Int, parallel: Parallel = Parallel(), features: (Int) throws -> FeatureSet
    ) rethrows -> [PhotoPair] {
        guard !guesses[photo].intrinsics.distortion.isFisheye else { return [] }
        let own = try features(photo)
        guard let camera = camera(photo, own, parallel) else { return [] }
        let prepared = PreparedFeatures(own, width: camera.camera.intrinsics.width, height: camera.camera.intrinsics.height)
        var pairs: [PhotoPair] = []
        for other in neighbours(of: camera) {
            let second = model.cameras[other]!
            let set = PreparedFeatures(try features(other), width: second.intrinsics.width, height: second.intrinsics.height)
            let (a, b) = photo < other ? ((camera.camera, prepared), (second, set)) : ((second, set), (camera.camera, prepared))
            let guided = PairMatcher(
                options: PhotoMatcher.Options(), first: a.1, second: b.1,
                firstGuess: CameraGuess(intrinsics: a.0.intrinsics, isFocalKnown: true),
                secondGuess: CameraGuess(intrinsics: b.0.intrinsics, isFocalKnown: true))
            let seed = UInt64(min(photo, other)) << 32 | UInt64(max(photo, other))
            guard let found = guided.match(a.0, b.0, around: camera.middle, seed: seed) else { continue }
            pairs.append(PhotoPair(first: min(photo, other), second: max(photo, other), matches: found.matches, geometry: found.geometry))
        }
        return pairs.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    /// An estimated camera and the centre of the points that it observes.
    private struct Estimate {
        var camera: PosedCamera
        var middle: Vector3d
    }

    private func camera(_ photo: Int, _ own: FeatureSet, _ parallel: Parallel) -> Estimate? {
        let matches = descriptors.matches(own, count: options.searchedFeatures, ratio: options.ratio, parallel)
        let intrinsics = model.groups.first { $0.photos.contains(photo) }?.intrinsics ?? guesses[photo].intrinsics
        var resection = Resection()
        resection.options.maximumError = options.maximumError * max(0.5, Double(max(intrinsics.width, intrinsics.height)) / 1000)
        resection.options.maximumIterations = 5000
        resection.options.seed = UInt64(photo) &* 7919 &+ 23
        let pixels = matches.map { Vector2d(own.positions[$0.feature]) }
        let points = matches.map { model.points[$0.point].position }
        guard let result = resection.solve(pixels: pixels, points: points, intrinsics: intrinsics) else { return nil }
        let camera = PosedCamera(intrinsics: intrinsics, cameraFromWorld: result.cameraFromWorld)
        let cosine = cos(options.largestAngle * .pi / 180)
        let center = camera.centerInWorld
        let seen = result.inliers.filter { index in
            let ray = normalize(points[index] - center)
            return model.points[matches[index].point].observations.contains { observation in
                guard let other = model.cameras[Int(observation.x)] else { return false }
                return dot(ray, normalize(points[index] - other.centerInWorld)) > cosine
            }
        }
        guard seen.count >= options.minimumInliers else { return nil }
        return Estimate(camera: camera, middle: seen.reduce(.zero) { $0 + points[$1] } / Double(seen.count))
    }

    /// The photos of the map with the most similar directions to the middle of the points.
    private func neighbours(of estimate: Estimate) -> [Int] {
        let ray = normalize(estimate.middle - estimate.camera.centerInWorld)
        let cosine = cos(options.largestAngle * .pi / 180)
        let near = model.registered.compactMap { photo -> (cosine: Double, photo: Int)? in
            guard let other = model.cameras[photo], !other.intrinsics.distortion.isFisheye,
                (other.cameraFromWorld * estimate.middle).z > 0
            else { return nil }
            let value = dot(ray, normalize(estimate.middle - other.centerInWorld))
            return value > cosine ? (value, photo) : nil
        }
        return near.sorted { ($0.cosine, -$0.photo) > ($1.cosine, -$1.photo) }.prefix(options.neighbours).map(\.photo)
    }
}

extension PairMatcher {
    /// Factors of the tolerance around epipolar lines of estimated cameras. Wide bands allow for errors of the cameras; in photos with many features, most
    /// matches in wide bands are random.
    private static let bands = [4.0, 2, 1]

    /// Matches along the epipolar lines of estimated cameras, first in bands as wide as possible, then in those of the geometry of these matches.
    ///
    /// - Parameter middle: A point of the object.
    fileprivate func match(
        _ a: PosedCamera, _ b: PosedCamera, around middle: Vector3d, seed: UInt64
    ) -> (matches: [SIMD2<UInt32>], geometry: TwoViewGeometry)? {
        let turn = Float(Self.turn(a, b, around: middle))
        let start = Rough(fundamental: TwoViewGeometry(a, b).fundamental, turn: turn)
        for factor in Self.bands {
            var options = options
            options.geometry.tolerance *= factor
            let wide = PairMatcher(options: options, first: first, second: second, firstGuess: firstGuess, secondGuess: secondGuess)
            guard let found = wide.guided(by: start, seed: seed) else { continue }
            return guided(by: Rough(fundamental: found.geometry.fundamental, turn: turn), seed: seed)
        }
        return nil
    }

    /// The rotation, clockwise in the image, from directions in the first photo to those in the second, of a surface that faces both: radians.
    private static func turn(_ a: PosedCamera, _ b: PosedCamera, around middle: Vector3d) -> Double {
        let facing = normalize(normalize(a.centerInWorld - middle) + normalize(b.centerInWorld - middle))
        let side = normalize(cross(facing, abs(facing.y) < 0.9 ? Vector3d(0, 1, 0) : Vector3d(1, 0, 0)))
        var sum = Vector2d.zero
        for direction in [side, cross(facing, side)] {
            let (p, q) = (a.cameraFromWorld.rotation * direction, b.cameraFromWorld.rotation * direction)
            let angle = atan2(q.y, q.x) - atan2(p.y, p.x)
            sum += Vector2d(cos(angle), sin(angle))
        }
        return atan2(sum.y, sum.x)
    }
}

/// Descriptors of a map's points, of up to three photos each.
private struct PointDescriptors: Sendable {
    struct Match {
        var feature, point: Int
    }

    private static let perPoint = 3
    private var bytes: [UInt8] = []
    private var squares: [Int32] = []
    /// The point of each descriptor, ascending.
    private var points: [Int] = []

    /// Points that most photos observe come first.
    init(_ model: SparseModel, count: Int, features: (Int) throws -> FeatureSet) rethrows {
        var room = count
        var chosen: [[(point: Int, feature: Int)]] = Array(repeating: [], count: model.cameras.count)
        let order = model.points.indices.sorted {
            (model.points[$0].observations.count, -$0) > (model.points[$1].observations.count, -$1)
        }
        for point in order where room > 0 {
            let observations = model.points[point].observations
            let used = min(Self.perPoint, observations.count)
            // The first, the last and one between: the most different directions of a path.
            for sample in 0..<used {
                let observation = observations[used == 1 ? 0 : sample * (observations.count - 1) / (used - 1)]
                chosen[Int(observation.x)].append((point, Int(observation.y)))
            }
            room -= used
        }
        var loaded: [(point: Int, bytes: ArraySlice<UInt8>)] = []
        let length = FeatureSet.descriptorLength
        for photo in chosen.indices where !chosen[photo].isEmpty {
            let set = try features(photo)
            for entry in chosen[photo] where entry.feature < set.count {
                loaded.append((entry.point, ArraySlice(Array(set.descriptors[entry.feature * length..<(entry.feature + 1) * length]))))
            }
        }
        for index in loaded.indices.sorted(by: { (loaded[$0].point, $0) < (loaded[$1].point, $1) }) {
            bytes += loaded[index].bytes
            points.append(loaded[index].point)
        }
        squares = DescriptorMatcher.squares(bytes)
    }

    private struct Nearest {
        var best = Int32.max, second = Int32.max
        var point = -1
    }

    /// Features and points that are each other's most similar, with a ratio test against the descriptors of other points.
    func matches(_ features: FeatureSet, count: Int, ratio: Float, _ parallel: Parallel) -> [Match] {
        let rows = min(count, features.count)
        let own = DescriptorMatcher.squares(features.descriptors)
        let chunk = 128
        let parts = parallel.map((rows + chunk - 1) / chunk) { part in
            compare(features, own, part * chunk..<min(rows, (part + 1) * chunk))
        }
        var closest: [Int: (distance: Int32, feature: Int)] = [:]
        var clear: [Match] = []
        for (part, found) in parts.enumerated() {
            for (offset, nearest) in found.enumerated() where nearest.point >= 0 {
                let feature = part * chunk + offset
                if nearest.best < closest[nearest.point]?.distance ?? .max { closest[nearest.point] = (nearest.best, feature) }
                guard nearest.best < Self.farthest, Float(max(nearest.best, 0)) < ratio * ratio * Float(max(nearest.second, 1)) else {
                    continue
                }
                clear.append(Match(feature: feature, point: nearest.point))
            }
        }
        return clear.filter { closest[$0.point]?.feature == $0.feature }
    }

    /// The largest squared distance.
    private static let farthest: Int32 = 300 * 300

    private func compare(_ features: FeatureSet, _ own: [Int32], _ rows: Range<Int>) -> [Nearest] {
        var result = [Nearest](repeating: Nearest(), count: rows.count)
        features.descriptors.withUnsafeBufferPointer { a in
            bytes.withUnsafeBufferPointer { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return }
                // Two rows at once; with an odd count the last is the same twice.
                var products = [Int32](repeating: 0, count: 2 * points.count)
                for pair in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
                    let next = min(pair + 1, rows.upperBound - 1)
                    products.withUnsafeMutableBufferPointer { products in
                        guard let products = products.baseAddress else { return }
                        vitrine_descriptor_products(a + 128 * pair, a + 128 * next, b, points.count, products, products + points.count)
                    }
                    for row in pair...next {
                        result[row - rows.lowerBound] = nearest(own[row], products[((row - pair) * points.count)...])
                    }
                }
            }
        }
        return result
    }

    /// The nearest of all points to a descriptor, from its products with theirs.
    private func nearest(_ square: Int32, _ products: ArraySlice<Int32>) -> Nearest {
        var nearest = Nearest()
        for (column, product) in zip(points.indices, products) {
            let distance = square &+ squares[column] &- 2 &* product
            if distance < nearest.best {
                if points[column] != nearest.point { nearest.second = nearest.best }
                (nearest.best, nearest.point) = (distance, points[column])
            } else if distance < nearest.second, points[column] != nearest.point {
                nearest.second = distance
            }
        }
        return nearest
    }
}
