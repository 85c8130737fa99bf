import VitrineARView
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let arInspect = Command(
        name: "ar inspect", summary: "Prints the contents of a recording: camera, events, gaps, problems.",
        help: {
            ARInspectSettings.table.help(
                command: "ar inspect", summary: ARInspectSettings.summary, examples: ARInspectSettings.examples)
        },
        run: { arguments in
            var settings = ARInspectSettings()
            let path = try ARInspectSettings.table.parse(arguments, into: &settings)[0]
            let opened = try settings.source.open(path)
            guard !opened.source.isLive else {
                throw CommandError(file: path, reason: "is a live camera: record it with 'vitrine ar record' first")
            }
            let survey = try await RecordingSurvey(opened)
            if settings.isJSON { try JSONReport.print(survey) } else { print(survey.text) }
        })
}

struct ARInspectSettings {
    var source = SourceArguments()
    var isJSON = false

    static let summary = "Reads all of RECORDING, including every image, and prints its contents."
    static let examples = ["vitrine ar inspect V1_01_easy", "vitrine ar inspect walk --json"]
    static let table = ArgumentTable<ARInspectSettings>(
        operands: ["RECORDING"],
        options: [CommandOption("--json", help: "Prints the contents as JSON.") { $0.isJSON = true }]
            + SourceArguments.options.map { $0.within(\.source) })
}

/// The contents of a recording.
struct RecordingSurvey: Encodable {
    struct Camera: Encodable {
        let width, height: Int
        let focal, center: [Double]
        let lens: String
    }

    let layout: String
    let camera: Camera
    /// The second camera of a stereo pair, and its distance from the first one in metres.
    let secondCamera: Camera?
    let baseline: Double?
    let timeOffset: Double
    private(set) var frames = 0
    private(set) var depthFrames = 0
    /// The frames with an image of the second camera.
    private(set) var pairs = 0
    private(set) var inertialSamples = 0
    private(set) var interruptions = 0
    /// Seconds from the first event to the last.
    private(set) var duration = 0.0
    /// The longest time between two frames and between two samples, in seconds.
    private(set) var longestFrameGap = 0.0
    private(set) var longestInertialGap = 0.0
    private(set) var problems = 0
    private(set) var messages: [String] = []

    init(_ opened: SensorSourceFile.Opened) async throws {
        let rig = opened.source.rig
        layout = opened.layout
        camera = Self.camera(rig.camera)
        secondCamera = rig.secondCamera.map(Self.camera)
        baseline = rig.secondCamera == nil ? nil : length(rig.secondFromCamera.translation)
        timeOffset = rig.timeOffset
        try await count(opened.source)
    }

    private static func camera(_ intrinsics: CameraIntrinsics) -> Camera {
        Camera(
            width: intrinsics.width, height: intrinsics.height, focal: [intrinsics.focal.x, intrinsics.focal.y],
            center: [intrinsics.center.x, intrinsics.center.y], lens: intrinsics.distortion.projection.calibrationNames[0])
    }

    private mutating func count(_ source: any SensorSource) async throws {
        var first: Double?
        var (lastImageTime, lastInertial): (Double?, Double?)
        while let event = try await source.next() {
            let time: Double
            switch event {
            case .inertial(let sample):
                time = sample.time
                inertialSamples += 1
                if let last = lastInertial { longestInertialGap = max(longestInertialGap, time - last) }
                lastInertial = time
            case .image(let sample):
                time = sample.time
                frames += 1
                if sample.depth != nil { depthFrames += 1 }
                if sample.secondLuma != nil { pairs += 1 }
                if let last = lastImageTime { longestFrameGap = max(longestFrameGap, time - last) }
                lastImageTime = time
            case .interruptionBegan:
                interruptions += 1
                continue
            case .interruptionEnded: continue
            }
            if first == nil { first = time }
            duration = max(duration, time - (first ?? time))
        }
        (problems, messages) = (source.problems.count, source.problems.messages)
    }

    var text: String {
        func seconds(_ value: Double) -> String { "\(value.fixed(3)) s" }
        func rate(_ count: Int) -> String { count > 1 && duration > 0 ? ", \((Double(count - 1) / duration).fixed(1)) Hz" : "" }
        var lines = [
            "layout       \(layout)",
            "camera       \(camera.width) × \(camera.height), focal length \(camera.focal[0].fixed(2)) pixels, \(camera.lens)",
            "duration     \(seconds(duration))",
            "frames       \(frames)\(rate(frames)), longest gap \(seconds(longestFrameGap))",
        ]
        if let baseline { lines.append("second       \(pairs), from a camera at a distance of \(baseline.fixed(3)) m") }
        if depthFrames > 0 { lines.append("depth        \(depthFrames)") }
        lines.append(
            inertialSamples > 0
                ? "IMU          \(inertialSamples)\(rate(inertialSamples)), longest gap \(seconds(longestInertialGap))"
                : "IMU          none")
        if timeOffset != 0 { lines.append("time offset  \(seconds(timeOffset))") }
        if interruptions > 0 { lines.append("interrupted  \(interruptions) times") }
        lines.append("problems     \(problems)")
        lines += messages.prefix(20).map { "             \($0)" }
        return lines.joined(separator: "\n")
    }
}
