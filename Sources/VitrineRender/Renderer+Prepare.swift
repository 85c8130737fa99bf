import VitrineGPU
import VitrineScene

extension Renderer {
    /// Uploads everything that the scene shows, so that the first frame is complete and fast.
    ///
    /// - Parameter progress: called with the share that is done, 0…1; return false to stop (what was uploaded stays).
    /// - Returns: Whether everything is uploaded.
    @discardableResult
    public func prepare(
        _ scene: Scene, options: RenderOptions = RenderOptions(), progress: (Double) -> Bool = { _ in true }
    ) throws(RenderError) -> Bool {
        try options.validate()
        scene.update()
        let parts = distinctParts(of: scene)
        // The environment's prefilter takes about as long as a few large textures.
        let total = Double(parts.count + 4)
        for (index, part) in parts.enumerated() {
            guard progress(Double(index) / total) else { return false }
            let material = try materials.material(part.material, anisotropy: options.anisotropy, frame: 0)
            _ = try geometries.geometry(part.geometry, normalMapSet: material.tangentSet)
        }
        guard progress(Double(parts.count) / total) else { return false }
        _ = try environments.light(of: scene.environment)
        try attempting("uploading the scene") { () throws(GPUError) in try device.waitUntilIdle() }
        return progress(1)
    }

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
