import VitrineARView
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine ar simulate`.
struct ARSimulateSettings {
    enum Up: Equatable { case y, z }

    var output = ""
    var path = "around"
    var up = Up.z
    var inertial: String?
    var device = SimulatedDevice.phone
    var size: (width: Int, height: Int)?
    /// The distance of a second camera to the right of the first one, in metres.
    var baseline: Double?
    /// Seconds to skip at the start of the path.
    var start = 0.0
    var rest = 1.5
    var extent = 1.6
    var simulation = SimulationSettings()
    /// A poster on the floor, and its width in metres.
    var poster: (file: URL, width: Double)?
    /// Standard deviation of the IMU's scale errors and misalignments.
    var inertialError = 0.0
    /// Folders in addition to that of the room's model.
    var allowedFolders: [URL] = []
    var isJSON = false

    static let summary = """
        Moves a simulated camera with an IMU through ROOM and writes a recording with ground truth. ROOM is \
        \(SimulatedRoom.Style.allCases.map(\.rawValue).joined(separator: ", ")), or a model file. The recording has the true pose of every \
        frame, the path of the body in truth.tum, and the surfaces of the room in room.json.
        """
    static let examples = [
        "vitrine ar simulate study -o room", "vitrine ar simulate hall -o flight --path MH_01_easy.txt --camera euroc --seconds 60",
        "vitrine ar simulate study -o rough --path held --blur 0.02 --cover 8:1 --gap 12:0.4 --delay 0.047",
        "vitrine ar simulate study -o pair --camera euroc --stereo 0.11",
        "vitrine ar simulate study -o phone --readout 0.02 --imu-error 0.01 --vibration 0.3",
    ]
    static let table = ArgumentTable<ARSimulateSettings>(
        operands: ["ROOM"],
        sections: [
            OptionSection("output", outputOptions), OptionSection("path", pathOptions), OptionSection("camera", cameraOptions),
            OptionSection("failure injection", failureOptions),
        ])

    private static let outputOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption("-o", "--output", value: "RECORDING", help: "The folder to write. It must be new or empty.") {
            (settings, text) throws(UsageError) in settings.output = text
        },
        CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
    ]

    private static let pathOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
        CommandOption(
            "--path", value: "NAME|FILE",
            help:
                "The path: \(SimulatedPath.allCases.map(\.rawValue).joined(separator: ", ")), or a file with poses of the IMU (time x y z qx qy qz qw). Default: around."
        ) { (settings, text) throws(UsageError) in settings.path = text },
        CommandOption("--up", value: "y|z", help: "The axis of FILE that points up. Default: z.") { (settings, text) throws(UsageError) in
            settings.up = try parseWord(text, [("y", .y), ("z", .z)])
        },
        CommandOption(
            "--imu", value: "FILE",
            help:
                "Samples of a real IMU along FILE in EuRoC's format (ns, rad/s, m/s²) instead of simulated ones. Fits the path to the poses and the samples, and prints the residuals."
        ) {
            (settings, text) throws(UsageError) in settings.inertial = text
        },
        CommandOption("--start", value: "SECONDS", help: "Skips this many seconds of FILE. Default: 0.") {
            (settings, text) throws(UsageError) in
            settings.start = Double(try parseNumber(text, in: 0...1e6))
        },
        CommandOption("--seconds", value: "SECONDS", help: "Duration. Default: 30, or all of FILE.") {
            (settings, text) throws(UsageError) in
            settings.simulation.duration = Double(try parseNumber(text, in: 0.5...3600))
        },
        CommandOption("--rest", value: "SECONDS", help: "Time at rest before a named path starts. Default: 1.5.") {
            (settings, text) throws(UsageError) in
            settings.rest = Double(try parseNumber(text, in: 0...60))
        },
        CommandOption("--extent", value: "METRES", help: "Half the side of the square that contains a named path. Default: 1.6.") {
            (settings, text) throws(UsageError) in settings.extent = Double(try parseNumber(text, in: 0.2...50))
        },
        CommandOption("--seed", value: "N", help: "Seed of the room, the noise and the hand tremor. Default: 1.") {
            (settings, text) throws(UsageError) in
            settings.simulation.seed = UInt64(try parseCount(text, in: 0...1_000_000))
        },
        CommandOption(
            "--marker", value: "METRES",
            help: "Adds a marker to the floor: AprilTag 36h11, number 0. METRES is the width of its black square."
        ) {
            (settings, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.02...2)
            settings.simulation.markerEdge = Double(text)
        },
        CommandOption(
            "--poster", value: "FILE:METRES",
            help: "Lays a poster on the floor, 0.7 m behind the centre of the room. METRES is its width."
        ) { (settings, text) throws(UsageError) in settings.poster = try SceneArguments.poster(text) },
    ]

    private static let cameraOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption(
            "--camera", value: "NAME",
            help: "The device: \(SimulatedDevice.allCases.map(\.rawValue).joined(separator: ", ")). Default: phone."
        ) { (settings, text) throws(UsageError) in
            settings.device = try parseWord(text, SimulatedDevice.allCases.map { ($0.rawValue, $0) })
        },
        CommandOption("--size", value: "WxH", help: "Image size; scales the intrinsics. Default: that of the device.") {
            (settings, text) throws(UsageError) in
            let size = try parseSize(text)
            guard size.width >= 64, size.height >= 64, size.width <= 2048, size.height <= 2048 else {
                throw UsageError("'\(text)' is out of range: each side must be 64 to 2048 pixels")
            }
            settings.size = size
        },
        CommandOption("--fps", value: "N", help: "Frames per second. Default: 20.") { (settings, text) throws(UsageError) in
            settings.simulation.frameRate = Double(try parseNumber(text, in: 1...120))
        },
        CommandOption("--gray", help: "Writes grey images.") { $0.simulation.isGray = true },
        CommandOption(
            "--stereo", value: "METRES", help: "Adds a second camera of the same kind, METRES to the right of the first one, such as 0.1."
        ) { (settings, text) throws(UsageError) in settings.baseline = Double(try parseNumber(text, in: 0.01...1)) },
        CommandOption("--depth", value: "WxH", help: "Adds a depth image of this size to each frame.") {
            (settings, text) throws(UsageError) in
            let size = try parseSize(text)
            guard size.width <= 1024, size.height <= 1024 else {
                throw UsageError("'\(text)' is out of range: each side must be at most 1024 pixels")
            }
            settings.simulation.depthSize = SIMD2(size.width, size.height)
        },
    ]

    private static let failureOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption("--noise", value: "LEVELS", help: "Standard deviation of the image noise, in levels of 255. Default: 1.5.") {
            (settings, text) throws(UsageError) in
            settings.simulation.pixelNoise = Double(try parseNumber(text, in: 0...50))
        },
        CommandOption("--blur", value: "SECONDS", help: "Exposure time, which causes motion blur. Default: 0.") {
            (settings, text) throws(UsageError) in settings.simulation.exposure = Double(try parseNumber(text, in: 0...0.1))
        },
        CommandOption("--drift", value: "STOPS", help: "Amplitude of exposure jitter. Default: 0.") {
            (settings, text) throws(UsageError) in settings.simulation.exposureDrift = Double(try parseNumber(text, in: 0...3))
        },
        CommandOption(
            "--delay", value: "SECONDS",
            help: "Delays the time stamps of frames against the IMU, without noting it in the recording. Default: 0."
        ) {
            (settings, text) throws(UsageError) in settings.simulation.delay = Double(try parseNumber(text, in: -0.5...0.5))
        },
        CommandOption(
            "--readout", value: "SECONDS",
            help: "Readout time of a rolling shutter: each row is exposed at its own time. Default: 0, a global shutter."
        ) { (settings, text) throws(UsageError) in settings.simulation.readoutTime = Double(try parseNumber(text, in: 0...0.05)) },
        CommandOption("--hide-readout", help: "Omits the readout time from the recording: the tracker assumes a global shutter.") {
            $0.simulation.reportsReadoutTime = false
        },
        CommandOption(
            "--exposure-variation", value: "SHARE",
            help: "Varies the exposure time of --blur from frame to frame: between (1 - SHARE) and 1 times SECONDS. Default: 0."
        ) { (settings, text) throws(UsageError) in settings.simulation.exposureVariation = Double(try parseNumber(text, in: 0...1)) },
        CommandOption(
            "--imu-error", value: "SHARE",
            help: "Scale errors and misalignments of the IMU: the standard deviation of each, such as 0.01. Default: 0."
        ) { (settings, text) throws(UsageError) in settings.inertialError = Double(try parseNumber(text, in: 0...0.1)) },
        CommandOption(
            "--stereo-turn", value: "DEGREES",
            help: "States the second camera of --stereo wrongly in the recording: turned about its vertical axis, such as 0.1. Default: 0."
        ) { (settings, text) throws(UsageError) in
            settings.simulation.secondCameraTurn = Double(try parseNumber(text, in: -5...5)) * .pi / 180
        },
        CommandOption(
            "--vibration", value: "M/S²",
            help: "Vibration of the accelerometer at 72 to 98 Hz, its root mean square along each axis. Default: 0."
        ) { (settings, text) throws(UsageError) in settings.simulation.inertial.vibration = Double(try parseNumber(text, in: 0...50)) },
        CommandOption("--imu-gap", value: "T:D", help: "Drops the samples of the IMU from second T for D seconds. Repeatable.") {
            (settings, text) throws(UsageError) in settings.simulation.inertialGaps.append(try span(text))
        },
        CommandOption("--perfect-imu", help: "Disables IMU noise and keeps its biases constant.") { $0.simulation.inertial.noise = nil },
        CommandOption("--cover", value: "T:D", help: "Covers the lens from second T for D seconds. Repeatable.") {
            (settings, text) throws(UsageError) in settings.simulation.covered.append(try span(text))
        },
        CommandOption("--gap", value: "T:D", help: "Drops frames from second T for D seconds. Repeatable.") {
            (settings, text) throws(UsageError) in settings.simulation.gaps.append(try span(text))
        },
    ]

    private static func span(_ text: String) throws(UsageError) -> Range<Double> {
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count == 2 else { throw UsageError("'\(text)' is not START:DURATION, such as 8:0.5") }
        let start = Double(try parseNumber(String(pieces[0]), in: 0...1e6))
        return start..<start + Double(try parseNumber(String(pieces[1]), in: 0...1e6))
    }

    /// The rig of the device at the size of `--size`, with the second camera of `--stereo`.
    var rig: SensorRig {
        var rig = device.rig
        if let size { rig.camera = rig.camera.resized(width: size.width, height: size.height) }
        if let baseline {
            rig.secondCamera = rig.camera
            rig.secondFromCamera = RigidTransform(rotation: .identity, translation: Vector3d(-baseline, 0, 0))
        }
        return rig
    }
}
