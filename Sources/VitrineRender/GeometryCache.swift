import VitrineGPU
import VitrineScene

/// Geometries on the GPU, by identity.
final class GeometryCache {
    private let device: GPUDevice
    private var entries: [ObjectIdentifier: GPUGeometry] = [:]

    init(_ device: GPUDevice) { self.device = device }

    /// The geometry on the GPU, uploaded when it is new.
    func geometry(_ geometry: Geometry) throws(RenderError) -> GPUGeometry {
        let id = ObjectIdentifier(geometry)
        if let known = entries[id] { return known }
        let made = try attempting("uploading a geometry of \(geometry.vertexCount) vertices") { () throws(GPUError) in
            try GPUGeometry(geometry, on: device)
        }
        entries[id] = made
        return made
    }

    var memory: Int {
        var sum = 0
        for entry in entries.values { sum += entry.memory }
        return sum
    }

    /// Forgets geometries that nobody else refers to.
    func purge() {
        for id in Array(entries.keys) {
            guard let entry = entries[id], isKnownUniquelyReferenced(&entry.geometry) else { continue }
            entries[id] = nil
        }
    }
}
