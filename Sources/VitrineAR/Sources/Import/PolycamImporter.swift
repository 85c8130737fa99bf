import VitrineImageFiles
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The raw data that the app Polycam exports: keyframes, named by their microseconds, with a JSON file each for camera and pose (ARKit's), depth in
/// millimetres, confidence (black, grey, white). Without IMU; since
/// autumn 2026 the name is the only time. Uses the poses that the app optimized afterwards (`corrected_…`) if they exist.
enum PolycamImporter {
    static let pattern = "keyframes/cameras/*.json"

    /// Opens a recording of this layout; returns nil for another layout.
    static func open(_ directory: URL) throws(SourceError) -> ImportedRecording? {
        guard ImportFiles.exists(directory, "keyframes/cameras") else { return nil }
        let files = ImportFiles(directory)
        let corrected = files.names(in: "keyframes/corrected_cameras").filter { $0.hasSuffix(".json") }
        let isCorrected = !corrected.isEmpty && !files.names(in: "keyframes/corrected_images").isEmpty
        let prefix = isCorrected ? "corrected_" : ""
        let names = isCorrected ? corrected : files.names(in: "keyframes/cameras").filter { $0.hasSuffix(".json") }
        var problems = SourceProblems()
        var frames: [Frame] = []
        if isCorrected { reportOmitted(files, corrected, &problems) }
        for name in names.prefix(1_000_000) {
            let file = "keyframes/\(prefix)cameras/\(name)"
            do throws(SourceError) {
                frames.append(try frame(files, file, stem: String(name.dropLast(5)), prefix: prefix))
            } catch {
                problems.add(error.description)
            }
        }
        frames.sort { $0.time < $1.time }
        guard let first = frames.first else {
            throw .broken(
                "\(directory.path): no camera of keyframes/\(prefix)cameras can be used\(problems.messages.first.map { ": " + $0 } ?? "")")
        }
        var recording = ImportedRecording(
            kind: "Polycam", directory: directory, rig: SensorRig(camera: first.camera, hasInertialUnit: false), problems: problems)
        let unit = unit(of: frames.map(\.time), &recording.problems)
        var images = StampedRows<ImportedRecording.Frame>()
        for frame in frames {
            let (time, overflow) = frame.time.multipliedReportingOverflow(by: unit)
            if !overflow { images.add(time, frame.image, frame.image.location) }
        }
        recording.take(inertial: StampedRows(), frames: images)
        return recording
    }

    private struct Frame {
        /// The time in the file, without conversion.
        let time: Int64
        let camera: CameraIntrinsics
        let image: ImportedRecording.Frame
    }

    /// Keyframes without corrected pose are in another world than the rest: they are skipped.
    private static func reportOmitted(_ files: ImportFiles, _ corrected: [String], _ problems: inout SourceProblems) {
        let known = Set(corrected)
        let left = files.names(in: "keyframes/cameras").filter { $0.hasSuffix(".json") && !known.contains($0) }
        if let first = left.first {
            problems.add("keyframes/cameras/\(first): has no corrected camera, like \(left.count - 1) others: skipped")
        }
    }

    /// Nanoseconds of one step of the time stamps. They are documented as microseconds; steps that would be less than 20 ms are milliseconds, since keyframes
    /// are chosen when the camera has moved. Steps of a few units are numbers, not times.
    private static func unit(of times: [Int64], _ problems: inout SourceProblems) -> Int64 {
        let gaps = zip(times, times.dropFirst()).map { $1.subtractingReportingOverflow($0).partialValue }.sorted()
        guard !gaps.isEmpty else { return 1000 }
        let step = gaps[gaps.count / 2]
        guard step <= 20 else { return step > 20_000 ? 1000 : 1_000_000 }
        problems.add("keyframes: are numbered and have no times: an interval of 0.1 s is assumed")
        return 100_000_000
    }

    private static func frame(_ files: ImportFiles, _ file: String, stem: String, prefix: String) throws(SourceError) -> Frame {
        let item: JSONItem
        do throws(JSONItemParser.Failure) {
            item = try JSONItemParser.parse(try bytes(files, file)[...])
        } catch {
            throw .broken("\(file): byte \(error.column): \(error.reason)")
        }
        guard let width = item["width"]?.integer, let height = item["height"]?.integer, let fx = item["fx"]?.number,
            let fy = item["fy"]?.number, let cx = item["cx"]?.number, let cy = item["cy"]?.number
        else { throw .broken("\(file): width, height, fx, fy, cx or cy is missing") }
        let camera = CameraIntrinsics(width: width, height: height, focal: Vector2d(fx, fy), center: Vector2d(cx + 0.5, cy + 0.5))
        guard camera.isPossible else { throw .broken("\(file): a camera that is not valid") }
        guard let time = item["timestamp"]?.number.flatMap({ Int64(exactly: $0.rounded()) }) ?? Int64(stem) else {
            throw .broken("\(file): no \"timestamp\"")
        }
        var image = ImportedRecording.Frame(time: 0, pixels: .file("keyframes/\(prefix)images/\(stem).jpg"), location: file)
        if ImportFiles.exists(files.directory, "keyframes/depth/\(stem).png") { image.depth = "keyframes/depth/\(stem).png" }
        let confidence = "keyframes/confidence/\(stem).png"
        if image.depth != nil, ImportFiles.exists(files.directory, confidence) { image.confidence = confidence }
        (image.camera, image.worldFromCamera) = (camera, pose(item))
        return Frame(time: time, camera: camera, image: image)
    }

    private static func bytes(_ files: ImportFiles, _ file: String) throws(JSONItemParser.Failure) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(files.directory.appendingPathComponent(file), limit: 1 << 20)
        } catch {
            throw JSONItemParser.Failure(reason: error.reason, column: 1)
        }
    }

    /// Three rows of ARKit's camera.transform: +Y up in the world; the camera's y is up and its z points back.
    private static func pose(_ item: JSONItem) -> RigidTransform? {
        let m = (0..<12).map { item["t_\($0 / 4)\($0 % 4)"]?.number ?? .nan }
        let rotation = Matrix3d(
            rows: Vector3d(m[0], -m[1], -m[2]), Vector3d(m[4], -m[5], -m[6]), Vector3d(m[8], -m[9], -m[10]))
        let pose = RigidTransform(rotation: rotation, translation: Vector3d(m[3], m[7], m[11]))
        return pose.isPossible ? pose : nil
    }
}
