import VitrineGPU

/// The vertices, indices and instances of one draw.
struct MeshDraw {
    /// The vertices in the order of `VertexLayout.buffers`.
    let vertices: (GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer)
    /// The indices; nil to draw the vertices in their order.
    let indices: GPUBuffer?
    let elementCount: Int
    let firstInstance, instanceCount: Int

    /// - Parameter positionsOnly: The pipeline reads the first vertex buffer only.
    func encode(_ pass: borrowing GPURenderPass, positionsOnly: Bool = false) {
        pass.setVertexBuffer(0, vertices.0)
        if !positionsOnly {
            pass.setVertexBuffer(1, vertices.1)
            pass.setVertexBuffer(2, vertices.2)
            pass.setVertexBuffer(3, vertices.3)
            pass.setVertexBuffer(4, vertices.4)
        }
        if let indices {
            pass.setIndexBuffer(indices, .uint32)
            pass.drawIndexed(indexCount: elementCount, instanceCount: instanceCount, firstInstance: firstInstance)
        } else {
            pass.draw(vertexCount: elementCount, instanceCount: instanceCount, firstInstance: firstInstance)
        }
    }
}

/// One draw of the scene's passes with its bindings.
struct SceneDraw {
    /// Draws the part shaded; nil if `deferred` is not.
    let pipeline: GPURenderPipeline?
    /// The pipelines of deferred shading; nil if the part is not in the `AttributeBuffer`.
    let deferred: Deferred?
    /// Draws normals and depth before the scene; nil if no pass needs them.
    let geometryPipeline: GPURenderPipeline?
    let material: GPUBindGroup
    let mesh: MeshDraw
    let layer: VisibleSet.Layer

    struct Deferred {
        /// Fills the `AttributeBuffer`.
        let attributes: GPURenderPipeline
        /// Shades all pixels with the material's number.
        let shading: GPURenderPipeline
        /// 0..<`AttributeBuffer.materialCount`, equal for draws with equal `shading` and material.
        let number: Int
        /// Whether the frame's deferred surfaces have several materials, so that `shading` needs their `MaterialDepth`.
        let isOneOfSeveral: Bool
    }
}

/// One draw into a shadow map with its bindings.
struct CasterDraw {
    /// Index of the shadow map.
    let view: Int
    let pipeline: GPURenderPipeline
    /// nil for opaque casters, whose pipeline reads positions only.
    let material: GPUBindGroup?
    let mesh: MeshDraw

    func encode(_ pass: borrowing GPURenderPass) {
        pass.setPipeline(pipeline)
        if let material { pass.setBindGroup(1, material) }
        mesh.encode(pass, positionsOnly: material == nil)
    }
}

/// A frame's draws by pass.
struct LayeredDraws {
    let opaque: ArraySlice<SceneDraw>
    /// Transmissive parts, then blended ones.
    let translucent: ArraySlice<SceneDraw>

    /// Divides draws into opaque and translucent ones.
    ///
    /// - Parameter draws: The draws in the order of `VisibleSet`.
    init(_ draws: [SceneDraw]) {
        let end = draws.firstIndex { $0.layer != .opaque } ?? draws.count
        (opaque, translucent) = (draws[..<end], draws[end...])
    }

    /// The output of a pass.
    enum Output {
        case shaded
        /// Normals and depth, before the scene.
        case geometry
        case attributes
    }

    /// Whether draws fill an `AttributeBuffer`.
    var hasDeferred: Bool { opaque.contains { $0.deferred != nil } }
    /// Whether their materials differ.
    var hasSeveralDeferred: Bool { opaque.contains { $0.deferred?.isOneOfSeveral == true } }

    /// Records draws into a pass.
    static func encode(_ draws: ArraySlice<SceneDraw>, _ pass: borrowing GPURenderPass, _ output: Output = .shaded) {
        var (pipeline, material): (GPURenderPipeline?, GPUBindGroup?)
        for draw in draws {
            let candidate =
                switch output {
                case .shaded: draw.pipeline
                case .geometry: draw.geometryPipeline
                case .attributes: draw.deferred?.attributes
                }
            guard let wanted = candidate else { continue }
            if wanted !== pipeline {
                pass.setPipeline(wanted)
                pipeline = wanted
            }
            if draw.material !== material {
                pass.setBindGroup(1, draw.material)
                material = draw.material
            }
            draw.mesh.encode(pass)
        }
    }

    /// Records the shading of an `AttributeBuffer`, once for each material.
    static func shadeAttributes(_ draws: ArraySlice<SceneDraw>, _ pass: borrowing GPURenderPass) {
        var shaded = [Bool](repeating: false, count: AttributeBuffer.materialCount)
        for draw in draws {
            guard let deferred = draw.deferred, !shaded[deferred.number] else { continue }
            shaded[deferred.number] = true
            pass.setPipeline(deferred.shading)
            pass.setBindGroup(1, draw.material)
            pass.draw(vertexCount: 3, firstInstance: deferred.number)
        }
    }
}
