import VitrineMath
import VitrineVision

/// One run of a `TextureBuilder`.
struct TextureJob {
    private let options: TextureBuilder.Options
    private let surface: SurfaceTopology
    private let photos: PhotoViewSource
    private let context: StageContext
    private let cache: PreparedViewCache

    init(
        _ options: TextureBuilder.Options, _ mesh: TriangleMesh, _ photos: PhotoViewSource, _ context: StageContext
    ) throws(TextureError) {
        (self.options, self.photos, self.context) = (options, photos, context)
        surface = try SurfaceTopology(mesh)
        cache = PreparedViewCache(budget: options.cacheBytes)
    }

    func run(detailed: TriangleMesh?) throws(TextureError) -> TexturedMesh {
        var clock = StepClock()
        context.report(0)
        let atlas = try layOut(&clock)
        var statistics = TextureStatistics()
        (statistics.chartCount, statistics.texelDensity, statistics.meanStretch) = (atlas.chartCount, atlas.density, atlas.meanStretch)
        let selection = try select(atlas, &statistics, &clock, context.part(from: 0.2, to: 0.4))
        var textured = try geometry(atlas)
        let baker = try baker(for: textured, atlas, selection, detailed, &statistics)
        clock.lap("rays")
        context.report(0.6)
        let painted = try paint(atlas, selection, baker, &statistics, &clock, context.part(from: 0.6, to: 0.95))
        finish(painted, &textured)
        clock.lap("surroundings")
        (textured.statistics, textured.statistics.seconds) = (statistics, clock.laps)
        context.report(1)
        return textured
    }

    // MARK: Charts

    private func layOut(_ clock: inout StepClock) throws(TextureError) -> Atlas {
        let charts = try ChartBuilder(surface).charts(in: context)
        clock.lap("charts")
        context.report(0.1)
        let packing = try ChartPacking(charts: charts, size: options.textureSize, padding: options.padding)
            .pack(in: context)
        clock.lap("packing")
        context.report(0.2)
        return Atlas(charts, packing, surface, size: options.textureSize)
    }

    // MARK: Photos

    /// The photo of each triangle, and the gain of each photo.
    private struct Selection {
        var weights: BlendWeights
        var gains: [Vector3]
        var used: [Int]
        /// By view: the camera's direction in the world.
        var directions: [Vector3]
    }

    private func select(
        _ atlas: Atlas, _ statistics: inout TextureStatistics, _ clock: inout StepClock, _ context: StageContext
    ) throws(TextureError) -> Selection {
        var candidates = ViewCandidates(triangleCount: surface.triangleCount)
        let sampler = ViewSampler(surface: surface)
        var used: [Int] = []
        var directions = [Vector3](repeating: .zero, count: photos.count)
        try forEachView(Array(0..<photos.count), atlas, context.report) { view, prepared in
            (sampler.samples(prepared), prepared.direction)
        } body: { view, result in
            guard result.0.contains(where: { $0.quality > 0 }) else { return }
            used.append(view)
            directions[view] = result.1
            candidates.add(result.0, view: view)
        }
        guard !used.isEmpty else { throw .noPhotos }
        clock.lap("visibility")
        statistics.unusedPhotos = (0..<photos.count).filter { !used.contains($0) }
        var gains = [Vector3](repeating: Vector3(repeating: 1), count: photos.count)
        if options.compensatesExposure {
            gains = PhotoGains.estimate(candidates, viewCount: photos.count)
            candidates.apply(gains: gains)
        }
        let sharpness = candidates.sharpness(viewCount: photos.count)
        candidates.markOutliers()
        clock.lap("colours")
        let labels = PottsLabeling.labels(surface, candidates, sharpness: sharpness)
        clock.lap("selection")
        (statistics.photoGains, statistics.photoSharpness) = (gains, sharpness)
        count(labels, candidates, &statistics)
        return Selection(
            weights: BlendWeights(surface, candidates, labels: labels, sharpness: sharpness), gains: gains, used: used,
            directions: directions)
    }

