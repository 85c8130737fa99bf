import VitrineTracking
import VitrineVideo
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calibration and IMU data that a source does not contain, as for plain video files.
public struct SensorSourceOptions: Sendable {
    /// The calibration of a camera.
    public enum Camera: Sendable {
        /// A lens without distortion, with this focal length in pixels and a centred principal point.
        case focalLength(Double)
        /// An unknown lens. Assumes no distortion and a focal length of 0.8 of the image's longer side, as most phones have for video.
        /// Poses are approximate.
        case typicalPhone
        /// A calibration file: Kalibr's `camchain.yaml` or EuRoC's `sensor.yaml`.
        case file(URL)
    }

    /// The IMU of a live camera.
    public enum InertialUnit: Equatable, Sendable {
        /// The machine's IMU, if the system reports camera and IMU in the same device.
        case automatic
        /// The camera is used without an IMU.
        case none
        /// The IMU with this name, such as "iio:device1" (Linux Industrial I/O). It must be rigidly mounted to the camera.
        case named(String)
    }

    /// The calibration of the camera. Required for a video file; not allowed for recordings, which contain it.
    public var camera: Camera?
    /// The IMU of a live camera. Default `.automatic`.
    public var inertialUnit = InertialUnit.automatic
    /// The device file of the second camera of a live stereo pair: see ``CameraDevice``. Default nil.
    public var secondDevice: String?
    /// A text file with the IMU samples of a video file: rows of time, gyroscope (rad/s) and accelerometer (m/s²). Times are nanoseconds,
    /// or seconds if they have a decimal point; the first frame has the time `videoStart`.
    public var inertial: URL?
    /// The time of the video's first frame on the IMU's clock in seconds. Default 0.
    public var videoStart: Double

    /// Creates options.
    public init(camera: Camera? = nil, inertial: URL? = nil, videoStart: Double = 0) {
        (self.camera, self.inertial, self.videoStart) = (camera, inertial, videoStart)
    }
}

extension SensorSourceOptions {
    /// Refuses options that a kind of source would ignore.
    func check(for kind: SourceKind, at url: URL) throws(SourceError) {
        let ignored: String? =
            switch kind {
            case .recording where camera != nil: "a calibration"
            case .recording where inertialUnit != .automatic: "a choice of the IMU"
            case .recording where inertial != nil, .camera where inertial != nil: "a file of IMU samples"
            case .recording where videoStart != 0, .camera where videoStart != 0: "a start on the clock of the IMU"
            case .recording where secondDevice != nil, .video where secondDevice != nil: "a second camera"
            case .video:
                if case .named = inertialUnit { "an IMU of this machine" } else { nil }
            case .recording, .camera: nil
            }
        if let ignored { throw .broken("\(url.path): is a \(kind.rawValue): \(ignored) does not apply") }
    }

    enum SourceKind: String {
        case recording, video
        case camera = "live camera"
    }
}

extension SensorSourceOptions.Camera {
    /// The rig of a camera.
    ///
    /// - Parameter location: The source, for errors.
    func rig(width: Int, height: Int, location: String) throws(SourceError) -> SensorRig {
        switch self {
        case .focalLength(let focal):
            guard focal > 1, focal < 1e5 else { throw .broken("\(location): a focal length of \(focal) pixels") }
            return SensorRig(
                camera: CameraIntrinsics(
                    width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2))
        case .typicalPhone:
            return try Self.focalLength(0.8 * Double(max(width, height))).rig(width: width, height: height, location: location)
        case .file(let file):
            let rig = try Self.rig(of: file)
            guard rig.camera.width == width, rig.camera.height == height else {
                throw .broken(
                    "\(file.path): is for \(rig.camera.width) × \(rig.camera.height) pixels, \(location) has \(width) × \(height)")
            }
            return rig
        }
    }

    /// The second camera of a calibration file, and its frame from the first one's; nil without one.
    func second() throws(SourceError) -> (camera: CameraIntrinsics, fromFirst: RigidTransform)? {
        guard case .file(let file) = self else { return nil }
        let name = file.lastPathComponent
        return try KalibrCalibration.second(try ImportFiles(file.deletingLastPathComponent()).yaml(name), name: name)
    }

