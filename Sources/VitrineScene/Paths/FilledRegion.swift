import VitrineMath

/// The interior of a path: triangles on a grid, and the outlines around them.
struct FilledRegion {
    /// A closed outline with the interior on its left.
    typealias Loop = [Corner]

    struct Corner {
        var point: GridPoint
        /// Unit tangents of the curve at both ends of the edge from this corner to the next.
        var startTangent, endTangent: SIMD2<Double>
    }

    /// A connected set of triangles, with its outline and the outlines of its holes.
    struct Piece {
        var loops: [Loop] = []
    }

    let triangulation: PlanarTriangulation
    /// The index of each triangle's piece; −1 outside.
    private(set) var pieceOfTriangle: [Int] = []
    private(set) var pieceCount = 0
    /// Whether no segment was split or merged, and all winding numbers are 0 or 1: the given pieces are then the outlines.
    private(set) var isPlain: Bool
    private let edges: [Arrangement.Edge]

    init(_ pieces: [(from: GridPoint, to: GridPoint)], rule: FillRule) throws(PathError) {
        let arrangement = try Arrangement(pieces)
        edges = arrangement.edges
        isPlain = !arrangement.isChanged
        triangulation = try PlanarTriangulation(points: arrangement.points, edges: arrangement.edges.map { ($0.a, $0.b) })
        let windings = FilledRegion.windings(triangulation, edges)
        for winding in windings where winding != 0 && winding != 1 { isPlain = false }
        groupPieces(windings.map { rule == .nonZero ? $0 != 0 : $0 & 1 != 0 })
    }

    // MARK: Interior

    /// Returns the winding number of the path around each triangle, from the hull inwards.
    private static func windings(_ triangulation: PlanarTriangulation, _ edges: [Arrangement.Edge]) -> [Int32] {
        /// Returns the difference of the winding numbers to the left and right of a half-edge.
        func step(_ h: Int) -> Int32 {
            guard triangulation.given[h] >= 0 else { return 0 }
            let edge = edges[Int(triangulation.given[h])]
            return edge.a == triangulation.origin[h] ? edge.winding : -edge.winding
        }
        var windings = Array(repeating: Int32(0), count: triangulation.triangleCount)
        var isKnown = Array(repeating: false, count: triangulation.triangleCount)
        var waiting: [Int] = []
        for h in triangulation.origin.indices where triangulation.twin[h] < 0 && !isKnown[h / 3] {
            windings[h / 3] = step(h)
            isKnown[h / 3] = true
            waiting.append(h / 3)
        }
        while let triangle = waiting.popLast() {
            for h in triangle * 3..<triangle * 3 + 3 {
                let other = triangulation.twin[h]
                guard other >= 0, !isKnown[other / 3] else { continue }
                windings[other / 3] = windings[triangle] - step(h)
                isKnown[other / 3] = true
                waiting.append(other / 3)
            }
        }
        return windings
    }

    private mutating func groupPieces(_ isFilled: [Bool]) {
        pieceOfTriangle = Array(repeating: -1, count: isFilled.count)
        for first in isFilled.indices where isFilled[first] && pieceOfTriangle[first] < 0 {
            pieceOfTriangle[first] = pieceCount
            var waiting = [first]
            while let triangle = waiting.popLast() {
                for h in triangle * 3..<triangle * 3 + 3 {
                    let other = triangulation.twin[h]
                    guard other >= 0, isFilled[other / 3], pieceOfTriangle[other / 3] < 0 else { continue }
                    pieceOfTriangle[other / 3] = pieceCount
                    waiting.append(other / 3)
                }
            }
            pieceCount += 1
        }
    }

    // MARK: Outlines

    private func isBoundary(_ h: Int) -> Bool {
        guard pieceOfTriangle[h / 3] >= 0 else { return false }
        return triangulation.twin[h] < 0 || pieceOfTriangle[triangulation.twin[h] / 3] < 0
    }

    /// Returns the outlines of all pieces.
    ///
    /// - Parameters:
    ///   - sources: The pieces of the path from which the edges were created.
    ///   - grid: The position of the grid in the plane.
    func pieces(of sources: [FlatPath.Piece], on grid: PlanarGrid) -> [Piece] {
        var pieces = Array(repeating: Piece(), count: pieceCount)
        var isDone = Array(repeating: false, count: triangulation.origin.count)
        for first in triangulation.origin.indices where !isDone[first] && isBoundary(first) {
            var loop: Loop = []
            var h = first
            repeat {
                isDone[h] = true
                loop.append(corner(h, sources, grid))
                // Around the far end through the interior, to the next edge of the outline.
                h = PlanarTriangulation.next(h)
                while !isBoundary(h) { h = PlanarTriangulation.next(triangulation.twin[h]) }
            } while h != first
            pieces[pieceOfTriangle[first / 3]].loops.append(loop)
        }
        return pieces
    }

    private func corner(_ h: Int, _ sources: [FlatPath.Piece], _ grid: PlanarGrid) -> Corner {
        let (from, to) = (triangulation.points[triangulation.origin[h]], triangulation.points[triangulation.target(h)])
        let direction = normalize(to.vector - from.vector)
        let plain = Corner(point: from, startTangent: direction, endTangent: direction)
        let number = triangulation.given[h]
        guard number >= 0 else { return plain }
        let source = sources[Int(edges[Int(number)].source)]
        let along = source.to - source.from
        let sign: Double = dot(along, direction) < 0 ? -1 : 1
        func tangent(_ point: GridPoint) -> SIMD2<Double> {
            let t = clamp(dot(grid.position(point) - source.from, along) / dot(along, along), 0, 1)
            let mixed = normalize(mix(source.startTangent, source.endTangent, t)) * sign
            // If rounding to the grid has bent a short piece, its direction on the grid replaces the curve's tangent.
            return dot(mixed, direction) > 0.5 ? mixed : direction
        }
        return Corner(point: from, startTangent: tangent(from), endTangent: tangent(to))
    }
}
