import VitrineMath

/// A scan pass that was mapped separately: photos between which the object did not move.
package struct MappedPass: Sendable {
    /// The model of all photos; those of other passes have no camera.
    package var model: SparseModel
    /// Whether each point of the model belongs to the object.
    package var isObject: [Bool]

    package init(model: SparseModel, isObject: [Bool]) { (self.model, self.isObject) = (model, isObject) }
}

/// The model of joined passes: the output of `PassJoiner`.
package struct JoinedModel: Sendable {
    /// Points of the object only; photos of passes that could not be joined are omitted.
    package var model: SparseModel
    /// The pass whose frame the model has.
    package var reference: Int
    /// The transform of each pass to the model's frame; nil if the pass could not be joined.
    package var modelFromPass: [SimilarityTransform?]

    package init(model: SparseModel, reference: Int, modelFromPass: [SimilarityTransform?]) {
        (self.model, self.reference, self.modelFromPass) = (model, reference, modelFromPass)
    }
}

/// Joins passes between which the object was moved or turned over.
///
/// Only points of the object are used: the surroundings are different in every pass. Descriptors give pairs of points, random samples of
/// three a similarity transform (Fischler & Bolles 1981). The transforms predict where each pass's points are in the other passes' photos,
/// which gives many more matches; one bundle adjustment then determines all cameras.
package struct PassJoiner: Sendable {
    package struct Options: Sendable, Equatable {
        /// The number of photos of each pass, evenly spaced, that the first search compares. Default 24.
        package var searchedPhotos = 24
        /// The number of features of each of these photos, largest first. Default 1,000.
        package var searchedFeatures = 1000
        /// The fewest pairs of points that agree with a transform. Default 15.
        package var minimumMatches = 15
        /// The largest angle between the viewing directions of photos of different passes that are matched, degrees. Default 50.
        package var largestAngle = 50.0

        package init() {}
    }

    package var options: Options
    private let passes: [MappedPass]
    private let features: [FeatureSet]
    private let photos: [MapperPhoto]
    /// The pass of each photo; −1 without a camera.
    private let passOfPhoto: [Int]
    /// The features of each photo that observe points of the object.
    private let observations: [[Observation]]

    /// A feature of a photo and the point of its pass's model.
    struct Observation {
        var feature: Int
        var point: Int
    }

    /// Creates a joiner for passes.
    ///
    /// - Parameters:
    ///   - features: The features of each photo, to which the models' observations refer.
    ///   - photos: The photos, as many as `features`.
    package init(_ passes: [MappedPass], features: [FeatureSet], photos: [MapperPhoto], options: Options = Options()) {
        (self.passes, self.features, self.photos, self.options) = (passes, features, photos, options)
        var owners = [Int](repeating: -1, count: photos.count)
        var observations = [[Observation]](repeating: [], count: photos.count)
        for (index, pass) in passes.enumerated() {
            for photo in pass.model.registered { owners[photo] = index }
            for (point, value) in pass.model.points.enumerated() where pass.isObject[point] {
                for entry in value.observations { observations[Int(entry.x)].append(Observation(feature: Int(entry.y), point: point)) }
            }
        }
        passOfPhoto = owners
        self.observations = observations.map { $0.sorted { $0.feature < $1.feature } }
    }

    /// Joins the passes.
    ///
    /// - Parameters:
    ///   - graph: The verified matches of all photos.
    ///   - progress: Called with the completed fraction, 0…1, never decreasing.
    /// - Returns: nil if no two passes can be joined.
    package func join(
        _ graph: MatchGraph, parallel: Parallel = Parallel(), progress: @escaping (Double) -> Void = { _ in },
        isCancelled: @escaping () -> Bool = { false }
    ) throws(MappingError) -> JoinedModel? {
        let links = links(parallel, progress: { progress(0.2 * $0) }, isCancelled: isCancelled)
        if isCancelled() { throw .cancelled }
        let (reference, transforms) = chain(links)
        guard transforms.count(where: { $0 != nil }) > 1 else { return nil }
        let known = cameras(transforms, reference)
        let joined = joinedGraph(graph, transforms, known, parallel)
        if isCancelled() { throw .cancelled }
        progress(0.4)
        var mapper = Mapper()
        mapper.options.knownCameraDeviation = KnownCameraDeviation()
        var model = try mapper.map(
            graph: joined, photos: photos, known: known, parallel: parallel, progress: { progress(0.4 + 0.6 * $0) },
            isCancelled: isCancelled)
        // The mapper trusts known cameras; those of a pass that contradicted its matches still do.
        for photo in model.registered where passOfPhoto[photo] >= 0 {
            model.fits[photo].contradictedShare = passes[passOfPhoto[photo]].model.fits[photo].contradictedShare
        }
        let refined = transforms.indices.map { [model] pass in transforms[pass].map { refine($0, of: pass, to: model) } }
        return JoinedModel(model: model, reference: reference, modelFromPass: refined)
    }
}

