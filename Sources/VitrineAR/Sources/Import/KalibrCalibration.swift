import VitrineTracking
import VitrineVision

/// Parses calibrations of Kalibr (Furgale et al., 2013) and EuRoC. Files have pixel centres at integers, Vitrine at half-integers: principal points
/// are shifted by half a pixel.
enum KalibrCalibration {
    /// The first camera of a chain, with its pose relative to the IMU if given.
    static func rig(_ chain: YAMLValue, name: String) throws(SourceError) -> SensorRig {
        guard let entry = chain["cam0"] else { throw .broken("\(name): \"cam0\" is missing") }
        let camera = try camera(entry, name: name)
        var cameraFromBody = RigidTransform.identity
        if let found = try transform(entry["T_cam_imu"], name: name) {
            cameraFromBody = found
        } else if let found = try transform(entry["T_imu_cam"], name: name) {
            cameraFromBody = found.inverse
        }
        // Kalibr: time on the IMU's clock = time on the camera's + shift.
        let shift = entry["timeshift_cam_imu"]?.number ?? 0
        guard abs(shift) < 10 else { throw .broken("\(name):\(entry.line): a time shift of \(shift) s") }
        return SensorRig(
            camera: camera, cameraFromBody: cameraFromBody, timeOffset: shift, noise: noise(entry) ?? noise(chain) ?? InertialNoise())
    }

    /// The second camera of a chain and its frame from the first one's; nil without one.
    static func second(_ chain: YAMLValue, name: String) throws(SourceError) -> (camera: CameraIntrinsics, fromFirst: RigidTransform)? {
        guard let entry = chain["cam1"] else { return nil }
        // This camera's frame from that of the one before.
        guard let transform = try transform(entry["T_cn_cnm1"], name: name) else {
            throw .broken("\(name):\(entry.line): \"T_cn_cnm1\" of cam1 is missing")
        }
        return (try camera(entry, name: name), transform)
    }

    static func camera(_ entry: YAMLValue, name: String) throws(SourceError) -> CameraIntrinsics {
        if let model = entry["camera_model"]?.text, model != "pinhole" {
            throw .broken("\(name):\(entry.line): the camera model '\(model)' is not supported: only pinhole is")
        }
        guard let intrinsics = entry["intrinsics"]?.numbers, intrinsics.count == 4 else {
            throw .broken("\(name):\(entry.line): \"intrinsics\" is not [fu, fv, cu, cv]")
        }
        guard let size = entry["resolution"]?.numbers, size.count == 2, let width = Int(exactly: size[0]),
            let height = Int(exactly: size[1])
        else { throw .broken("\(name):\(entry.line): \"resolution\" is not [width, height]") }
        let camera = CameraIntrinsics(
            width: width, height: height, focal: Vector2d(intrinsics[0], intrinsics[1]),
            center: Vector2d(intrinsics[2] + 0.5, intrinsics[3] + 0.5), distortion: try lens(entry, name: name))
        guard camera.isPossible else { throw .broken("\(name):\(entry.line): a camera that is not valid") }
        return camera
    }

    private static func lens(_ entry: YAMLValue, name: String) throws(SourceError) -> LensDistortion {
        let k = (entry["distortion_coeffs"] ?? entry["distortion_coefficients"])?.numbers ?? []
        let model = entry["distortion_model"]?.text ?? (k.isEmpty ? "none" : "radtan")
        if model == "none" { return .none }
        guard k.count >= 4, k.dropFirst(4).allSatisfy({ $0 == 0 }) else {
            throw .broken("\(name):\(entry.line): the distortion '\(model)' has \(k.count) coefficients, not 4")
        }
        let coefficients = SIMD4(k[0], k[1], k[2], k[3])
        guard let projection = LensDistortion.Projection(calibrationName: model) else {
            throw .broken("\(name):\(entry.line): the distortion '\(model)' is not supported: radtan and equidistant are")
        }
        return LensDistortion(projection, fourCoefficients: coefficients)
    }

    /// A 4 × 4 matrix, as a list of rows or EuRoC's `data`; nil if it is missing.
    static func transform(_ value: YAMLValue?, name: String) throws(SourceError) -> RigidTransform? {
        guard let value else { return nil }
        guard let m = (value["data"] ?? value).numbers, m.count == 16 else {
            throw .broken("\(name):\(value.line): a transform is not 4 × 4 numbers")
        }
        let rotation = Matrix3d(rows: Vector3d(m[0], m[1], m[2]), Vector3d(m[4], m[5], m[6]), Vector3d(m[8], m[9], m[10]))
        let transform = RigidTransform(rotation: rotation, translation: Vector3d(m[3], m[7], m[11]))
        guard transform.isPossible else { throw .broken("\(name):\(value.line): the transform is not rigid") }
        return transform
    }

    /// Returns nil if one of the four is missing or not positive.
    static func noise(_ value: YAMLValue) -> InertialNoise? {
        let entry = value["imu0"] ?? value
        let names = ["gyroscope_noise_density", "accelerometer_noise_density", "gyroscope_random_walk", "accelerometer_random_walk"]
        let found = names.compactMap { entry[$0]?.number }.filter { $0 > 0 && $0.isFinite }
        guard found.count == 4 else { return nil }
        return InertialNoise(gyroscope: found[0], accelerometer: found[1], gyroscopeWalk: found[2], accelerometerWalk: found[3])
    }
}
