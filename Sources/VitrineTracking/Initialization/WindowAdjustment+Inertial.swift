import VitrineMath
import VitrineVision

/// What the IMU says, and what was known beforehand.
extension WindowAdjustment {
    func addPriors(_ built: inout Built) {
        let size = built.system.size
        func hold(_ index: Int, _ difference: Double, _ deviation: Double) {
            let weight = 1 / (deviation * deviation)
            built.system.matrix[index * size + index] += weight
            built.system.right[index] += weight * difference
            built.cost += weight * difference * difference
        }
        // The gauge: the first position and heading stay; held by weight, on the body's axes.
        for k in 0..<3 { hold(pose(0) + 3 + k, 0, 1e-5) }
        let up = frames[0].worldFromBody.rotation.transpose * Vector3d(0, 1, 0)
        for i in 0..<3 { for j in 0..<3 { built.system.matrix[i * size + j] += 1e10 * up[i] * up[j] } }
        for k in 0..<3 {
            hold(biases + k, prior.gyroscopeBias[k] - gyroscopeBias[k], prior.gyroscopeBiasDeviation)
            hold(biases + 3 + k, prior.accelerometerBias[k] - accelerometerBias[k], prior.accelerometerBiasDeviation)
        }
        hold(clock, prior.timeOffset - timeOffset, max(prior.timeOffsetDeviation, 1e-6))
    }

    /// Between a frame and the next: by how much turn, velocity and position miss what the IMU says (Forster et al. 2017).
    private func misses(_ index: Int) -> (turn: Vector3d, velocity: Vector3d, position: Vector3d, faster: Vector3d, further: Vector3d) {
        let (a, b, step) = (frames[index], frames[index + 1], steps[index])
        let said = step.corrected(gyroscopeBias: gyroscopeBias, accelerometerBias: accelerometerBias)
        let t = step.duration
        let back = a.worldFromBody.rotation.transpose
        let faster = back * (b.velocity - a.velocity - gravity * t)
        let further = back * (b.worldFromBody.translation - a.worldFromBody.translation - a.velocity * t - gravity * (t * t / 2))
        let turn = (said.rotation.transpose * back * b.worldFromBody.rotation).rotationVector
        return (turn, faster - said.velocity, further - said.position, faster, further)
    }

    /// Nine rows over 24 unknowns, and the misses in the 25th column.
    func addStep(_ index: Int, _ built: inout Built) {
        let unknowns = [
            pose(index), pose(index) + 3, pose(index + 1), pose(index + 1) + 3, velocity(index), velocity(index + 1), biases, biases + 3,
        ]
        let width = 32
        withUnsafeTemporaryAllocation(of: Double.self, capacity: (9 + 9 + 24) * width) { memory in
            memory.initialize(repeating: 0)
            guard let start = memory.baseAddress else { return }
            let rows = MatrixRows(start, stride: width)
            let (whitened, products) = (MatrixRows(rows[9], stride: width), MatrixRows(rows[18], stride: width))
            fill(rows, index)
            let whitening = whitenings[index]
            for i in 0..<9 {
                for k in 0...i { RowKernels.subtract(rows[k], times: -whitening[9 * i + k], from: whitened[i], count: width) }
                built.cost += whitened[i, 24] * whitened[i, 24]
            }
            RowKernels.subtractProduct(whitened, whitened, from: products, rows: 24, columns: width, depth: 9)
            built.system.subtract(products, unknowns)
        }
    }

    /// How the misses between two frames follow their turns and positions, their velocities, and the biases; three columns each.
    private func fill(_ rows: MatrixRows, _ index: Int) {
        let (a, b, step) = (frames[index], frames[index + 1], steps[index])
        let miss = misses(index)
        let back = a.worldFromBody.rotation.transpose
        let jr = Rotations.rightJacobian(miss.turn).inverse
        func put(_ block: Matrix3d, _ row: Int, _ column: Int) {
            for k in 0..<3 { for i in 0..<3 { rows[row + i, column + k] = block.column(k)[i] } }
        }
        put(jr * b.worldFromBody.rotation.transpose * a.worldFromBody.rotation * -1, 0, 0)
        put(Matrix3d.skew(miss.faster), 3, 0)
        put(Matrix3d.skew(miss.further), 6, 0)
        put(back * -1, 6, 3)
        put(jr, 0, 6)
        put(back, 6, 9)
        put(back * -1, 3, 12)
        put(back * -step.duration, 6, 12)
        put(back, 3, 15)
        put(jr * Matrix3d.rotation(miss.turn).transpose * step.rotationByGyroscope * -1, 0, 18)
        put(step.velocityByGyroscope * -1, 3, 18)
        put(step.positionByGyroscope * -1, 6, 18)
        put(step.velocityByAccelerometer * -1, 3, 21)
        put(step.positionByAccelerometer * -1, 6, 21)
        for k in 0..<3 { (rows[k, 24], rows[3 + k, 24], rows[6 + k, 24]) = (miss.turn[k], miss.velocity[k], miss.position[k]) }
    }

    /// The root of the mean square of what the IMU says otherwise, in standard deviations.
    var inertialResidual: Double {
        var sum = 0.0
        for index in steps.indices {
            let miss = misses(index)
            let parts = [miss.turn, miss.velocity, miss.position]
            for i in 0..<9 {
                var part = 0.0
                for k in 0...i { part += whitenings[index][9 * i + k] * parts[k / 3][k % 3] }
                sum += part * part
            }
        }
        return (sum / Double(max(1, 9 * steps.count))).squareRoot()
    }

    /// How far the biases are from what was believed, in standard deviations: the larger.
    var biasResidual: Double {
        max(
            length(gyroscopeBias - prior.gyroscopeBias) / prior.gyroscopeBiasDeviation,
            length(accelerometerBias - prior.accelerometerBias) / prior.accelerometerBiasDeviation)
    }
}

extension Preintegration {
    /// L⁻¹, by rows, where L Lᵀ is the covariance and a little that integration over samples leaves out; nil where there is none.
    fileprivate var covarianceWithRest: [Double] {
        var matrix = covarianceMatrix
        for k in 0..<9 { matrix[10 * k] += k < 3 ? 1e-9 : k < 6 ? 1e-7 : 1e-9 }
        return matrix
    }

    var whitening: [Double]? {
        var system = SymmetricSystem(size: 9)
        system.matrix = covarianceWithRest
        guard let factor = system.factored() else { return nil }
        // Uᵀ = L: its inverse column by column.
        var result = [Double](repeating: 0, count: 81)
        for column in 0..<9 {
            for row in column..<9 {
                var sum = row == column ? 1.0 : 0
                for k in column..<max(column, row) { sum -= factor.upper[k * factor.stride + row] * result[9 * k + column] }
                result[9 * row + column] = sum / factor.upper[row * factor.stride + row]
            }
        }
        return result
    }
}

extension SymmetricSystem {
    /// - Parameters:
    ///   - products: the negative products of columns by rows; the last column's are the right side's.
    ///   - unknowns: where each three of the columns begin.
    fileprivate mutating func subtract(_ products: MatrixRows, _ unknowns: [Int]) {
        for i in 0..<3 * unknowns.count {
            let unknown = unknowns[i / 3] + i % 3
            for j in 0..<3 * unknowns.count { matrix[unknown * size + unknowns[j / 3] + j % 3] -= products[i, j] }
            right[unknown] += products[i, 3 * unknowns.count]
        }
    }
}
