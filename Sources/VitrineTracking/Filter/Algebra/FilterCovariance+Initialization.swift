import VitrineMath
import VitrineVision

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
