import VitrineGPU
import VitrineScene

/// Geometries on the GPU, by identity.
final class GeometryCache {
    private struct Key: Hashable {
        let geometry: ObjectIdentifier
        /// The set of texture coordinates for computed tangents; nil without.
        let tangentSet: Int?

        init(_ work: GeometryWork) { (geometry, tangentSet) = (ObjectIdentifier(work.geometry), work.tangentSet) }
    }

    private let device: GPUDevice
    private var entries: [Key: GPUGeometry] = [:]
    /// Results computed elsewhere, for geometries that are not uploaded yet.
    private var worked: [Key: GeometryWork.Result] = [:]

    /// Makes levels of detail for shadows; nil: casters are drawn unchanged.
    var casterSimplifier: CasterSimplifier?

    init(_ device: GPUDevice) { self.device = device }

    /// The geometry on the GPU, uploaded when it is new.
    ///
    /// - Parameter normalMapSet: The texture coordinates of the material's normal map, for which missing tangents are computed.
    func geometry(_ geometry: Geometry, normalMapSet: Int?) throws(RenderError) -> GPUGeometry {
        let work = work(for: geometry, normalMapSet: normalMapSet)
        let key = Key(work)
        if let known = entries[key] { return known }
        let vertices = worked.removeValue(forKey: key) ?? work.run()
        let made = try attempting("uploading a geometry of \(geometry.vertexCount) vertices") { () throws(GPUError) in
            try GPUGeometry(vertices, on: device)
        }
        entries[key] = made
        return made
    }

    /// The work to do before a geometry can be uploaded; nil if it is uploaded or the work is done.
    func pendingWork(for geometry: Geometry, normalMapSet: Int?) -> GeometryWork? {
        let work = work(for: geometry, normalMapSet: normalMapSet)
        return entries[Key(work)] == nil && worked[Key(work)] == nil ? work : nil
    }

    /// Keeps a result until the geometry is uploaded.
    func take(_ result: GeometryWork.Result) { worked[Key(result.work)] = result }

    private func work(for geometry: Geometry, normalMapSet: Int?) -> GeometryWork {
        let tangentSet = normalMapSet.flatMap { geometry.needsTangents(for: $0) ? $0 : nil }
        return GeometryWork(geometry: geometry, tangentSet: tangentSet, simplifier: casterSimplifier)
    }

    var memory: Int {
        var sum = 0
        for entry in entries.values { sum += entry.memory }
        return sum
    }

    /// Frees geometries that only the cache refers to.
    func purge() {
        worked = [:]
        for key in Array(entries.keys) {
            guard let entry = entries[key], entry.isOnlyReference() else { continue }
            entries[key] = nil
        }
    }
}

extension Geometry {
    fileprivate func needsTangents(for set: Int) -> Bool {
        attribute(.tangent) == nil && attribute(.normal) != nil && attribute(.textureCoordinate(set: set)) != nil
    }
}
