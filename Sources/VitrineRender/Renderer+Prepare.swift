import VitrineGPU
import VitrineScene

extension Renderer {
    /// Uploads everything that the scene shows, so that the first frame is complete and fast.
    ///
    /// It goes on in small steps (a band of a picture, a mip level, a geometry, four million texel reads of an environment), between which
    /// `progress` may stop it; called again, it goes on from there.
    ///
    /// - Parameters:
    ///   - waits: Whether it returns only when the GPU has done it all.
    ///   - progress: called with the share that is done, 0…1; return false to stop (what was uploaded stays).
    /// - Returns: Whether everything is uploaded.
    @discardableResult
    public func prepare(
        _ scene: Scene, options: RenderOptions = RenderOptions(), waits: Bool = true, progress: (Double) -> Bool = { _ in true }
    ) throws(RenderError) -> Bool {
        try options.validate()
        scene.update()
        let parts = distinctParts(of: scene)
        // The environment's prefilter takes about as long as a few large textures.
        let environmentShare = 4.0
        let total = Double(parts.count) + environmentShare
        for (index, part) in parts.enumerated() {
            guard progress(Double(index) / total) else { return false }
            for (texture, use) in try materials.textures(of: part.material) {
                while try materials.textures.advance(texture, as: use) == nil {
                    guard progress(Double(index) / total) else { return false }
                }
            }
            let material = try materials.material(part.material, anisotropy: options.anisotropy, frame: 0)
            _ = try geometries.geometry(part.geometry, normalMapSet: material.tangentSet)
        }
        // Waited for slice by slice: what is handed to the GPU all at once would hold up the next frame.
        var share = environments.fraction(of: scene.environment)
        while share < 1 {
            guard progress((Double(parts.count) + share * environmentShare) / total) else { return false }
            share = try environments.advance(scene.environment)
            // Whoever does not wait here waits between calls: one slice each.
            guard waits || share >= 1 else {
                _ = progress((Double(parts.count) + share * environmentShare) / total)
                return false
            }
            if waits { try attempting("preparing an environment") { () throws(GPUError) in try device.waitUntilIdle() } }
        }
        if waits { try attempting("uploading the scene") { () throws(GPUError) in try device.waitUntilIdle() } }
        return progress(1)
    }

    /// What can be worked out of the scene's geometries before `prepare`, anywhere; hand the results to `take`.
    public func pendingWork(for scene: Scene) throws(RenderError) -> [GeometryWork] {
        var work: [GeometryWork] = []
        for part in distinctParts(of: scene) {
            let tangentSet = try materials.tangentSet(of: part.material)
            if let pending = geometries.pendingWork(for: part.geometry, normalMapSet: tangentSet) { work.append(pending) }
        }
        return work
    }

    /// What is to be compiled before `prepare`, on any thread: materials, what makes mip levels, what prepares an environment. Hand the
    /// results to `take`.
    public func pendingPrograms(for scene: Scene) throws(RenderError) -> [ShaderWork] {
        var seen: Set<SurfaceProgramKey> = []
        var work: [ShaderWork] = []
        let parts = distinctParts(of: scene)
        for part in parts {
            guard let pending = try materials.pendingShader(of: part.material), case .program(let key, _, _, _, _) = pending.task,
                seen.insert(key).inserted
            else { continue }
            work.append(pending)
        }
        work += try pipelines.noting { () throws(RenderError) in
            for part in parts {
                for (texture, use) in try materials.textures(of: part.material) {
                    try materials.textures.compile(for: texture, as: use)
                }
            }
        }
        if let prefilter = environments.pendingShaders(of: scene.environment) { work.append(prefilter) }
        return work
    }

    /// Takes a shader that was compiled elsewhere.
    public func take(_ result: ShaderWork.Result) {
        switch result.outcome {
        case .program(let key, let program): materials.programs.take(key, program)
        case .pipeline(let name, let pipeline): pipelines.take(name, pipeline)
        case .prefilter(let prefilter): environments.take(prefilter)
        }
    }

    /// Takes what came out of `pendingWork`: the geometry is then uploaded without working it out again.
    public func take(_ result: GeometryWork.Result) { geometries.take(result) }

    /// Takes a picture for an environment that was read and checked on another thread: `prepare` does not do it again.
    public func adopt(_ source: EnvironmentSource) { environments.adopt(source) }

    /// Every pair of geometry and material once, in the order of the scene.
    private func distinctParts(of scene: Scene) -> [MeshPart] {
        var seen: Set<ObjectIdentifier> = []
        var parts: [MeshPart] = []
        for slot in scene.store.order {
            guard let mesh = scene.store.meshes[Int(slot)], seen.insert(ObjectIdentifier(mesh)).inserted else { continue }
            parts.append(contentsOf: mesh.parts)
        }
        return parts
    }
}
