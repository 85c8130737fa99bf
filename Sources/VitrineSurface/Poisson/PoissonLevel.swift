import VitrineMath
import VitrineVision

/// The operators of one level: sums over the octets' cells, gathered at the corners in a fixed order, independent of the thread that computed them.
struct PoissonLevel: Sendable {
    let level: OctreeLevel
    let tables: OctetTables
    let parallel: Parallel
    /// The contribution of each octet's cells to each of its 27 corners.
    private let sums: Buffer<Float>
    private static let chunk = 512

    init(_ level: OctreeLevel, tables: OctetTables, parallel: Parallel) {
        (self.level, self.tables, self.parallel) = (level, tables, parallel)
        sums = Buffer(count: 27 * level.octetCount, repeating: 0)
    }

    /// A · `x`: the Laplacian and the `screen` (for each cell the position of its mean sample as fractions, and the screening weight in w).
    /// - Returns: x · A x over the unknowns.
    func apply(_ x: Buffer<Float>, screen: Buffer<Vector4>, to result: Buffer<Float>) -> Double {
        gatherCells { cell, slots, corners, sums in
            var values = SIMD8<Float>.zero
            for corner in 0..<8 { values[corner] = x.base[Int(corners[Int(slots[corner])])] }
            var out = Trilinear.stiffness(values)
            let sample = screen.base[cell]
            if sample.w > 0 {
                let basis = Trilinear.values(sample.xyz)
                out += basis * (sample.w * (basis * values).sum())
            }
            for corner in 0..<8 { sums[Int(slots[corner])] += out[corner] }
        }
        return gatherCorners(level.free, to: result) { value, corner in value * x.base[corner] }
    }

    /// The diagonal of A.
    func diagonal(screen: Buffer<Vector4>, to result: Buffer<Float>) {
        gatherCells { cell, slots, _, sums in
            let sample = screen.base[cell]
            let basis = Trilinear.values(sample.xyz)
            let out = basis * basis * sample.w + Trilinear.stiffnessDiagonal
            for corner in 0..<8 { sums[Int(slots[corner])] += out[corner] }
        }
        _ = gatherCorners(level.free, to: result) { _, _ in 0 }
    }

    /// ∫ field · ∇φ at every corner, border included, for a field given at the corners (in units of the cell: see `PoissonReconstruction`).
    func divergence(_ field: Buffer<Vector4>, to result: Buffer<Float>) {
        gatherCells { _, slots, corners, sums in
            var (x, y, z) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
            for corner in 0..<8 {
                let vector = field.base[Int(corners[Int(slots[corner])])]
                (x[corner], y[corner], z[corner]) = (vector.x, vector.y, vector.z)
            }
            let out = Trilinear.divergence(x, y, z)
            for corner in 0..<8 { sums[Int(slots[corner])] += out[corner] }
        }
        _ = gatherCorners(level.owned, to: result) { _, _ in 0 }
    }

    /// Calls `body` for each cell with its corners' slots, its octet's corner numbers and its octet's sums.
    @inline(__always)
    private func gatherCells(
        _ body: @Sendable (Int, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Float>) -> Void
    ) {
        parallel.forEachChunk(of: level.octetCount, size: Self.chunk) { octets in
            for octet in octets {
                let out = sums.base + 27 * octet
                for slot in 0..<27 { out[slot] = 0 }
                let corners = level.corners.base + 27 * octet
                for cell in 0..<8 { body(8 * octet + cell, tables.cellSlots.base + 8 * cell, corners, out) }
            }
        }
    }

