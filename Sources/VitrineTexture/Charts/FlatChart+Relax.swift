import VitrineMath

extension FlatChart {
    /// Moves the coordinates so that triangles keep their shape and size as well as they can: as-rigid-as-possible parameterization, whose
    /// two steps alternate (Liu, Zhang, Xu, Gotsman and Gortler 2008, "A Local/Global Approach to Mesh Parameterization").
    ///
    /// The global step is solved by conjugate gradients from where it stands; a few steps each are enough.
    mutating func relax(_ surface: SurfaceTopology, rounds: Int = 10, steps: Int = 24) {
        var system = StiffnessMatrix(self, surface)
        for _ in 0..<rounds {
            system.gather(self)
            system.solve(&coordinates, steps: steps)
        }
    }
}

extension FlatChart {
    /// Turns over triangles that lie mirrored by moving the vertices around them to the middle of their neighbours, as Tutte (1963) does: where
    /// the surroundings lie well, that leaves nothing mirrored. Vertices on the chart's border stay.
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
        // A vertex inside has as many triangles as neighbours: each neighbour follows it once and precedes it once.
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

/// The cotangent Laplacian of a chart in compressed rows, and the right-hand side that rotated triangles ask for.
private struct StiffnessMatrix {
    private var offsets: [Int32]
    private var columns: [Int32]
    private var values: [Float]
    private var diagonal: [Float]
    /// By triangle: the weights of the edges from corner k to corner k + 1.
    private var weights: [Vector3]
    private var frames: [TriangleFrame]
    private var target: [Vector2]

    init(_ chart: FlatChart, _ surface: SurfaceTopology) {
        frames = chart.triangles.map { TriangleFrame(surface, Int($0)) }
        weights = frames.map(Self.cotangents)
        let count = chart.vertices.count
        target = Array(repeating: .zero, count: count)
        diagonal = Array(repeating: 0, count: count)
        // Each triangle gives each of its edges to both ends; the two triangles of an edge are left as two entries.
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

    /// Half the cotangent of the angle opposite each edge. Kept positive, so that the system has one solution and nothing turns over.
    private static func cotangents(_ frame: TriangleFrame) -> Vector3 {
        let (a, b) = (frame.first, frame.second)
        let doubled = a.x * b.y
        guard doubled > 0 else { return Vector3(repeating: 1e-3) }
        let c = b - a
        return Vector3(dot(b, c), -dot(a, c), dot(a, b)).clamped(
            lowerBound: Vector3(repeating: 0.02 * doubled), upperBound: Vector3(repeating: 20 * doubled)) / (2 * doubled)
    }

    /// The local step: each triangle's best rotation, and what its edges then ask of their ends.
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

    /// The global step. Both coordinates share the matrix and are solved side by side, each with its own step lengths.
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