// MARK: Transforms between passes

extension PassJoiner {
    /// Two passes, and the transform that takes the second's points to the first's.
    private struct Link {
        var first, second: Int
        var firstFromSecond: SimilarityTransform
        /// The number of pairs of points that agree with it.
        var matches: Int
    }

    /// The points of two passes that are similar in most photos.
    private struct PointPair {
        var first, second: Int
        /// The number of pairs of photos in which they match.
        var votes: Int
    }

    private func links(_ parallel: Parallel, progress: (Double) -> Void, isCancelled: () -> Bool) -> [Link] {
        let searched = passes.indices.map { searchedFeatures(of: $0) }
        var links: [Link] = []
        let count = passes.count * (passes.count - 1) / 2
        var done = 0
        for first in passes.indices {
            for second in passes.indices.dropFirst(first + 1) {
                if isCancelled() { return [] }
                let pairs = pointPairs(searched[first], searched[second], parallel)
                if let (transform, matches) = similarity(pairs, first, second) {
                    links.append(Link(first: first, second: second, firstFromSecond: transform, matches: matches))
                }
                done += 1
                progress(Double(done) / Double(count))
            }
        }
        return links
    }

    /// The descriptors of the object in a photo, with their points.
    private struct Searched: Sendable {
        var points: [Int] = []
        var bytes: [UInt8] = []
        var squares: [Int32] = []
    }

    private func searchedFeatures(of pass: Int) -> [Searched] {
        let own = passOfPhoto.indices.filter { passOfPhoto[$0] == pass && !observations[$0].isEmpty }
        let count = min(options.searchedPhotos, own.count)
        return (0..<count).map { index in
            let photo = own[index * own.count / count]
            var result = Searched()
            for observation in observations[photo].prefix(options.searchedFeatures) {
                result.points.append(observation.point)
                let start = observation.feature * FeatureSet.descriptorLength
                result.bytes += features[photo].descriptors[start..<start + FeatureSet.descriptorLength]
            }
            result.squares = DescriptorMatcher.squares(result.bytes)
            return result
        }
    }

    /// Returns each point's best partner in the other pass, if it is the best for both; those with most votes first.
    private func pointPairs(_ first: [Searched], _ second: [Searched], _ parallel: Parallel) -> [PointPair] {
        let found = parallel.map(first.count * second.count) { index -> [SIMD2<Int>] in
            let (a, b) = (first[index / second.count], second[index % second.count])
            return DescriptorMatcher.mutual((a.bytes, a.squares), a.points.count, (b.bytes, b.squares), b.points.count, ratio: 0.85)
                .map { SIMD2(a.points[Int($0.first)], b.points[Int($0.second)]) }
        }
        var votes: [SIMD2<Int>: Int] = [:]
        for pair in found.joined() { votes[pair, default: 0] += 1 }
        let sorted = votes.map { PointPair(first: $0.key.x, second: $0.key.y, votes: $0.value) }
            .sorted { ($0.votes, -$0.first, -$0.second) > ($1.votes, -$1.first, -$1.second) }
        var (usedFirst, usedSecond): (Set<Int>, Set<Int>) = ([], [])
        return sorted.filter { pair in
            guard !usedFirst.contains(pair.first), !usedSecond.contains(pair.second) else { return false }
            usedFirst.insert(pair.first)
            usedSecond.insert(pair.second)
            return true
        }
    }