    private func count(_ labels: [Int32], _ candidates: ViewCandidates, _ statistics: inout TextureStatistics) {
        var shares = [Float](repeating: 0, count: photos.count)
        var observedArea: Float = 0
        for (number, label) in labels.enumerated() where label >= 0 {
            shares[Int(candidates.entries[Int(label)].view)] += surface.areas[number]
            observedArea += surface.areas[number]
        }
        statistics.photoShares = shares.map { $0 / max(observedArea, 1e-30) }
        statistics.unseenShare = max(0, 1 - observedArea / surface.totalArea)
    }

    /// Loads and processes as many photos at a time as there are threads; `body` receives the results in order.
    private func forEachView<Result: Sendable>(
        _ views: [Int], _ atlas: Atlas, _ progress: (Double) -> Void, _ work: @Sendable (Int, PreparedView) -> Result,
        body: (Int, Result) -> Void
    ) throws(TextureError) {
        var done = 0
        while done < views.count {
            if context.isCancelled { throw .cancelled }
            let batch = Array(views[done..<min(views.count, done + context.parallel.threads)])
            let (photos, surface, density, cache) = (photos, surface, atlas.density, cache)
            let results = context.parallel.map(batch.count) { index -> Result? in
                let prepared = cache.view(batch[index]) {
                    guard let photo = photos.load(batch[index]) else { return nil }
                    return PreparedView(photo, surface, reduction: TextureJob.reduction(photo, density))
                }
                return prepared.map { work(batch[index], $0) }
            }
            for (view, result) in zip(batch, results) { if let result { body(view, result) } }
            done += batch.count
            progress(Double(done) / Double(views.count))
        }
    }

    /// The factor by which a photo is reduced, so that its pixels are not much finer than texels and sampling skips none.
    static func reduction(_ photo: PhotoView, _ density: Float) -> Int {
        let middle = (photo.depthRange.lowerBound + photo.depthRange.upperBound) / 2
        let focal = Float(photo.camera.intrinsics.focal.x) * Float(photo.color.width) / Float(max(1, photo.camera.intrinsics.width))
        let pixelsPerTexel = focal / middle / density
        guard pixelsPerTexel.isFinite, pixelsPerTexel >= 1.6 else { return 1 }
        return max(1, min(8, Int(pixelsPerTexel + 0.4)))
    }

    // MARK: The mesh

    /// The mesh with split vertices, without textures.
    private func geometry(_ atlas: Atlas) throws(TextureError) -> TexturedMesh {
        let normals = surface.vertexNormals()
        var textured = TexturedMesh(
            positions: atlas.sources.map { surface.positions[Int($0)] }, normals: atlas.sources.map { normals[Int($0)] }, tangents: nil,
            textureCoordinates: atlas.textureCoordinates, triangles: atlas.triangles.map { SIMD3<UInt32>(truncatingIfNeeded: $0) },
            baseColor: ColorPlane(width: 0, height: 0, values: []), statistics: TextureStatistics())
        if options.maps.contains(.normal) { textured.tangents = textured.mikkTangents() }
        return textured
    }

    private func baker(
        for textured: TexturedMesh, _ atlas: Atlas, _ selection: Selection, _ detailed: TriangleMesh?, _ statistics: inout TextureStatistics
    ) throws(TextureError) -> MapBaker {
        let wantsDetail = options.maps.contains(.normal) || options.maps.contains(.displacement)
        var detail: DetailSurface?
        if wantsDetail, let detailed { detail = try DetailSurface(detailed) }
        if context.isCancelled { throw .cancelled }
        let wantsOcclusion = options.maps.contains(.occlusion) || options.removesShading
        let occlusion = wantsOcclusion ? VertexOcclusion.bake(surface, normals: surface.vertexNormals(), context.parallel) : []
        let light = options.removesShading ? light(selection, occlusion, &statistics) : []
        let roughness = options.maps.contains(.roughness) ? RoughnessEstimate.vertices(surface, selection.weights.candidates) : []
        return MapBaker(
            surface: surface, atlas: atlas, normals: textured.normals, tangents: textured.tangents ?? [], detail: detail,
            occlusion: options.maps.contains(.occlusion) ? occlusion : [], roughness: roughness, light: light, maps: options.maps)
    }

