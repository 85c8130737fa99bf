import Foundation
import Vitrine

extension Command {
    static let inspect = Command(
        name: "inspect", summary: "Prints what a model or image file contains: counts, bounds, materials, textures, warnings.",
        help: { InspectSettings.table.help(command: "inspect", summary: InspectSettings.summary, examples: InspectSettings.examples) },
        run: { arguments in
            var settings = InspectSettings()
            let path = try InspectSettings.table.parse(arguments, into: &settings)[0]
            var options = ModelLoadOptions()
            options.usdVariants = settings.variants
            options.isStrict = settings.isStrict
            let inspection = try await FileInspection(contentsOf: URL(fileURLWithPath: path), options: options)
            print(settings.isJSON ? try inspection.json() : inspection.text)
        }, relatedWords: ["info", "stats", "tree", "validate"])
}

struct InspectSettings {
    var isJSON = false
    var isStrict = false
    /// Of USD: by set, the variant to show.
    var variants: [String: String] = [:]

    static let summary =
        "Reads FILE as every other command does and prints what was found in it. The file's kind is told by its first bytes, not by its name."
    static let examples = ["vitrine inspect helmet.glb", "vitrine inspect hall.hdr --json"]
    static let table = ArgumentTable<InspectSettings>(
        operands: ["FILE"],
        options: [
            CommandOption("--json", help: "Prints it as JSON.") { $0.isJSON = true },
            CommandOption.strict { $0.isStrict = true },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
        ])
}
