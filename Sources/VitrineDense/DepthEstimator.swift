import VitrineMath
import VitrineVision

/// Known depths of a photo, for example from a depth sensor.
package struct DepthPrior: Sendable {
    /// The depths: z in the camera's frame, in the world's unit; 0 where unknown. A map of any size is stretched over the photo.
    package let depths: Plane<Float>

    package init(depths: Plane<Float>) { self.depths = depths }
}

/// Estimates the depth of each pixel of a photo from other photos of the same object.
///
/// There are two passes. `estimate` compares photos at a fraction of the full size, from coarse to fine. When all photos have a map,
/// `refineConsistently` refines a photo's map to full size with the consistency with its neighbours' maps. Each pass is a pure
/// function of its arguments, independent of the number of threads.
///
/// Method: PatchMatch stereo with checkerboard propagation, view selection per pixel and geometric consistency over an image pyramid
/// (Xu & Tao 2019, "Multi-Scale Geometric Consistency Guided Multi-View Stereo").
///
/// Does not estimate surfaces behind glass. Untextured or mirroring surfaces get the depth of their edges from a coarser level, or gaps.
package struct DepthEstimator: Sendable {
    package struct Options: Equatable, Sendable {
        /// The longer side of the final map at most, pixels, 64…3840; photos are never enlarged.
        package var maximumSide = 960
        /// The number of times that the size is halved for the first pass, 0…4.
        package var firstPassHalvings = 1
        /// The number of levels of the first pass, 1…6, each half the size of the next.
        package var levels = 3
        /// The number of sweeps at the coarsest level, which has a random initialization, 1…20.
        package var coarsestSweeps = 6
        /// The number of sweeps at each finer level of the first pass, 0…20.
        package var sweeps = 2
        /// The number of sweeps at each level of the second pass, 0…20.
        package var consistentSweeps = 2
        /// The number of sources that the cost of a pixel averages, 1…8.
        package var viewsPerPixel = 4
        /// The cost per pixel of deviation from a sensor's depth, in units of correlation, 0…1: small compared with texture, decisive without it.
        package var priorWeight: Float = 0.05
        /// The largest cost of a pixel with a depth: 1 − normalized cross-correlation, 0…2.
        package var maximumCost: Float = 1.3
        /// The smallest number of pixels of a connected component; smaller ones are removed.
        package var smallestIsland = 50

        package init() {}

        /// Options for depth maps of about half the size of a photo of 1 megapixel.
        package static let preview: Options = {
            var options = Options()
            options.maximumSide = 640
            return options
        }()
        package static let reduced = Options()
        package static let medium: Options = {
            var options = Options()
            options.maximumSide = 1280
            options.consistentSweeps = 3
            return options
        }()
        package static let full: Options = {
            var options = Options()
            (options.maximumSide, options.firstPassHalvings, options.levels, options.consistentSweeps) = (1920, 2, 3, 3)
            return options
        }()

        func validate() throws(DenseError) {
            func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(DenseError) {
                guard range.contains(value) else {
                    throw .option("\(name) is \(value), must be \(range.lowerBound)…\(range.upperBound)")
                }
            }
            try check("maximumSide", maximumSide, 64...3840)
            try check("firstPassHalvings", firstPassHalvings, 0...4)
            try check("levels", levels, 1...6)
            try check("coarsestSweeps", coarsestSweeps, 1...20)
            try check("sweeps", sweeps, 0...20)
            try check("consistentSweeps", consistentSweeps, 0...20)
            try check("viewsPerPixel", viewsPerPixel, 1...8)
            guard maximumCost > 0, maximumCost <= 2 else { throw .option("maximumCost is \(maximumCost), must be 0…2") }
        }
    }

    package let options: Options
    private let sweepRunner: any SweepRunner
    /// The largest number of sources; more are ignored.
    package static let maximumSources = 16

    /// - Parameter sweepRunner: Another device for the sweeps; nil: the processor.
    package init(options: Options = Options(), sweepRunner: (any SweepRunner)? = nil) {
        (self.options, self.sweepRunner) = (options, sweepRunner ?? ProcessorSweepRunner())
    }

    /// Estimates the map of the first pass, at `maximumSide` halved `firstPassHalvings` times.
    ///
    /// - Parameters:
    ///   - sources: The source photos, the best first.
    ///   - priorDepth: A sensor's depth, which initializes the search; nil without a sensor.
    /// - Throws: `DenseError`, `CancellationError`.
    package func estimate(
        reference: PhotoView, sources: [PhotoView], priorDepth: DepthPrior? = nil, in context: StageContext = StageContext()
    ) throws -> DepthMap {
        let last = options.firstPassHalvings
        let pyramids = try prepare(reference, sources, levels: last + options.levels, context.parallel)
        var level: StereoLevel?
        for index in stride(from: last + options.levels - 1, through: last, by: -1) {
            let next = makeLevel(pyramids, index, reference)
            if let priorDepth { next.expect(priorDepth, weight: options.priorWeight) }
            if let level { next.start(from: level) } else if let priorDepth { next.start(from: priorDepth) }
            let isCoarsest = level == nil
            if isCoarsest { next.solver.fillAtRandom() } else { try next.bendPatches(after: level, in: context) }
            let sweeps = (0..<(isCoarsest ? options.coarsestSweeps : options.sweeps)).map { number in
                isCoarsest ? Sweep.coarsest(number, from: index * 100) : Sweep.finer(number, from: index * 100)
            }
            try sweepRunner.run(sweeps, on: next, in: context)
            level = next
        }
        guard let level else { throw DenseError.option("levels is \(options.levels)") }
        return level.map(photo: reference.photo, options: options)
    }

    /// Estimates the map of the second pass, at full size and consistent with the neighbours' maps.
    ///
    /// - Parameters:
    ///   - map: The reference's map, of the first pass or of this pass.
    ///   - sources: The source photos with their maps, all of one pass; nil for a photo without a map.
    /// - Throws: `DenseError`, `CancellationError`.
    package func refineConsistently(
        reference: PhotoView, map: DepthMap, sources: [(view: PhotoView, map: DepthMap?)], priorDepth: DepthPrior? = nil,
        in context: StageContext = StageContext()
    ) throws -> DepthMap {
        let sources = Array(sources.prefix(DepthEstimator.maximumSources))
        let pyramids = try prepare(reference, sources.map(\.view), levels: options.firstPassHalvings + 1, context.parallel)
        guard let from = pyramids[0].firstIndex(where: { $0.image.width == map.width && $0.image.height == map.height }) else {
            throw DenseError.malformedMap("\(map.width) × \(map.height) pixels are not a level of photo \(reference.photo)")
        }
        let maps = sources.map(\.map)
        var level = makeLevel(pyramids, from, reference, maps: maps)
        if let priorDepth { level.expect(priorDepth, weight: options.priorWeight) }
        level.start(from: map)
        level.solver.fillAtRandom()
        for index in stride(from: from, through: 0, by: -1) {
            var coarse: StereoLevel?
            if index < from {
                let next = makeLevel(pyramids, index, reference, maps: maps)
                if let priorDepth { next.expect(priorDepth, weight: options.priorWeight) }
                next.start(from: level)
                next.solver.fillAtRandom()
                (coarse, level) = (level, next)
            }
            try level.bendPatches(after: coarse, in: context)
            let sweeps = (0..<options.consistentSweeps).map { Sweep.finer($0, from: 1000 + index * 100) }
            try sweepRunner.run(sweeps, on: level, in: context)
        }
        return level.map(photo: reference.photo, options: options)
    }

    /// Checks the reference and the sources and builds their pyramids.
    private func prepare(_ reference: PhotoView, _ sources: [PhotoView], levels: Int, _ parallel: Parallel) throws -> [[LeveledPhoto]] {
        try options.validate()
        guard !sources.isEmpty else { throw DenseError.noSources(photo: reference.photo) }
        let views = [reference] + sources.prefix(DepthEstimator.maximumSources)
        for view in views { try view.validate() }
        return parallel.map(views.count) { LeveledPhoto.pyramid(views[$0], maximumSide: options.maximumSide, levels: levels) }
    }

    private func makeLevel(_ pyramids: [[LeveledPhoto]], _ index: Int, _ reference: PhotoView, maps: [DepthMap?] = []) -> StereoLevel {
        StereoLevel(
            reference: pyramids[0][index], sources: pyramids.dropFirst().map { $0[index] }, mask: reference.mask,
            depths: reference.depthRange,
            viewsPerPixel: options.viewsPerPixel, seed: reference.photo, maps: maps)
    }
}

