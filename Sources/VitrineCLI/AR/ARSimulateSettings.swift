import Foundation
import VitrineARView
import VitrineVision

/// What `vitrine ar simulate` is asked for.
struct ARSimulateSettings {
    enum Up: Equatable { case y, z }

    var output = ""
    var path = "around"
    var up = Up.z
    var inertial: String?
    var device = SimulatedDevice.phone
    var size: (width: Int, height: Int)?
    /// Seconds of the path that are left out at its beginning.
    var start = 0.0
    var rest = 1.5
    var extent = 1.6
    var simulation = SimulationSettings()
    /// Besides the folder of the room's model.
    var allowedFolders: [URL] = []
    var isJSON = false

    static let summary = """
        Carries a camera through the room ROOM and writes what it sees, what its IMU feels and where it truly was as a recording. ROOM is \
        \(SimulatedRoom.Style.allCases.map(\.rawValue).joined(separator: ", ")), or a model file. The truth lies with each picture, the body's \
        as truth.tum and the room's surfaces as room.json in the recording.
        """
    static let examples = [
        "vitrine ar simulate study -o room", "vitrine ar simulate hall -o flight --path MH_01_easy.txt --camera euroc --seconds 60",
        "vitrine ar simulate study -o rough --path held --blur 0.02 --cover 8:1 --gap 12:0.4 --delay 0.047",
    ]
    static let table = ArgumentTable<ARSimulateSettings>(
        operands: ["ROOM"],
        sections: [
            OptionSection("output", outputOptions), OptionSection("path", pathOptions), OptionSection("camera", cameraOptions),
            OptionSection("failure injection", faultOptions),
        ])

