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
            let inspection = try await FileInspection(
                contentsOf: URL(fileURLWithPath: path), options: options, includesNodes: settings.showsTree)
            print(settings.isJSON ? try inspection.json() : inspection.text)
            if settings.showsTree, !settings.isJSON, !inspection.tree.isEmpty { print("  nodes:\n" + inspection.tree) }
        }, relatedWords: ["info", "stats", "tree", "validate"])
}

struct InspectSettings {
    var isJSON = false
    var showsTree = false
    /// Of USD: by set, the variant to show.
    var variants: [String: String] = [:]

    static let summary =
        "Reads FILE as every other command does and prints what it contains. The format is recognised by the first bytes, not by the name."
    static let examples = ["vitrine inspect helmet.glb", "vitrine inspect robot.glb --tree", "vitrine inspect hall.hdr --json"]
    static let table = ArgumentTable<InspectSettings>(
        operands: ["FILE"],
        options: [
            CommandOption(
                "--tree",
                help: "Prints the node hierarchy: names, meshes, triangles, materials, transforms, animations. In JSON: model.nodes."
            ) { $0.showsTree = true },
            CommandOption("--json", help: "Prints it as JSON.") { $0.isJSON = true },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
        ])
}
