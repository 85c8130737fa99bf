import VitrineFiles
import VitrineMath
import VitrineTexture
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the requested models from the points: surface, texture, file.
struct ModelMaker {
    /// A request for a model with its limits.
    struct Order {
        let index: Int
        let detail: PhotogrammetrySession.Request.Detail
        let limits: DetailLimits
        let geometry: PhotogrammetrySession.Request.Geometry?
    }

    private let job: ReconstructionJob
    private let record: RunRecord
    private let requests: RequestQueue
    private let runner: StepRunner

    private var configuration: PhotogrammetrySession.Configuration { job.configuration }

    init(job: ReconstructionJob, record: RunRecord, requests: RequestQueue, runner: StepRunner) {
        (self.job, self.record, self.requests, self.runner) = (job, record, requests, runner)
    }

    /// Creates the requested models one after the other; a failure of one does not stop the others.
    func makeAll(
        _ alignment: PhotoAlignment, _ points: Artifact<OrientedPoints>, _ scene: SettledScene, _ views: ViewPlan, _ memory: MemoryPlan
    ) throws {
        for group in job.modelGroups {
            let orders = group.filter { requests.isWaiting($0) }.compactMap { order($0) }
            guard let first = orders.first else { continue }
            do {
                let surface = try surface(first, alignment, points, scene)
                let (mesh, comparison) = try texture(first, surface, scene, views, memory)
                for order in orders { try deliverOrFail(mesh, order, comparison, viewCount: alignment.placed.model.registered.count) }
            } catch {
                if job.cancellation.isRaised { throw CancellationError() }
                for order in orders where requests.isWaiting(order.index) { requests.fail(order.index, error) }
            }
        }
    }

    /// The request at an index with its limits; nil if it is not for a model.
    func order(_ index: Int) -> Order? {
        let request = job.requests[index]
        guard let detail = request.detail else { return nil }
        let limits = DetailLimits.limits(of: detail, custom: configuration.customDetailSpecification)
        return Order(index: index, detail: detail, limits: limits, geometry: request.geometry)
    }

    func surface(
        _ order: Order, _ alignment: PhotoAlignment, _ points: Artifact<OrientedPoints>, _ scene: SettledScene
    ) throws -> Artifact<SurfaceMeshes> {
        let (object, given) = (alignment.placement.object, order.geometry?.orientedBounds)
        let noise = scene.isSupportDense ? Float(DenseSupportPlane.noise(in: scene.aligned.objectBox)) : nil
        let input = SurfaceStage.Input(
            detail: order.detail.rawValue, points: points, modelFromPlaced: scene.modelFromPlaced, cameras: scene.aligned.model.cameras,
            bounds: given.map { OrientedBox($0) } ?? scene.aligned.bounds, supportPlane: scene.aligned.supportPlane,
            maximumTriangles: order.limits.triangles, maximumDepth: order.detail == .raw ? 11 : 10,
            // The box around a free-standing object has a margin: closed holes of the surface may reach beyond it.
            cutsAtBounds: given != nil || object.subject != .object, outlineRadius: object.outlineRadius,
            standsOnBottom: object.standsOnBottom && given == nil && scene.modelFromPlaced != nil, observesGround: object.observesGround,
            supportNoise: noise)
        let surface = try runner.run(
            SurfaceStage.self, input, as: .surface(order.index), name: "surface, \(order.detail.rawValue)")
        for warning in surface.warnings { record.warn(warning) }
        return SurfaceStage.artifact(for: input)
    }

    private func texture(
        _ order: Order, _ surface: Artifact<SurfaceMeshes>, _ scene: SettledScene, _ views: ViewPlan, _ memory: MemoryPlan
    ) throws -> (mesh: TexturedMesh, comparison: PhotoComparison) {
        let input = textureInput(order, surface, scene, views, memory)
        let output = try runner.run(TextureStage.self, input, as: .texture(order.index), name: "texture, \(order.detail.rawValue)")
        for warning in output.warnings { record.warn(warning) }
        warn(output.comparison, input)
        return (output.mesh, output.comparison)
    }

