import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineVision

extension ReconstructionWorker {
    /// Measures depth in every photo, and joins the maps.
    func measureDepth(_ alignment: Alignment, photos store: PhotoStore) throws -> OrientedPoints {
        let stereo = try StereoSet(alignment, store: store, dimension: memory.depthDimension, cacheBytes: memory.viewBytes)
        guard stereo.photos.count >= 2 else {
            throw ReconstructionError.noSurface("only \(stereo.photos.count) photos see enough of the object")
        }
        let maps = try step(.depth) { progress in try measureMaps(stereo, progress: progress) }
        let points = try step(.fusion) { progress in try fuse(stereo, maps: maps, bounds: alignment.searchBounds, progress: progress) }
        for (index, photo) in stereo.photos.enumerated() { record(alignment.photos[photo].id) { $0.depthCoverage = maps[index].coverage } }
        summary.densePoints = points.count
        publish()
        guard points.count >= 500 else {
            throw ReconstructionError.noSurface(
                "the photos agree on only \(points.count) points: the object may be too plain, shiny or moving, or its photos too far apart"
            )
        }
        return points
    }

    /// What a map of a checkpoint is known by, and what was found of it.
    struct MeasuredMap { let key: Digest, name: String, coverage: Double }

    private func measureMaps(_ stereo: StereoSet, progress: @Sendable (Double) -> Void) throws -> [MeasuredMap] {
        let options = depthOptions(stereo.dimension)
        let estimator = DepthEstimator(options: options)
        let cancellation = self.cancellation
        let count = Double(stereo.photos.count)
        // The first pass looks at a part of the size, and takes a part of the time: measured.
        let firstShare = options.firstPassHalvings > 1 ? 0.1 : 0.23
        var first: [MeasuredMap] = []
        for index in stereo.photos.indices {
            try cancellation.check()
            progress(firstShare * Double(index) / count)
            let key = stereo.key("depth", index, options: "\(options)", parts: stereo.sources[index].map { stereo.viewKeys[$0] })
            first.append(
                try map("depth-first-\(stereo.photos[index])", key: key) {
                    try estimator.estimate(
                        reference: try stereo.view(index), sources: try stereo.sources[index].map { try stereo.view($0) },
                        priorDepth: try stereo.prior(index), parallel: parallel, isCancelled: { cancellation.isRaised })
                })
        }
        var second: [MeasuredMap] = []
        for index in stereo.photos.indices {
            try cancellation.check()
            progress(firstShare + (1 - firstShare) * Double(index) / count)
            let key = stereo.key(
                "consistent", index, options: "\(options)", parts: [first[index].key] + stereo.sources[index].map { first[$0].key })
            second.append(
                try map("depth-\(stereo.photos[index])", key: key) {
                    let sources = try stereo.sources[index].map { (view: try stereo.view($0), map: try loadMap(first[$0])) }
                    guard let own = try loadMap(first[index]) else { throw DamagedCheckpoint() }
                    return try estimator.refineConsistently(
                        reference: try stereo.view(index), map: own, sources: sources, priorDepth: try stereo.prior(index),
                        parallel: parallel, isCancelled: { cancellation.isRaised })
                })
        }
        return second
    }

    private func depthOptions(_ dimension: Int) -> DepthEstimator.Options {
        var options: DepthEstimator.Options =
            dimension <= 800 ? .preview : dimension <= 1_100 ? .reduced : dimension <= 1_600 ? .medium : .full
        options.maximumSide = min(3_840, dimension)
        return options
    }

    private func map(_ name: String, key: Digest, _ body: () throws -> DepthMap) throws -> MeasuredMap {
        if let payload = store.payload(name, key: key), let map = try? DepthMap(decoding: payload) {
            stepWasRestored = true
            return MeasuredMap(key: key, name: name, coverage: map.coverage)
        }
        let map = try body()
        try cancellation.check()
        try store.save(payload: map.encoded(), as: name, key: key)
        return MeasuredMap(key: key, name: name, coverage: map.coverage)
    }

    private func loadMap(_ measured: MeasuredMap) throws -> DepthMap? {
        guard let payload = store.payload(measured.name, key: measured.key) else { return nil }
        return try DepthMap(decoding: payload)
    }

    private func fuse(
        _ stereo: StereoSet, maps: [MeasuredMap], bounds: OrientedBox?, progress: @Sendable (Double) -> Void
    ) throws -> OrientedPoints {
        var options = DepthFusion.Options()
        options.bounds = bounds
        // Two photos can't make three agree.
        options.minimumViews = min(options.minimumViews, max(2, stereo.photos.count - 1))
        options.memory = memory.fusionBytes
        let key = Digest { hasher in
            hasher.combine("fusion")
            hasher.combine("\(options.minimumViews) \(String(describing: bounds))")
            for map in maps { hasher.combine(map.key) }
            for sources in stereo.sources { hasher.combine("\(sources)") }
        }
        let cancellation = self.cancellation
        return try restored("points", key: key) {
            try DepthFusion(options: options).fuse(
                count: maps.count, sources: stereo.sources, map: { try self.loadMap(maps[$0]) }, view: { try stereo.view($0) },
                parallel: parallel, progress: progress, isCancelled: { cancellation.isRaised })
        }
    }
}

extension PhotogrammetrySession.PointCloud {
    init(_ points: OrientedPoints) {
        self.init(points: zip(points.positions, points.colors).map { Point(position: $0, color: $1) })
    }

    /// Every n-th point, at most `count`.
    func sample(_ count: Int) -> [Point] {
        let stride = max(1, (points.count + count - 1) / max(1, count))
        return Swift.stride(from: 0, to: points.count, by: stride).map { points[$0] }
    }
}
