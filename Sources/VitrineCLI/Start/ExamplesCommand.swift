import Vitrine

extension Command {
    static let examples = Command(
        name: "examples", summary: "Lists the example programs, or copies one.",
        help: {
            ExamplesSettings.table.help(command: "examples", summary: ExamplesSettings.summary, examples: ExamplesSettings.examples)
        },
        run: { arguments in
            var settings = ExamplesSettings()
            _ = try ExamplesSettings.table.parse(arguments, into: &settings)
            guard let name = settings.copied else {
                guard settings.output == nil else { throw UsageError("-o needs --copy NAME") }
                let width = Example.all.map(\.name.count).max() ?? 0
                for example in Example.all { print("\(example.name.padded(to: width + 2))\(example.summary)") }
                return
            }
            guard let example = Example.all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw UsageError("'\(name)': NAME must be one of \(Example.all.map(\.name).joined(separator: ", "))")
            }
            let folder = settings.output ?? example.name
            try NewFolder.make(folder)
            for file in ProgramFiles.files(of: example.name) {
                try ProgramFiles.write(file.bytes, to: "\(folder)/\(file.name)")
                print("\(folder)/\(file.name)")
            }
        }, relatedWords: ["example", "code", "source", "programs"])
}

/// A program to copy from.
private struct Example {
    let name: String
    let summary: String

    static let all = [
        Example(name: "Card", summary: "a bank card with foil and raised letters that turns and follows the hand"),
        Example(name: "Logo", summary: "a logo that tilts under a finger: a layer, layers in depth, a model"),
        Example(name: "Button", summary: "a button that glows, ripples and gathers particles"),
        Example(name: "TapToPlace", summary: "AR: places objects in a camera image, by a tap"),
        Example(name: "PhotosToModel", summary: "photos in, a textured model out"),
        Example(name: "CaptureObject", summary: "takes the photos of an object with a camera"),
        Example(name: "Gallery", summary: "twelve images of the gallery, a file each: a watch, glass, velvet, marble"),
        Example(name: "MadeInCode", summary: "every shape, and text in three dimensions"),
        Example(name: "WebPage", summary: "a page of a shop with a model in it"),
    ]
}

private struct ExamplesSettings {
    var copied: String?
    var output: String?

    static let summary =
        "Lists the example programs in Swift, or copies the source files of one. 'vitrine init' makes a package that builds."
    static let examples = ["vitrine examples", "vitrine examples --copy Card -o card"]
    static let table = ArgumentTable<ExamplesSettings>(
        operands: [],
        options: [
            CommandOption("--copy", value: "NAME", help: "Copies the source files of an example.") { $0.copied = $1 },
            CommandOption("-o", "--output", value: "FOLDER", help: "A new or empty folder. Default: NAME.") { $0.output = $1 },
        ])
}
