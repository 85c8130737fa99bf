import Foundation
import VitrineARView

/// What is said on the command line of the models that a replay shows.
struct ReplayModelArguments {
    /// One `--place`.
    struct Request {
        /// A model's file, or `cube`.
        let model: String
        let place: ARPlacement.Place
    }

    var requests: [Request] = []
    /// The longest side of each model in metres; nil: as large as it is.
    var size: Float? = 0.2
    /// Of the models: a name, a number from 0, or none; nil: the first.
    var animation: String?
    /// Besides the models' own.
    var allowedFolders: [URL] = []

    static let options: [CommandOption<ReplayModelArguments>] = [
        CommandOption("--place", value: "MODEL@PLACE", help: "A model's file, or cube; at tap:X,Y,T or plane. May be given again.") {
            (arguments, text) throws(UsageError) in arguments.requests.append(try Request(parsing: text))
        },
        CommandOption("--model-size", value: "METRES", help: "The models' longest side; 0.2 by default, 0: as large as they are.") {
            (arguments, text) throws(UsageError) in
            let size = try parseNumber(text, in: 0...1000)
            arguments.size = size > 0 ? size : nil
        },
        CommandOption(
            "--animation", value: "NAME",
            help: "What moves the models: an animation's name, its number from 0, or none. The first by default."
        ) { (arguments, text) throws(UsageError) in arguments.animation = text },
        CommandOption.allowFolder { (arguments, folder) in arguments.allowedFolders.append(folder) },
    ]
}

extension ReplayModelArguments.Request {
    init(parsing text: String) throws(UsageError) {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else {
            throw UsageError("'\(text)' is not MODEL@tap:X,Y,T or MODEL@plane")
        }
        model = String(text[..<at])
        let place = text[text.index(after: at)...]
        if place == "plane" {
            self.place = .plane
            return
        }
        guard place.hasPrefix("tap:") else { throw UsageError("'\(place)' is neither tap:X,Y,T nor plane") }
        let numbers = try parseVector(String(place.dropFirst(4)), as: "X,Y,T: two pixels and seconds")
        guard numbers.z >= 0 else { throw UsageError("a tap can't be before the beginning") }
        guard numbers.x >= 0, numbers.y >= 0 else { throw UsageError("a tap can't be left of the picture, or above it") }
        self.place = .tap(Vector2(numbers.x, numbers.y), time: Double(numbers.z))
    }
}
