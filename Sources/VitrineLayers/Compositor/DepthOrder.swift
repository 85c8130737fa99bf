import VitrineMath

/// The drawing order of layers in one 3D space, from back to front.
///
/// The order is determined after the projection, where the eye is at infinity along +z; planes remain planes, and depths keep their order. Parallel
/// layers are sorted by z, others with a BSP tree of their planes (Fuchs, Kedem and Naylor 1980), which splits intersecting layers.
enum DepthOrder {
    struct Item {
        let layer: Layer
        /// The transform to the sorted space, before the division by w.
        let matrix: Matrix4
        /// Whether the item is only the layer's shape; its sublayers are then separate items.
        let isAlone: Bool

        init(_ layer: Layer, _ matrix: Matrix4, isAlone: Bool) { (self.layer, self.matrix, self.isAlone) = (layer, matrix, isAlone) }
    }

    /// An item, or a part of it.
    struct Piece {
        var item: Int
        var cuts: [Cut] = []
        /// The corners of the remaining part, on the projection plane; empty if the item is not cut.
        var corners: [SIMD2<Double>] = []

        /// The cuts that bound the remaining part.
        var edges: [Cut] {
            let size = corners.reduce(1) { max($0, abs($1.x), abs($1.y)) }
            return cuts.filter { cut in
                let (a, b, c) = (cut.line.x, cut.line.y, cut.line.z)
                let nearest = corners.reduce(Double.infinity) { min($0, abs(a * $1.x + b * $1.y + c)) }
                return !(nearest > (a * a + b * b).squareRoot() * size * 1e-3)
            }
        }
    }

    /// The boundary of a piece: a line on the projection plane.
    struct Cut {
        /// a·x + b·y + c ≥ 0 on the piece's side.
        var line: SIMD3<Double>
        /// Whether the rear part extends a pixel under the front part, so that there is no gap between them.
        var isBehind: Bool
    }

    static func sorted(_ items: [Item]) -> [Piece] {
        var heights: [Float] = []
        for item in items {
            guard let z = height(of: item.matrix) else { return PlaneTree(items).pieces }
            heights.append(z)
        }
        let order = items.indices.sorted { (heights[$0], $0) < (heights[$1], $1) }
        return order.map { Piece(item: $0) }
    }

    /// Returns z of a plane that is parallel to the projection plane; nil for other planes.
    private static func height(of m: Matrix4) -> Float? {
        guard m.x.z == 0, m.y.z == 0, m.x.w == 0, m.y.w == 0, m.w.w > 0 else { return nil }
        let z = m.w.z / m.w.w
        return z.isFinite ? z : nil
    }
}
