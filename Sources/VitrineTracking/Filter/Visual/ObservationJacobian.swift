import VitrineMath
import VitrineVision

/// The linearized observation of a point: two rows of 25 values, in units of pixel noise, and one row for a measured depth.
enum ObservationJacobian {
    /// The columns of the matrix: extrinsics, intrinsics, the second camera's rotation, the clone's pose, the point, and the residual (observed less projected).
    static let extrinsics = 0
    static let intrinsics = 6
    static let secondTurn = 14
    static let pose = 15
    static let point = 21
    static let residual = 24
    /// The length of a row, a multiple of eight.
    static let columns = 32

    /// Writes the two rows.
    ///
    /// Heading and position of the world must stay unobservable. With errors about the world's axes this requires only that the arm from body
    /// to point in the pose's columns is the same at every update. It is computed from first estimates; everything else uses the newest
    /// estimates, which are more accurate. A row of a rolling shutter has its own pose; the arm starts at the clone's position nevertheless,
    /// because the motion between clone and row turns with the world.
    /// - Parameters:
    ///   - position: The point's current estimate.
    ///   - first: The point's first estimate.
    /// - Returns: false if the point is not in front of the camera; the rows are then unchanged.
    @inline(__always) static func write(
        _ rig: SensorRig, _ clone: FilterEstimate.Clone, position: Vector3d, first: Vector3d, pixel: Vector2d, weight: Double,
        to rows: UnsafeMutablePointer<Double>
    ) -> Bool {
        let camera = rig.cameraFromBody
        let body = rig.readoutTime == 0 ? clone.worldFromBody : clone.worldFromBody(after: rig.readoutShare(pixel) * rig.readoutTime)
        let turned = camera.rotation * (body.rotation.transpose * (position - body.translation))
        guard let gradient = ProjectionGradient(rig.camera, turned + camera.translation) else { return false }
        let worldFromCamera = body.rotation * camera.rotation.transpose
        let arm = first - clone.firstPosition
        let error = (pixel - gradient.pixel) * weight
        write(gradient.byPoint.0 * weight, gradient.byCamera.0 * weight, worldFromCamera, turned, arm, error.x, to: rows)
        write(gradient.byPoint.1 * weight, gradient.byCamera.1 * weight, worldFromCamera, turned, arm, error.y, to: rows + columns)
        return error.x.isFinite && error.y.isFinite
    }

    /// Writes the row of a measured inverse depth along the camera's z axis, whose noise is nearly Gaussian at any distance.
    static func write(
        _ rig: SensorRig, _ clone: FilterEstimate.Clone, position: Vector3d, pixel: Vector2d, depth: MeasuredDepth, weight: Double,
        to row: UnsafeMutablePointer<Double>
    ) {
        let camera = rig.cameraFromBody
        let body = rig.readoutTime == 0 ? clone.worldFromBody : clone.worldFromBody(after: rig.readoutShare(pixel) * rig.readoutTime)
        let turned = camera.rotation * (body.rotation.transpose * (position - body.translation))
        let inverse = 1 / max(turned.z + camera.translation.z, 1e-3)
        write(
            Vector3d(0, 0, -inverse * inverse * weight), .zero, body.rotation * camera.rotation.transpose, turned,
            position - clone.firstPosition, (1 / depth.metres - inverse) * weight, to: row)
        row[secondTurn] = depth.turnSlope * weight
    }

    @inline(__always) private static func write(
        _ slope: Vector3d, _ camera: SIMD8<Double>, _ worldFromCamera: Matrix3d, _ turned: Vector3d, _ arm: Vector3d, _ error: Double,
        to row: UnsafeMutablePointer<Double>
    ) {
        let inWorld = worldFromCamera * slope
        put(cross(turned, slope), row + extrinsics)
        put(slope, row + extrinsics + 3)
        RowKernels.store(camera, row + intrinsics)
        row[secondTurn] = 0
        put(cross(inWorld, arm), row + pose)
        put(-inWorld, row + pose + 3)
        put(inWorld, row + point)
        row[residual] = error
    }

    @inline(__always) private static func put(_ v: Vector3d, _ to: UnsafeMutablePointer<Double>) {
        (to[0], to[1], to[2]) = (v.x, v.y, v.z)
    }
}
