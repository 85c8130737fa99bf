import VitrineGPU
import VitrineScene

/// Geometries on the GPU, by identity.
final class GeometryCache {
    private struct Key: Hashable {
        let geometry: ObjectIdentifier
        /// Tangents were made for this set of texture coordinates; nil: none were.
        let tangentSet: Int?
    }

    private let device: GPUDevice
    private var entries: [Key: GPUGeometry] = [:]

    init(_ device: GPUDevice) { self.device = device }

    /// The geometry on the GPU, uploaded when it is new.
    ///
    /// - Parameter normalMapSet: the texture coordinates of a normal map that it is drawn with: tangents are made where it has none.
    func geometry(_ geometry: Geometry, normalMapSet: Int?) throws(RenderError) -> GPUGeometry {
        let tangentSet = normalMapSet.flatMap { geometry.needsTangents(for: $0) ? $0 : nil }
        let key = Key(geometry: ObjectIdentifier(geometry), tangentSet: tangentSet)
        if let known = entries[key] { return known }
        var uploaded = geometry
        if let tangentSet {
            // What can't have tangents is drawn with those that the shader derives from the picture.
            do throws(GeometryError) { uploaded = try geometry.withTangents(textureCoordinateSet: tangentSet) } catch {
                uploaded = geometry
            }
        }
        let made = try attempting("uploading a geometry of \(geometry.vertexCount) vertices") { () throws(GPUError) in
            try GPUGeometry(uploaded, of: geometry, on: device)
        }
        entries[key] = made
        return made
    }

    var memory: Int {
        var sum = 0
        for entry in entries.values { sum += entry.memory }
        return sum
    }

    /// Forgets geometries that nobody else refers to.
    func purge() {
        for key in Array(entries.keys) {
            guard let entry = entries[key], isKnownUniquelyReferenced(&entry.owner) else { continue }
            entries[key] = nil
        }
    }
}

extension Geometry {
    fileprivate func needsTangents(for set: Int) -> Bool {
        attribute(.tangent) == nil && attribute(.normal) != nil && attribute(.textureCoordinate(set: set)) != nil
    }
}
