import VitrineTracking
import VitrineVideo
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of the iPhone app Stray Scanner: `rgb.mp4`, `odometry.csv` (seconds, frame, and the pose of each frame: ARKit's pose, converted to a camera
/// with x right, y down, z forward; since 2026 with intrinsics and distortion centre), `camera_matrix.csv`, `imu.csv` (seconds, accelerometer,
/// gyroscope), depth in millimetres and confidence as PNG.
///
/// The app stores its first frame 1/60 s before the start of the video and hides it by an edit list: a reader that applies the edit list has all
/// poses off by one frame.
enum StrayScannerImporter {
    static let pattern = "rgb.mp4 with odometry.csv"

    /// The rotation from an iPhone's IMU to its camera. The IMU: x right, y up, z out of the screen in portrait orientation. The camera: x right,
    /// y down, z forward in landscape orientation with the phone on its left side. The files do not contain the translation of a few centimetres.
    static let cameraFromBody = RigidTransform(
        rotation: Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(-1, 0, 0), Vector3d(0, 0, -1)), translation: .zero)

    private typealias Stamped = (nanoseconds: Int64, pose: RigidTransform)

    /// Opens a recording of this layout; returns nil for another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "rgb.mp4"), ImportFiles.exists(directory, "odometry.csv") else { return nil }
        let files = ImportFiles(directory)
        let video = directory.appendingPathComponent("rgb.mp4")
        let probe = try SourceError.converting { () throws(VideoError) in try VideoProbe(video, readsTimes: false) }
        let camera = try camera(files, probe)
        var recording = ImportedRecording(
            kind: "Stray Scanner", directory: directory, rig: SensorRig(camera: camera, cameraFromBody: cameraFromBody))
        (recording.video, recording.takesHiddenFrames) = (video, true)
        let images = try images(files, camera, &recording.problems)
        var inertial = try inertial(files, &recording.problems)
        try convertToSpecificForce(&inertial, images, &recording.problems)
        recording.take(inertial: inertial, frames: images)
        return recording
    }

    /// Parses the rows of a 3 × 3 matrix with pixel centres at integers, as in ARKit.
    private static func camera(_ files: ImportFiles, _ probe: VideoProbe) throws(SourceError) -> CameraIntrinsics {
        let name = "camera_matrix.csv"
        var numbers: [Double] = []
        try FieldTable.forEachRow(files.directory.appendingPathComponent(name), name: name) { row throws(SourceError) in
            guard numbers.count < 9 else { throw .broken("\(name):\(row.line): more than three rows") }
            numbers += row.fields.indices.map { row.number($0) }
        }
        guard numbers.count == 9 else { throw .broken("\(name): is no 3 × 3 matrix") }
        let camera = CameraIntrinsics(
            width: probe.width, height: probe.height, focal: Vector2d(numbers[0], numbers[4]),
            center: Vector2d(numbers[2] + 0.5, numbers[5] + 0.5))
        guard camera.isPossible else { throw .broken("\(name): a camera that is not valid") }
        return camera
    }

    static func images(
        _ files: ImportFiles, _ camera: CameraIntrinsics, _ problems: inout SourceProblems
    ) throws(SourceError) -> StampedRows<ImportedRecording.Frame> {
        let (depth, confidence) = (Set(files.names(in: "depth")), Set(files.names(in: "confidence")))
        if depth.contains(where: { $0.hasSuffix(".npy") }) {
            problems.add("depth: is of a version from 2021, whose .npy files are not supported")
        }
        var images = StampedRows<ImportedRecording.Frame>()
        try files.rows("odometry.csv", atLeast: 9, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            // The frame number identifies video frame and depth file, independent of missing rows.
            guard let frame = Int(row.text(1)), (0..<10_000_000).contains(frame) else { return "no frame number" }
            var image = ImportedRecording.Frame(time: 0, pixels: .videoFrame(frame), location: row.location)
            let digits = String(frame)
            let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".png"
            if depth.contains(name) { image.depth = "depth/" + name }
            if image.depth != nil, confidence.contains(name) { image.confidence = "confidence/" + name }
            let turn = SIMD4((5...8).map { row.number($0) })
            let pose = RigidTransform(rotation: Matrix3d(quaternion: turn), translation: row.vector(2))
            if pose.isPossible { image.worldFromCamera = pose }
            if row.fields.count >= 13 { image.camera = ownCamera(row, camera) }
            images.add(time, image, row.location)
            return pose.isPossible ? nil : "the pose is not rigid"
        }
        return images
    }

    /// The intrinsics of a row; nil without them.
    private static func ownCamera(_ row: FieldTable.Row, _ camera: CameraIntrinsics) -> CameraIntrinsics? {
        var own = camera
        own.focal = Vector2d(row.number(9), row.number(10))
        own.center = Vector2d(row.number(11) + 0.5, row.number(12) + 0.5)
        return own.isPossible ? own : nil
    }

    static func inertial(_ files: ImportFiles, _ problems: inout SourceProblems) throws(SourceError) -> StampedRows<
        (Vector3d, Vector3d)
    > {
        var inertial = StampedRows<(Vector3d, Vector3d)>()
        guard ImportFiles.exists(files.directory, "imu.csv") else { return inertial }
        try files.rows("imu.csv", atLeast: 7, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            inertial.add(time, (row.vector(4), row.vector(1)), row.location)
            return nil
        }
        return inertial
    }

    /// Converts accelerations to specific force. iOS uses units of gravity and the opposite sign, and versions of the app differ. The recorded poses
    /// determine unit and sign: rotated to the world, an accelerometer at rest reads +9.81 m/s² along +Y. Drops samples without gravity.
    private static func convertToSpecificForce(
        _ inertial: inout StampedRows<(Vector3d, Vector3d)>, _ images: StampedRows<ImportedRecording.Frame>,
        _ problems: inout SourceProblems
    ) throws(SourceError) {
        guard !inertial.rows.isEmpty else { return }
        let poses = images.rows.compactMap { row in row.value.worldFromCamera.map { (row.nanoseconds, $0) } }
        var (sum, count, next) = (0.0, 0, 0)
        for row in inertial.rows {
            while next < poses.count, poses[next].0 < row.nanoseconds { next += 1 }
            guard next < poses.count else { break }
            let up = (poses[next].1 * cameraFromBody).rotation * row.value.1
            guard up.y.isFinite else { continue }
            (sum, count) = (sum + up.y, count + 1)
        }
        let mean = count > 0 ? sum / Double(count) : 0
        let factor: Double
        switch abs(mean) {
        case 0.7...1.3: factor = mean < 0 ? -9.80665 : 9.80665
        case 7...13: factor = mean < 0 ? -1 : 1
        default:
            problems.add("imu.csv: its acceleration contains no gravity (\(mean) upwards on average): the IMU is not used")
            inertial.rows = []
            return
        }
        for index in inertial.rows.indices { inertial.rows[index].value.1 *= factor }
    }
}
