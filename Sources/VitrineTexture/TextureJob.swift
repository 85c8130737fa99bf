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
        let plan = try plan(&clock)
        let tools = try tools(plan, detailed)
        clock.lap("rays")
        context.report(0.6)
        let page = try paint(0..<options.textureSize, plan, tools, &clock, context.part(from: 0.6, to: 0.95))
        var textured = finish(page, plan, tools.textured)
        clock.lap("surroundings")
        textured.statistics.seconds = clock.laps
        context.report(1)
        return textured
    }

    /// Rows of the texture.
    func page(_ rows: Range<Int>, of plan: TexturePlan, detailed: TriangleMesh?) throws(TextureError) -> TexturePage {
        var clock = StepClock()
        return try paint(rows, plan, try tools(plan, detailed), &clock, context)
    }

    /// The textured mesh of all rows.
    func mesh(_ page: consuming TexturePage, of plan: TexturePlan) -> TexturedMesh { finish(page, plan, geometry(plan.atlas)) }

    /// The charts, the photos of each triangle, and the values at vertices.
    func plan(_ clock: inout StepClock) throws(TextureError) -> TexturePlan {
        context.report(0)
        let atlas = try layOut(&clock)
        let selection = try select(atlas, &clock, context.part(from: 0.2, to: 0.4))
        var plan = selection.plan
        if options.maps.contains(.occlusion) || options.removesShading {
            plan.occlusion = VertexOcclusion.bake(surface, normals: surface.vertexNormals(), context.parallel)
        }
        if options.removesShading { light(&plan, selection.directions) }
        if !options.maps.contains(.occlusion) { plan.occlusion = [] }
        if options.maps.contains(.roughness) { plan.roughness = RoughnessEstimate.vertices(surface, plan.candidates) }
        return plan
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

    /// Selects the photo of each triangle.
    ///
    /// - Returns: A plan without values at vertices, and by view the camera's direction in the world.
    private func select(
        _ atlas: Atlas, _ clock: inout StepClock, _ context: StageContext
    ) throws(TextureError) -> (plan: TexturePlan, directions: [Vector3]) {
        var statistics = TextureStatistics()
        (statistics.chartCount, statistics.texelDensity, statistics.meanStretch) = (atlas.chartCount, atlas.density, atlas.meanStretch)
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
        let plan = TexturePlan(
            atlas: atlas, candidates: candidates, labels: labels, gains: gains, sharpness: sharpness, used: used, statistics: statistics)
        return (plan, directions)
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
    private func geometry(_ atlas: Atlas) -> TexturedMesh {
        let normals = surface.vertexNormals()
        var textured = TexturedMesh(
            positions: atlas.sources.map { surface.positions[Int($0)] }, normals: atlas.sources.map { normals[Int($0)] }, tangents: nil,
            textureCoordinates: atlas.textureCoordinates, triangles: atlas.triangles.map { SIMD3<UInt32>(truncatingIfNeeded: $0) },
            baseColor: ColorPlane(width: 0, height: 0, values: []), statistics: TextureStatistics())
        if options.maps.contains(.normal) { textured.tangents = textured.mikkTangents() }
        return textured
    }

    /// The light in the photos, by vertex; unchanged if the colours do not determine it.
    private func light(_ plan: inout TexturePlan, _ directions: [Vector3]) {
        let normals = surface.vertexNormals()
        let fit = ShadingFit(surface, plan.candidates, normals: normals, visibility: plan.occlusion, directions: directions)
        guard var estimate = fit.estimate() else { return }
        plan.light = estimate.vertexLight(
            surface, normals: normals, visibility: plan.occlusion, weights: weights(plan), views: plan.used, directions: directions)
        plan.statistics.shading = estimate
    }

    private func weights(_ plan: TexturePlan) -> BlendWeights {
        BlendWeights(surface, plan.candidates, labels: plan.labels, sharpness: plan.sharpness)
    }
}

extension TextureJob {
    /// What painting needs beside the plan.
    private struct Tools {
        let weights: BlendWeights
        let baker: MapBaker
        /// Without textures.
        let textured: TexturedMesh
    }

    private func tools(_ plan: TexturePlan, _ detailed: TriangleMesh?) throws(TextureError) -> Tools {
        let textured = geometry(plan.atlas)
        let wantsDetail = options.maps.contains(.normal) || options.maps.contains(.displacement)
        var detail: DetailSurface?
        if wantsDetail, let detailed { detail = try DetailSurface(detailed) }
        if context.isCancelled { throw .cancelled }
        let baker = MapBaker(
            surface: surface, atlas: plan.atlas, normals: textured.normals, tangents: textured.tangents ?? [], detail: detail,
            occlusion: plan.occlusion, roughness: plan.roughness, light: plan.light, maps: options.maps)
        return Tools(weights: weights(plan), baker: baker, textured: textured)
    }

    private struct Paint: Sendable {
        let view: PreparedView
        let bands: BandPlanes
        let weights: [Vector2]
    }

    private func paint(
        _ rows: Range<Int>, _ plan: TexturePlan, _ tools: Tools, _ clock: inout StepClock, _ context: StageContext
    ) throws(TextureError) -> TexturePage {
        let (size, atlas, gains, used) = (options.textureSize, plan.atlas, plan.gains, plan.used)
        let (weights, baker, surface) = (tools.weights, tools.baker, surface)
        let fill = weights.fillColors()
        var page = TexturePage(rows: rows, width: size, maps: options.maps, heightUnit: baker.detail?.heightUnit)
        var bakeTime = 0.0
        let bandRows = max(64, min(size, options.bandTexels / size))
        for first in stride(from: rows.lowerBound, to: rows.upperBound, by: bandRows) {
            let runs = TexelRuns(atlas, rows: first..<min(rows.upperBound, first + bandRows), pageRow: rows.lowerBound)
            page.isOwned += runs.isOwned
            page.coveredCount += runs.coveredCount
            let canvas = BandCanvas(runs, atlas, surface, fill: fill)
            func report(_ share: Double) {
                context.report((Double(first - rows.lowerBound) + share * Double(runs.rows.count)) / Double(rows.count))
            }
            @Sendable func prepare(_ view: Int, _ prepared: PreparedView) -> Paint {
                Paint(view: prepared, bands: BandPlanes(prepared, gain: gains[view], step: 4), weights: weights.weights(of: view))
            }
            // In a large scene, each photo shows a small part of the surface, and most bands have nothing of it.
            let paints = context.parallel.map(used.count) { runs.arePainted(by: weights.weights(of: used[$0]), on: surface) }
            let views = zip(used, paints).filter(\.1).map(\.0)
            try forEachView(views, atlas, report, prepare) { _, paint in
                canvas.add(paint.view, paint.bands, weights: paint.weights, context.parallel)
            }
            page.color.withUnsafeMutableBufferPointer { canvas.finish(into: $0, context.parallel) }
            let start = ContinuousClock.now
            baker.divideByLight(runs, &page.color, context.parallel)
            baker.bake(runs, into: &page, context.parallel)
            bakeTime += StepClock.seconds(from: start)
        }
        clock.lap("painting")
        clock.move(bakeTime, to: "baking")
        return page
    }

    /// Fills the space between the charts, and adds the textures to the mesh.
    private func finish(_ page: consuming TexturePage, _ plan: TexturePlan, _ geometry: TexturedMesh) -> TexturedMesh {
        let size = options.textureSize
        let isOwned = page.isOwned
        var textured = geometry
        textured.statistics = plan.statistics
        textured.statistics.fill = Float(page.coveredCount) / Float(size * size)
        PushPull.fill(&page.color, channels: 3, width: size, isKnown: isOwned, context.parallel)
        textured.baseColor = ColorPlane(width: size, height: size, values: page.color)
        page.color = []
        if options.maps.contains(.normal) {
            PushPull.fill(&page.normal, channels: 3, width: size, isKnown: isOwned, context.parallel)
            textured.normalMap = ColorPlane(width: size, height: size, values: page.normal)
        }
        if options.maps.contains(.occlusion) {
            PushPull.fill(&page.occlusion, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.occlusion = Plane(width: size, height: size, values: page.occlusion)
        }
        if options.maps.contains(.roughness) {
            PushPull.fill(&page.roughness, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.roughness = Plane(width: size, height: size, values: page.roughness)
        }
        if options.maps.contains(.displacement) {
            PushPull.fill(&page.heights, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.displacement = DisplacementMap(page.heights, size: size, unit: page.heightUnit ?? 0)
        }
        return textured
    }
}
