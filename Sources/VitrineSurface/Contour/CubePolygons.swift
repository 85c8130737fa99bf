/// The polygons in which a surface cuts a cube, for each of the 256 combinations of inside and outside corners (Lorensen & Cline 1987).
///
/// Corner x + 2 y + 4 z. Edge 4 · axis + (the other two coordinates, the lower axis first). On a face with two diagonally
/// opposite inside corners, each is cut off separately: this depends on the face only, so that the cubes on both sides agree without cracks.
struct CubePolygons: Sendable {
    /// Counter-clockwise from outside.
    struct Polygon: Sendable, Equatable {
        /// Edges of the cube, each with one vertex.
        var edges: [Int]
        /// Triangles over the indices of `edges`, without a side between two vertices of one face except along the polygon: such a side
        /// could coincide with the neighbouring cube's. Empty without such a triangulation: the polygon then needs a vertex at its centre.
        var triangles: [SIMD3<Int>]
    }

    /// The polygons for each combination of corners that are inside, by the bits of these corners.
    let polygons: [[Polygon]]
    /// The two corners of each edge, the lower coordinate first.
    let edgeCorners: [(low: Int, high: Int, axis: Int)]

    init() {
        edgeCorners = (0..<12).map { edge in
            let axis = edge / 4
            let (u, v) = axis == 0 ? (1, 2) : axis == 1 ? (0, 2) : (0, 1)
            let low = (edge & 1) << u | (edge >> 1 & 1) << v
            return (low, low | 1 << axis, axis)
        }
        let edges = edgeCorners
        polygons = (0..<256).map { inside in
            Self.loops(inside, edges).map { Polygon(edges: $0, triangles: Self.triangulation($0, edges) ?? []) }
        }
    }

    /// The corners of each face, counter-clockwise from outside the cube.
    private static let faces = [
        [0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6],
    ]

    private static func loops(_ inside: Int, _ edges: [(low: Int, high: Int, axis: Int)]) -> [[Int]] {
        func edge(_ a: Int, _ b: Int) -> Int { edges.firstIndex { ($0.low, $0.high) == (min(a, b), max(a, b)) }! }
        func isInside(_ corner: Int) -> Bool { inside >> corner & 1 == 1 }
        // Around each face, from the first to the last of consecutive inside corners.
        var next = [Int?](repeating: nil, count: 12)
        for face in faces {
            for start in 0..<4 where !isInside(face[(start + 3) % 4]) && isInside(face[start]) {
                var end = start
                while isInside(face[(end + 1) % 4]) { end += 1 }
                next[edge(face[(start + 3) % 4], face[start])] = edge(face[end % 4], face[(end + 1) % 4])
            }
        }
        var loops: [[Int]] = []
        for first in 0..<12 {
            var loop: [Int] = []
            var current = first
            while let following = next[current] {
                loop.append(current)
                next[current] = nil
                current = following
            }
            if !loop.isEmpty { loops.append(loop) }
        }
        return loops
    }

    private static func triangulation(_ loop: [Int], _ edges: [(low: Int, high: Int, axis: Int)]) -> [SIMD3<Int>]? {
        func shareFace(_ a: Int, _ b: Int) -> Bool {
            let corners = [edges[a].low, edges[a].high, edges[b].low, edges[b].high]
            return faces.contains { face in corners.allSatisfy(face.contains) }
        }
        /// Triangulates the vertices from `first` to `last`, whose connection is already a side.
        func fill(_ first: Int, _ last: Int) -> [SIMD3<Int>]? {
            if last - first < 2 { return [] }
            for middle in first + 1..<last {
                if middle - first > 1, shareFace(loop[first], loop[middle]) { continue }
                if last - middle > 1, shareFace(loop[middle], loop[last]) { continue }
                if let left = fill(first, middle), let right = fill(middle, last) { return left + [SIMD3(first, middle, last)] + right }
            }
            return nil
        }
        return fill(0, loop.count - 1)
    }
}