    func textureInput(
        _ order: Order, _ surface: Artifact<SurfaceMeshes>, _ scene: SettledScene, _ views: ViewPlan, _ memory: MemoryPlan
    ) -> TextureStage.Input {
        TextureStage.Input(
            detail: order.detail.rawValue, surface: surface, views: views.textureViews(scene.aligned, limits: order.limits),
            textureSize: order.limits.textureDimension, maps: order.limits.textureMaps.rawValue,
            removesShading: configuration.isDelightingEnabled, cacheBytes: memory.textureBytes)
    }

    /// Warns if many photos show something else where the model is.
    private func warn(_ comparison: PhotoComparison, _ input: TextureStage.Input) {
        guard comparison.isContradiction else { return }
        func name(_ view: Int) -> String { input.views[safe: view]?.view.photo.name ?? "" }
        let contradicting = comparison.contradicting
        let share = "\(contradicting.count) of \(comparison.views.count) compared photos"
        if let moved = comparison.moved, let first = moved.first {
            record.warn(
                "The photos contradict each other: \(share) show the object elsewhere or turned, \(name(first)) first. Was it moved between the "
                    + "photos? The model mixes both positions: reconstruct the photos before and after apart.")
        } else {
            let names = contradicting.prefix(6).map(name).joined(separator: ", ") + (contradicting.count > 6 ? " …" : "")
            record.warn(
                "The photos contradict each other: \(share) (\(names)) show something else where the model is. The object may have moved, or "
                    + "their cameras are wrong.")
        }
    }

    private func deliverOrFail(_ mesh: TexturedMesh, _ order: Order, _ comparison: PhotoComparison, viewCount: Int) throws {
        do {
            try deliver(mesh, order, comparison, viewCount: viewCount)
        } catch {
            if job.cancellation.isRaised { throw CancellationError() }
            requests.fail(order.index, error)
        }
    }

    private func deliver(_ mesh: TexturedMesh, _ order: Order, _ comparison: PhotoComparison, viewCount: Int) throws {
        var url: URL?
        if case .modelFile(let file, _, _) = job.requests[order.index] { url = file }
        let entity = PhotogrammetrySession.ModelEntity(
            mesh: mesh, transform: order.geometry?.transform ?? .identity,
            name: url?.deletingPathExtension().lastPathComponent ?? "model")
        if let url { try write(entity, to: url, order) }
        var model = ReconstructionSummary.Model(detail: order.detail, url: url)
        (model.triangles, model.vertices) = (mesh.triangles.count, mesh.positions.count)
        (model.textureDimension, model.unseenShare) = (mesh.baseColor.width, Double(mesh.statistics.unseenShare))
        model.texelDensity = Double(mesh.statistics.texelDensity)
        model.contradictingPhotos = comparison.contradicting.count * viewCount / max(1, comparison.views.count)
        model.photoAgreements = comparison.agreements.map(Double.init)
        model.removedShading = mesh.statistics.shading.map { .init($0) }
        if configuration.isDelightingEnabled, model.removedShading == nil {
            record.warn("The \(order.detail.rawValue) model keeps the photos' shading: the light could not be estimated from its colours")
        }
        record.update { $0.models.append(model) }
        if model.unseenShare > 0.1 {
            let percent = Int((model.unseenShare * 100).rounded())
            record.warn("\(percent) % of the \(order.detail.rawValue) model's surface is in no photo: its colour is interpolated")
        }
        requests.complete(order.index, url.map { .modelFile($0) } ?? .modelEntity(entity))
    }

    private func write(_ entity: PhotogrammetrySession.ModelEntity, to url: URL, _ order: Order) throws {
        try runner.step(.write(order.index), name: "writing, \(order.detail.rawValue)") { context, _ in
            var options = ModelWriteOptions()
            if entity.mesh.statistics.shading != nil { options.estimates = ["baseColor"] }
            switch order.limits.textureFormat {
            case .png: options.textureFormat = .png
            case .jpeg(let quality): options.textureFormat = .jpeg(quality: max(1, min(100, Int((quality * 100).rounded()))))
            }
            for warning in try ModelFile.write(try entity.makeScene(), to: url, options: options) {
                context.warn("\(url.lastPathComponent): \(warning)")
            }
        }
    }
}
