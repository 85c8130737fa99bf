import VitrineMath

/// Triangles of a mesh in a plane, without mirroring. World unit.
struct FlatChart: Sendable {
    /// The indices of the triangles in the mesh, ascending.
    var triangles: [Int32]
    /// The indices of their vertices in the mesh.
    var vertices: [Int32]
    /// The indices into `vertices` of the corners of each of `triangles`.
    var corners: [SIMD3<Int32>]
    /// The coordinates of each vertex; y points up: front faces are counterclockwise.
    var coordinates: [Vector2]

    init(_ triangles: [Int32], _ surface: SurfaceTopology) {
        self.triangles = triangles
        // Sorted, so that a binary search finds a corner.
        var used: [Int32] = []
        used.reserveCapacity(triangles.count * 3)
        for t in triangles { for k in 0..<3 { used.append(surface.triangles[Int(t)][k]) } }
        used.sort()
        var unique: [Int32] = []
        for vertex in used where unique.last != vertex { unique.append(vertex) }
        vertices = unique
        corners = triangles.map { t in
            let c = surface.triangles[Int(t)]
            return SIMD3(Self.index(of: c.x, in: unique), Self.index(of: c.y, in: unique), Self.index(of: c.z, in: unique))
        }
        coordinates = Array(repeating: .zero, count: vertices.count)
    }

    private static func index(of vertex: Int32, in sorted: [Int32]) -> Int32 {
        var (low, high) = (0, sorted.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if sorted[middle] <= vertex { low = middle } else { high = middle }
        }
        return Int32(low)
    }

    /// Creates a chart of some of the triangles, with their coordinates. They must be ascending.
    func part(_ kept: [Int32]) -> FlatChart {
        var result = self
        (result.triangles, result.corners, result.vertices, result.coordinates) = ([], [], [], [])
        var newIndices = [Int32](repeating: -1, count: vertices.count)
        var next = 0
        for (index, triangle) in triangles.enumerated() where next < kept.count && kept[next] == triangle {
            next += 1
            for k in 0..<3 where newIndices[Int(corners[index][k])] < 0 {
                newIndices[Int(corners[index][k])] = Int32(result.vertices.count)
                result.vertices.append(vertices[Int(corners[index][k])])
                result.coordinates.append(coordinates[Int(corners[index][k])])
            }
            let c = corners[index]
            result.triangles.append(triangle)
            result.corners.append(SIMD3(newIndices[Int(c.x)], newIndices[Int(c.y)], newIndices[Int(c.z)]))
        }
        return result
    }

    /// Twice the signed area of a triangle in the plane.
    func doubledArea(_ index: Int) -> Float {
        let c = corners[index]
        let (a, b, d) = (coordinates[Int(c.x)], coordinates[Int(c.y)], coordinates[Int(c.z)])
        return (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x)
    }

    /// Projects the triangles along their mean normal.
    mutating func project(_ surface: SurfaceTopology) {
        var sum = Vector3.zero
        for t in triangles { sum += surface.normals[Int(t)] * surface.areas[Int(t)] }
        let axis = lengthSquared(sum) > 0 ? normalize(sum) : Vector3.up
        let right = normalize(anyPerpendicular(axis))
        let up = cross(axis, right)
        let origin = surface.positions[Int(vertices[0])]
        for (index, vertex) in vertices.enumerated() {
            let p = surface.positions[Int(vertex)] - origin
            coordinates[index] = Vector2(dot(p, right), dot(p, up))
        }
    }

    /// The distortion of a chart.
    struct Distortion {
        /// The number of mirrored triangles.
        var flipped = 0
        /// The area-weighted mean of the larger stretch, or of the inverse of the smaller: 1 without stretch.
        var meanStretch: Float = 1
        /// The fraction of the area that is stretched or compressed by more than a factor of 2.
        var excessiveShare: Float = 0
    }

    func distortion(_ surface: SurfaceTopology) -> Distortion {
        var result = Distortion()
        var (sum, excessive, total) = (Float(0), Float(0), Float(0))
        for (index, triangle) in triangles.enumerated() {
            let area = surface.areas[Int(triangle)]
            guard area > 1e-12 * surface.totalArea else { continue }
            if doubledArea(index) <= 0 {
                result.flipped += 1
                continue
            }
            let stretch = self.stretch(index, surface)
            sum += area * min(10, stretch)
            if stretch > 2 { excessive += area }
            total += area
        }
        if total > 0 { (result.meanStretch, result.excessiveShare) = (sum / total, excessive / total) }
        return result
    }

    /// max(σ₁, 1/σ₂) of the map from the surface to the plane.
    private func stretch(_ index: Int, _ surface: SurfaceTopology) -> Float {
        let frame = TriangleFrame(surface, Int(triangles[index]))
        let c = corners[index]
        let (a, b) = (coordinates[Int(c.y)] - coordinates[Int(c.x)], coordinates[Int(c.z)] - coordinates[Int(c.x)])
        guard frame.second.y > 0, frame.first.x > 0 else { return 1 }
        // Columns of the Jacobian.
        let dx = a / frame.first.x
        let dy = (b - dx * frame.second.x) / frame.second.y
        let (e, g, f) = (dot(dx, dx), dot(dy, dy), dot(dx, dy))
        let root = ((e - g) * (e - g) + 4 * f * f).squareRoot()
        let (large, small) = (((e + g + root) / 2).squareRoot(), (max(0, e + g - root) / 2).squareRoot())
        return max(large, small > 0 ? 1 / small : .infinity)
    }
}

