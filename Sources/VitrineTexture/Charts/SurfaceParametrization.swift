import VitrineMath
import VitrineVision

/// Texture coordinates without overlap for a mesh, and the point of the surface under each texel: for textures of light.
package struct SurfaceParametrization: Sendable {
    /// A texel that shows the surface, and the triangle that it shows.
    package struct Texel: Sendable {
        /// The index of the texel, row by row from the upper left corner.
        package let index: Int32
        package let triangle: Int32
    }

    /// The width and height of the texture.
    package let size: Int
    package let chartCount: Int
    /// The number of texels per unit of length.
    package let density: Float
    /// The texture coordinates of each split vertex, 0…1, with v pointing down.
    package let coordinates: [Vector2]
    /// The indices of the split vertices of each triangle of the mesh.
    package let triangles: [SIMD3<Int32>]
    /// The texels in the order of triangles. Includes two rings of texels around each chart, which show the nearest points of its border.
    package let texels: [Texel]
    private let isOwned: [Bool]
    private let parallel: Parallel

    /// Divides a mesh into charts and packs them into a square texture.
    ///
    /// - Parameters:
    ///   - size: A power of two.
    ///   - padding: Texels between charts.
    package init(_ mesh: TriangleMesh, size: Int, padding: Int = 4, in context: StageContext) throws(TextureError) {
        let surface = try SurfaceTopology(mesh)
        let charts = try ChartBuilder(surface).charts(in: context)
        let packing = try ChartPacking(charts: charts, size: size, padding: padding).pack(in: context)
        let atlas = Atlas(charts, packing, surface, size: size)
        let runs = TexelRuns(atlas, rows: 0..<size)
        var texels: [Texel] = []
        for triangle in 0..<surface.triangleCount {
            for run in runs.runs[Int(runs.offsets[triangle])..<Int(runs.offsets[triangle + 1])] {
                let first = run.y * Int32(size) + run.x
                for index in first..<first + run.length { texels.append(Texel(index: index, triangle: Int32(triangle))) }
            }
        }
        (self.size, chartCount, density, parallel) = (size, charts.count, packing.scale, context.parallel)
        (coordinates, triangles) = (atlas.textureCoordinates, atlas.triangles)
        (self.texels, isOwned) = (texels, runs.isOwned)
    }

    /// Barycentric weights of the triangle at a point of a texel, not outside the triangle.
    ///
    /// - Parameter offset: 0…1 from the texel's upper left corner.
    package func weights(of texel: Texel, offset: Vector2) -> Vector3 {
        let t = triangles[Int(texel.triangle)]
        let scale = Float(size)
        guard let map = BarycentricMap(coordinates[Int(t.x)] * scale, coordinates[Int(t.y)] * scale, coordinates[Int(t.z)] * scale) else {
            return Vector3(repeating: 1.0 / 3)
        }
        let (x, y) = (Float(Int(texel.index) % size) + offset.x, Float(Int(texel.index) / size) + offset.y)
        let raw = map.origin + map.alongX * x + map.alongY * y
        let inside = raw.clamped(lowerBound: Vector3(repeating: 0), upperBound: Vector3(repeating: 1))
        let sum = inside.sum()
        return sum > 0 ? inside / sum : Vector3(repeating: 1.0 / 3)
    }

    /// Continues an image smoothly from its known texels into the others, so that filters find no other colours at the borders of charts.
    ///
    /// - Parameters:
    ///   - values: `channels` values for each texel of the texture.
    ///   - isKnown: Whether the value of each texel is known; nil if those of all texels that show the surface are.
    package func fill(_ values: inout [UInt16], channels: Int, isKnown: [Bool]? = nil) {
        PushPull.fill(&values, channels: channels, width: size, isKnown: isKnown ?? isOwned, parallel)
    }
}
