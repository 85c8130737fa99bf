import VitrineGeometry

/// A photo as input of the mapper.
package struct MapperPhoto: Sendable, Equatable {
    /// The positions of the features in pixels, in the order that the matches refer to.
    package var positions: [SIMD2<Float>]
    /// The image size and the initial intrinsics.
    package var guess: CameraGuess
    /// Photos with the same key and size share their intrinsics: one key per camera and zoom setting.
    package var groupKey: String

    package init(positions: [SIMD2<Float>], guess: CameraGuess, groupKey: String = "") {
        (self.positions, self.guess, self.groupKey) = (positions, guess, groupKey)
    }
}

/// The reasons for which mapping fails.
package enum MappingError: Error, Sendable, Equatable {
    case cancelled
    /// Inconsistent counts, or matches of features that do not exist.
    case invalidInput(String)
    /// No pair of photos has enough matches with a sufficient baseline.
    case noInitialPair
}

/// Standard deviations of known cameras, against deviations of features of one pixel in an image 1,000 pixels long.
package struct KnownCameraDeviation: Sendable, Equatable {
    /// The standard deviation of a camera's rotation, in radians. Default 1°.
    package var rotation = Double.pi / 180
    /// The standard deviation of a camera's position, as a share of its distance to the points that it observes. Default 0.02.
    package var position = 0.02
    /// The relative standard deviation of the focal length. Default 0.01. The principal point deviates by 0.3 of this share of the image
    /// size.
    package var focalLength = 0.01

    package init() {}
}

/// Estimates cameras and points from verified matches: incremental structure from motion.
package struct Mapper: Sendable {
    package struct Options: Sendable, Equatable {
        /// The richest lens model to fit. Default `brownConrady`: used if the photos determine its parameters, otherwise a simpler one. For
        /// fisheye lenses every model but `pinhole` and `equidistant` limits the number of coefficients in the same way.
        package var richestLens: LensModel = .brownConrady
        /// The largest reprojection error in the result, pixels. Default 2.
        package var maximumError = 2.0
        /// The smallest triangulation angle of a point, degrees. Default 1.5.
        package var minimumAngle = 1.5
        /// The fewest observed points of a registered photo. Default 15.
        package var minimumPoints = 15
        /// The uncertainty of known cameras: they are adjusted to the matches with these deviations as priors. Default nil: they are kept fixed.
        package var knownCameraDeviation: KnownCameraDeviation?
        /// Whether loops of photos are closed that accumulated errors left open. Default true.
        package var closesLoops = true

        package init() {}
    }

    package var options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Estimates the cameras of the photos and the points that they observe.
    ///
    /// - Parameters:
    ///   - graph: verified matches.
    ///   - photos: `graph.photoCount` photos.
    ///   - known: A known camera per photo, or empty. If every matched photo has one, only points are triangulated.
    ///   - submaps: Models of groups of the photos (`Submaps`), which are merged; the other photos are registered after that. Not used with known
    ///     cameras. Empty: all photos are registered one by one.
    ///   - parallel: the result does not depend on its number of threads.
    ///   - progress: Called with the completed fraction, 0…1, never decreasing.
    ///   - isCancelled: Called at least once a second; true makes the call throw `cancelled`.
    package func map(
        graph: MatchGraph, photos: [MapperPhoto], known: [PosedCamera?] = [], submaps: [SparseModel] = [], parallel: Parallel = Parallel(),
        progress: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws(MappingError) -> SparseModel {
        guard known.isEmpty || known.count == photos.count else {
            throw .invalidInput("\(known.count) known cameras for \(photos.count) photos")
        }
        for (photo, camera) in known.enumerated() where camera.map({ !$0.isUsable }) ?? false {
            throw .invalidInput("the camera given for photo \(photo) is not one")
        }
        let graph = StaticMatches.removed(from: graph, photos)
        let correspondences = try CorrespondenceGraph(graph, photos)
        let (lensOfPhoto, lenses) = lenses(photos, known)
        let empty = MapState(graph: correspondences, lensOfPhoto: lensOfPhoto, lenses: lenses, photos: photos)
        // A second initialization registers the first photos again: the reported progress never decreases.
        var reported = 0.0
        func report(_ fraction: Double) {
            reported = max(reported, fraction)
            progress(reported)
        }
        let mapping = IncrementalMapping(
            options: options, parallel: parallel, isCancelled: isCancelled,
            registered: { report(0.6 * Double($0) / Double(max(1, photos.count))) })

        let givenCount = known.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
        var state: MapState
        if givenCount > 1 {
            state = empty
            mapping.register(known, in: &state)
            mapping.grow(&state, allowed: photos.map { _ in true })
        } else {
            let merged = submaps.isEmpty ? nil : mapping.merge(submaps, empty: empty) { report(0.5 * $0) }
            guard let found = merged ?? MappingStart(graph: graph, empty: empty, mapping: mapping).best() else {
                throw isCancelled() ? .cancelled : .noInitialPair
            }
            state = found
            mapping.addParts(to: &state, graph: graph, empty: empty)
            mapping.growByRelativePoses(&state, graph: graph)
            if options.closesLoops { mapping.closeLoops(&state, graph: graph) }
        }
        if isCancelled() { throw .cancelled }
        mapping.finish(&state, progress: { report(0.6 + 0.4 * $0) })
        if isCancelled() { throw .cancelled }
        report(1)
        var model = state.model(options)
        if givenCount <= 1 {
            let shares = OpenPairs(state, graph, parallel).shares
            for photo in model.registered { model.fits[photo].contradictedShare = shares[photo] }
        }
        if givenCount == 1 { model.moveOnto(known) }
        return model
    }

    /// Returns one lens per group of photos with the same key and initial intrinsics, in the order of their first photos; given intrinsics
    /// are separate lenses, shared by photos with the same key and size.
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
            lensOfPhoto[index] = same ?? lens(key, nil, intrinsics, isFocalKnown: true, isHeld: options.knownCameraDeviation == nil)
            lenses[lensOfPhoto[index]].deviation = options.knownCameraDeviation?.focalLength
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
    /// Whether the rotation is orthonormal, all numbers are finite and the focal length is positive.
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
    /// Aligns the model with given cameras.
    mutating func moveOnto(_ known: [PosedCamera?]) {
        let both = cameras.indices.filter { cameras[$0] != nil && known[$0] != nil }
        let (own, given) = (both.map { cameras[$0]!.centerInWorld }, both.map { known[$0]!.centerInWorld })
        if let similarity = SimilarityTransform.aligning(own, to: given) {
            move(by: similarity)
        } else if let first = both.first {
            // Collinear centres leave a rotation undetermined: it follows from the first camera's axes.
            let spread = both.count > 1 ? length(given[1] - given[0]) / length(own[1] - own[0]) : 1
            let scale = spread.isFinite && spread > 0 ? spread : 1
            let rotation = known[first]!.cameraFromWorld.rotation.transpose * cameras[first]!.cameraFromWorld.rotation
            move(by: SimilarityTransform(scale: scale, rotation: rotation, translation: given[0] - rotation * own[0] * scale))
        }
    }
}
