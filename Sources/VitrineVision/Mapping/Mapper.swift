import VitrineGeometry

/// What the mapper needs to know of a photo.
public struct MapperPhoto: Sendable, Equatable {
    /// Pixel positions of the photo's features, in the order that the matches refer to.
    public var positions: [SIMD2<Float>]
    /// The size, and the focal length as far as it is known.
    public var guess: CameraGuess
    /// Photos with the same key and size share their intrinsics: one key per camera and zoom setting.
    public var groupKey: String

    public init(positions: [SIMD2<Float>], guess: CameraGuess, groupKey: String = "") {
        (self.positions, self.guess, self.groupKey) = (positions, guess, groupKey)
    }
}

/// Why there is no model.
public enum MappingError: Error, Sendable, Equatable {
    case cancelled
    /// Counts that don't fit together, or features that aren't there.
    case invalidInput(String)
    /// No two photos show the same things from places far enough apart.
    case noInitialPair
}

/// Finds cameras and points from verified matches: incremental structure from motion.
public struct Mapper: Sendable {
    public struct Options: Sendable, Equatable {
        /// The richest lens model to be fitted. Default `rich`: used where the photos determine it, else a simpler one.
        public var richestLens: LensModel = .brownConrady
        /// The largest distance between a feature and its point's projection in the result, pixels. Default 2.
        public var maximumError = 2.0
        /// The smallest angle between rays that a point of the result needs, degrees. Default 1.5.
        public var minimumAngle = 1.5
        /// The fewest points a photo must see to be placed. Default 15.
        public var minimumPoints = 15
        /// Whether known cameras are adjusted to the matches too. Default false: they are taken as exact.
        public var refinesKnownCameras = false

        public init() {}
    }

    public var options: Options

    public init(options: Options = Options()) { self.options = options }

