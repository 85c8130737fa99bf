import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of the TUM RGB-D benchmark (Sturm et al., 2012): `rgb.txt`, `depth.txt` and `accelerometer.txt` with seconds and a file or three numbers,
/// depth of which 5,000 is a metre. There is no gyroscope, so only the images are
/// used for tracking. Frames have the motion-capture poses of `groundtruth.txt`.
///
/// Intrinsics: a `camera.txt` (fx fy cx cy, width height) if present; otherwise those of the camera in the folder's name; otherwise the
/// benchmark's default focal length, 525.
enum TUMImporter {
    static let pattern = "rgb.txt"

    /// Opens a recording of this layout; returns nil for another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "rgb.txt") else { return nil }
        let files = ImportFiles(directory)
        var recording = ImportedRecording(
            kind: "TUM RGB-D", directory: directory, rig: SensorRig(camera: defaultCamera, hasInertialUnit: false))
        recording.depthUnitsPerMetre = 5000
        let depth = ImportFiles.exists(directory, "depth.txt") ? try list(files, "depth.txt", &recording.problems) : []
        let poses = ImportFiles.exists(directory, "groundtruth.txt") ? try poses(files, &recording.problems) : MeasuredPoses()
        var frames = StampedRows<ImportedRecording.Frame>()
        for row in try list(files, "rgb.txt", &recording.problems) {
            var frame = ImportedRecording.Frame(time: 0, pixels: .file(row.file), location: row.location)
            frame.depth = nearest(row.time, in: depth)
            frame.worldFromCamera = poses.pose(at: row.time)
            frames.add(row.time, frame, row.location)
        }
        recording.rig.camera = try camera(files, firstFrame: frames.rows.first?.value)
        if ImportFiles.exists(directory, "accelerometer.txt") {
            recording.problems.add("accelerometer.txt: has no gyroscope beside it and is not used")
        }
        recording.take(inertial: StampedRows(), frames: frames)
        return recording
    }

    private struct Entry {
        let time: Int64
        let file: String
        let location: String
    }

    private static func list(_ files: ImportFiles, _ name: String, _ problems: inout SourceProblems) throws(SourceError) -> [Entry] {
        var entries: [Entry] = []
        try files.rows(name, atLeast: 2, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            entries.append(Entry(time: time, file: row.text(1), location: row.location))
            return nil
        }
        return entries
    }

    /// The camera's poses (x right, y down, z forward), converted from a world with +Z up to +Y up.
    private static func poses(_ files: ImportFiles, _ problems: inout SourceProblems) throws(SourceError) -> MeasuredPoses {
        let level = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, 0, 1), Vector3d(0, -1, 0))
        var poses = MeasuredPoses()
        try files.rows("groundtruth.txt", atLeast: 8, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            let turn = Matrix3d(quaternion: SIMD4(row.number(4), row.number(5), row.number(6), row.number(7)))
            let pose = RigidTransform(rotation: level * turn, translation: level * row.vector(1))
            guard pose.isPossible else { return "the pose is not rigid" }
            return poses.add(pose, at: time) ? nil : "the time of a pose does not increase"
        }
        return poses
    }

    /// The nearest depth image within 20 ms, half of the frame interval.
    private static func nearest(_ time: Int64, in depth: [Entry]) -> String? {
        var (low, high) = (0, depth.count)
        while low < high {
            let middle = (low + high) / 2
            if depth[middle].time < time { low = middle + 1 } else { high = middle }
        }
        let candidates = [low - 1, low].filter { depth.indices.contains($0) }
        func distance(_ index: Int) -> UInt64 {
            let (difference, overflow) = depth[index].time.subtractingReportingOverflow(time)
            return overflow ? .max : difference.magnitude
        }
        guard let best = candidates.min(by: { distance($0) < distance($1) }), distance(best) <= 20_000_000 else { return nil }
        return depth[best].file
    }

    // MARK: Cameras

    /// The benchmark's recommended intrinsics, with pixel centres at integers.
    private static let defaultCamera = CameraIntrinsics(
        width: 640, height: 480, focal: Vector2d(525, 525), center: Vector2d(320, 240))

    /// The benchmark's calibrations. The first two lenses have a third radial coefficient; these are least-squares fits of focal length and two
    /// coefficients over the image: 0.8 and 0.7 pixels RMS, 2.2 and 1.8 in the corners.
    private static let cameras: [(name: String, camera: CameraIntrinsics)] = [
        ("freiburg1", camera(529.66, 528.84, 318.6, 255.3, SIMD4(-0.05389, 0.16833, -0.0053, 0.0025))),
        ("freiburg2", camera(530.71, 530.82, 325.1, 249.7, SIMD4(-0.01884, 0.10057, -0.0032, -0.0001))),
        ("freiburg3", camera(535.4, 539.2, 320.1, 247.6, .zero)),
    ]

    private static func camera(_ fx: Double, _ fy: Double, _ cx: Double, _ cy: Double, _ lens: SIMD4<Double>) -> CameraIntrinsics {
        CameraIntrinsics(
            width: 640, height: 480, focal: Vector2d(fx, fy), center: Vector2d(cx + 0.5, cy + 0.5), distortion: .brownConrady(lens))
    }

    private static func camera(_ files: ImportFiles, firstFrame: ImportedRecording.Frame?) throws(SourceError) -> CameraIntrinsics {
        if ImportFiles.exists(files.directory, "camera.txt") { return try CameraText.camera(files, "camera.txt") }
        var camera = defaultCamera
        let name = files.directory.standardizedFileURL.path
        if let known = cameras.first(where: { name.contains($0.name) }) { camera = known.camera }
        if case .file(let file)? = firstFrame?.pixels, let url = try? RelativePath.url(of: file, in: files.directory),
            let size = try? FrameImageFile.size(url, name: file), size.width != camera.width || size.height != camera.height
        {
            throw .broken(
                "\(files.directory.path): images of \(size.width) × \(size.height) pixels, and no camera.txt with fx fy cx cy and width height"
            )
        }
        return camera
    }
}
