import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of the EuRoC MAV data set (Burri et al., 2016), which TUM-VI and many others export: `mav0/cam0/data.csv` and `mav0/imu0/data.csv` with
/// time stamps in nanoseconds, calibration in `sensor.yaml` beside each, or in Kalibr's `camchain.yaml`. `cam1` is the second camera of a pair;
/// its images are those with the time stamps of `cam0`.
enum EuRoCImporter {
    static let pattern = "mav0/cam0/data.csv"

    /// Opens a recording of this layout; returns nil for another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        let base = ImportFiles.exists(directory, "mav0/cam0/data.csv") ? "mav0/" : ImportFiles.exists(directory, "cam0/data.csv") ? "" : nil
        guard let base else { return nil }
        let files = ImportFiles(directory)
        var recording = ImportedRecording(kind: "EuRoC", directory: directory, rig: try rig(files, base))
        addSecondCamera(files, base, &recording)
        let second = try secondImages(files, base, &recording)
        var frames = StampedRows<ImportedRecording.Frame>()
        try files.rows(base + "cam0/data.csv", atLeast: 1, &recording.problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(row.fields[0]) else { return "no time stamp in nanoseconds" }
            let name = row.fields.count > 1 ? row.text(1) : row.text(0) + ".png"
            var frame = ImportedRecording.Frame(time: 0, pixels: .file(base + "cam0/data/" + name), location: row.location)
            frame.second = second[time]
            frames.add(time, frame, row.location)
            return nil
        }
        var inertial = StampedRows<(Vector3d, Vector3d)>()
        if ImportFiles.exists(directory, base + "imu0/data.csv") {
            try files.rows(base + "imu0/data.csv", atLeast: 7, &recording.problems) { row throws(SourceError) in
                guard let time = TimeStamp.nanoseconds(row.fields[0]) else { return "no time stamp in nanoseconds" }
                inertial.add(time, (row.vector(1), row.vector(4)), row.location)
                return nil
            }
        }
        if inertial.rows.isEmpty {
            let problem = ImportFiles.exists(directory, base + "imu0/data.csv") ? "has no samples" : "is missing"
            recording.problems.add("\(base)imu0/data.csv: \(problem): without an IMU the scale is unknown")
        }
        recording.take(inertial: inertial, frames: frames)
        return recording
    }

    /// The second camera's image files by their time stamps; none without its calibration.
    private static func secondImages(
        _ files: ImportFiles, _ base: String, _ recording: inout ImportedRecording
    ) throws(SourceError) -> [Int64: String] {
        var images: [Int64: String] = [:]
        guard recording.rig.secondCamera != nil, ImportFiles.exists(files.directory, base + "cam1/data.csv") else { return images }
        try files.rows(base + "cam1/data.csv", atLeast: 1, &recording.problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(row.fields[0]) else { return "no time stamp in nanoseconds" }
            images[time] = base + "cam1/data/" + (row.fields.count > 1 ? row.text(1) : row.text(0) + ".png")
            return nil
        }
        return images
    }

    /// Adds the second camera of a pair. A calibration of it that cannot be used is a problem: the first camera is used alone.
    private static func addSecondCamera(_ files: ImportFiles, _ base: String, _ recording: inout ImportedRecording) {
        do throws(SourceError) {
            guard let second = try secondCamera(files, base) else { return }
            (recording.rig.secondCamera, recording.rig.secondFromCamera) = second
        } catch {
            recording.problems.add("\(error.description): the first camera is used alone")
        }
    }

    private static func secondCamera(
        _ files: ImportFiles, _ base: String
    ) throws(SourceError) -> (camera: CameraIntrinsics, fromFirst: RigidTransform)? {
        let (firstName, name) = (base + "cam0/sensor.yaml", base + "cam1/sensor.yaml")
        guard ImportFiles.exists(files.directory, firstName) else {
            guard let chain = chains(base).first(where: { ImportFiles.exists(files.directory, $0) }) else { return nil }
            return try KalibrCalibration.second(try files.yaml(chain), name: chain)
        }
        guard ImportFiles.exists(files.directory, name) else { return nil }
        let second = try files.yaml(name)
        guard let bodyFromSecond = try KalibrCalibration.transform(second["T_BS"], name: name) else {
            throw .broken("\(name): \"T_BS\" is missing")
        }
        let bodyFromFirst = try KalibrCalibration.transform(try files.yaml(firstName)["T_BS"], name: firstName) ?? .identity
        return (try KalibrCalibration.camera(second, name: name), bodyFromSecond.inverse * bodyFromFirst)
    }

    /// The possible paths of Kalibr's calibration.
    private static func chains(_ base: String) -> [String] {
        [base + "camchain.yaml", "dso/camchain.yaml", "camchain.yaml", "calib/camchain.yaml", base + "cam0/camchain.yaml"]
    }

    private static func rig(_ files: ImportFiles, _ base: String) throws(SourceError) -> SensorRig {
        if ImportFiles.exists(files.directory, base + "cam0/sensor.yaml") { return try rigOfSensors(files, base) }
        let chains = chains(base)
        guard let chain = chains.first(where: { ImportFiles.exists(files.directory, $0) }) else {
            let looked = ([base + "cam0/sensor.yaml"] + chains).joined(separator: ", ")
            throw .broken("\(files.directory.path): no calibration: searched for \(looked)")
        }
        var rig = try KalibrCalibration.rig(try files.yaml(chain), name: chain)
        let noise = ["dso/imu_config.yaml", base + "imu0/sensor.yaml", "imu.yaml"].first { ImportFiles.exists(files.directory, $0) }
        if let noise { rig.noise = KalibrCalibration.noise(try files.yaml(noise)) ?? rig.noise }
        return rig
    }

    private static func rigOfSensors(_ files: ImportFiles, _ base: String) throws(SourceError) -> SensorRig {
        let name = base + "cam0/sensor.yaml"
        let sensor = try files.yaml(name)
        let camera = try KalibrCalibration.camera(sensor, name: name)
        var bodyFromInertial = RigidTransform.identity
        var noise = InertialNoise()
        if ImportFiles.exists(files.directory, base + "imu0/sensor.yaml") {
            let inertial = try files.yaml(base + "imu0/sensor.yaml")
            bodyFromInertial = try KalibrCalibration.transform(inertial["T_BS"], name: base + "imu0/sensor.yaml") ?? .identity
            noise = KalibrCalibration.noise(inertial) ?? noise
        }
        let bodyFromCamera = try KalibrCalibration.transform(sensor["T_BS"], name: name) ?? .identity
        return SensorRig(camera: camera, cameraFromBody: bodyFromCamera.inverse * bodyFromInertial, noise: noise)
    }
}
