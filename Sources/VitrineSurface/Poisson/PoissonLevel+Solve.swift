import VitrineMath
import VitrineVision

extension PoissonLevel {
    /// Improves `x` at the unknowns by conjugate gradients with the diagonal as preconditioner (Hestenes & Stiefel 1952).
    ///
    /// - Parameters:
    ///   - x: The start, everywhere; values on the border stay.
    ///   - target: The right-hand side.
    ///   - iterations: At most so many, fewer when the residual has shrunk to `tolerance` of the right-hand side's norm.
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

    /// Sums over 0..<count in pieces of a fixed size, whatever the number of threads.
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
