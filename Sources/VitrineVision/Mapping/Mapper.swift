import VitrineMath

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
        public var richestLens: LensModel = .rich
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
        let correspondences = try CorrespondenceGraph(graph, photos)
        let (lensOfPhoto, lenses) = Self.lenses(photos, known)
        let empty = MapState(graph: correspondences, lensOfPhoto: lensOfPhoto, lenses: lenses, photos: photos)
        let mapping = IncrementalMapping(
            options: options, parallel: parallel, isCancelled: isCancelled,
            placed: { progress(0.8 * Double($0) / Double(max(1, photos.count))) })

        let allowed = photos.map { _ in true }
        let pairs = InitialPair.candidates(graph, empty, allowed: { allowed[$0] }, parallel: parallel)
        var best: MapState?
        for pair in pairs.prefix(4) {
            if isCancelled() { throw .cancelled }
            guard var state = mapping.start(empty, pair) else { continue }
            mapping.grow(&state, allowed: allowed)
            if state.registeredCount > best?.registeredCount ?? 2 { best = state }
            if best?.registeredCount == photos.count { break }
        }
        if isCancelled() { throw .cancelled }
        guard var state = best else { throw .noInitialPair }
        mapping.finish(&state)
        if isCancelled() { throw .cancelled }
        progress(1)
        return state.model(options)
    }

    /// One lens a group of photos with the same key, size and guessed focal length, in the order of their first photos.
    private static func lenses(_ photos: [MapperPhoto], _ known: [PosedCamera?]) -> ([Int], [MapState.LensState]) {
        var lensOfPhoto: [Int] = []
        var lenses: [MapState.LensState] = []
        var firsts: [Int] = []
        for (index, photo) in photos.enumerated() {
            let same = firsts.indices.first { lens in
                let other = photos[firsts[lens]]
                return other.groupKey == photo.groupKey && other.guess == photo.guess
            }
            if let same {
                lensOfPhoto.append(same)
            } else {
                lensOfPhoto.append(lenses.count)
                firsts.append(index)
                lenses.append(
                    MapState.LensState(
                        intrinsics: photo.guess.intrinsics, guess: photo.guess.intrinsics, isFocalKnown: photo.guess.isFocalKnown,
                        isHeld: false,))
            }
        }
        return (lensOfPhoto, lenses)
    }
}
