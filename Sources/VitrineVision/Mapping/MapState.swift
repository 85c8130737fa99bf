import VitrineGeometry

/// A growing reconstruction: registered cameras, points, and the features that observe them.
///
/// `tracks`, `pointOfFeature` and `observationCounts` describe the same observations from three sides; only the methods of this file change them.
struct MapState: Sendable {
    let graph: CorrespondenceGraph
    let lensOfPhoto: [Int]
    /// The factor of each photo for thresholds, which are in pixels of an image 1,000 pixels long.
    let pixelScale: [Double]
    var lenses: [LensState]
    var poses: [RigidTransform?]
    /// Whether the pose of each photo was given and is kept fixed.
    var isPoseHeld: [Bool]
    /// The priors of each photo's pose.
    var posePriors: [BundleProblem.PosePrior?]
    /// The position of each point. A removed point keeps its position and has an empty track.
    var positions: [Vector3d] = []
    /// The features (in the graph's numbering) that observe each point, in ascending order; at most one per photo.
    private(set) var tracks: [[UInt32]] = []
    /// The point that each feature observes, or −1.
    private(set) var pointOfFeature: [Int32]
    /// The number of features of each photo that observe points.
    private(set) var observationCounts: [Int]

    struct LensState: Sendable {
        var intrinsics: CameraIntrinsics
        /// The intrinsics before mapping, from metadata or calibration.
        var guess: CameraIntrinsics
        /// Whether the focal length was measured or read from metadata, to a few percent.
        var isFocalKnown: Bool
        /// Whether the intrinsics were given and are kept fixed.
        var isHeld: Bool
        /// The relative deviation of given intrinsics that are refined; nil: they were guessed, or are held.
        var deviation: Double?
        /// Whether the focal length has been fitted to three photos or more.
        var isCalibrated = false
        /// The number of fitted parameters: the first of `CameraIntrinsics.parameters`.
        var fitted = 2
        /// The standard deviation of the focal length in pixels; 0 before the final fit.
        var focalDeviation = 0.0

        var model: LensModel { LensModel(intrinsics.distortion.projection, fitted: fitted) }
    }

    init(
        graph: CorrespondenceGraph, lensOfPhoto: [Int], lenses: [LensState], photos: [MapperPhoto]
    ) {
        (self.graph, self.lensOfPhoto, self.lenses) = (graph, lensOfPhoto, lenses)
        pixelScale = photos.map { max(0.5, Double(max($0.guess.intrinsics.width, $0.guess.intrinsics.height)) / 1000) }
        poses = Array(repeating: nil, count: photos.count)
        isPoseHeld = Array(repeating: false, count: photos.count)
        posePriors = Array(repeating: nil, count: photos.count)
        pointOfFeature = Array(repeating: -1, count: graph.pixels.count)
        observationCounts = Array(repeating: 0, count: photos.count)
    }

    var registeredCount: Int { poses.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }
    var pointCount: Int { tracks.reduce(0) { $0 + ($1.isEmpty ? 0 : 1) } }

    func camera(_ photo: Int) -> PosedCamera {
        PosedCamera(intrinsics: lenses[lensOfPhoto[photo]].intrinsics, cameraFromWorld: poses[photo]!)
    }

    func observation(_ feature: Int) -> PixelObservation {
        PixelObservation(camera: camera(graph.photo(of: feature)), pixel: graph.pixels[feature])
    }

    /// The squared reprojection error of a point at a feature in pixels; infinite behind the camera.
    func squaredError(_ feature: Int, _ point: Vector3d) -> Double {
        let camera = camera(graph.photo(of: feature))
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 1e-9 else { return .infinity }
        let error = camera.intrinsics.project(inCamera) - graph.pixels[feature]
        return error.x * error.x + error.y * error.y
    }

    /// Adds a point.
    ///
    /// - Parameter track: Features in ascending order, at most one per photo, none of which observes a point yet.
    @discardableResult mutating func addPoint(_ position: Vector3d, _ track: [UInt32]) -> Int {
        let point = positions.count
        positions.append(position)
        tracks.append(track)
        for feature in track {
            pointOfFeature[Int(feature)] = Int32(point)
            observationCounts[graph.photo(of: Int(feature))] += 1
        }
        return point
    }

    func sees(_ photo: Int, _ point: Int) -> Bool { tracks[point].contains { graph.photo(of: Int($0)) == photo } }

    mutating func addObservation(_ feature: Int, _ point: Int) {
        let index = tracks[point].firstIndex { Int($0) > feature } ?? tracks[point].count
        tracks[point].insert(UInt32(feature), at: index)
        pointOfFeature[feature] = Int32(point)
        observationCounts[graph.photo(of: feature)] += 1
    }

