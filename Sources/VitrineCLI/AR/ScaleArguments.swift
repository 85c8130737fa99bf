import VitrineARView

/// What is said on the command line of the size of things where no IMU tells it.
struct ScaleArguments {
    var scale: VisualScale?

    /// Where something else than pictures alone tells the size.
    static func unused(_ file: String) -> CommandError {
        CommandError(file: file, reason: "--marker-size and --depth are for pictures alone: add --tracker visual")
    }

    static let options: [CommandOption<ScaleArguments>] = [
        CommandOption(
            "--marker-size", value: "METRES",
            help: "Without an IMU: how wide the black square of markers (AprilTag 36h11, ArUco 4×4) is, which give the scale."
        ) { (arguments, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.001...100)
            arguments.scale = .marker(edge: Double(text) ?? 0)
        },
        CommandOption(
            "--depth", value: "METRES",
            help: "Without an IMU or markers: what the median depth of the first view is taken for; 2 by default."
        ) { (arguments, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.001...10000)
            arguments.scale = .medianDepth(Double(text) ?? 0)
        },
    ]
}