/// A triangle in its own plane: the first corner at the origin, the second on the x axis.
struct TriangleFrame {
    /// The positions of the second and the third corner; `first.y` is 0.
    let first, second: Vector2

    init(_ surface: SurfaceTopology, _ triangle: Int) {
        let t = surface.triangles[triangle]
        let p = surface.positions[Int(t.x)]
        let (a, b) = (surface.positions[Int(t.y)] - p, surface.positions[Int(t.z)] - p)
        let base = length(a)
        first = Vector2(base, 0)
        second = base > 0 ? Vector2(dot(a, b) / base, length(cross(a, b)) / base) : .zero
    }
}

extension FlatChart {
    /// Optimizes the coordinates so that triangles keep their shape and size: as-rigid-as-possible parameterization, with
    /// two alternating steps (Liu, Zhang, Xu, Gotsman and Gortler 2008, "A Local/Global Approach to Mesh Parameterization").
    ///
    /// The global step uses a few iterations of conjugate gradients from the present coordinates.
    mutating func relax(_ surface: SurfaceTopology, rounds: Int = 10, steps: Int = 24) {
        var system = StiffnessMatrix(self, surface)
        for _ in 0..<rounds {
            system.gather(self)
            system.solve(&coordinates, steps: steps)
        }
    }
}

extension FlatChart {
    /// Corrects mirrored triangles by moving their vertices to the mean of their neighbours (Tutte 1963): if
    /// the surrounding triangles are not mirrored, none remains. Vertices on the chart's border stay.
    mutating func untangle(_ surface: SurfaceTopology) {
        let isBorder = borderVertices()
        for round in 0..<4 {
            var isMoved = [Bool](repeating: false, count: vertices.count)
            var found = false
            for index in corners.indices where doubledArea(index) <= 0 && surface.areas[Int(triangles[index])] > 0 {
                found = true
                for k in 0..<3 { isMoved[Int(corners[index][k])] = true }
            }
            guard found else { return }
            for _ in 0..<round + 1 {
                let before = isMoved
                for c in corners where before[Int(c.x)] || before[Int(c.y)] || before[Int(c.z)] {
                    for k in 0..<3 { isMoved[Int(c[k])] = true }
                }
            }
            let near = corners.filter { isMoved[Int($0.x)] || isMoved[Int($0.y)] || isMoved[Int($0.z)] }
            var sums = [Vector3](repeating: Vector3(repeating: 0), count: vertices.count)
            for _ in 0..<40 {
                for c in near { for k in 0..<3 { sums[Int(c[k])] = Vector3(repeating: 0) } }
                for c in near {
                    let (p, q, r) = (coordinates[Int(c.x)], coordinates[Int(c.y)], coordinates[Int(c.z)])
                    sums[Int(c.x)] += Vector3(q + r, 2)
                    sums[Int(c.y)] += Vector3(r + p, 2)
                    sums[Int(c.z)] += Vector3(p + q, 2)
                }
                for c in near {
                    for k in 0..<3 where isMoved[Int(c[k])] && !isBorder[Int(c[k])] {
                        let sum = sums[Int(c[k])]
                        coordinates[Int(c[k])] = Vector2(sum.x, sum.y) / sum.z
                    }
                }
            }
        }
    }

    private func borderVertices() -> [Bool] {
        // An inner vertex has as many triangles as neighbours: each neighbour follows it once and precedes it once.
        var balance = [Int64](repeating: 0, count: vertices.count)
        for c in corners {
            for k in 0..<3 {
                let (v, after, before) = (Int(c[k]), Int64(c[(k + 1) % 3]), Int64(c[(k + 2) % 3]))
                balance[v] &+= after &* after &* 31 &+ after &- (before &* before &* 31 &+ before)
            }
        }
        return balance.map { $0 != 0 }
    }
}

/// The cotangent Laplacian of a chart in compressed rows, and the right-hand side of the rotated triangles.
private struct StiffnessMatrix {
    private var offsets: [Int32]
    private var columns: [Int32]
    private var values: [Float]
    private var diagonal: [Float]
    /// The weights of the edges of each triangle, from corner k to corner k + 1.
    private var weights: [Vector3]
    private var frames: [TriangleFrame]
    private var target: [Vector2]

