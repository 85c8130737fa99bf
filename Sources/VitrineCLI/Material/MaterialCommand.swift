import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let material = Command(
        name: "material", summary: "Creates a material from one image: metalness from its colors, and sparkle.",
        help: {
            MaterialSettings.table.help(
                command: "material", summary: MaterialSettings.summary, examples: MaterialSettings.examples, notes: MaterialSettings.notes)
        },
        run: { arguments in
            var settings = MaterialSettings()
            let paths = try MaterialSettings.table.parse(arguments, into: &settings)
            try MaterialMaking(input: paths[0], settings: settings).run()
        })
}

/// One run of `vitrine material`.
struct MaterialMaking {
    let input: String
    let settings: MaterialSettings

    private var recipe: ImageMaterialRecipe { settings.recipe }
    private var output: URL { URL(fileURLWithPath: settings.output) }

    func run() throws {
        guard !settings.output.isEmpty else { throw UsageError("-o OUT is missing: name a folder or a model file") }
        let isFolder = try isFolder()
        let image = try Image(contentsOf: URL(fileURLWithPath: input))
        try report(isFolder ? writeMaps(of: image) : writeModel(of: image), image)
    }

    /// Whether OUT has no extension or is an existing folder.
    private func isFolder() throws -> Bool {
        if FileStatus.isFolder(output.path) { return true }
        if output.pathExtension.isEmpty { return true }
        guard ModelFile.format(forExtension: output.pathExtension) != nil else {
            throw UsageError("'\(settings.output)': OUT must be a folder, or end in one of \(ModelFile.extensionList)")
        }
        return false
    }

    // MARK: Maps

    private func writeMaps(of image: Image) throws -> [String] {
        do {
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: settings.output, reason: "cannot create the folder")
        }
        var maps: [(String, Image)] = [("base-color.png", image), ("metalness.png", .metalnessMap(from: image, recipe: recipe))]
        if recipe.sparkle > 0 { maps.append(("normal.png", .noiseNormalMap(size: recipe.sparkleSize, seed: recipe.seed))) }
        let files = maps.map { output.appendingPathComponent($0.0) }
        for file in files where isSameFile(input, file.path) {
            throw CommandError(file: file.path, reason: "is the input file: choose another folder for OUT")
        }
        let new = files.filter { !FileManager.default.fileExists(atPath: $0.path) }
        do {
            for (file, (_, map)) in zip(files, maps) { try map.write(to: file) }
        } catch {
            // Do not leave an incomplete material behind.
            for file in new { try? FileManager.default.removeItem(at: file) }
            throw error
        }
        return maps.map { settings.output + "/" + $0.0 }
    }

    // MARK: A card

    /// The size of a bank card in metres: its longer side, thickness and corners (ISO/IEC 7810, ID-1).
    private static let longSide: Float = 0.0856
    private static let thickness: Float = 0.00076
    private static let cornerRadius: Float = 0.00318

    private func writeModel(of image: Image) throws -> [String] {
        let longer = Float(max(image.width, image.height))
        let size = Vector2(Float(image.width), Float(image.height)) / longer * MaterialMaking.longSide
        let outline = Path.roundedRectangle(width: size.x, height: size.y, cornerRadius: MaterialMaking.cornerRadius)
        let card = try Shape.extruded(
            outline, depth: MaterialMaking.thickness, bevel: Bevel(radius: 0.0002, segments: 4), flatness: 1e-5)
        let printed = Material(name: "Picture", image: image, recipe: recipe)
        let blank = Material(name: "Blank", baseColor: Color(white: 0.9), roughness: recipe.roughness)
        let scene = Scene(name: "Card")
        let mesh = Mesh(name: "Card", shape: card) { $0 == .front || $0 == .frontBevel ? printed : blank }
        scene.rootNode.addChildNode(Node(name: "Card", mesh: mesh))
        for warning in try ModelFile.write(scene, to: output) { printError("warning: \(settings.output): \(warning)") }
        return [settings.output]
    }

    // MARK: Report

    private struct Report: Codable {
        let input: String
        let width, height: Int
        let files: [String]
        let roughness, metalnessIntensity, contrast, sparkle: Float
        let seed: UInt64
    }

    private func report(_ files: [String], _ image: Image) throws {
        guard settings.isJSON else {
            for file in files { print(file) }
            return
        }
        let report = Report(
            input: input, width: image.width, height: image.height, files: files, roughness: recipe.roughness,
            metalnessIntensity: recipe.metalnessIntensity, contrast: recipe.contrast, sparkle: recipe.sparkle, seed: recipe.seed)
        try JSONReport.print(report)
    }
}
