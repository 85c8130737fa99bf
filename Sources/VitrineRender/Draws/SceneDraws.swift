import VitrineGPU
import VitrineMath
import VitrineScene

/// The draws of a scene: its draw list, culled for the current view, turned into commands with GPU resources.
///
/// One frame calls `update`, then `prepareBatches`, then the two functions that make draws.
final class SceneDraws {
    private(set) var list = DrawList()
    private(set) var visible = VisibleSet()
    private let resources: RenderResources
    /// A warm-up draws a single triangle of every draw.
    private let isWarmUp: Bool
    /// Other than `automatic` only in tests.
    var deferredChoice = DeferredShading.Choice.automatic
    /// The state of each batch; nil for batches that are neither visible nor cast shadows.
    private var batches: [Batch?] = []

    private struct Batch {
        let geometry: GPUGeometry
        let material: GPUMaterial
    }

    init(_ resources: RenderResources, isWarmUp: Bool) { (self.resources, self.isWarmUp) = (resources, isWarmUp) }

    /// Updates the draw list from the scene, whose transforms are up to date, and culls it.
    ///
    /// - Returns: Whether the draw list was rebuilt.
    func update(_ scene: Scene, _ frame: FrameView) -> Bool {
        let isNew = list.update(from: scene)
        visible.update(
            from: list, scene.store, clipFromWorld: frame.clipFromWorld, forward: frame.forward,
            layers: list.batches.map { $0.material.layer })
        return isNew
    }

    /// Releases the scene.
    func purge() { (list, batches) = (DrawList(), []) }

    /// Whether a visible part is a shadow receiver.
    var hasShadowReceivers: Bool { visible.draws.contains { list.batches[Int($0.batch)].material.isShadowReceiver } }

    /// Uploads geometries and materials that the frame needs.
    func prepareBatches(_ shadows: FrameShadows, _ options: RenderOptions) throws(RenderError) {
        batches = [Batch?](repeating: nil, count: list.batches.count)
        for index in visible.draws.map({ Int($0.batch) }) + shadows.set.draws.map({ Int($0.batch) }) where batches[index] == nil {
            let batch = list.batches[index]
            let material = try resources.materials.material(batch.material, anisotropy: options.anisotropy)
            let geometry = try resources.geometries.geometry(batch.geometry, normalMapSet: material.tangentSet)
            batches[index] = Batch(geometry: geometry, material: material)
        }
    }

    /// The geometry of each batch of the draw list; nil for batches that the frame does not need.
    var geometries: [GPUGeometry?] { batches.map { $0?.geometry } }

    /// The instance of each record; each deformed record has a separate one.
    func instances(of records: [UInt32], _ store: NodeStore) -> [UInt32] {
        guard !list.deformed.isEmpty else { return records.map { UInt32(list.slots[Int($0)]) } }
        var deformed: [Int: UInt32] = [:]
        for (index, entry) in list.deformed.enumerated() { deformed[entry.record] = UInt32(store.worldTransforms.count + index) }
        return records.map { deformed[Int($0)] ?? UInt32(list.slots[Int($0)]) }
    }

    /// A visible draw with its resources.
    private struct Part {
        let draw: VisibleSet.Draw
        let geometry: GPUGeometry
        let material: GPUMaterial
        let bindings: GPUBindGroup
        let key: PipelineKey
        let deferredKeys: (attributes: PipelineKey, shading: PipelineKey)?
        let isWireframe: Bool
        let level: GPUGeometry.Level?

        var deferredMaterial: DeferredShading.Material? {
            deferredKeys.map { DeferredShading.Material(bindings: ObjectIdentifier(bindings), shading: $0.shading) }
        }

        var triangleCount: Int { draw.count * (level.map { $0.elementCount / 3 } ?? geometry.triangleCount) }
    }

