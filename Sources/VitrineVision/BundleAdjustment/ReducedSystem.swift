import VitrineGeometry

/// The reduced camera system of a bundle adjustment: the upper triangle of its matrix, by cameras and then lenses, and its factorization.
///
/// Dense for few cameras. For many it is sparse: a camera's six rows have columns for itself, for the later cameras with common points and for all
/// lenses, and `MultifrontalCholesky` factors it.
final class ReducedSystem {
    /// The number of free cameras from which on the matrix is stored and factored sparsely.
    static let sparseCameras = 200

    /// The number of unknowns.
    let size: Int
    let values: UnsafeMutablePointer<Double>
    /// The rows of each camera in `values`; those of fixed cameras are not used.
    let rows: [CameraRows]
    /// The row of the first lens, which starts at the diagonal, and the number of elements from one to the next.
    let lensRows: UnsafeMutablePointer<Double>
    let lensStride: Int

    /// The first of the six rows of each camera.
    struct CameraRows {
        /// The index of the first row, and the distance from one row to the next.
        var start = 0, stride = 0
        /// The columns of the camera itself and of the first lens.
        var own = 0, lens = 0
    }

    private let cameraUnknown: [Int]
    private let lensStart: Int
    private let dense: DenseCholesky
    private let sparse: MultifrontalCholesky?
    private let valueCount: Int
    /// The index of each free camera, and the later free cameras with which it shares points.
    private let cameras: [Int32]
    private let later: [[Int32]]

    /// The rows end with this number of unused elements, so that 16 can be read and written across the end.
    private static let padding = 16

    /// Creates a dense or a sparse system.
    ///
    /// - Parameters:
    ///   - cameraUnknown: The first unknown of each camera, or −1.
    ///   - lensStart: The first unknown of the lenses, which come last.
    ///   - sparseCameras: See `ReducedSystem.sparseCameras`.
    ///   - later: Returns the later free cameras that share points with each free camera, in ascending order. Called for a sparse matrix.
    init(cameraUnknown: [Int], lensStart: Int, size: Int, sparseCameras: Int, later coupling: () -> [[Int32]]) {
        (self.cameraUnknown, self.lensStart, self.size) = (cameraUnknown, lensStart, size)
        cameras = cameraUnknown.indices.filter { cameraUnknown[$0] >= 0 }.map { Int32($0) }
        var rows = [CameraRows](repeating: CameraRows(), count: cameraUnknown.count)
        if cameras.count < sparseCameras {
            dense = DenseCholesky(size: size)
            (sparse, later, valueCount) = (nil, [], 0)
            values = dense.rows
            for (camera, unknown) in cameraUnknown.enumerated() where unknown >= 0 {
                rows[camera] = CameraRows(start: unknown * dense.stride, stride: dense.stride, own: unknown, lens: lensStart)
            }
            (lensRows, lensStride) = (values + lensStart * dense.stride + lensStart, dense.stride)
        } else {
            dense = DenseCholesky(size: 0)
            later = coupling()
            let lensCount = size - lensStart
            var end = 0
            for (block, camera) in cameras.enumerated() {
                let lens = 6 * (1 + later[block].count)
                rows[Int(camera)] = CameraRows(start: end, stride: lens + lensCount + Self.padding, own: 0, lens: lens)
                end += 6 * rows[Int(camera)].stride
            }
            lensStride = lensCount + Self.padding
            valueCount = end + lensCount * lensStride + Self.padding
            values = .allocate(capacity: valueCount)
            values.initialize(repeating: 0, count: valueCount)
            lensRows = values + end
            sparse = MultifrontalCholesky(later: later, border: lensCount)
        }
        self.rows = rows
    }

    deinit { if sparse != nil { values.deallocate() } }

    /// The address of an unknown's diagonal element.
    func diagonal(_ unknown: Int) -> UnsafeMutablePointer<Double> {
        guard unknown < lensStart else { return lensRows + (unknown - lensStart) * (lensStride + 1) }
        let (own, row) = (rows[Int(cameras[unknown / 6])], unknown % 6)
        return values + own.start + row * (own.stride + 1) + own.own
    }

    /// Calls `body` with the column of each later camera in the rows of `camera`, −1 for fixed cameras. The columns of cameras without common points are
    /// not defined.
    @inline(__always) func withColumns(of camera: Int, _ body: (UnsafePointer<Int>) -> Void) {
        cameraUnknown.withUnsafeBufferPointer { unknowns in
            guard sparse != nil else { return body(unknowns.baseAddress!) }
            withUnsafeTemporaryAllocation(of: Int.self, capacity: unknowns.count) { columns in
                _ = columns.initialize(from: unknowns)
                columns[camera] = 0
                for (position, block) in later[unknowns[camera] / 6].enumerated() { columns[Int(cameras[Int(block)])] = 6 * (position + 1) }
                body(UnsafePointer(columns.baseAddress!))
            }
        }
    }

    /// Sets the matrix to 0.
    func clear() {
        if sparse == nil { dense.clear() } else { values.update(repeating: 0, count: valueCount) }
    }

    /// Factors the matrix. Returns false if it is not positive definite.
    func factor(_ parallel: Parallel) -> Bool {
        guard let sparse else { return dense.factor(forEach: parallel.forEach) }
        return sparse.factor(
            MultifrontalCholesky.Matrix(
                rows: cameras.map { MatrixRows(values + rows[Int($0)].start, stride: rows[Int($0)].stride) }, later: later,
                border: MatrixRows(lensRows, stride: lensStride)), parallel)
    }

    /// Solves for a right-hand side in place, after `factor`.
    func solve(_ vector: UnsafeMutablePointer<Double>) {
        if let sparse { sparse.solve(vector) } else { dense.solve(vector) }
    }

    /// The lenses' part of the inverse's diagonal, after `factor`.
    func lensInverseDiagonal() -> [Double] {
        let count = size - lensStart
        guard let sparse else { return dense.inverseDiagonal(last: count) }
        let last = DenseCholesky(size: count)
        for row in 0..<count { for column in row..<count { last.rows[row * last.stride + column] = sparse.borderFactor(row, column) } }
        return last.inverseDiagonal(last: count)
    }
}