    private static func rig(of file: URL) throws(SourceError) -> SensorRig {
        let name = file.lastPathComponent
        let yaml = try ImportFiles(file.deletingLastPathComponent()).yaml(name)
        guard yaml["cam0"] == nil else { return try KalibrCalibration.rig(yaml, name: name) }
        let bodyFromCamera = try KalibrCalibration.transform(yaml["T_BS"], name: name) ?? .identity
        return SensorRig(camera: try KalibrCalibration.camera(yaml, name: name), cameraFromBody: bodyFromCamera.inverse)
    }
}

/// A plain video file with or without a text file of IMU samples.
enum VideoImporter {
    static func open(_ url: URL, _ options: SensorSourceOptions) throws(SourceError) -> ImportedRecording {
        guard let camera = options.camera else {
            throw .broken(
                "\(url.path): a video file does not contain the camera's calibration: pass the focal length in pixels, or a calibration file"
            )
        }
        let probe = try SourceError.converting { () throws(VideoError) in try VideoProbe(url, readsTimes: true) }
        guard !probe.times.isEmpty else { throw .broken("\(url.path): contains no frames") }
        // A calibration is of the stored frames.
        let isUpright = if case .file = camera { false } else { true }
        let (width, height) = isUpright ? (probe.uprightWidth, probe.uprightHeight) : (probe.width, probe.height)
        var recording = ImportedRecording(
            kind: "video", directory: url.deletingLastPathComponent(),
            rig: try camera.rig(width: width, height: height, location: url.path))
        recording.isVideoUpright = isUpright
        recording.video = url
        guard let start = nanoseconds(options.videoStart) else { throw .broken("\(url.path): starts at \(options.videoStart) s") }
        var frames = StampedRows<ImportedRecording.Frame>()
        for (index, time) in probe.times.enumerated() {
            let location = "\(url.lastPathComponent):frame \(index)"
            frames.add(
                start + (nanoseconds(time) ?? .max / 2), ImportedRecording.Frame(time: 0, pixels: .videoFrame(index), location: location),
                location
            )
        }
        let inertial = try options.inertial.map { file throws(SourceError) in try self.inertial(file, &recording.problems) }
        recording.take(inertial: inertial ?? StampedRows(), frames: frames)
        if let file = options.inertial { try checkOverlap(recording, file) }
        return recording
    }

    private static func nanoseconds(_ seconds: Double) -> Int64? { abs(seconds) < 4e9 ? Int64((seconds * 1e9).rounded()) : nil }

    private static func inertial(_ file: URL, _ problems: inout SourceProblems) throws(SourceError) -> StampedRows<(Vector3d, Vector3d)> {
        var rows = StampedRows<(Vector3d, Vector3d)>()
        let files = ImportFiles(file.deletingLastPathComponent())
        try files.rows(file.lastPathComponent, atLeast: 7, &problems) { row throws(SourceError) in
            let isSeconds = row.fields[0].contains(UInt8(ascii: "."))
            let time = isSeconds ? TimeStamp.nanoseconds(ofSeconds: row.fields[0]) : TimeStamp.nanoseconds(row.fields[0])
            guard let time else { return "no time" }
            rows.add(time, (row.vector(1), row.vector(4)), row.location)
            return nil
        }
        return rows
    }

    /// Rejects an IMU file on another clock, whose samples would be ignored silently.
    private static func checkOverlap(_ recording: ImportedRecording, _ file: URL) throws(SourceError) {
        guard let first = recording.inertial.first?.time, let last = recording.inertial.last?.time,
            let begin = recording.frames.first?.time, let end = recording.frames.last?.time
        else { throw .broken("\(file.path): no inertial sample can be used\(recording.problems.messages.first.map { ": " + $0 } ?? "")") }
        guard first < end, last > begin else {
            throw .broken(
                "\(file.path): its samples cover \(first) to \(last) s, the video \(begin) to \(end) s: pass the video's start on the IMU's clock"
            )
        }
    }
}
