/// A symmetric positive definite system of a few hundred unknowns: all numbers by rows, solved by Cholesky's factors on one thread.
struct SymmetricSystem: Sendable {
    let size: Int
    /// `size` × `size`, both triangles.
    var matrix: [Double]
    var right: [Double]

    init(size: Int) {
        self.size = size
        matrix = [Double](repeating: 0, count: size * size)
        right = [Double](repeating: 0, count: size)
    }

    /// L of L Lᵀ with `damping` of each diagonal element added to it; nil where the matrix isn't positive definite.
    func factored(damping: Double = 0) -> Factor? {
        var l = matrix
        let size = size
        let isGood = l.withUnsafeMutableBufferPointer { l -> Bool in
            for i in 0..<size { l[i * size + i] += damping * max(l[i * size + i], 1e-12) }
            for j in 0..<size {
                for i in j..<size {
                    var sum = l[i * size + j]
                    let (a, b) = (i * size, j * size)
                    for k in 0..<j { sum -= l[a + k] * l[b + k] }
                    if i == j {
                        guard sum > 0, sum.isFinite else { return false }
                        l[a + j] = sum.squareRoot()
                    } else {
                        l[a + j] = sum / l[b + j]
                    }
                }
            }
            return true
        }
        return isGood ? Factor(size: size, lower: l) : nil
    }

    struct Factor: Sendable {
        let size: Int
        let lower: [Double]

        func solve(_ right: [Double]) -> [Double] {
            var x = right
            for i in 0..<size {
                var sum = x[i]
                for k in 0..<i { sum -= lower[i * size + k] * x[k] }
                x[i] = sum / lower[i * size + i]
            }
            for i in (0..<size).reversed() {
                var sum = x[i]
                for k in (i + 1)..<max(i + 1, size) { sum -= lower[k * size + i] * x[k] }
                x[i] = sum / lower[i * size + i]
            }
            return x
        }

        /// The inverse's rows and columns `indices`, by rows.
        func inverse(_ indices: [Int]) -> [Double] {
            var result = [Double](repeating: 0, count: indices.count * indices.count)
            for (column, index) in indices.enumerated() {
                var unit = [Double](repeating: 0, count: size)
                unit[index] = 1
                let solved = solve(unit)
                for (row, other) in indices.enumerated() { result[row * indices.count + column] = solved[other] }
            }
            return result
        }
    }
}
