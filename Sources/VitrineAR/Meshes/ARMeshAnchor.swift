import VitrineGeometry
import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked for the same reason as `ARAnchor`.
/// A part of the mesh that a session reconstructs from depth images: a cube of 0.4 m with a surface in it.
///
/// `transform` is the corner of the cube with the smallest coordinates. Faces are not classified.
public final class ARMeshAnchor: ARAnchor, @unchecked Sendable {
    /// The vertices, normals and faces of the mesh, in the anchor's frame.
    public let geometry: ARMeshGeometry

    /// Creates a mesh anchor; sessions do this for reconstructed surfaces.
    public init(name: String? = nil, transform: Matrix4, identifier: UUID = UUID(), geometry: ARMeshGeometry) {
        self.geometry = geometry
        super.init(name: name, transform: transform, identifier: identifier)
    }

    override var isSavedInMaps: Bool { false }

    override func with(transform: Matrix4) -> ARMeshAnchor {
        ARMeshAnchor(name: name, transform: transform, identifier: identifier, geometry: geometry)
    }

    override func isSame(as other: ARAnchor) -> Bool {
        guard let other = other as? ARMeshAnchor, super.isSame(as: other) else { return false }
        return geometry == other.geometry
    }
}

/// A triangle mesh in the frame of its anchor.
public struct ARMeshGeometry: Equatable, Sendable {
    /// The vertices in metres.
    public let vertices: [Vector3]
    /// The unit normal at each vertex, out of the surface.
    public let normals: [Vector3]
    /// Three indices of vertices for each triangle, counterclockwise as seen from outside.
    public let faces: [SIMD3<UInt32>]
    /// The box around the vertices.
    package let bounds: BoundingBox

    /// Creates the geometry of a mesh.
    ///
    /// - Precondition: There are as many normals as vertices, and each index is that of a vertex.
    public init(vertices: [Vector3], normals: [Vector3], faces: [SIMD3<UInt32>]) {
        precondition(normals.count == vertices.count && faces.allSatisfy { $0.max() < vertices.count })
        (self.vertices, self.normals, self.faces) = (vertices, normals, faces)
        bounds = vertices.reduce(into: BoundingBox.empty) { $0.formUnion($1) }
    }
}

extension ARMeshGeometry {
    /// The nearest hit of a ray in the anchor's frame, from either side: the distance in multiples of the ray's direction, and the interpolated
    /// normal.
    func hit(by ray: Ray) -> (distance: Float, normal: Vector3)? {
        guard ray.intersection(with: bounds) != nil else { return nil }
        let sheared = ShearedRay(ray)
        var nearest: (distance: Float, normal: Vector3)?
        for face in faces {
            let (a, b, c) = (vertices[Int(face.x)], vertices[Int(face.y)], vertices[Int(face.z)])
            let hit = sheared.intersection(Vector4(a.x, b.x, c.x, 0), Vector4(a.y, b.y, c.y, 0), Vector4(a.z, b.z, c.z, 0))
            guard let hit, hit.distance < nearest?.distance ?? .infinity else { continue }
            let normal =
                normals[Int(face.x)] * (1 - hit.u - hit.v) + normals[Int(face.y)] * hit.u + normals[Int(face.z)] * hit.v
            nearest = (hit.distance, normal)
        }
        return nearest
    }
}