    /// - Parameters:
    ///   - graph: verified matches.
    ///   - photos: one a photo, as many as `graph.photoCount`.
    ///   - known: cameras measured otherwise, one a photo, or empty. Where every matched photo has one, only points are sought.
    ///   - parallel: the result doesn't depend on its number of threads.
    ///   - progress: 0…1, rising.
    ///   - isCancelled: asked at least once a second; true makes the call throw `cancelled`.
    public func map(
        graph: MatchGraph, photos: [MapperPhoto], known: [PosedCamera?] = [], parallel: Parallel = Parallel(),
        progress: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws(MappingError) -> SparseModel {
        guard known.isEmpty || known.count == photos.count else {
            throw .invalidInput("\(known.count) known cameras for \(photos.count) photos")
        }
        for (photo, camera) in known.enumerated() where camera.map({ !$0.isUsable }) ?? false {
            throw .invalidInput("the camera given for photo \(photo) isn't one")
        }
        let graph = StaticMatches.removed(from: graph, photos)
        let correspondences = try CorrespondenceGraph(graph, photos)
        let (lensOfPhoto, lenses) = lenses(photos, known)
        let empty = MapState(graph: correspondences, lensOfPhoto: lensOfPhoto, lenses: lenses, photos: photos)
        // A second start places the first photos again: what is reported only rises.
        var reported = 0.0
        func report(_ fraction: Double) {
            reported = max(reported, fraction)
            progress(reported)
        }
        let mapping = IncrementalMapping(
            options: options, parallel: parallel, isCancelled: isCancelled,
            placed: { report(0.6 * Double($0) / Double(max(1, photos.count))) })

        let givenCount = known.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
        var state: MapState
        if givenCount > 1 {
            state = empty
            mapping.place(known, in: &state, isExact: !options.refinesKnownCameras)
            mapping.grow(&state, allowed: photos.map { _ in true })
        } else {
            guard let found = MappingStart(graph: graph, empty: empty, mapping: mapping).best() else {
                throw isCancelled() ? .cancelled : .noInitialPair
            }
            state = found
            mapping.addParts(to: &state, graph: graph, empty: empty)
        }
        if isCancelled() { throw .cancelled }
        mapping.finish(&state, progress: { report(0.6 + 0.4 * $0) })
        if isCancelled() { throw .cancelled }
        report(1)
        var model = state.model(options)
        if givenCount == 1 || options.refinesKnownCameras { model.moveOnto(known) }
        return model
    }

    /// One lens a group of photos with the same key and guess, in the order of their first photos; given intrinsics are lenses of their own,
    /// which photos of the same key and size share.
    private func lenses(_ photos: [MapperPhoto], _ known: [PosedCamera?]) -> ([Int], [MapState.LensState]) {
        var lenses: [MapState.LensState] = []
        var keys: [(key: String, guess: CameraGuess?)] = []
        var lensOfPhoto = [Int](repeating: -1, count: photos.count)
        func lens(_ key: String, _ guess: CameraGuess?, _ intrinsics: CameraIntrinsics, isFocalKnown: Bool, isHeld: Bool) -> Int {
            var lens = MapState.LensState(intrinsics: intrinsics, guess: intrinsics, isFocalKnown: isFocalKnown, isHeld: isHeld)
            lens.fitted = options.richestLens == .pinhole ? 1 : 2
            lenses.append(lens)
            keys.append((key, guess))
            return lenses.count - 1
        }
        for (index, camera) in known.enumerated() {
            guard let intrinsics = camera?.intrinsics else { continue }
            let key = photos[index].groupKey
            let same = lenses.indices.first { keys[$0].key == key && lenses[$0].guess == intrinsics }
            lensOfPhoto[index] =
                same ?? lens(key, nil, intrinsics, isFocalKnown: true, isHeld: !options.refinesKnownCameras)
        }
        for (index, photo) in photos.enumerated() where lensOfPhoto[index] < 0 {
            let guess = photo.guess.intrinsics
            let same = lenses.indices.first {
                guard keys[$0].key == photo.groupKey else { return false }
                guard let other = keys[$0].guess else {
                    return lenses[$0].guess.width == guess.width && lenses[$0].guess.height == guess.height
                }
                return other == photo.guess
            }
            lensOfPhoto[index] = same ?? lens(photo.groupKey, photo.guess, guess, isFocalKnown: photo.guess.isFocalKnown, isHeld: false)
        }
        return (lensOfPhoto, lenses)
    }
}

extension PosedCamera {
    /// A rotation, finite numbers, a focal length.
    fileprivate var isUsable: Bool {
        let rotation = cameraFromWorld.rotation
        let product = rotation.transpose * rotation - .identity
        let error = (product.transpose * product).trace
        return intrinsics.isFinite && cameraFromWorld.translation.isFinite && intrinsics.focal.min() > 0 && intrinsics.width > 0
            && intrinsics.height > 0 && error < 1e-4
            && rotation.determinant > 0
    }
}

extension SparseModel {
    /// Moves the model so that its cameras lie on the given ones as well as they can.
    mutating func moveOnto(_ known: [PosedCamera?]) {
        let both = cameras.indices.filter { cameras[$0] != nil && known[$0] != nil }
        let (own, given) = (both.map { cameras[$0]!.centerInWorld }, both.map { known[$0]!.centerInWorld })
        if let similarity = SimilarityTransform.aligning(own, to: given) {
            move(by: similarity)
        } else if let first = both.first {
            // Centres on a line leave a turn open: the first camera's axes decide it.
            let spread = both.count > 1 ? length(given[1] - given[0]) / length(own[1] - own[0]) : 1
            let scale = spread.isFinite && spread > 0 ? spread : 1
            let rotation = known[first]!.cameraFromWorld.rotation.transpose * cameras[first]!.cameraFromWorld.rotation
            move(by: SimilarityTransform(scale: scale, rotation: rotation, translation: given[0] - rotation * own[0] * scale))
        }
    }
}