    /// The light in the photos, by vertex; empty if the colours do not determine it.
    private func light(_ selection: Selection, _ visibility: [Float], _ statistics: inout TextureStatistics) -> [Float] {
        let normals = surface.vertexNormals()
        let fit = ShadingFit(
            surface, selection.weights.candidates, normals: normals, visibility: visibility, directions: selection.directions)
        guard var estimate = fit.estimate() else { return [] }
        let light = estimate.vertexLight(
            surface, normals: normals, visibility: visibility, weights: selection.weights, views: selection.used,
            directions: selection.directions)
        statistics.shading = estimate
        return light
    }
}

extension TextureJob {
    /// The number of texels that are processed at a time.
    private static let bandTexels = 1 << 22

    private struct Paint: Sendable {
        let view: PreparedView
        let bands: BandPlanes
        let weights: [Vector2]
    }

    /// The textures, and the texels that belong to the surface.
    private struct Painting {
        var color: [UInt8]
        var planes: MapBaker.Planes
        var isOwned: [Bool] = []
        var heightUnit: Float?
    }

    private func paint(
        _ atlas: Atlas, _ selection: Selection, _ baker: MapBaker, _ statistics: inout TextureStatistics, _ clock: inout StepClock,
        _ context: StageContext
    ) throws(TextureError) -> Painting {
        let size = options.textureSize
        let fill = selection.weights.fillColors()
        var painting = Painting(
            color: Array(repeating: 0, count: size * size * 3), planes: MapBaker.Planes(size: size, maps: options.maps),
            heightUnit: baker.detail?.heightUnit)
        painting.isOwned.reserveCapacity(size * size)
        var bakeTime = 0.0
        var covered = 0
        let bandRows = max(64, min(size, Self.bandTexels / size))
        let (weights, gains) = (selection.weights, selection.gains)
        for first in stride(from: 0, to: size, by: bandRows) {
            let runs = TexelRuns(atlas, rows: first..<min(size, first + bandRows))
            painting.isOwned += runs.isOwned
            covered += runs.coveredCount
            let canvas = BandCanvas(runs, atlas, surface, fill: fill)
            func report(_ share: Double) { context.report((Double(first) + share * Double(bandRows)) / Double(size)) }
            @Sendable func prepare(_ view: Int, _ prepared: PreparedView) -> Paint {
                Paint(view: prepared, bands: BandPlanes(prepared, gain: gains[view], step: 4), weights: weights.weights(of: view))
            }
            try forEachView(selection.used, atlas, report, prepare) { _, paint in
                canvas.add(paint.view, paint.bands, weights: paint.weights, context.parallel)
            }
            painting.color.withUnsafeMutableBufferPointer { canvas.finish(into: $0, context.parallel) }
            let start = ContinuousClock.now
            baker.divideByLight(runs, &painting.color, context.parallel)
            baker.bake(runs, into: &painting.planes, context.parallel)
            bakeTime += StepClock.seconds(from: start)
        }
        statistics.fill = Float(covered) / Float(size * size)
        clock.lap("painting")
        clock.move(bakeTime, to: "baking")
        return painting
    }

    /// Fills the space between the charts, and adds the textures to the mesh.
    private func finish(_ painting: consuming Painting, _ textured: inout TexturedMesh) {
        let size = options.textureSize
        let isOwned = painting.isOwned
        PushPull.fill(&painting.color, channels: 3, width: size, isKnown: isOwned, context.parallel)
        textured.baseColor = ColorPlane(width: size, height: size, values: painting.color)
        painting.color = []
        if options.maps.contains(.normal) {
            PushPull.fill(&painting.planes.normal, channels: 3, width: size, isKnown: isOwned, context.parallel)
            textured.normalMap = ColorPlane(width: size, height: size, values: painting.planes.normal)
        }
        if options.maps.contains(.occlusion) {
            PushPull.fill(&painting.planes.occlusion, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.occlusion = Plane(width: size, height: size, values: painting.planes.occlusion)
        }
        if options.maps.contains(.roughness) {
            PushPull.fill(&painting.planes.roughness, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.roughness = Plane(width: size, height: size, values: painting.planes.roughness)
        }
        if options.maps.contains(.displacement) {
            PushPull.fill(&painting.planes.heights, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.displacement = DisplacementMap(painting.planes.heights, size: size, unit: painting.heightUnit ?? 0)
        }
    }
}
