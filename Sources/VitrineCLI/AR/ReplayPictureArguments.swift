import Foundation
import VitrineARView

/// What is said on the command line of the pictures that a replay draws.
struct ReplayPictureArguments {
    /// nil: as the camera's.
    var size: (width: Int, height: Int)?
    var orientation = InterfaceOrientation.landscapeRight
    var sampleCount = 4
    /// Of a video.
    var framesPerSecond = 30.0
    var adapter: String?

    /// What is drawn of a camera's pictures.
    func size(for camera: CameraIntrinsics) -> (width: Int, height: Int) {
        size ?? (orientation.isPortrait ? (camera.height, camera.width) : (camera.width, camera.height))
    }

    static let options: [CommandOption<ReplayPictureArguments>] = [
        CommandOption("--size", value: "WxH", help: "Of the pictures; the camera's own by default.") {
            (arguments, text) throws(UsageError) in arguments.size = try parseSize(text)
        },
        CommandOption("--orientation", value: "HOW", help: "How the picture is held: \(orientations).") {
            (arguments, text) throws(UsageError) in
            arguments.orientation = try parseWord(text, InterfaceOrientation.allCases.map { ($0.rawValue, $0) })
        },
        CommandOption("--samples", value: "1|4", help: "Samples a pixel at the models' edges; 4 by default.") {
            (arguments, text) throws(UsageError) in arguments.sampleCount = try parseWord(text, [("1", 1), ("4", 4)])
        },
        CommandOption("--fps", value: "COUNT", help: "Of a video, frames a second; 30 by default.") {
            (arguments, text) throws(UsageError) in arguments.framesPerSecond = Double(try parseNumber(text, in: 1...240))
        },
        CommandOption("--adapter", value: "NAME", help: "The GPU: auto, hardware, software or a part of its name.") {
            (arguments, text) throws(UsageError) in arguments.adapter = text
        },
    ]

    private static let orientations: String = {
        let names = InterfaceOrientation.allCases.map(\.rawValue)
        return "landscapeRight, the default, " + names.filter { $0 != "landscapeRight" }.joined(separator: ", ")
    }()
}
