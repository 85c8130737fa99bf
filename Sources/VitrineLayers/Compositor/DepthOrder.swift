import VitrineMath

/// The order in which layers of one 3D space are drawn: those behind first.
///
/// Matrices are projective, so the space is looked at after its perspective: there the eye is infinitely far along +z, planes are still planes,
/// and what was nearer is still nearer. Parallel layers are sorted by z; others by a tree of their planes (Fuchs, Kedem and Naylor 1980), which
/// cuts layers that pass through each other.
enum DepthOrder {
    struct Item {
        let layer: Layer
        /// To the space that is sorted, before its division by w.
        let matrix: Matrix4
        /// Whether only the layer's own shape is meant: its sublayers are items themselves.
        let isAlone: Bool

        init(_ layer: Layer, _ matrix: Matrix4, isAlone: Bool) { (self.layer, self.matrix, self.isAlone) = (layer, matrix, isAlone) }
    }

    /// An item, or a part of one.
    struct Piece {
        var item: Int
        var cuts: [Cut] = []
        /// Of what is left after the cuts, on the plane on which the space is seen; empty where nothing was cut.
        var corners: [SIMD2<Double>] = []

        /// The cuts that what is left still touches.
        var edges: [Cut] {
            let size = corners.reduce(1) { max($0, abs($1.x), abs($1.y)) }
            return cuts.filter { cut in
                let (a, b, c) = (cut.line.x, cut.line.y, cut.line.z)
                let nearest = corners.reduce(Double.infinity) { min($0, abs(a * $1.x + b * $1.y + c)) }
                return !(nearest > (a * a + b * b).squareRoot() * size * 1e-3)
            }
        }
    }

    /// Where a piece ends: at a line of the plane on which the space is seen.
    struct Cut {
        /// a·x + b·y + c ≥ 0 on the piece's side.
        var line: SIMD3<Double>
        /// The part behind reaches a pixel further, under what is before it: nothing shines through between the two.
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

    /// z of a plane that is parallel to the picture; nil for one that isn't.
    private static func height(of m: Matrix4) -> Float? {
        guard m.x.z == 0, m.y.z == 0, m.x.w == 0, m.y.w == 0, m.w.w > 0 else { return nil }
        let z = m.w.z / m.w.w
        return z.isFinite ? z : nil
    }
}
