import VitrineMath
import VitrineVision

/// The covariance of the error state and the consider parameters, with both triangles stored so that rows can be read contiguously.
///
/// Rows and columns beyond `size`, and those of empty slots, are zero.
final class FilterCovariance {
    let rows: MatrixRows
    /// Size of the error state, without the consider parameters.
    private(set) var size: Int
    /// The number of slots of keyframes up to the last one in use.
    private var keyframes = 0
    private let storage: RowStorage
    private let scratch: RowStorage
    private let layout: FilterLayout
    private let capacity: Int

    init(layout: FilterLayout) {
        self.layout = layout
        capacity = layout.capacity
        storage = RowStorage(rows: capacity, columns: capacity)
        scratch = RowStorage(rows: 16, columns: capacity)
        rows = storage.rows
        size = layout.points
    }

    /// Number of columns for the kernels, a multiple of eight.
    var width: Int { min(eights(keyframes > 0 ? layout.keyframe(keyframes) : size), capacity) }

    subscript(row: Int, column: Int) -> Double {
        get { rows[row, column] }
        set { rows[row, column] = newValue }
    }

    /// The 3×3 block at `row`, `column`.
    func block(_ row: Int, _ column: Int) -> Matrix3d {
        Matrix3d(
            rows: Vector3d(rows[row, column], rows[row, column + 1], rows[row, column + 2]),
            Vector3d(rows[row + 1, column], rows[row + 1, column + 1], rows[row + 1, column + 2]),
            Vector3d(rows[row + 2, column], rows[row + 2, column + 1], rows[row + 2, column + 2]))
    }

    /// Covariance of the camera's pose: rotation about the world's axes (radians), then position (metres); 6×6 in row order.
    ///
    /// Includes the uncertainty of the extrinsics and their correlation with the body's pose. With errors R = exp(θ) R̂ of the body and
    /// C = exp(φ) Ĉ of the camera on it, the camera's rotation error is θ − Rᵂᶜ φ; its position error follows from that rotation at the end of
    /// the lever arm from body to camera, the body's position error and the translation error on the body.
    func cameraPose(_ estimate: FilterEstimate) -> [Double] {
        let camera = estimate.rig.cameraFromBody
        let worldFromCamera = estimate.body.worldFromBody.rotation * camera.rotation.transpose
        let arm = (worldFromCamera * camera.translation) * -1
        let lever = Matrix3d.skew(arm) * -1
        let (turned, none) = (worldFromCamera * -1, Matrix3d.zero)
        let jacobian = [[.identity, none, turned, none], [lever, .identity, lever * turned, turned]]
        let indices = [FilterLayout.orientation, FilterLayout.position, FilterLayout.extrinsics, FilterLayout.extrinsics + 3]
        func part(_ row: Int, _ column: Int) -> Matrix3d {
            var sum = Matrix3d.zero
            for i in 0..<4 {
                for j in 0..<4 { sum = sum + jacobian[row][i] * block(indices[i], indices[j]) * jacobian[column][j].transpose }
            }
            return sum
        }
        let blocks = [[part(0, 0), part(0, 1)], [part(1, 0), part(1, 1)]]
        return (0..<36).map { blocks[$0 / 18][($0 % 6) / 3].column($0 % 3)[($0 / 6) % 3] }
    }

    /// Propagates the inertial state: P ← Φ P Φᵀ + Q.
    /// - Parameters:
    ///   - transition: Φ, 15×15 in row order.
    ///   - noise: Q, 15×15 in row order, symmetric.
    ///   - byCalibration: The columns of Φ for the IMU's calibration, 15×18 in row order; empty if it is not estimated.
    func propagate(transition: [Double], noise: [Double], byCalibration: [Double] = []) {
        let count = FilterLayout.inertialSize
        let old = scratch.rows
        // old = Φ P. The kernel subtracts, so Φ is negated; a sixteenth row of zeros pads it.
        old.clear(rows: 16, columns: width)
        let factor = RowStorage(rows: 16, columns: 16)
        for row in 0..<count {
            for column in 0..<count { factor.rows[column, row] = -transition[row * count + column] }
        }
        RowKernels.subtractProduct(factor.rows, rows, from: old, rows: 16, columns: width, depth: count)
        let (size, first) = (byCalibration.count / count, layout.inertialCalibration)
        if size > 0 {
            let factor = RowStorage(rows: size, columns: 16)
            for row in 0..<count {
                for column in 0..<size { factor.rows[column, row] = -byCalibration[row * size + column] }
            }
            RowKernels.subtractProduct(factor.rows, rows.from(first, 0), from: old, rows: 16, columns: width, depth: size)
        }
        for row in 0..<count {
            rows[row].update(from: old[row], count: width)
            for column in count..<width { rows[column, row] = old[row, column] }
        }
        for row in 0..<count {
            for column in row..<count {
                var sum = noise[row * count + column]
                for k in 0..<count { sum += old[row, k] * transition[column * count + k] }
                for k in 0..<size { sum += old[row, first + k] * byCalibration[column * size + k] }
                rows[row, column] = sum
                rows[column, row] = sum
            }
        }
    }

