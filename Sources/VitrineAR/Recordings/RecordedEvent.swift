import VitrineTracking
import VitrineVision

/// An image line of a recording: a `CameraSample` with file names instead of pixels.
struct RecordedImage: Equatable {
    var time: Double
    /// Relative to the recording, with `/`.
    var file: String
    var chroma: String?
    var matrix = CapturedImage.Matrix.bt601
    var range = CapturedImage.Range.full
    var depth: String?
    var confidence: String?
    /// The luma of the second camera's image.
    var second: String?
    var exposureDuration: Double?
    var gain: Double?
    var camera: CameraIntrinsics?
    var worldFromCamera: RigidTransform?
}

/// A line of `events.jsonl`.
enum RecordedEvent: Equatable {
    case inertial(InertialSample)
    case image(RecordedImage)
    case interruptionBegan, interruptionEnded
    /// The last line of a finished recording, with the counts of its events.
    case end(inertial: Int, images: Int)
}

extension RecordedEvent {
    /// The line without its line break.
    var line: String {
        switch self {
        case .inertial(let sample):
            let (w, a) = (sample.angularVelocity, sample.acceleration)
            return JSONItem.object(["imu": .numbers([sample.time, w.x, w.y, w.z, a.x, a.y, a.z])]).line
        case .image(let image): return image.line
        case .interruptionBegan: return JSONItem.object(["interruption": .text("began")]).line
        case .interruptionEnded: return JSONItem.object(["interruption": .text("ended")]).line
        case .end(let inertial, let images):
            return JSONItem.object([
                "end": .object(["inertial": .number(Double(inertial)), "pictures": .number(Double(images))])
            ]).line
        }
    }

    /// Parses a line.
    ///
    /// - Throws: The error without file and line.
    init(line: ArraySlice<UInt8>) throws(JSONItemParser.Failure) {
        let item = try JSONItemParser.parse(line)
        func failure(_ reason: String) -> JSONItemParser.Failure { JSONItemParser.Failure(reason: reason, column: 1) }
        if let sample = item["imu"] {
            guard let n = sample.numbers(7) else { throw failure("\"imu\" is not [time, 3 rad/s, 3 m/s²]") }
            self = .inertial(
                InertialSample(
                    time: n[0], angularVelocity: Vector3d(n[1], n[2], n[3]), acceleration: Vector3d(n[4], n[5], n[6])))
        } else if let file = item["picture"] {
            guard let file = file.text else { throw failure("\"picture\" is not a file name") }
            self = .image(try RecordedImage(file: file, item))
        } else if let word = item["interruption"]?.text, word == "began" || word == "ended" {
            self = word == "began" ? .interruptionBegan : .interruptionEnded
        } else if let end = item["end"], let inertial = end["inertial"]?.integer, let images = end["pictures"]?.integer {
            self = .end(inertial: inertial, images: images)
        } else {
            throw failure("none of imu, picture, interruption, end")
        }
    }
}

extension RecordedImage {
    fileprivate var line: String {
        JSONItem.object([
            "picture": .text(file), "time": .number(time), "chroma": chroma.map { .text($0) },
            "matrix": chroma == nil ? nil : .text(matrix.rawValue), "range": .text(range.rawValue), "depth": depth.map { .text($0) },
            "confidence": confidence.map { .text($0) }, "second": second.map { .text($0) },
            "exposure": exposureDuration.map { .number($0) }, "gain": gain.map { .number($0) },
            "camera": camera.map { .camera($0) }, "pose": worldFromCamera.map { .transform($0) },
        ]).line
    }

    /// Parses an image event and rejects invalid members, because a misread camera would give wrong poses.
    fileprivate init(file: String, _ item: JSONItem) throws(JSONItemParser.Failure) {
        func require<Value>(_ name: String, _ read: (JSONItem) -> Value?) throws(JSONItemParser.Failure) -> Value? {
            guard let member = item[name] else { return nil }
            guard let value = read(member) else {
                throw JSONItemParser.Failure(reason: "\"\(name)\" has a value that is not possible", column: 1)
            }
            return value
        }
        guard let time = item["time"]?.number else { throw JSONItemParser.Failure(reason: "an image without \"time\"", column: 1) }
        (self.time, self.file) = (time, file)
        chroma = try require("chroma", \.text)
        matrix = try require("matrix") { $0.text.flatMap { CapturedImage.Matrix(rawValue: $0) } } ?? .bt601
        range = try require("range") { $0.text.flatMap { CapturedImage.Range(rawValue: $0) } } ?? .full
        depth = try require("depth", \.text)
        confidence = try require("confidence", \.text)
        second = try require("second", \.text)
        exposureDuration = try require("exposure") { $0.number.flatMap { $0 >= 0 ? $0 : nil } }
        gain = try require("gain") { $0.number.flatMap { $0 > 0 ? $0 : nil } }
        camera = try require("camera", \.camera)
        worldFromCamera = try require("pose", \.transform)
    }
}
