import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The images that a replay renders.
struct ReplayImageArguments {
    /// nil for the size of the camera's images.
    var size: (width: Int, height: Int)?
    var orientation = InterfaceOrientation.landscapeRight
    var sampleCount = 4
    /// The frame rate of a video.
    var framesPerSecond = 30.0
    var adapter: String?

    /// The size of the rendered images for a camera.
    func size(for camera: CameraIntrinsics) -> (width: Int, height: Int) {
        size ?? (orientation.isPortrait ? (camera.height, camera.width) : (camera.width, camera.height))
    }

    static let options: [CommandOption<ReplayImageArguments>] = [
        CommandOption("--size", value: "WxH", help: "Image size. Default: that of the camera.") {
            (arguments, text) throws(UsageError) in arguments.size = try parseSize(text)
        },
        CommandOption("--orientation", value: "HOW", help: "Interface orientation: \(orientations).") {
            (arguments, text) throws(UsageError) in
            arguments.orientation = try parseWord(text, InterfaceOrientation.allCases.map { ($0.rawValue, $0) })
        },
        CommandOption("--samples", value: "1|4", help: "Samples per pixel for antialiasing of the models. Default: 4.") {
            (arguments, text) throws(UsageError) in arguments.sampleCount = try parseWord(text, [("1", 1), ("4", 4)])
        },
        CommandOption("--fps", value: "COUNT", help: "Frames per second of a video. Default: 30.") {
            (arguments, text) throws(UsageError) in arguments.framesPerSecond = Double(try parseNumber(text, in: 1...240))
        },
        CommandOption(
            "--adapter", value: "NAME",
            help: "The GPU: auto, hardware, software, or a part of its name. Default: $VITRINE_ADAPTER, else auto."
        ) {
            (arguments, text) throws(UsageError) in arguments.adapter = text
        },
    ]

    private static let orientations: String = {
        let names = InterfaceOrientation.allCases.map(\.rawValue)
        return "landscapeRight (default), " + names.filter { $0 != "landscapeRight" }.joined(separator: ", ")
    }()
}
