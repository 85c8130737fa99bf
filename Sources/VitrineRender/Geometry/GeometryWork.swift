import VitrineScene

/// Returns levels of detail of a mesh that only casts shadows, the finest first, for positions of three numbers each and triangles of three vertices each.
package typealias CasterSimplifier = @Sendable (_ positions: [Float], _ triangles: [UInt32]) -> [GeometryLevel]

/// Computes everything that the upload of a geometry needs: tangents for normal maps, and interleaved vertices.
/// Needs no GPU and may run on any thread; pass the result to `Renderer.take`.
package struct GeometryWork: Sendable {
    let geometry: Geometry
    /// The texture coordinates for computed tangents; nil without.
    let tangentSet: Int?
    /// Nil: casters are drawn unchanged.
    let simplifier: CasterSimplifier?

    /// The result of the work.
    package struct Result: Sendable {
        let work: GeometryWork
        /// The geometry with computed tangents.
        let geometry: Geometry
        let moving: [Float]
        /// Triangles, lines or points as lists; nil: vertices in their order.
        let indices: [UInt32]?
        /// Levels of detail for shadows.
        let casterLevels: [GeometryLevel]
    }

    package func run() -> Result {
        var finished = geometry
        if let tangentSet {
            // Without tangents, the shader derives them from screen-space derivatives.
            do throws(GeometryError) { finished = try geometry.withTangents(textureCoordinateSet: tangentSet) } catch {
                finished = geometry
            }
        }
        var casterLevels: [GeometryLevel] = []
        if let simplifier, finished.triangleCount > 0, let positions = finished.attribute(.position)?.values {
            casterLevels = simplifier(positions, finished.triangleIndices)
        }
        return Result(
            work: self, geometry: finished, moving: VertexLayout.moving(of: finished), indices: finished.listIndices,
            casterLevels: casterLevels)
    }
}
