import Foundation
import Vitrine

extension Command {
    static let convert = Command(
        name: "convert", summary: "Converts a model file to another format and reports what does not fit.",
        help: {
            ConvertSettings.table.help(
                command: "convert", summary: ConvertSettings.summary, examples: ConvertSettings.examples, notes: ConvertSettings.notes)
        },
        run: { arguments in
            var settings = ConvertSettings()
            let paths = try ConvertSettings.table.parse(arguments, into: &settings)
            try await Conversion(input: paths[0], output: paths[1], settings: settings).run()
        }, relatedWords: ["copy", "export", "transcode"])
}

/// One run of `vitrine convert`.
struct Conversion {
    let input: String
    let output: String
    let settings: ConvertSettings
    private let progress: ProgressLine

    init(input: String, output: String, settings: ConvertSettings) {
        (self.input, self.output, self.settings) = (input, output, settings)
        progress = ProgressLine(isShown: !settings.isJSON)
    }

    func run() async throws {
        let format = try format()
        guard !isSameFile(input, output) else { throw CommandError(file: output, reason: "is what is read: choose another name") }
        guard format == .glb || format == .gltf || settings.compression == .none && !settings.writesInstances else {
            throw UsageError("--compress and --instances go with .glb and .gltf: '\(output)'")
        }
        let loaded = try await load()
        let scene = loaded.scene
        place(scene)
        let read = loaded.warnings + others(of: loaded)
        progress.report("writing", fraction: 0.7)
        let model = try ModelFile.encode(scene, as: format, name: URL(fileURLWithPath: output).lastPathComponent, options: writeOptions)
        progress.finish()
        for warning in read { printError("warning: \(input): \(warning)") }
        for warning in model.warnings { printError("warning: \(output): \(warning)") }
        let losses = read.count + model.warnings.count
        guard !settings.isStrict || losses == 0 else {
            throw CommandError(file: output, reason: "not written: \(losses) things would be left out or changed (--strict)")
        }
        try checkNeighbours(model)
        try ModelFile.write(model, to: URL(fileURLWithPath: output))
        try report(loaded, read, model, format)
    }

    private func format() throws(UsageError) -> ModelFormat {
        let name = URL(fileURLWithPath: output).pathExtension
        if let format = ModelFile.format(forExtension: name) { return format }
        throw UsageError("OUT must end in one of " + ModelFile.extensions.map { ".\($0)" }.joined(separator: " ") + ": '\(output)'")
    }

    private func load() async throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.decodesTextures = false
        options.usdVariants = settings.variants
        options.allowedFolders = settings.allowedFolders
        let progress = progress
        return try await SceneFile.load(URL(fileURLWithPath: input), options: options) {
            progress.report($0.stage.rawValue, fraction: 0.7 * $0.fraction)
        }
    }

    private var writeOptions: ModelWriteOptions {
        var options = ModelWriteOptions()
        options.textureFormat = settings.textures ?? .png
        options.reencodesTextures = settings.textures != nil
        options.compression = settings.compression
        options.writesInstances = settings.writesInstances
        return options
    }

    private func others(of loaded: LoadedScene) -> [ModelWarning] {
        let count = loaded.scenes.count - 1
        return count > 0 ? [ModelWarning(message: "\(count) more scenes: not written")] : []
    }

    // MARK: Placing

    /// Turns and scales the whole, where that was asked for.
    private func place(_ scene: Scene) {
        guard settings.up != settings.outputUp || settings.scale != 1 else { return }
        let turn = Quaternion(from: settings.up.direction, to: settings.outputUp.direction)
        let root = scene.rootNode
        root.transform = Matrix4(Transform(rotation: turn, scale: Vector3(repeating: settings.scale)).matrix.linear) * root.transform
        guard settings.scale != 1 else { return }
        // Lengths that no transform reaches.
        root.forSubtree { node in
            if var camera = node.camera {
                camera.near *= settings.scale
                camera.far *= settings.scale
                if case .orthographic(let height) = camera.projection { camera.projection = .orthographic(scale: height * settings.scale) }
                node.camera = camera
            }
            if let range = node.light?.range { node.light?.range = range * settings.scale }
        }
    }

    // MARK: Writing

    /// Files beside OUT are named after it. Where IN lies in the same folder under the same name, they might be IN's own.
    private func checkNeighbours(_ model: EncodedModel) throws {
        let (from, to) = (URL(fileURLWithPath: input), URL(fileURLWithPath: output))
        let isSameName = from.deletingPathExtension().standardizedFileURL == to.deletingPathExtension().standardizedFileURL
        guard isSameName else { return }
        for file in model.files.dropFirst() {
            let path = to.deletingLastPathComponent().appendingPathComponent(file.name).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            throw CommandError(file: output, reason: "\(file.name) is there already and may be a part of \(input): choose another name")
        }
    }

    private func report(_ loaded: LoadedScene, _ read: [ModelWarning], _ model: EncodedModel, _ format: ModelFormat) throws {
        guard settings.isJSON else {
            print(output)
            return
        }
        let report = ConversionReport(
            input: input, output: output, inputFormat: loaded.format.rawValue, outputFormat: format.rawValue,
            files: model.files.map { .init(name: $0.name, bytes: $0.bytes.count) }, counts: .init(loaded.scene),
            warnings: .init(reading: read, writing: model.warnings))
        print(try report.json())
    }
}