    /// The visible parts with elements, in the order of `VisibleSet`.
    private func parts(_ plan: FramePlan, _ frame: FrameView, _ detail: DetailLevel) -> [Part] {
        visible.draws.compactMap { draw in
            let batch = list.batches[Int(draw.batch)]
            guard let (geometry, material) = batches[Int(draw.batch)].map({ ($0.geometry, $0.material) }),
                geometry.elementCount > 0, let bindings = material.bindGroup
            else { return nil }
            let isWireframe = frame.options.debugView == .wireframe && geometry.primitive == .triangles
            var key = plan.key(batch.material, material, geometry, isBlended: draw.layer == .blended)
            key.isMirrored = draw.isMirrored
            if isWireframe { key.primitive = .lines }
            // llvmpipe chooses the anisotropic footprint for blocks of four pixels, which at edges belong to surfaces with other derivatives.
            let deferredKeys = material.filtersAnisotropically ? nil : plan.deferredKeys(key, material, draw.layer)
            let shown = visible.records[draw.first..<draw.first + draw.count]
            return Part(
                draw: draw, geometry: geometry, material: material, bindings: bindings, key: key,
                deferredKeys: deferredKeys, isWireframe: isWireframe,
                level: isWireframe ? nil : detail.level(of: geometry, shown: shown, list))
        }
    }

    /// Draws of the visible parts, in the order of `VisibleSet`, and the draw of the kept shadow if it is new.
    ///
    /// - Parameters:
    ///   - deformed: Deformed vertices by record.
    ///   - received: The shadow that a receiver reads from a texture.
    func sceneDraws(
        _ plan: FramePlan, _ frame: FrameView, deformed: [Int: GPUBuffer], received: ReceivedShadow.Texture?,
        _ statistics: inout FrameStatistics
    ) throws(RenderError) -> (draws: [SceneDraw], received: ReceivedShadow.Draw?) {
        let detail = frame.detail
        let parts = parts(plan, frame, detail)
        let candidates = parts.map { part -> DeferredShading.Candidate? in
            guard let deferred = part.deferredMaterial else { return nil }
            let shown = visible.records[part.draw.first..<part.draw.first + part.draw.count]
            return DeferredShading.Candidate(
                material: deferred, area: detail.area(of: shown, list), triangleCount: part.triangleCount,
                hasMaps: !part.material.program.key.samplers.isEmpty)
        }
        let isDeferred = DeferredShading.choose(
            candidates, deferredChoice, pixels: frame.width * frame.height, hasLights: plan.attributesHavePosition)
        let deferredShading = DeferredShading(zip(parts, isDeferred).compactMap { $1 ? $0.deferredMaterial : nil })
        var draws: [SceneDraw] = []
        var receivedDraw: ReceivedShadow.Draw?
        draws.reserveCapacity(parts.count)
        for (index, part) in parts.enumerated() {
            let (draw, geometry, material) = (part.draw, part.geometry, part.material)
            var (key, bindings) = (part.key, part.bindings)
            var spreading: GPURenderPipeline?
            if let received, received.batch == draw.batch {
                spreading = received.isNew ? try resources.pipelines.receivedShadow(key, material.program) : nil
                if !received.isNew || spreading != nil { key.features.insert(.keptShadow) }
            }
            let deferredDraw = isDeferred[index] ? try deferred(part, deferredShading) : nil
            // A warm-up's image is small: the frames after it may be shaded either way.
            let pipeline = deferredDraw == nil || isWarmUp ? try resources.pipelines.surface(key, material.program) : nil
            let geometryPipeline = try plan.geometryKey(key, draw.layer).flatMap { key throws(RenderError) in
                try resources.pipelines.surface(key, material.program)
            }
            guard pipeline != nil || deferredDraw != nil else { continue }
            let indices =
                part.isWireframe
                ? try attempting("wireframe") { () throws(GPUError) in try geometry.edgeIndices() }
                : part.level?.indices ?? geometry.indices
            let elementCount = part.isWireframe ? geometry.triangleCount * 6 : part.level?.elementCount ?? geometry.elementCount
            let mesh = mesh(
                geometry, material, deformed[Int(list.batches[Int(draw.batch)].deformed)], indices: indices, elementCount: elementCount,
                draw.first, draw.count)
            if let received, key.features.contains(.keptShadow) {
                bindings = try resources.materials.bindGroup(of: material, keptShadow: received.view, placement: received.placement)
                if let spreading {
                    // The texture that is drawn must not be bound.
                    let other = try resources.materials.bindGroup(
                        of: material, keptShadow: resources.materials.textures.white, placement: received.placement)
                    receivedDraw = ReceivedShadow.Draw(pipeline: spreading, material: other, mesh: mesh, target: received.view)
                }
            }
            draws.append(
                SceneDraw(
                    pipeline: pipeline, deferred: deferredDraw, geometryPipeline: geometryPipeline, material: bindings, mesh: mesh,
                    layer: draw.layer))
            statistics.drawCalls += 1
            statistics.instances += draw.count
            statistics.triangles += part.triangleCount
        }
        return (draws, receivedDraw)
    }