    /// The transform that most pairs of points agree with, by random samples of those with most votes first (Chum & Matas 2005).
    private func similarity(_ pairs: [PointPair], _ first: Int, _ second: Int) -> (SimilarityTransform, matches: Int)? {
        guard pairs.count >= options.minimumMatches else { return nil }
        let pairs = Array(pairs.prefix(2000))
        let targets = pairs.map { passes[first].model.points[$0.first].position }
        let sources = pairs.map { passes[second].model.points[$0.second].position }
        let limit = 0.04 * spread(targets)
        var random = SplitMix64(seed: UInt64(first) << 8 | UInt64(second))
        var best: (count: Int, transform: SimilarityTransform)?
        let trials = 6000
        for trial in 0..<trials {
            let pool = min(pairs.count, max(12, pairs.count * (trial + 1) / trials))
            let (a, b, c) = random.triple(below: pool)
            guard isSample([sources[a], sources[b], sources[c]], [targets[a], targets[b], targets[c]], limit),
                let transform = SimilarityTransform.aligning(
                    [sources[a], sources[b], sources[c]], to: [targets[a], targets[b], targets[c]])
            else { continue }
            let count = sources.indices.count { lengthSquared(transform * sources[$0] - targets[$0]) < limit * limit }
            if count > best?.count ?? 0 { best = (count, transform) }
        }
        guard var best else { return nil }
        for round in 0..<6 {
            let near = limit / (round < 2 ? 1 : 2)
            let inliers = sources.indices.filter { lengthSquared(best.transform * sources[$0] - targets[$0]) < near * near }
            guard inliers.count >= options.minimumMatches,
                let transform = SimilarityTransform.aligning(inliers.map { sources[$0] }, to: inliers.map { targets[$0] })
            else { return nil }
            best = (inliers.count, transform)
        }
        return best.count >= options.minimumMatches ? (best.transform, best.count) : nil
    }

    /// Whether three pairs of points are far apart and have similar shapes.
    private func isSample(_ a: [Vector3d], _ b: [Vector3d], _ limit: Double) -> Bool {
        let sides = [(0, 1), (1, 2), (2, 0)].map { (length(a[$0.0] - a[$0.1]), length(b[$0.0] - b[$0.1])) }
        guard sides.allSatisfy({ $0.0 > 0 && $0.1 > 3 * limit }) else { return false }
        let ratios = sides.map { $0.1 / $0.0 }
        return ratios.max()! < 1.25 * ratios.min()!
    }

    /// The radius that contains nine of ten points.
    private func spread(_ points: [Vector3d]) -> Double {
        let middle = Vector3d(median(points.map(\.x)), median(points.map(\.y)), median(points.map(\.z)))
        return quantile(points.map { length($0 - middle) }, 0.9)
    }

    /// The transforms of the passes to the reference, along the links with most matches.
    private func chain(_ links: [Link]) -> (reference: Int, transforms: [SimilarityTransform?]) {
        func points(_ pass: Int) -> Int { passes[pass].isObject.count { $0 } }
        // The largest group of linked passes, and in it the pass with most points.
        var best: (reference: Int, transforms: [SimilarityTransform?], points: Int)?
        for start in passes.indices.sorted(by: { (points($0), -$0) > (points($1), -$1) }) {
            var transforms = [SimilarityTransform?](repeating: nil, count: passes.count)
            transforms[start] = .identity
            while true {
                let open = links.filter { (transforms[$0.first] == nil) != (transforms[$0.second] == nil) }
                guard let link = open.max(by: { ($0.matches, -$0.first, -$0.second) < ($1.matches, -$1.first, -$1.second) }) else { break }
                if let known = transforms[link.first] {
                    transforms[link.second] = known * link.firstFromSecond
                } else if let known = transforms[link.second] {
                    transforms[link.first] = known * link.firstFromSecond.inverse
                }
            }
            let held = transforms.indices.reduce(0) { $0 + (transforms[$1] == nil ? 0 : points($1)) }
            if held > best?.points ?? -1 { best = (start, transforms, held) }
        }
        return best.map { ($0.reference, $0.transforms) } ?? (0, [])
    }