extension PhotoView {
    /// Checks the sizes and the numbers of the view.
    ///
    /// - Throws: `DenseError.malformedView`.
    func validate() throws(DenseError) {
        let intrinsics = camera.intrinsics
        func fail(_ reason: String) throws(DenseError) { throw .malformedView(photo: photo, reason) }
        if color.width != intrinsics.width || color.height != intrinsics.height { try fail("its size is not its camera's") }
        if color.width < 16 || color.height < 16 { try fail("\(color.width) × \(color.height) pixels are too few") }
        if intrinsics.isDistorted { try fail("its lens distortion has not been taken out") }
        if let mask, mask.width < 1 || mask.height < 1 { try fail("its mask is empty") }
        let numbers = [
            intrinsics.focal.x, intrinsics.focal.y, intrinsics.center.x, intrinsics.center.y, camera.cameraFromWorld.translation.sum(),
            camera.cameraFromWorld.rotation.x.sum(), camera.cameraFromWorld.rotation.y.sum(), camera.cameraFromWorld.rotation.z.sum(),
        ]
        if !numbers.allSatisfy(\.isFinite) || intrinsics.focal.x <= 0 || intrinsics.focal.y <= 0 { try fail("its camera is not finite") }
        if !(depthRange.lowerBound > 0) || !depthRange.upperBound.isFinite { try fail("its depths \(depthRange) are not positive") }
    }
}
