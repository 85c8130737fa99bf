import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The models that a replay shows.
struct ReplayModelArguments {
    /// The value of one `--place` option.
    struct Request {
        /// A model file, or `cube`.
        let model: String
        let placement: ARPlacement
    }

    var requests: [Request] = []
    /// The longest side of each model in metres; nil to keep its size.
    var size: Float? = 0.2
    /// The animation of the models: a name, a number from 0, or none; nil for the first.
    var animation: String?
    /// Folders in addition to those of the models.
    var allowedFolders: [URL] = []

    static let options: [CommandOption<ReplayModelArguments>] = [
        CommandOption(
            "--place", value: "MODEL@TARGET", help: "Places a model file, or cube, at tap:X,Y,T, plane or image; see below. Repeatable."
        ) {
            (arguments, text) throws(UsageError) in arguments.requests.append(try Request(parsing: text))
        },
        CommandOption("--model-size", value: "METRES", help: "Longest side of the models; 0 keeps their size. Default: 0.2.") {
            (arguments, text) throws(UsageError) in
            let size = try parseNumber(text, in: 0...1000)
            arguments.size = size > 0 ? size : nil
        },
        CommandOption(
            "--animation", value: "NAME",
            help: "The animation of the models: a name, a number from 0, or none. Default: the first."
        ) { (arguments, text) throws(UsageError) in arguments.animation = text },
        CommandOption.allowFolder { (arguments, folder) in arguments.allowedFolders.append(folder) },
    ]
}

extension ReplayModelArguments.Request {
    init(parsing text: String) throws(UsageError) {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else {
            throw UsageError("'\(text)' is not MODEL@tap:X,Y,T, MODEL@plane or MODEL@image")
        }
        model = String(text[..<at])
        let target = text[text.index(after: at)...]
        if target == "plane" {
            placement = .plane
            return
        }
        if target == "image" {
            placement = .image
            return
        }
        guard target.hasPrefix("tap:") else { throw UsageError("'\(target)' is not tap:X,Y,T, plane or image") }
        let numbers = try parseVector(String(target.dropFirst(4)), as: "X,Y,T: two pixels and seconds")
        guard numbers.z >= 0 else { throw UsageError("the time of a tap must not be negative") }
        guard numbers.x >= 0, numbers.y >= 0 else { throw UsageError("the position of a tap must not be negative") }
        placement = .tap(Vector2(numbers.x, numbers.y), time: Double(numbers.z))
    }
}
