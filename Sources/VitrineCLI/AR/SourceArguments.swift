import Foundation
import VitrineARView

/// What is said of a recording on the command line: where it lies, and what a video or a camera doesn't say of itself.
struct SourceArguments {
    var options = SensorSourceOptions()

    func open(_ path: String) throws(SourceError) -> SensorSourceFile.Opened {
        try SensorSourceFile.opened(URL(fileURLWithPath: path), options: options)
    }

    static let options: [CommandOption<SourceArguments>] = [
        CommandOption(
            "--camera", value: "FOCAL|FILE",
            help:
                "Of a video or a live camera: the focal length in pixels, or a calibration file of Kalibr (camchain.yaml) or EuRoC (sensor.yaml)."
        ) { (arguments, text) throws(UsageError) in
            guard let focal = Double(text) else {
                guard text.hasSuffix(".yaml") || text.hasSuffix(".yml") else {
                    throw UsageError("'\(text)' is neither a focal length in pixels nor a .yaml file")
                }
                arguments.options.camera = .file(URL(fileURLWithPath: text))
                return
            }
            guard focal > 1, focal < 1e5 else { throw UsageError("\(text) lies outside 1 to 100000 pixels") }
            arguments.options.camera = .focalLength(focal)
        },
        CommandOption(
            "--imu", value: "FILE|DEVICE",
            help: """
                Of a video: its IMU, rows of time, three rad/s, three m/s²; times in nanoseconds, or in seconds with a point. Of a live camera: auto, the \
                default, none, or a sensor of the system as iio:device0.
                """
        ) { (arguments, text) throws(UsageError) in
            switch text {
            case "auto": arguments.options.inertialUnit = .automatic
            case "none": arguments.options.inertialUnit = .none
            case _ where text.split(separator: "/").last?.hasPrefix("iio:device") == true: arguments.options.inertialUnit = .named(text)
            default: arguments.options.inertial = URL(fileURLWithPath: text)
            }
        },
        CommandOption("--start", value: "SECONDS", help: "Of a video: its first frame's time on the IMU's clock; 0 by default.") {
            (arguments, text) throws(UsageError) in
            guard let start = Double(text), start.isFinite else { throw UsageError("'\(text)' is not a number") }
            arguments.options.videoStart = start
        },
    ]
}