    private static let outputOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption("-o", "--output", value: "RECORDING", help: "The folder to write: a new one, or one that is empty.") {
            (settings, text) throws(UsageError) in settings.output = text
        },
        CommandOption("--json", help: "Prints what was written as JSON.") { $0.isJSON = true },
    ]

    private static let pathOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
        CommandOption(
            "--path", value: "NAME|FILE",
            help:
                "The way: \(SimulatedPath.allCases.map(\.rawValue).joined(separator: ", ")), or the IMU's poses in a file (time x y z qx qy qz qw). Default around."
        ) { (settings, text) throws(UsageError) in settings.path = text },
        CommandOption("--up", value: "y|z", help: "The axis that points up in FILE. Default z.") { (settings, text) throws(UsageError) in
            settings.up = try parseWord(text, [("y", .y), ("z", .z)])
        },
        CommandOption(
            "--imu", value: "FILE",
            help:
                "A real IMU's samples along FILE, as EuRoC has them (ns, rad/s, m/s²), instead of simulated ones. The camera goes where they and the poses agree on; what that changes is told."
        ) {
            (settings, text) throws(UsageError) in settings.inertial = text
        },
        CommandOption("--start", value: "SECONDS", help: "Leaves out the beginning of FILE. Default 0.") {
            (settings, text) throws(UsageError) in
            settings.start = Double(try parseNumber(text, in: 0...1e6))
        },
        CommandOption("--seconds", value: "SECONDS", help: "How long. Default 30, or all of FILE.") { (settings, text) throws(UsageError) in
            settings.simulation.duration = Double(try parseNumber(text, in: 0.5...3600))
        },
        CommandOption("--rest", value: "SECONDS", help: "At rest before a named path begins. Default 1.5.") {
            (settings, text) throws(UsageError) in
            settings.rest = Double(try parseNumber(text, in: 0...60))
        },
        CommandOption("--extent", value: "METRES", help: "Half the side of the square that a named path stays within. Default 1.6.") {
            (settings, text) throws(UsageError) in settings.extent = Double(try parseNumber(text, in: 0.2...50))
        },
        CommandOption("--seed", value: "N", help: "Of the room, the noise and the hand's tremor. Default 1.") {
            (settings, text) throws(UsageError) in
            settings.simulation.seed = UInt64(try parseCount(text, in: 0...1_000_000))
        },
        CommandOption("--marker", value: "METRES", help: "A marker on the floor, its black square so wide: AprilTag 36h11, number 0.") {
            (settings, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.02...2)
            settings.simulation.markerEdge = Double(text)
        },
    ]

    private static let cameraOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption(
            "--camera", value: "NAME",
            help: "The device: \(SimulatedDevice.allCases.map(\.rawValue).joined(separator: ", ")). Default phone."
        ) { (settings, text) throws(UsageError) in
            settings.device = try parseWord(text, SimulatedDevice.allCases.map { ($0.rawValue, $0) })
        },
        CommandOption("--size", value: "WxH", help: "Of the pictures; the lens is scaled with it. Default the device's.") {
            (settings, text) throws(UsageError) in
            let size = try parseSize(text)
            guard size.width >= 64, size.height >= 64, size.width <= 2048, size.height <= 2048 else {
                throw UsageError("'\(text)': sides must be 64 to 2048 pixels")
            }
            settings.size = size
        },
        CommandOption("--fps", value: "N", help: "Pictures a second. Default 20.") { (settings, text) throws(UsageError) in
            settings.simulation.frameRate = Double(try parseNumber(text, in: 1...120))
        },
        CommandOption("--gray", help: "No colour.") { $0.simulation.isGray = true },
        CommandOption("--depth", value: "WxH", help: "A depth picture with each, of this size.") { (settings, text) throws(UsageError) in
            let size = try parseSize(text)
            guard size.width <= 1024, size.height <= 1024 else { throw UsageError("'\(text)': sides must be at most 1024 pixels") }
            settings.simulation.depthSize = SimulationSettings.Size(size.width, size.height)
        },
    ]

    private static let faultOptions: [CommandOption<ARSimulateSettings>] = [
        CommandOption("--noise", value: "LEVELS", help: "Standard deviation of pixels, of 255. Default 1.5.") {
            (settings, text) throws(UsageError) in
            settings.simulation.pixelNoise = Double(try parseNumber(text, in: 0...50))
        },
        CommandOption("--blur", value: "SECONDS", help: "How long the shutter is open. Default 0: nothing blurs.") {
            (settings, text) throws(UsageError) in settings.simulation.exposure = Double(try parseNumber(text, in: 0...0.1))
        },
        CommandOption("--drift", value: "STOPS", help: "Brightness swings by so much to either side. Default 0.") {
            (settings, text) throws(UsageError) in settings.simulation.exposureDrift = Double(try parseNumber(text, in: 0...3))
        },
        CommandOption(
            "--delay", value: "SECONDS", help: "Pictures are stamped late against the IMU, and the recording doesn't tell. Default 0."
        ) {
            (settings, text) throws(UsageError) in settings.simulation.delay = Double(try parseNumber(text, in: -0.5...0.5))
        },
        CommandOption("--perfect-imu", help: "No noise in the IMU, constant biases.") { $0.simulation.inertial.noise = nil },
        CommandOption("--cover", value: "T:D", help: "The lens is covered from second T for D seconds. May be given again.") {
            (settings, text) throws(UsageError) in settings.simulation.covered.append(try span(text))
        },
        CommandOption("--gap", value: "T:D", help: "No pictures from second T for D seconds. May be given again.") {
            (settings, text) throws(UsageError) in settings.simulation.gaps.append(try span(text))
        },
    ]

    private static func span(_ text: String) throws(UsageError) -> SimulationSettings.Span {
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count == 2 else { throw UsageError("'\(text)' is not START:DURATION, as 8:0.5") }
        return SimulationSettings.Span(
            start: Double(try parseNumber(String(pieces[0]), in: 0...1e6)),
            duration: Double(try parseNumber(String(pieces[1]), in: 0...1e6)))
    }

    /// The device's, at the size that is asked for.
    var rig: SensorRig {
        var rig = device.rig
        guard let size else { return rig }
        let scale = Vector2d(Double(size.width) / Double(rig.camera.width), Double(size.height) / Double(rig.camera.height))
        rig.camera = CameraIntrinsics(
            width: size.width, height: size.height, focal: rig.camera.focal * scale, center: rig.camera.center * scale,
            distortion: rig.camera.distortion)
        return rig
    }
}
