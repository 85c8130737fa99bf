import VitrineScene

/// What is worked out of a geometry before it can be uploaded: tangents, where a normal map wants them, and vertices as the GPU reads them.
/// Needs no GPU: it may be done anywhere, and its result be handed to `Renderer.take`.
package struct GeometryWork: Sendable {
    let geometry: Geometry
    /// The texture coordinates along which tangents are made; nil: none are.
    let tangentSet: Int?

    /// What came out.
    package struct Result: Sendable {
        let work: GeometryWork
        /// With tangents, where they were made.
        let geometry: Geometry
        let moving: [Float]
        /// Triangles, lines or points as lists; nil: vertices in their order.
        let indices: [UInt32]?
    }

    package func run() -> Result {
        var finished = geometry
        if let tangentSet {
            // What can't have tangents is drawn with those that the shader derives from the picture.
            do throws(GeometryError) { finished = try geometry.withTangents(textureCoordinateSet: tangentSet) } catch {
                finished = geometry
            }
        }
        return Result(work: self, geometry: finished, moving: VertexLayout.moving(of: finished), indices: finished.listIndices)
    }
}
