import VitrineMath
import VitrineVision

/// The mesh with texture coordinates: its vertices are split at chart borders.
package struct Atlas: Equatable, Sendable {
    package let size: Int
    /// By split vertex: the vertex of the surface.
    package var sources: [Int32] = []
    /// By split vertex, in texels; y points down.
    package var texels: [Vector2] = []
    /// The triangles in the order of the surface's triangles: indices of split vertices.
    package var triangles: [SIMD3<Int32>]
    package var chartCount: Int
    /// Texels per world unit.
    package var density: Float
    package var meanStretch: Float

    package init(
        size: Int, sources: [Int32], texels: [Vector2], triangles: [SIMD3<Int32>], chartCount: Int, density: Float, meanStretch: Float
    ) {
        (self.size, self.sources, self.texels, self.triangles) = (size, sources, texels, triangles)
        (self.chartCount, self.density, self.meanStretch) = (chartCount, density, meanStretch)
    }

    init(_ charts: [FlatChart], _ packing: ChartPacking.Result, _ surface: SurfaceTopology, size: Int) {
        self.size = size
        (chartCount, density) = (charts.count, packing.scale)
        triangles = Array(repeating: .zero, count: surface.triangleCount)
        var stretch: Float = 0
        for (chart, placement) in zip(charts, packing.placements) {
            let base = Int32(sources.count)
            sources += chart.vertices
            for c in chart.coordinates {
                let p = ChartPacking.turn(c * packing.scale, placement.turns) + placement.offset
                texels.append(Vector2(p.x, Float(size) - p.y).clamped(lowerBound: .zero, upperBound: Vector2(repeating: Float(size))))
            }
            for (index, triangle) in chart.triangles.enumerated() { triangles[Int(triangle)] = chart.corners[index] &+ base }
            let area = chart.triangles.reduce(Float(0)) { $0 + surface.areas[Int($1)] }
            stretch += chart.distortion(surface).meanStretch * area
        }
        meanStretch = stretch / surface.totalArea
    }

    var textureCoordinates: [Vector2] { texels.map { $0 / Float(size) } }
}