    /// The transform by the adjusted cameras; the given one if they do not determine it.
    private func refine(_ transform: SimilarityTransform, of pass: Int, to model: SparseModel) -> SimilarityTransform {
        let own = passes[pass].model
        let both = own.registered.filter { model.cameras[$0] != nil }
        return SimilarityTransform.aligning(
            both.compactMap { own.cameras[$0]?.centerInWorld }, to: both.compactMap { model.cameras[$0]?.centerInWorld }) ?? transform
    }
}

// MARK: Matches between passes

extension PassJoiner {
    /// Returns all cameras in the reference's frame. Photos with the same key get the same intrinsics: those of the first pass that has
    /// them.
    private func cameras(_ transforms: [SimilarityTransform?], _ reference: Int) -> [PosedCamera?] {
        var shared: [String: CameraIntrinsics] = [:]
        for pass in [reference] + passes.indices.filter({ $0 != reference && transforms[$0] != nil }) {
            for photo in passes[pass].model.registered where shared[photos[photo].groupKey] == nil {
                shared[photos[photo].groupKey] = passes[pass].model.cameras[photo]?.intrinsics
            }
        }
        return photos.indices.map { photo in
            guard passOfPhoto[photo] >= 0, let transform = transforms[passOfPhoto[photo]],
                var camera = passes[passOfPhoto[photo]].model.cameras[photo]
            else { return nil }
            if let intrinsics = shared[photos[photo].groupKey], intrinsics.width == camera.intrinsics.width,
                intrinsics.height == camera.intrinsics.height
            {
                camera.intrinsics = intrinsics
            }
            camera.cameraFromWorld = transform.moved(camera.cameraFromWorld)
            return camera
        }
    }

    /// The matches of the object's features within the passes, and those between passes that the transforms predict.
    private func joinedGraph(
        _ graph: MatchGraph, _ transforms: [SimilarityTransform?], _ cameras: [PosedCamera?], _ parallel: Parallel
    ) -> MatchGraph {
        let isObject = photos.indices.map { photo in Set(observations[photo].map { UInt32($0.feature) }) }
        var pairs = graph.pairs.compactMap { pair -> PhotoPair? in
            guard cameras[pair.first] != nil, passOfPhoto[pair.first] == passOfPhoto[pair.second] else { return nil }
            var kept = pair
            kept.matches = pair.matches.filter { isObject[pair.first].contains($0.x) && isObject[pair.second].contains($0.y) }
            return kept.matches.isEmpty ? nil : kept
        }
        let positions = transforms.indices.map { pass in
            transforms[pass].map { transform in passes[pass].model.points.map { transform * $0.position } } ?? []
        }
        let middles = photos.indices.map { photo -> Vector3d? in
            guard cameras[photo] != nil, !observations[photo].isEmpty else { return nil }
            let own = positions[passOfPhoto[photo]]
            return observations[photo].reduce(.zero) { $0 + own[$1.point] } / Double(observations[photo].count)
        }
        var neighbours: [SIMD2<Int>] = []
        let leastCosine = cos(options.largestAngle * .pi / 180)
        for first in photos.indices {
            for second in photos.indices.dropFirst(first + 1) where passOfPhoto[first] != passOfPhoto[second] {
                guard let a = cameras[first], let b = cameras[second], let p = middles[first], let q = middles[second] else { continue }
                let middle = (p + q) / 2
                let (toFirst, toSecond) = (a.centerInWorld - middle, b.centerInWorld - middle)
                let cosine = dot(normalize(toFirst), normalize(toSecond))
                let ratio = length(toFirst) / length(toSecond)
                if cosine > leastCosine, ratio > 0.4, ratio < 2.5 { neighbours.append(SIMD2(first, second)) }
            }
        }
        let candidates = neighbours
        let found = parallel.map(candidates.count) { index -> PhotoPair? in
            let (first, second) = (candidates[index].x, candidates[index].y)
            guard let a = cameras[first], let b = cameras[second] else { return nil }
            let matches = predictedMatches(first, second, a, b, positions)
            guard matches.count >= 6 else { return nil }
            return PhotoPair(first: first, second: second, matches: matches, geometry: TwoViewGeometry(a, b))
        }
        pairs += found.compactMap { $0 }
        pairs.sort { ($0.first, $0.second) < ($1.first, $1.second) }
        return MatchGraph(photoCount: photos.count, pairs: pairs)
    }

