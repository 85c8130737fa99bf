import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of input for direct visual odometry: `cam0/images/NANOSECONDS.jpg`, `cam0/camera.txt` (focal lengths, principal point, distortion;
/// size), `imu.txt` (nanoseconds, gyroscope, accelerometer), and Kalibr's `camchain.yaml` with the pose of the IMU.
enum FrameFolderImporter {
    static let pattern = "cam0/images/*.jpg with cam0/camera.txt"

    /// Opens a recording of this layout; returns nil for another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "cam0/images"), ImportFiles.exists(directory, "cam0/camera.txt") else { return nil }
        let files = ImportFiles(directory)
        var rig = SensorRig(camera: try CameraText.camera(files, "cam0/camera.txt"))
        if ImportFiles.exists(directory, "camchain.yaml") {
            let chain = try files.yaml("camchain.yaml")
            rig.cameraFromBody = try KalibrCalibration.transform(chain["cam0"]?["T_cam_imu"], name: "camchain.yaml") ?? .identity
            rig.noise = KalibrCalibration.noise(chain["cam0"] ?? chain) ?? KalibrCalibration.noise(chain) ?? rig.noise
        }
        var recording = ImportedRecording(kind: "frames and imu.txt", directory: directory, rig: rig)
        var frames = StampedRows<ImportedRecording.Frame>()
        for name in files.names(in: "cam0/images") {
            let file = "cam0/images/" + name
            guard let dot = name.lastIndex(of: "."), let time = TimeStamp.nanoseconds(Array(name[..<dot].utf8)[...]) else {
                recording.problems.add("\(file): the name is not a time in nanoseconds")
                continue
            }
            frames.add(time, ImportedRecording.Frame(time: 0, pixels: .file(file), location: file), file)
        }
        frames.rows.sort { $0.nanoseconds < $1.nanoseconds }
        var inertial = StampedRows<(Vector3d, Vector3d)>()
        if ImportFiles.exists(directory, "imu.txt") {
            try files.rows("imu.txt", atLeast: 7, &recording.problems) { row throws(SourceError) in
                guard let time = TimeStamp.nanoseconds(row.fields[0]) else { return "no time stamp in nanoseconds" }
                inertial.add(time, (row.vector(1), row.vector(4)), row.location)
                return nil
            }
        }
        if inertial.rows.isEmpty {
            let problem = ImportFiles.exists(directory, "imu.txt") ? "has no samples" : "is missing"
            recording.problems.add("imu.txt: \(problem): without an IMU the scale is unknown")
        }
        recording.take(inertial: inertial, frames: frames)
        return recording
    }
}
