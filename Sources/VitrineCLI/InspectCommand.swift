import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let inspect = Command(
        name: "inspect", summary: "Prints the contents of a model or image file: counts, bounds, materials, textures, warnings.",
        help: { InspectSettings.table.help(command: "inspect", summary: InspectSettings.summary, examples: InspectSettings.examples) },
        run: { arguments in
            var settings = InspectSettings()
            let path = try InspectSettings.table.parse(arguments, into: &settings)[0]
            var options = ModelLoadOptions()
            options.usdVariants = settings.variants
            options.allowedFolders = settings.allowedFolders
            options.isStrict = settings.isStrict
            let inspection = try await FileInspection(
                contentsOf: URL(fileURLWithPath: path), options: options, includesNodes: settings.showsTree)
            print(settings.isJSON ? try inspection.json() : inspection.text)
            if settings.showsTree, !settings.isJSON, !inspection.tree.isEmpty { print("  nodes:\n" + inspection.tree) }
        }, relatedWords: ["info", "stats", "tree", "validate"])
}

struct InspectSettings {
    var isJSON = false
    var isStrict = false
    var showsTree = false
    /// The USD variants to select, by variant set.
    var variants: [String: String] = [:]
    var allowedFolders: [URL] = []

    static let summary =
        "Reads FILE as all commands do and prints its contents. Detects the format by content, not by the file name."
    static let examples = ["vitrine inspect helmet.glb", "vitrine inspect robot.glb --tree", "vitrine inspect hall.hdr --json"]
    static let table = ArgumentTable<InspectSettings>(
        operands: ["FILE"],
        options: [
            CommandOption(
                "--tree",
                help: "Prints the node hierarchy: names, meshes, triangles, materials, transforms, animations. In JSON: model.nodes."
            ) { $0.showsTree = true },
            CommandOption("--json", help: "Prints the contents as JSON.") { $0.isJSON = true },
            CommandOption.strict { $0.isStrict = true },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
            CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
        ])
}