    /// The pipelines of deferred shading; nil if the frame has too many materials, or one is missing and missing pipelines are only recorded.
    private func deferred(_ part: Part, _ chosen: DeferredShading) throws(RenderError) -> SceneDraw.Deferred? {
        guard var keys = part.deferredKeys, let number = part.deferredMaterial.flatMap({ chosen.number(of: $0) }) else { return nil }
        if chosen.hasSeveralMaterials { keys.shading.features.insert(.severalMaterials) }
        let attributes = try resources.pipelines.surface(keys.attributes, part.material.program)
        let shading = try resources.pipelines.deferred(keys.shading, part.material.program)
        guard let attributes, let shading else { return nil }
        return SceneDraw.Deferred(
            attributes: attributes, shading: shading, number: number, isOneOfSeveral: chosen.hasSeveralMaterials)
    }

    /// Draws into the frame's shadow maps, in the order of `FrameShadows.set`.
    ///
    /// - Parameter deformed: Deformed vertices by record.
    func casterDraws(
        _ shadows: FrameShadows, _ pass: ShadowPass, deformed: [Int: GPUBuffer]
    ) throws(RenderError) -> [CasterDraw] {
        var draws: [CasterDraw] = []
        draws.reserveCapacity(shadows.set.draws.count)
        for draw in shadows.set.draws {
            let batch = list.batches[Int(draw.batch)]
            guard let (geometry, material) = batches[Int(draw.batch)].map({ ($0.geometry, $0.material) }), geometry.elementCount > 0
            else { continue }
            let isOpaque = batch.material.alphaMode == .opaque && batch.material.layer == .opaque && !draw.isTranslucent
            let wanted =
                isOpaque
                ? try attempting("compiling a shadow's shader") { () throws(GPUError) in try pass.opaquePipeline() }
                : try resources.pipelines.caster(
                    casterKey(batch.material, material, geometry), material.program, casters: pass.casterLayout)
            guard let pipeline = wanted else { continue }
            // Vertices at one position may part where they are deformed.
            let level = shadows.detail(draw.view)?.level(
                isOpaque && batch.deformed < 0 ? .casters : .surfaces,
                of: geometry, shown: shadows.set.records[draw.first..<draw.first + draw.count], list)
            let mesh = mesh(
                geometry, material, deformed[Int(batch.deformed)], indices: level?.indices ?? geometry.indices,
                elementCount: level?.elementCount ?? geometry.elementCount, draw.first, draw.count)
            draws.append(CasterDraw(view: draw.view, pipeline: pipeline, material: isOpaque ? nil : material.bindGroup, mesh: mesh))
        }
        return draws
    }

    private func mesh(
        _ geometry: GPUGeometry, _ material: GPUMaterial, _ deformed: GPUBuffer?, indices: GPUBuffer?, elementCount: Int, _ first: Int,
        _ count: Int
    ) -> MeshDraw {
        let (zeros, ones) = (resources.zeros, resources.ones)
        return MeshDraw(
            vertices: (
                deformed ?? geometry.moving, geometry.textureCoordinates[material.uvSets.0] ?? zeros,
                material.uvSets.1.flatMap { geometry.textureCoordinates[$0] } ?? zeros, geometry.colors ?? ones,
                geometry.occlusion ?? zeros
            ),
            indices: indices, elementCount: isWarmUp ? min(elementCount, 3) : elementCount, firstInstance: first,
            instanceCount: isWarmUp ? 1 : count)
    }

    private func casterKey(_ material: Material, _ plan: GPUMaterial, _ geometry: GPUGeometry) -> PipelineKey {
        var features = plan.features
        if geometry.colors != nil { features.insert(.vertexColor) }
        var entry = PipelineKey.Entry.casterDithered
        if case .mask = material.alphaMode { entry = .casterCutOut }
        // A node's opacity dithers as the material's alpha does.
        if entry == .casterDithered { features.insert(.blended) } else { features.remove(.blended) }
        return PipelineKey(
            entry: entry, program: plan.program.number, features: features, toneMapping: .none, debugView: nil,
            format: FrameFormat.depth, sampleCount: 1, streams: geometry.streams(for: plan))
    }
}
