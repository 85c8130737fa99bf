import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Properties of a recording that a video or a live camera does not provide.
struct SourceArguments {
    var options = SensorSourceOptions()

    func open(_ path: String) throws(SourceError) -> SensorSourceFile.Opened {
        try SensorSourceFile.opened(URL(fileURLWithPath: path), options: options)
    }

    static let options: [CommandOption<SourceArguments>] = [
        CommandOption(
            "--camera", value: "FOCAL|FILE",
            help:
                "The calibration of a video or a live camera: the focal length in pixels, or a file of Kalibr (camchain.yaml) or EuRoC (sensor.yaml)."
        ) { (arguments, text) throws(UsageError) in
            guard let focal = Double(text) else {
                guard text.hasSuffix(".yaml") || text.hasSuffix(".yml") else {
                    throw UsageError("'\(text)' is not a focal length in pixels or a .yaml file")
                }
                arguments.options.camera = .file(URL(fileURLWithPath: text))
                return
            }
            guard focal > 1, focal < 1e5 else { throw UsageError("\(text) is out of range: use 1 to 100000 pixels") }
            arguments.options.camera = .focalLength(focal)
        },
        CommandOption(
            "--imu", value: "FILE|DEVICE",
            help: """
                For a video: a file of IMU samples, rows of time, three rad/s, three m/s²; times in integer nanoseconds or decimal seconds. \
                For a live camera: auto, none, or a sensor such as iio:device0. Default: auto.
                """
        ) { (arguments, text) throws(UsageError) in
            switch text {
            case "auto": arguments.options.inertialUnit = .automatic
            case "none": arguments.options.inertialUnit = .none
            case _ where text.split(separator: "/").last?.hasPrefix("iio:device") == true: arguments.options.inertialUnit = .named(text)
            default: arguments.options.inertial = URL(fileURLWithPath: text)
            }
        },
        CommandOption(
            "--second", value: "DEVICE",
            help:
                "For a live camera: the second, synchronized camera of a stereo pair, such as /dev/video2. --camera must name a file with cam0 and cam1."
        ) { (arguments, text) throws(UsageError) in arguments.options.secondDevice = text },
        CommandOption("--start", value: "SECONDS", help: "For a video: the time of its first frame on the clock of the IMU. Default: 0.") {
            (arguments, text) throws(UsageError) in
            guard let start = Double(text), start.isFinite else { throw UsageError("'\(text)' is not a number") }
            arguments.options.videoStart = start
        },
    ]
}
