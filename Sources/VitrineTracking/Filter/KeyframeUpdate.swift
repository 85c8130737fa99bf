import VitrineMapping
import VitrineMath
import VitrineVision

/// The measurement of a frame's pose relative to a keyframe (``MapMeasurement``), linearized.
///
/// The map around a keyframe moves rigidly with the keyframe's error. A common rotation about the vertical and a common translation of both poses
/// are not measured: heading and position of the world stay unobservable.
struct KeyframeUpdate {
    /// Heading, then position of the camera, by the errors of clone and keyframe (rotation and position, each): 4×12 in row order.
    private(set) var jacobian = [Double](repeating: 0, count: 48)
    /// The columns of the state.
    let columns: [Int32]
    private let estimate: FilterEstimate
    private let clone, keyframe: Int
    /// The camera's position on the world's axes from the body, and from the keyframe.
    private let lever, arm: Vector3d

    private static let rows = 4, size = 12

    init(_ estimate: FilterEstimate, clone: Int, keyframe: Int) {
        (self.estimate, self.clone, self.keyframe) = (estimate, clone, keyframe)
        let (pose, reference) = (estimate.clones[clone], estimate.keyframes[keyframe])
        lever = pose.worldFromBody.rotation * estimate.rig.cameraFromBody.inverse.translation
        arm = pose.firstPosition + lever - reference.firstPosition
        let (first, second) = (estimate.layout.clone(clone), estimate.layout.keyframe(keyframe))
        columns = (Array(first..<first + 6) + Array(second..<second + 6)).map(Int32.init)
        let (byClone, byKeyframe) = (Matrix3d.skew(lever) * -1, Matrix3d.skew(arm))
        (jacobian[1], jacobian[7]) = (1, -1)
        for k in 0..<3 {
            let row = Self.size * (k + 1)
            for column in 0..<3 {
                jacobian[row + column] = byClone.column(column)[k]
                jacobian[row + 6 + column] = byKeyframe.column(column)[k]
            }
            (jacobian[row + 3 + k], jacobian[row + 9 + k]) = (1, -1)
        }
    }

    /// The variance of the frame's pose relative to the keyframe.
    func variance(_ covariance: FilterCovariance) -> DriftVariance {
        var variances = [0.0, 0, 0, 0]
        for row in 0..<Self.rows {
            for i in 0..<Self.size where jacobian[Self.size * row + i] != 0 {
                for j in 0..<Self.size {
                    let value = covariance[Int(columns[i]), Int(columns[j])]
                    variances[row] += jacobian[Self.size * row + i] * value * jacobian[Self.size * row + j]
                }
            }
        }
        return DriftVariance(heading: max(0, variances[0]), position: max(0, (variances[1] + variances[2] + variances[3]) / 3))
    }

    /// The covariance of a keyframe's pose error with the effect of an error of the map around it.
    ///
    /// - Parameter error: The covariance of the map's heading, and of its position at the camera; 4×4 in row order.
    /// - Returns: 6×6 in row order.
    func keyframeCovariance(ofMapError error: [Double]) -> [Double] {
        let byHeading = cross(Vector3d(0, 1, 0), arm) * -1
        // Row by row: the rotation about the three axes, then the position.
        var jacobian = [Double](repeating: 0, count: 24)
        jacobian[4] = 1
        for k in 0..<3 { (jacobian[4 * k + 12], jacobian[5 * k + 13]) = (byHeading[k], 1) }
        var covariance = [Double](repeating: 0, count: 36)
        for row in 0..<6 {
            for column in 0..<6 {
                var sum = 0.0
                for i in 0..<4 {
                    for j in 0..<4 { sum += jacobian[4 * row + i] * error[4 * i + j] * jacobian[4 * column + j] }
                }
                covariance[6 * row + column] = sum
            }
        }
        return covariance
    }

    /// Adds the measurement's four rows to an update.
    ///
    /// - Returns: False if the measurement's covariance is not positive definite.
    func addRows(_ measurement: MapMeasurement, to kalman: FilterUpdate) -> Bool {
        var system = SymmetricSystem(size: Self.rows)
        system.matrix = measurement.covariance
        guard let factor = system.factored() else { return false }
        let pose = estimate.clones[clone].worldFromBody
        let camera = RigidTransform(
            rotation: pose.rotation * estimate.rig.cameraFromBody.rotation.transpose, translation: pose.translation + lever)
        let turn = Rotations.heading(from: camera.rotation, to: measurement.worldFromCamera.rotation).rotationVector.y
        let move = measurement.worldFromCamera.translation - camera.translation
        var residuals = [turn, move.x, move.y, move.z]
        var rows = (0..<Self.rows).map { Array(jacobian[Self.size * $0..<Self.size * ($0 + 1)]) }
        for row in 0..<Self.rows {
            for earlier in 0..<row {
                let share = factor.upper[earlier * factor.stride + row]
                residuals[row] -= share * residuals[earlier]
                for k in 0..<Self.size { rows[row][k] -= share * rows[earlier][k] }
            }
            let scale = 1 / factor.upper[row * factor.stride + row]
            residuals[row] *= scale
            for k in 0..<Self.size { rows[row][k] *= scale }
            columns.withUnsafeBufferPointer { kalman.add(columns: $0, coefficients: rows[row], residual: residuals[row]) }
        }
        return true
    }
}
