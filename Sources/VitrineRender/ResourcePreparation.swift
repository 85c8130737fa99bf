import VitrineGPU
import VitrineScene

/// Uploads and compiles the resources of a scene before it is drawn.
struct ResourcePreparation {
    private let resources: RenderResources
    private let scene: Scene
    /// Every pair of geometry and material once, in the order of the scene.
    private let parts: [MeshPart]

    init(_ scene: Scene, _ resources: RenderResources) {
        (self.scene, self.resources) = (scene, resources)
        var seen: Set<ObjectIdentifier> = []
        var parts: [MeshPart] = []
        for slot in scene.store.order {
            guard let mesh = scene.store.meshes[Int(slot)], seen.insert(ObjectIdentifier(mesh)).inserted else { continue }
            parts.append(contentsOf: mesh.parts)
        }
        self.parts = parts
    }

    /// Uploads in small steps; see `Renderer.prepare`.
    ///
    /// - Parameter geometries: Whether vertices are uploaded as well.
    func upload(anisotropy: Int, waits: Bool, geometries: Bool = true, progress: (Double) -> Bool) throws(RenderError) -> Bool {
        // The environment's prefilter takes about as long as a few large textures.
        let environmentShare = 4.0
        let total = Double(parts.count) + environmentShare
        let materials = resources.materials
        for (index, part) in parts.enumerated() {
            guard progress(Double(index) / total) else { return false }
            for contents in try materials.textures(of: part.material) {
                while try materials.textures.advance(contents) == nil {
                    guard progress(Double(index) / total) else { return false }
                }
            }
            let material = try materials.prepare(part.material, anisotropy: anisotropy)
            if geometries { _ = try resources.geometries.geometry(part.geometry, normalMapSet: material.tangentSet) }
        }
        // Waits for each slice: work that is submitted all at once would delay the next frame.
        let environments = resources.environments
        var share = environments.fraction(of: scene.environment)
        while share < 1 {
            guard progress((Double(parts.count) + share * environmentShare) / total) else { return false }
            share = try environments.advance(scene.environment)
            // A caller that does not wait here waits between calls: one slice per call.
            guard waits || share >= 1 else {
                _ = progress((Double(parts.count) + share * environmentShare) / total)
                return false
            }
            if waits { try wait("preparing an environment") }
        }
        if waits { try wait("uploading the scene") }
        return progress(1)
    }

    private func wait(_ doing: String) throws(RenderError) {
        try attempting(doing) { () throws(GPUError) in try resources.device.waitUntilIdle() }
    }

    /// Geometry work that may run on any thread before `upload`.
    func pendingGeometry() throws(RenderError) -> [GeometryWork] {
        var work: [GeometryWork] = []
        for part in parts {
            let tangentSet = try resources.materials.tangentSet(of: part.material)
            if let pending = resources.geometries.pendingWork(for: part.geometry, normalMapSet: tangentSet) { work.append(pending) }
        }
        return work
    }

    /// Shaders that may be compiled on any thread before `upload`: of materials, mip levels and environments.
    func pendingShaders() throws(RenderError) -> [ShaderWork] {
        let (materials, parts) = (resources.materials, parts)
        var seen: Set<SurfaceProgramKey> = []
        var work: [ShaderWork] = []
        for part in parts {
            guard let pending = try materials.pendingShader(of: part.material), case .program(let key, _, _, _, _) = pending.task,
                seen.insert(key).inserted
            else { continue }
            work.append(pending)
        }
        work += try resources.pipelines.recordingMissing { () throws(RenderError) in
            for part in parts {
                for contents in try materials.textures(of: part.material) { try materials.textures.compile(for: contents) }
            }
        }
        if let prefilter = resources.environments.pendingShaders(of: scene.environment) { work.append(prefilter) }
        return work
    }
}
