import VitrineARView

/// The scale of visual tracking, which has no IMU to determine it.
struct ScaleArguments {
    var scale: VisualScale?

    /// The error if the tracker determines the scale itself.
    static func unused(_ file: String) -> CommandError {
        CommandError(file: file, reason: "--marker-size and --depth require visual tracking: add --tracker visual")
    }

    static let options: [CommandOption<ScaleArguments>] = [
        CommandOption(
            "--marker-size", value: "METRES",
            help: "Visual tracking: determines the scale by markers (AprilTag 36h11, ArUco 4×4) whose black square has this width."
        ) { (arguments, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.001...100)
            arguments.scale = .marker(edge: Double(text) ?? 0)
        },
        CommandOption(
            "--depth", value: "METRES",
            help:
                "Visual tracking without markers: the median depth of the first view. Default: depth images if there are any; otherwise the scale is unknown."
        ) { (arguments, text) throws(UsageError) in
            _ = try parseNumber(text, in: 0.001...10000)
            arguments.scale = .medianDepth(Double(text) ?? 0)
        },
    ]
}
