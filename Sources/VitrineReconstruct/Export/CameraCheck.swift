import VitrineVision

/// Converts numbers of a file to cameras; errors name the location in the file.
struct CameraCheck {
    let file: String
    /// The location of the camera in the file.
    let location: String

    func failure(_ key: String, _ reason: String) -> CameraFileError {
        CameraFileError(file: file, location: [location, key].filter { !$0.isEmpty }.joined(separator: "/"), reason: reason)
    }

    func vector(_ values: [Double], count: Int, _ key: String) throws(CameraFileError) -> [Double] {
        guard values.count == count else { throw failure(key, "has \(values.count) numbers, must have \(count)") }
        guard values.allSatisfy(\.isFinite) else { throw failure(key, "is not finite") }
        return values
    }

    func vector3(_ values: [Double], _ key: String) throws(CameraFileError) -> Vector3d {
        let values = try vector(values, count: 3, key)
        return Vector3d(values[0], values[1], values[2])
    }

    /// A square one.
    func matrix(_ values: [[Double]], rows: Int, _ key: String) throws(CameraFileError) -> [[Double]] {
        guard values.count == rows else { throw failure(key, "has \(values.count) rows, must have \(rows)") }
        for row in values { _ = try vector(row, count: rows, key) }
        return values
    }

    /// Returns an orthonormalized rotation, because files contain rounded numbers, and some contain small scales.
    func rotation(_ rows: [[Double]], _ key: String) throws(CameraFileError) -> Matrix3d {
        let given = Matrix3d(rows: vector(rows[0]), vector(rows[1]), vector(rows[2]))
        let error = given * given.transpose - .identity
        let largest = [error.x, error.y, error.z].flatMap { [abs($0.x), abs($0.y), abs($0.z)] }.max() ?? 0
        guard largest <= 2e-3 else { throw failure(key, "is not a rotation: its rows are not unit vectors at right angles") }
        guard given.determinant > 0 else { throw failure(key, "is a reflection: its determinant is negative") }
        return Matrix3d(quaternion: given.quaternion)
    }

    /// The rotation of a quaternion (x, y, z, w), which need not have length 1; nil if it is too short.
    static func rotation(quaternion: SIMD4<Double>) -> Matrix3d? {
        let length = (quaternion * quaternion).sum().squareRoot()
        return length.isFinite && length > 1e-6 ? Matrix3d(quaternion: quaternion) : nil
    }

    private func vector(_ row: [Double]) -> Vector3d { Vector3d(row[0], row[1], row[2]) }

    func intrinsics(
        width: Double, height: Double, focal: Vector2d, center: Vector2d, distortion: LensDistortion
    ) throws(CameraFileError) -> CameraIntrinsics {
        guard let w = Int(exactly: width), let h = Int(exactly: height), w > 0, h > 0, max(w, h) <= 1 << 20 else {
            throw failure("", "an image size of \(width) × \(height) pixels")
        }
        guard focal.x.isFinite, focal.y.isFinite, focal.x > 0, focal.y > 0 else {
            throw failure("", "focal lengths of \(focal.x) and \(focal.y) pixels")
        }
        guard center.isFinite, distortion.isFinite else { throw failure("", "intrinsics that are not finite") }
        return CameraIntrinsics(width: w, height: h, focal: focal, center: center, distortion: distortion)
    }
}
