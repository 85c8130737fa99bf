import VitrineGPU
import VitrineMath
import VitrineScene

extension Renderer {
    /// One draw with everything it binds.
    struct PreparedDraw {
        let pipeline: GPURenderPipeline
        /// Draws normals and depth before the scene, where something wants them.
        let geometryPipeline: GPURenderPipeline?
        let material: GPUBindGroup
        /// In the order of `VertexLayout.buffers`.
        let vertices: (GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer)
        let indices: GPUBuffer?
        let elementCount: Int
        let firstInstance, instanceCount: Int
        let layer: VisibleSet.Layer
    }

    /// A batch's geometry and material on the GPU.
    struct BatchResources {
        let geometry: GPUGeometry
        let material: GPUMaterial
    }

    /// By batch, for those that are seen or throw shadows; nil for others.
    func batchResources(_ shadows: FrameShadows, _ options: RenderOptions) throws(RenderError) -> [BatchResources?] {
        var resources = [BatchResources?](repeating: nil, count: list.batches.count)
        for index in visible.draws.map({ Int($0.batch) }) + shadows.set.draws.map({ Int($0.batch) }) where resources[index] == nil {
            let batch = list.batches[index]
            let material = try materials.material(batch.material, anisotropy: options.anisotropy, frame: materials.frame)
            let geometry = try geometries.geometry(batch.geometry, normalMapSet: material.tangentSet)
            resources[index] = BatchResources(geometry: geometry, material: material)
        }
        return resources
    }

    func prepareDraws(
        _ plan: FramePlan, _ resources: [BatchResources?], _ deformed: [Int: GPUBuffer], _ detail: DetailChoice, _ options: RenderOptions,
        _ statistics: inout FrameStatistics
    ) throws(RenderError) -> [PreparedDraw] {
        var draws: [PreparedDraw] = []
        draws.reserveCapacity(visible.draws.count)
        for draw in visible.draws {
            let batch = list.batches[Int(draw.batch)]
            guard let (geometry, material) = resources[Int(draw.batch)].map({ ($0.geometry, $0.material) }),
                geometry.elementCount > 0, let group = material.bindGroup
            else { continue }
            let moving = batch.deformed >= 0 ? deformed[Int(batch.deformed)] ?? geometry.moving : geometry.moving
            let streams = geometry.streams(for: material)
            let isWireframe = options.debugView == .wireframe && geometry.primitive == .triangles
            var key = plan.key(batch.material, material, geometry, streams, isBlended: draw.layer == .blended)
            key.isMirrored = draw.isMirrored
            if isWireframe { key.primitive = .lines }
            let wanted = try pipelines.surface(key, material.program)
            let geometryPipeline = try plan.geometryKey(key, draw.layer).flatMap { key throws(RenderError) in
                try pipelines.surface(key, material.program)
            }
            guard let pipeline = wanted else { continue }
            let level = isWireframe ? nil : detail.level(of: geometry, shown: visible.records[draw.first..<draw.first + draw.count], list)
            let indices =
                isWireframe
                ? try attempting("wireframe") { () throws(GPUError) in try geometry.edgeIndices() } : level?.indices ?? geometry.indices
            let elementCount = isWireframe ? geometry.triangleCount * 6 : level?.elementCount ?? geometry.elementCount
            draws.append(
                PreparedDraw(
                    pipeline: pipeline,
                    geometryPipeline: geometryPipeline, material: group,
                    vertices: (
                        moving, geometry.textureCoordinates[material.uvSets.0] ?? zeros,
                        material.uvSets.1.flatMap { geometry.textureCoordinates[$0] } ?? zeros, geometry.colors ?? ones,
                        geometry.occlusion ?? zeros
                    ),
                    indices: indices, elementCount: isUnderstudy ? min(elementCount, 3) : elementCount, firstInstance: draw.first,
                    instanceCount: isUnderstudy ? 1 : draw.count, layer: draw.layer))
            statistics.drawCalls += 1
            statistics.instances += draw.count
            statistics.triangles += draw.count * (level.map { $0.elementCount / 3 } ?? geometry.triangleCount)
        }
        return draws
    }
}
