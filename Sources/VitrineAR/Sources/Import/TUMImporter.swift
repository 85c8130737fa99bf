import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of the TUM RGB-D benchmark (Sturm et al., 2012): `rgb.txt`, `depth.txt` and `accelerometer.txt` with seconds and a file or three numbers,
/// depth of which 5,000 is a metre. Its accelerometer has no gyroscope beside it: the pictures are all that a tracker can use.
///
/// Intrinsics come from a `camera.txt` (fx fy cx cy, width height) where somebody put one; otherwise, where the folder's name
/// says freiburg3, that camera's, which has no distortion; otherwise the benchmark's default, 525.
enum TUMImporter {
    static let pattern = "rgb.txt"

    /// nil: another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "rgb.txt") else { return nil }
        let files = ImportFiles(directory)
        var recording = ImportedRecording(
            kind: "TUM RGB-D", directory: directory, rig: SensorRig(camera: defaultCamera, hasInertialUnit: false))
        recording.depthUnitsPerMetre = 5000
        let depth = ImportFiles.exists(directory, "depth.txt") ? try list(files, "depth.txt", &recording.problems) : []
        var pictures = StampedRows<ImportedRecording.Picture>()
        for row in try list(files, "rgb.txt", &recording.problems) {
            var picture = ImportedRecording.Picture(time: 0, pixels: .file(row.file), place: row.place)
            picture.depth = nearest(row.time, in: depth)
            pictures.add(row.time, picture, row.place)
        }
        recording.rig.camera = try camera(files, firstPicture: pictures.rows.first?.value)
        if ImportFiles.exists(directory, "accelerometer.txt") {
            recording.problems.add("accelerometer.txt: has no gyroscope beside it and is not used")
        }
        recording.take(inertial: StampedRows(), pictures: pictures)
        return recording
    }

    private struct Entry {
        let time: Int64
        let file: String
        let place: String
    }

    private static func list(_ files: ImportFiles, _ name: String, _ problems: inout SourceProblems) throws(SourceError) -> [Entry] {
        var entries: [Entry] = []
        try files.rows(name, atLeast: 2, &problems) { row throws(SourceError) in
            guard let time = TimeStamp.nanoseconds(ofSeconds: row.fields[0]) else { return "no time in seconds" }
            entries.append(Entry(time: time, file: row.text(1), place: row.place))
            return nil
        }
        return entries
    }

    /// The depth picture within 20 ms, half of what lies between two.
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

    /// The benchmark's own recommendation where nothing is known. Its pixels' centres lie at whole numbers.
    private static let defaultCamera = TrackingCamera(
        width: 640, height: 480, focal: Vector2d(525, 525), center: Vector2d(320, 240))

    private static func camera(_ files: ImportFiles, firstPicture: ImportedRecording.Picture?) throws(SourceError) -> TrackingCamera {
        if ImportFiles.exists(files.directory, "camera.txt") { return try CameraText.camera(files, "camera.txt") }
        var camera = defaultCamera
        let name = files.directory.standardizedFileURL.path
        // Of the benchmark's calibration page. The first two cameras have a third radial coefficient, which isn't supported.
        if name.contains("freiburg3") {
            camera.focal = Vector2d(535.4, 539.2)
            camera.center = Vector2d(320.1 + 0.5, 247.6 + 0.5)
        }
        if case .file(let file)? = firstPicture?.pixels, let url = try? RelativePath.url(of: file, in: files.directory),
            let size = try? PictureFile.size(url, name: file), size.width != camera.width || size.height != camera.height
        {
            throw .broken(
                "\(files.directory.path): pictures of \(size.width) × \(size.height) pixels, and no camera.txt with fx fy cx cy and width height"
            )
        }
        return camera
    }
}