    /// Subtracts wᵀ w, the effect of an update.
    /// - Parameters:
    ///   - w: depth × `width`.
    ///   - estimatesKeyframes: False if the keyframes are consider parameters of the update (Schmidt 1966): their own covariance stays.
    func subtractSquare(_ w: MatrixRows, depth: Int, estimatesKeyframes: Bool) {
        let width = width
        for strip in stride(from: 0, to: estimatesKeyframes ? width : min(width, layout.keyframes), by: 8) {
            RowKernels.subtractProduct(
                w.from(0, strip), w.from(0, strip), from: rows.from(strip, strip), rows: 8, columns: width - strip, depth: depth)
        }
        mirror(width)
    }

    /// Copies the upper triangle to the lower one, in cache-sized tiles.
    private func mirror(_ width: Int) {
        for strip in stride(from: 0, to: width, by: 8) {
            for tile in stride(from: strip, to: width, by: 8) {
                for row in strip..<strip + 8 {
                    let source = rows[row]
                    for column in max(tile, row + 1)..<max(tile + 8, row + 1) { rows[column, row] = source[column] }
                }
            }
        }
    }

    /// Sets `count` rows and columns from `first` on to zero.
    func clear(_ first: Int, _ count: Int) {
        for row in first..<first + count {
            rows[row].update(repeating: 0, count: width)
            for other in 0..<width { rows[other, row] = 0 }
        }
    }

    /// Copies rows and columns from `source` to `target`.
    func copy(_ source: Int, to target: Int, count: Int) {
        for k in 0..<count { rows[target + k].update(from: rows[source + k], count: width) }
        for row in 0..<width {
            for k in 0..<count { rows[row, target + k] = rows[row, source + k] }
        }
    }

    /// Stores the body's pose as a clone, at a time whose offset has an error.
    ///
    /// - Parameter rates: The change of the pose with time: three of the rotation about the world's axes, three of the position.
    func addClone(_ slot: Int, rates: [Double]) {
        let (target, width) = (layout.clone(slot), width)
        for k in 0..<FilterLayout.cloneSize {
            rows[target + k].update(from: rows[k], count: width)
            RowKernels.subtract(rows[FilterLayout.timeOffset], times: -rates[k], from: rows[target + k], count: width)
        }
        for row in 0..<width {
            for k in 0..<FilterLayout.cloneSize { rows[row, target + k] = rows[row, k] + rows[row, FilterLayout.timeOffset] * rates[k] }
        }
        for row in 0..<FilterLayout.cloneSize {
            for column in 0..<row { rows[target + row, target + column] = rows[target + column, target + row] }
        }
    }

    /// Stores a clone's pose in a slot of keyframes.
    func addKeyframe(_ slot: Int, clone: Int) {
        keyframes = max(keyframes, slot + 1)
        copy(layout.clone(clone), to: layout.keyframe(slot), count: FilterLayout.cloneSize)
    }

    /// Removes the keyframes.
    func removeKeyframes() {
        clear(layout.keyframes, FilterLayout.cloneSize * keyframes)
        keyframes = 0
    }

    /// Adds an independent error to six variables from `first` on.
    ///
    /// - Parameter error: 6×6 in row order.
    func add(_ error: [Double], at first: Int) {
        for index in 0..<36 { rows[first + index / 6, first + index % 6] += error[index] }
    }

    /// The covariance of a pose, six variables from `first` on; 6×6 in row order.
    func pose(_ first: Int) -> [Double] { (0..<36).map { rows[first + $0 / 6, first + $0 % 6] } }

    /// Replaces the covariance of a pose, not its correlation with other variables.
    func setPose(_ own: [Double], at first: Int) {
        for index in 0..<36 { rows[first + index / 6, first + index % 6] = own[index] }
    }

    /// Appends a point's three rows and columns.
    /// - Parameters:
    ///   - cross: Its covariance with the state, 3 rows.
    ///   - own: Its own covariance.
    func append(cross: MatrixRows, own: Matrix3d) {
        let first = size
        size += 3
        for k in 0..<3 {
            rows[first + k].update(from: cross[k], count: first)
            for row in 0..<first { rows[row, first + k] = cross[k, row] }
        }
        let columns = [own.x, own.y, own.z]
        for row in 0..<3 {
            for column in 0..<3 { rows[first + row, first + column] = (columns[column][row] + columns[row][column]) / 2 }
        }
    }

    /// Removes a point's rows and columns and moves the last three there.
    func removePoint(at first: Int) {
        let last = size - 3
        if first != last { copy(last, to: first, count: 3) }
        clear(last, 3)
        size = last
    }
}

// MARK: Initialization