    mutating func removePoint(_ point: Int) {
        for feature in tracks[point] { forget(Int(feature)) }
        tracks[point] = []
    }

    /// Keeps the observations for which `isGood` is true; removes the point if fewer than two remain.
    mutating func keepObservations(of point: Int, where isGood: (Int) -> Bool) {
        let kept = tracks[point].filter { isGood(Int($0)) }
        guard kept.count < tracks[point].count else { return }
        if kept.count < 2 { return removePoint(point) }
        for feature in tracks[point] where !kept.contains(feature) { forget(Int(feature)) }
        tracks[point] = kept
    }

    private mutating func forget(_ feature: Int) {
        pointOfFeature[feature] = -1
        observationCounts[graph.photo(of: feature)] -= 1
    }

    /// Removes a photo's pose and its observations.
    mutating func unregister(_ photo: Int) {
        for feature in graph.features(of: photo) where pointOfFeature[feature] >= 0 {
            let point = Int(pointOfFeature[feature])
            keepObservations(of: point) { $0 != feature }
        }
        poses[photo] = nil
    }

    /// Renumbers the points without the removed ones.
    mutating func compact() {
        var next = 0
        for point in tracks.indices where !tracks[point].isEmpty {
            if next != point {
                (positions[next], tracks[next]) = (positions[point], tracks[point])
                for feature in tracks[next] { pointOfFeature[Int(feature)] = Int32(next) }
            }
            next += 1
        }
        positions.removeLast(positions.count - next)
        tracks.removeLast(tracks.count - next)
    }
}

extension MapState {
    /// Removes observations with large reprojection errors, and points with too small a triangulation angle.
    ///
    /// - Parameter points: The points to check; nil: all.
    /// - Returns: The number of removed observations.
    @discardableResult mutating func filter(_ points: [Int]? = nil, maximumError: Double, minimumAngle: Double) -> Int {
        let before = observationCounts.reduce(0, +)
        let centers = poses.map { $0.map { -($0.rotation.transpose * $0.translation) } ?? .zero }
        let largestCosine = cos(minimumAngle)
        func check(_ point: Int) {
            guard !tracks[point].isEmpty else { return }
            let position = positions[point]
            let misfits = tracks[point].filter { feature in
                let limit = maximumError * pixelScale[graph.photo(of: Int(feature))]
                return !(squaredError(Int(feature), position) <= limit * limit)
            }
            if !misfits.isEmpty { keepObservations(of: point) { !misfits.contains(UInt32($0)) } }
            guard !tracks[point].isEmpty else { return }
            let seen = tracks[point].map { centers[graph.photo(of: Int($0))] }
            if !(Triangulation.smallestCosine(seen, position) < largestCosine) { removePoint(point) }
        }
        if let points { points.forEach(check) } else { tracks.indices.forEach(check) }
        return before - observationCounts.reduce(0, +)
    }

    /// The points that at least one of the photos observes, in ascending order.
    func points(seenBy photos: [Int]) -> [Int] {
        var isSeen = [Bool](repeating: false, count: tracks.count)
        for photo in photos {
            for feature in graph.features(of: photo) where pointOfFeature[feature] >= 0 { isSeen[Int(pointOfFeature[feature])] = true }
        }
        return isSeen.indices.filter { isSeen[$0] }
    }

    /// The standard deviation of feature positions along an axis in pixels of an image 1,000 pixels long, robustly: from the median reprojection
    /// error, which is √(2 ln 2) standard deviations for normal errors.
    func noise() -> Double { medianError() / 1.1774 }

    /// The median reprojection error in pixels of an image 1,000 pixels long, over all points or some.
    func medianError(of points: [Int]? = nil) -> Double {
        var errors: [Double] = []
        func add(_ point: Int) {
            for feature in tracks[point] {
                errors.append(squaredError(Int(feature), positions[point]).squareRoot() / pixelScale[graph.photo(of: Int(feature))])
            }
        }
        if let points { points.forEach(add) } else { tracks.indices.forEach(add) }
        return median(errors)
    }
}