    init(_ chart: FlatChart, _ surface: SurfaceTopology) {
        frames = chart.triangles.map { TriangleFrame(surface, Int($0)) }
        weights = frames.map(Self.cotangents)
        let count = chart.vertices.count
        target = Array(repeating: .zero, count: count)
        diagonal = Array(repeating: 0, count: count)
        // Each triangle adds each of its edges to both ends; the two triangles of an edge stay two entries.
        offsets = Array(repeating: 0, count: count + 1)
        for c in chart.corners { for k in 0..<3 { offsets[Int(c[k]) + 1] += 2 } }
        for v in 0..<count { offsets[v + 1] += offsets[v] }
        var next = offsets
        columns = Array(repeating: 0, count: Int(offsets[count]))
        values = Array(repeating: 0, count: columns.count)
        for (index, c) in chart.corners.enumerated() {
            for k in 0..<3 {
                let (a, b, w) = (Int(c[k]), Int(c[(k + 1) % 3]), weights[index][k])
                for (from, to) in [(a, b), (b, a)] {
                    columns[Int(next[from])] = Int32(to)
                    values[Int(next[from])] = w
                    next[from] += 1
                    diagonal[from] += w
                }
            }
        }
    }

    /// Half the cotangent of the angle opposite each edge. Clamped to positive values, so that the system has one solution without mirrored triangles.
    private static func cotangents(_ frame: TriangleFrame) -> Vector3 {
        let (a, b) = (frame.first, frame.second)
        let doubled = a.x * b.y
        guard doubled > 0 else { return Vector3(repeating: 1e-3) }
        let c = b - a
        return Vector3(dot(b, c), -dot(a, c), dot(a, b)).clamped(
            lowerBound: Vector3(repeating: 0.02 * doubled), upperBound: Vector3(repeating: 20 * doubled)) / (2 * doubled)
    }

    /// The local step: each triangle's best rotation, and the resulting right-hand side of its edges.
    mutating func gather(_ chart: FlatChart) {
        for v in target.indices { target[v] = .zero }
        for (index, c) in chart.corners.enumerated() {
            let (frame, w) = (frames[index], weights[index])
            let (p, q, r) = (chart.coordinates[Int(c.x)], chart.coordinates[Int(c.y)], chart.coordinates[Int(c.z)])
            let flat = (frame.first, frame.second - frame.first, -frame.second)
            // In complex numbers the best rotation is the direction of Σ w · conj(flat) · edge.
            var turn = Vector2.zero
            for (weight, f, e) in [(w.x, flat.0, q - p), (w.y, flat.1, r - q), (w.z, flat.2, p - r)] {
                turn += Vector2(f.x * e.x + f.y * e.y, f.x * e.y - f.y * e.x) * weight
            }
            let size = length(turn)
            turn = size > 0 ? turn / size : Vector2(1, 0)
            for (k, f) in [flat.0, flat.1, flat.2].enumerated() {
                let edge = Vector2(turn.x * f.x - turn.y * f.y, turn.x * f.y + turn.y * f.x) * w[k]
                target[Int(c[k])] -= edge
                target[Int(c[(k + 1) % 3])] += edge
            }
        }
    }

    /// The global step. Both coordinates share the matrix and are solved together, each with its own step lengths.
    func solve(_ solution: inout [Vector2], steps: Int) {
        let count = solution.count
        withUnsafeTemporaryAllocation(of: Vector2.self, capacity: 3 * count) { scratch in
            let (residual, product, direction) = (scratch.baseAddress!, scratch.baseAddress! + count, scratch.baseAddress! + 2 * count)
            solution.withUnsafeMutableBufferPointer { x in
                diagonal.withUnsafeBufferPointer { diagonal in
                    multiply(x.baseAddress!, product)
                    var rho = Vector2.zero
                    for v in 0..<count {
                        residual[v] = target[v] - product[v]
                        direction[v] = residual[v] / diagonal[v]
                        rho += residual[v] * direction[v]
                    }
                    let enough = rho * 1e-6
                    for _ in 0..<steps {
                        multiply(direction, product)
                        var curvature = Vector2.zero
                        for v in 0..<count { curvature += direction[v] * product[v] }
                        guard curvature.x > 0, curvature.y > 0 else { return }
                        let step = rho / curvature
                        var next = Vector2.zero
                        for v in 0..<count {
                            x[v] += direction[v] * step
                            let rest = residual[v] - product[v] * step
                            residual[v] = rest
                            next += rest * rest / diagonal[v]
                        }
                        guard rho.x > 0, rho.y > 0, next.x > enough.x || next.y > enough.y else { return }
                        let ratio = next / rho
                        for v in 0..<count { direction[v] = residual[v] / diagonal[v] + direction[v] * ratio }
                        rho = next
                    }
                }
            }
        }
    }

    private func multiply(_ x: UnsafePointer<Vector2>, _ result: UnsafeMutablePointer<Vector2>) {
        offsets.withUnsafeBufferPointer { offsets in
            columns.withUnsafeBufferPointer { columns in
                values.withUnsafeBufferPointer { values in
                    for v in 0..<diagonal.count {
                        var sum = x[v] * diagonal[v]
                        for slot in Int(offsets[v])..<Int(offsets[v + 1]) { sum -= x[Int(columns[slot])] * values[slot] }
                        result[v] = sum
                    }
                }
            }
        }
    }
}