/// The covariance of an initial state.
extension FilterCovariance {
    /// Sets the covariance of a new filter, which is zero.
    ///
    /// - Parameters:
    ///   - gravity: In the world, m/s².
    ///   - readingAtRest: What the accelerometer would read at rest in the initial orientation, m/s².
    func initialize(_ uncertainty: FilterUncertainty, gravity: Vector3d, readingAtRest: Vector3d) {
        if uncertainty.covariance.count == 225 {
            for index in 0..<225 {
                let (row, column) = (index / 15, index % 15)
                self[row, column] = (uncertainty.covariance[index] + uncertainty.covariance[column * 15 + row]) / 2
            }
        } else {
            initializeInertialState(uncertainty, gravity: gravity)
        }
        put(uncertainty.timeOffset, FilterLayout.timeOffset)
        if let calibration = uncertainty.calibration {
            store(calibration)
        } else {
            put(uncertainty.inertialCalibration, layout.inertialCalibration, FilterLayout.inertialCalibrationSize)
            let count = FilterLayout.inertialSize * FilterLayout.inertialCalibrationSize
            let slopes = uncertainty.stateByCalibration
            correlate(withCalibration: uncertainty.inertialCalibration, slopes.count == count ? slopes : derivatives(atRest: readingAtRest))
        }
        put(uncertainty.extrinsicRotation, FilterLayout.extrinsics, 3)
        put(uncertainty.extrinsicTranslation, FilterLayout.extrinsics + 3, 3)
        put(uncertainty.focal, FilterLayout.intrinsics, 2)
        put(uncertainty.center, FilterLayout.intrinsics + 2, 2)
        for k in 0..<4 { put(uncertainty.distortion[k], FilterLayout.intrinsics + 4 + k) }
        put(uncertainty.secondTurn, FilterLayout.secondTurn)
    }

    private func put(_ deviation: Double, _ first: Int, _ count: Int = 1) {
        for index in first..<first + count { self[index, index] = deviation * deviation }
    }

    private func initializeInertialState(_ uncertainty: FilterUncertainty, gravity: Vector3d) {
        let up = normalize(gravity)
        let (tilt, heading) = (uncertainty.tilt * uncertainty.tilt, uncertainty.heading * uncertainty.heading)
        for row in 0..<3 {
            for column in 0..<3 { self[row, column] = (row == column ? tilt : 0) + (heading - tilt) * up[row] * up[column] }
        }
        let deviations = [uncertainty.position, uncertainty.velocity, uncertainty.gyroscopeBias, uncertainty.accelerometerBias]
        for (index, deviation) in deviations.enumerated() { put(deviation, 3 + 3 * index, 3) }
    }

    /// Stores the covariance of scale and misalignment of the IMU, and with the state.
    private func store(_ calibration: InertialCalibration) {
        let (first, count) = (layout.inertialCalibration, FilterLayout.inertialCalibrationSize)
        for entry in 0..<count {
            for other in 0..<count {
                self[first + entry, first + other] =
                    (calibration.covariance[entry * count + other] + calibration.covariance[other * count + entry]) / 2
            }
            for row in 0..<FilterLayout.inertialSize {
                self[row, first + entry] = calibration.cross[row * count + entry]
                self[first + entry, row] = calibration.cross[row * count + entry]
            }
        }
    }

    /// Adds the errors of the initial state by those of the matrices of scale and misalignment, with the correlation of both.
    ///
    /// The initial state was determined without these matrices, from readings of a rest or of a window of a second or two: their errors are in
    /// the state. Without the correlation gravity would be uncertain by σ g, a tenth of a metre per second squared, from the first frame on,
    /// and with a hand that hardly moves it would lose the scale.
    ///
    /// - Parameter slopes: The derivatives of the state by the entries of the matrices, 15×18 in row order.
    private func correlate(withCalibration deviation: Double, _ slopes: [Double]) {
        let (variance, count) = (deviation * deviation, FilterLayout.inertialCalibrationSize)
        for row in 0..<FilterLayout.inertialSize {
            for entry in 0..<count {
                self[row, layout.inertialCalibration + entry] = variance * slopes[row * count + entry]
                self[layout.inertialCalibration + entry, row] = variance * slopes[row * count + entry]
            }
            for column in 0..<FilterLayout.inertialSize {
                for entry in 0..<count {
                    self[row, column] += variance * slopes[row * count + entry] * slopes[column * count + entry]
                }
            }
        }
    }

    /// At rest bias and matrix times reading cannot be distinguished; the stated bias is the sum of both.
    private func derivatives(atRest reading: Vector3d) -> [Double] {
        let count = FilterLayout.inertialCalibrationSize
        var slopes = [Double](repeating: 0, count: FilterLayout.inertialSize * count)
        for k in 0..<3 {
            for column in 0..<3 { slopes[(FilterLayout.accelerometerBias + k) * count + 9 + 3 * column + k] = reading[column] }
        }
        return slopes
    }
}