    /// Pairs of similar features at the projections of each pass's points into the other photo.
    private func predictedMatches(
        _ first: Int, _ second: Int, _ a: PosedCamera, _ b: PosedCamera, _ positions: [[Vector3d]]
    ) -> [SIMD2<UInt32>] {
        let forward = nearest(of: first, in: second, b, positions[passOfPhoto[first]])
        let backward = nearest(of: second, in: first, a, positions[passOfPhoto[second]])
        return observations[first].indices.compactMap { index in
            guard let other = forward[index], backward[other] == index else { return nil }
            return SIMD2(UInt32(observations[first][index].feature), UInt32(observations[second][other].feature))
        }
    }

    /// The largest squared distance of descriptors.
    private static let farthest: Int32 = 300 * 300

    /// Returns, for each observation of a photo, the index of the observation in the other photo, near its point's projection, with the
    /// most similar descriptor.
    private func nearest(of photo: Int, in other: Int, _ camera: PosedCamera, _ positions: [Vector3d]) -> [Int?] {
        let side = Double(max(camera.intrinsics.width, camera.intrinsics.height))
        let radius = Float(0.02 * side)
        let candidates = observations[other].indices.map {
            (position: features[other].positions[observations[other][$0].feature], index: $0)
        }
        .sorted { ($0.position.y, $0.index) < ($1.position.y, $1.index) }
        return observations[photo].map { observation in
            let inCamera = camera.cameraFromWorld * positions[observation.point]
            guard inCamera.z > 0 else { return nil }
            let pixel = SIMD2<Float>(camera.intrinsics.project(inCamera))
            var (low, high) = (0, candidates.count)
            while low < high {
                let middle = (low + high) / 2
                if candidates[middle].position.y < pixel.y - radius { low = middle + 1 } else { high = middle }
            }
            var (best, second, found) = (Int32.max, Int32.max, Int?.none)
            while low < candidates.count, candidates[low].position.y <= pixel.y + radius {
                defer { low += 1 }
                let step = candidates[low].position - pixel
                guard (step * step).sum() <= radius * radius else { continue }
                let distance = squaredDistance(photo, observation.feature, other, observations[other][candidates[low].index].feature)
                if distance < best {
                    (second, best, found) = (best, distance, candidates[low].index)
                } else {
                    second = min(second, distance)
                }
            }
            guard best < Self.farthest, Float(best) < 0.8 * Float(second) else { return nil }
            return found
        }
    }

    private func squaredDistance(_ photo: Int, _ feature: Int, _ other: Int, _ number: Int) -> Int32 {
        features[photo].descriptors.withUnsafeBufferPointer { a in
            features[other].descriptors.withUnsafeBufferPointer { b in
                var sum: Int32 = 0
                let (p, q) = (feature &* FeatureSet.descriptorLength, number &* FeatureSet.descriptorLength)
                for k in 0..<FeatureSet.descriptorLength {
                    let step = Int32(a[p &+ k]) &- Int32(b[q &+ k])
                    sum = sum &+ step &* step
                }
                return sum
            }
        }
    }
}

extension SimilarityTransform {
    /// The transform that applies `b` first.
    fileprivate static func * (a: SimilarityTransform, b: SimilarityTransform) -> SimilarityTransform {
        SimilarityTransform(
            scale: a.scale * b.scale, rotation: a.rotation * b.rotation, translation: a.rotation * b.translation * a.scale + a.translation)
    }
}