extension MapState {
    /// The result of the mapping.
    func model(_ options: Mapper.Options) -> SparseModel {
        var errorsOfPhoto = [[Double]](repeating: [], count: poses.count)
        var points: [SparsePoint] = []
        for point in tracks.indices where !tracks[point].isEmpty {
            var sum = 0.0
            let observations = tracks[point].map { feature -> SIMD2<UInt32> in
                let photo = graph.photo(of: Int(feature))
                let error = squaredError(Int(feature), positions[point]).squareRoot()
                errorsOfPhoto[photo].append(error)
                sum += error
                return SIMD2(UInt32(photo), feature - UInt32(graph.photoStarts[photo]))
            }
            points.append(
                SparsePoint(position: positions[point], observations: observations, error: Float(sum / Double(observations.count))))
        }
        let fits = errorsOfPhoto.map { errors -> PhotoFit in
            guard !errors.isEmpty else { return PhotoFit() }
            return PhotoFit(
                observationCount: errors.count, meanError: errors.reduce(0, +) / Double(errors.count),
                medianError: errors.sorted()[errors.count / 2])
        }
        let groups = lenses.indices.map { lens in
            CameraGroup(
                intrinsics: lenses[lens].intrinsics, lens: lenses[lens].model,
                focalDeviation: lenses[lens].focalDeviation / lenses[lens].intrinsics.focal.x,
                photos: poses.indices.filter { lensOfPhoto[$0] == lens })
        }
        return SparseModel(
            cameras: poses.indices.map { poses[$0] == nil ? nil : camera($0) }, groups: groups, points: points, fits: fits,
            leftOut: poses.indices.filter { poses[$0] == nil }.map { LeftOutPhoto(photo: $0, reason: reason($0, options)) })
    }

    private func reason(_ photo: Int, _ options: Mapper.Options) -> LeftOutPhoto.Reason {
        let matches = graph.pairs[photo].reduce(0) { $0 + $1.matches }
        guard matches >= options.minimumPoints else { return .noMatches }
        let placed = graph.pairs[photo].reduce(0) { $0 + (poses[$1.photo] == nil ? 0 : $1.matches) }
        guard placed >= options.minimumPoints else { return .separatePart }
        return visiblePoints(photo).count < options.minimumPoints ? .tooFewPoints : .noPose
    }
}

/// The agreement of verified matches between registered photos with the photos' poses.
struct PairAgreement {
    /// The number of matches between registered photos, and of those that satisfy the epipolar constraint.
    var matches = 0, agreeing = 0

    /// The agreeing share, 0…1; 1 without matches.
    var share: Double { matches == 0 ? 1 : Double(agreeing) / Double(matches) }
}

extension MapState {
    /// The number of matches checked per pair, evenly spaced.
    private static let sampledMatches = 60

    /// Checks the poses against all verified matches: a wrongly registered photo agrees with the matches that placed it, but with few others.
    ///
    /// - Parameters:
    ///   - photo: The photo whose matches count; nil for those of all photos.
    ///   - maximumError: The largest Sampson distance in pixels of an image 1,000 pixels long.
    func agreement(with graph: MatchGraph, of photo: Int? = nil, maximumError: Double = 4, parallel: Parallel) -> PairAgreement {
        let pairs = graph.pairs.filter { pair in
            poses[pair.first] != nil && poses[pair.second] != nil && (photo == nil || pair.first == photo || pair.second == photo)
        }
        let shares = parallel.map(pairs.count) { agreeingShare(of: pairs[$0], maximumError: maximumError) }
        var result = PairAgreement()
        for (pair, share) in zip(pairs, shares) {
            result.matches += pair.matches.count
            result.agreeing += Int((share * Double(pair.matches.count)).rounded())
        }
        return result
    }

    /// The share of a pair's matches that satisfy the epipolar constraint of a relative pose, from a sample.
    ///
    /// - Parameter secondFromFirst: The relative pose; nil: the model's.
    func agreeingShare(of pair: PhotoPair, secondFromFirst: RigidTransform? = nil, maximumError: Double) -> Double {
        let (a, b) = (camera(pair.first), camera(pair.second))
        let secondFromFirst = secondFromFirst ?? b.cameraFromWorld * a.cameraFromWorld.inverse
        let essential = Matrix3d.skew(secondFromFirst.translation) * secondFromFirst.rotation
        // A pixel in normalized coordinates, averaged over both photos.
        let pixel = 0.5 * (pixelScale[pair.first] / a.intrinsics.focal.x + pixelScale[pair.second] / b.intrinsics.focal.x)
        let limit = maximumError * maximumError * pixel * pixel
        let count = min(Self.sampledMatches, pair.matches.count)
        let agreeing = (0..<count).count { index in
            let match = pair.matches[index * pair.matches.count / count]
            let p = a.intrinsics.normalized(graph.pixels[graph.photoStarts[pair.first] + Int(match.x)])
            let q = b.intrinsics.normalized(graph.pixels[graph.photoStarts[pair.second] + Int(match.y)])
            let (x, y) = (Vector3d(p.x, p.y, 1), Vector3d(q.x, q.y, 1))
            let (line, back) = (essential * x, Vector2d(dot(essential.x, y), dot(essential.y, y)))
            let error = dot(y, line)
            return error * error <= limit * (line.x * line.x + line.y * line.y + back.x * back.x + back.y * back.y)
        }
        return count == 0 ? 1 : Double(agreeing) / Double(count)
    }
}