    /// Sums the octets' contributions at the corners in `slots` (27 bits per octet); the others stay.
    /// - Returns: The sum of `measure(value, corner)`.
    @inline(__always)
    private func gatherCorners(
        _ slots: Buffer<UInt32>, to result: Buffer<Float>, _ measure: @Sendable (Float, Int) -> Float
    ) -> Double {
        let chunks = (level.octetCount + Self.chunk - 1) / Self.chunk
        let partial = parallel.map(chunks) { chunk -> Double in
            var total = 0.0
            for octet in chunk * Self.chunk..<min(level.octetCount, (chunk + 1) * Self.chunk) {
                var remaining = slots.base[octet]
                let around = level.neighbors.base + 27 * octet
                while remaining != 0 {
                    let slot = remaining.trailingZeroBitCount
                    remaining &= remaining &- 1
                    var sum: Float = 0
                    for entry in Int(tables.start.base[slot])..<Int(tables.start.base[slot + 1]) {
                        let other = Int(around[Int(tables.octet.base[entry])])
                        if other >= 0 { sum += sums.base[27 &* other &+ Int(tables.slot.base[entry])] }
                    }
                    let corner = Int(level.corners.base[27 * octet + slot])
                    result.base[corner] = sum
                    total += Double(measure(sum, corner))
                }
            }
            return total
        }
        return partial.reduce(0, +)
    }
}

extension PoissonLevel {
    /// Improves `x` at the unknowns by conjugate gradients with the diagonal as preconditioner (Hestenes & Stiefel 1952).
    ///
    /// - Parameters:
    ///   - x: The initial values; values on the border stay.
    ///   - target: The right-hand side.
    ///   - iterations: The largest number of iterations; fewer if the residual decreases to `tolerance` times the norm of the right-hand side.
    func solve(
        _ x: Buffer<Float>, target: Buffer<Float>, screen: Buffer<Vector4>, iterations: Int, tolerance: Double, isCancelled: () -> Bool
    ) {
        let count = level.cornerCount
        let isFree = freeCorners()
        let inverse = Buffer<Float>(count: count, repeating: 1)
        diagonal(screen: screen, to: inverse)
        let product = Buffer<Float>(count: count, repeating: 0)
        let residual = Buffer<Float>(count: count, repeating: 0)
        let direction = Buffer<Float>(count: count, repeating: 0)
        _ = apply(x, screen: screen, to: product)
        let start = sum(count) { index -> (Double, Double) in
            guard isFree.base[index] else { return (0, 0) }
            inverse.base[index] = 1 / inverse.base[index]
            let value = target.base[index] - product.base[index]
            residual.base[index] = value
            direction.base[index] = value * inverse.base[index]
            return (Double(value * direction.base[index]), Double(target.base[index] * target.base[index] * inverse.base[index]))
        }
        var energy = start.0
        let goal = max(start.1, 1e-30) * tolerance * tolerance
        for _ in 0..<iterations {
            if energy <= goal || isCancelled() { break }
            let curvature = apply(direction, screen: screen, to: product)
            guard curvature > 0 else { break }
            let step = Float(energy / curvature)
            let next = sum(count) { index in
                x.base[index] += step * direction.base[index]
                let value = residual.base[index] - step * product.base[index]
                residual.base[index] = value
                return (Double(value * value * inverse.base[index]), 0)
            }
            let keep = Float(next.0 / energy)
            energy = next.0
            _ = sum(count) { index in
                direction.base[index] = residual.base[index] * inverse.base[index] + keep * direction.base[index]
                return (0, 0)
            }
        }
    }

    private func freeCorners() -> Buffer<Bool> {
        let result = Buffer<Bool>(count: level.cornerCount, repeating: false)
        for octet in 0..<level.octetCount {
            var remaining = level.free[octet]
            while remaining != 0 {
                result[level.corners[27 * octet + remaining.trailingZeroBitCount]] = true
                remaining &= remaining &- 1
            }
        }
        return result
    }

    /// Sums over 0..<count in pieces of a fixed size, independent of the number of threads.
    @inline(__always)
    private func sum(_ count: Int, _ body: @Sendable (Int) -> (Double, Double)) -> (Double, Double) {
        let size = 16_384
        let partial = parallel.map((count + size - 1) / size) { piece -> (Double, Double) in
            var total = (0.0, 0.0)
            for index in piece * size..<min(count, (piece + 1) * size) {
                let value = body(index)
                total.0 += value.0
                total.1 += value.1
            }
            return total
        }
        return partial.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
}
