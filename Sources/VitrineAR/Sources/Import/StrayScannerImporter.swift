import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of the iPhone app Stray Scanner: `rgb.mp4`, `odometry.csv` (seconds, frame, and the pose of each frame: ARKit's place, turned to a camera
/// with x right, y down, z forward; since 2026 with intrinsics and the lens's middle), `camera_matrix.csv`, `imu.csv` (seconds, accelerometer,
/// gyroscope), depth in millimetres and confidence as PNG.
///
/// The app stores its first frame a sixtieth of a second before the video begins and hides it by a list of cuts: who goes by that has every pose one
/// frame off.
enum StrayScannerImporter {
    static let pattern = "rgb.mp4 with odometry.csv"

    /// How an iPhone's camera sees its IMU's axes. The IMU: x right, y up, z out of the screen, held upright. The camera's long side lies along the
    /// phone's: x right, y down, z forward in a picture taken with the phone on its left side. The few centimetres between them aren't in the files.
    static let cameraFromBody = RigidTransform(
        rotation: Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(-1, 0, 0), Vector3d(0, 0, -1)), translation: .zero)

    private typealias Stamped = (nanoseconds: Int64, pose: RigidTransform)

    /// nil: another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "rgb.mp4"), ImportFiles.exists(directory, "odometry.csv") else { return nil }
        let files = ImportFiles(directory)
        let video = directory.appendingPathComponent("rgb.mp4")
        let probe = try VideoProbe(video, readsTimes: false)
        let camera = try camera(files, probe)
        var recording = ImportedRecording(
            kind: "Stray Scanner", directory: directory, rig: SensorRig(camera: camera, cameraFromBody: cameraFromBody))
        (recording.video, recording.takesHiddenFrames) = (video, true)
        let pictures = try pictures(files, camera, &recording.problems)
        var inertial = try inertial(files, &recording.problems)
        try bringToSpecificForce(&inertial, pictures, &recording.problems)
        recording.take(inertial: inertial, pictures: pictures)
        return recording
    }

    /// The rows of a 3 × 3 matrix; pixels' centres at whole numbers, as ARKit has them.
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
        guard camera.isPossible else { throw .broken("\(name): a camera that isn't possible") }
        return camera
    }

    static func pictures(
        _ files: ImportFiles, _ camera: CameraIntrinsics, _ problems: inout SourceProblems
    ) throws(SourceError) -> StampedRows<ImportedRecording.Picture> {
        let (depth, confidence) = (Set(files.names(in: "depth")), Set(files.names(in: "confidence")))
        if depth.contains(where: { $0.hasSuffix(".npy") }) {
            problems.add("depth: is of a version from 2021, whose .npy files aren't read")
        }
        var pictures = StampedRows<ImportedRecording.Picture>()
        try files.rows("odometry.csv", atLeast: 9, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            // Its place in the video and the name of its depth, whatever happened to the rows before.
            guard let frame = Int(row.text(1)), (0..<10_000_000).contains(frame) else { return "no number of a frame" }
            var picture = ImportedRecording.Picture(time: 0, pixels: .videoFrame(frame), place: row.place)
            let digits = String(frame)
            let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".png"
            if depth.contains(name) { picture.depth = "depth/" + name }
            if picture.depth != nil, confidence.contains(name) { picture.confidence = "confidence/" + name }
            let turn = SIMD4((5...8).map { row.number($0) })
            let pose = RigidTransform(rotation: Matrix3d(quaternion: turn), translation: row.vector(2))
            if pose.isPossible { picture.worldFromCamera = pose }
            if row.fields.count >= 13 { picture.camera = ownCamera(row, camera) }
            pictures.add(time, picture, row.place)
            return pose.isPossible ? nil : "a pose that is no rotation and translation"
        }
        return pictures
    }

    /// The intrinsics of a row, where they are there.
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
            inertial.add(time, (row.vector(4), row.vector(1)), row.place)
            return nil
        }
        return inertial
    }

    /// iOS gives accelerations in units of gravity and with the other sign, and versions of the app differ in what they write of it. The recorded poses
    /// tell: turned into the world, a still accelerometer reads +9.81 along +Y. Without gravity in it, it is of no use here.
    private static func bringToSpecificForce(
        _ inertial: inout StampedRows<(Vector3d, Vector3d)>, _ pictures: StampedRows<ImportedRecording.Picture>,
        _ problems: inout SourceProblems
    ) throws(SourceError) {
        guard !inertial.rows.isEmpty else { return }
        let poses = pictures.rows.compactMap { row in row.value.worldFromCamera.map { (row.nanoseconds, $0) } }
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
            problems.add("imu.csv: its acceleration has no gravity in it (\(mean) upwards on average): the IMU is not used")
            inertial.rows = []
            return
        }
        for index in inertial.rows.indices { inertial.rows[index].value.1 *= factor }
    }
}
