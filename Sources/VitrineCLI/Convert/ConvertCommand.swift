import Vitrine
import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let convert = Command(
        name: "convert", summary: "Converts a model file to another format and reports losses.",
        help: {
            ConvertSettings.table.help(
                command: "convert", summary: ConvertSettings.summary, examples: ConvertSettings.examples, notes: ConvertSettings.notes)
        },
        run: { arguments in
            var settings = ConvertSettings()
            let paths = try ConvertSettings.table.parse(arguments, into: &settings)
            try await cancellable { [settings] in try await Conversion(input: paths[0], output: paths[1], settings: settings).run() }
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
        guard !isSameFile(input, output) else { throw CommandError(file: output, reason: "is the input file: choose another name for OUT") }
        guard format == .glb || format == .gltf || settings.compression == .none && !settings.writesInstances else {
            throw UsageError("'\(output)': --compress and --instances require a .glb or .gltf")
        }
        let loaded = try await load()
        let scene = loaded.scene
        transform(scene)
        let read = loaded.warnings + others(of: loaded)
        try Task.checkCancellation()
        progress.report("writing", fraction: 0.7)
        let model = try ModelFile.encode(scene, as: format, name: URL(fileURLWithPath: output).lastPathComponent, options: writeOptions)
        progress.finish()
        printWarnings(read, about: input)
        printWarnings(model.warnings, about: output)
        let losses = read.count + model.warnings.count
        guard !settings.isStrict || losses == 0 else {
            throw CommandError(file: output, reason: "not written because of \(losses) warnings (--strict)")
        }
        try checkNeighbours(model)
        try Task.checkCancellation()
        try ModelFile.write(model, to: URL(fileURLWithPath: output))
        try report(loaded, read, model, format)
    }

    private func format() throws(UsageError) -> ModelFormat {
        let name = URL(fileURLWithPath: output).pathExtension
        if let format = ModelFile.format(forExtension: name) { return format }
        // A device or a named pipe has no extension.
        if AtomicFile.isStream(path: output) { return .glb }
        throw UsageError("'\(output)': OUT must end in one of " + ModelFile.extensionList)
    }

    private func load() async throws -> LoadedScene {
        var options = ModelLoadOptions()
        options.decodesTextures = false
        options.usdVariants = settings.variants
        options.allowedFolders = settings.allowedFolders
        let progress = progress
        return try await SceneFile.load(URL(fileURLWithPath: input), options: options) {
            progress.report($0.stage, fraction: 0.7 * $0.fraction)
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
        return count > 0 ? [ModelWarning(message: "\(count) more scenes were not written")] : []
    }

    // MARK: Axes and scale

    /// Rotates and scales the scene by `--up`, `--output-up` and `--scale`.
    private func transform(_ scene: Scene) {
        guard settings.up != settings.outputUp || settings.scale != 1 else { return }
        let turn = Quaternion(from: settings.up.direction, to: settings.outputUp.direction)
        let root = scene.rootNode
        root.transform = Matrix4(Transform(rotation: turn, scale: Vector3(repeating: settings.scale)).matrix.linear) * root.transform
        guard settings.scale != 1 else { return }
        // Lengths that transforms do not scale.
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

    /// Refuses to overwrite files of IN: files beside OUT share its name, which may be the name of IN.
    private func checkNeighbours(_ model: EncodedModel) throws {
        let (from, to) = (URL(fileURLWithPath: input), URL(fileURLWithPath: output))
        let isSameName = from.deletingPathExtension().standardizedFileURL == to.deletingPathExtension().standardizedFileURL
        guard isSameName else { return }
        for file in model.files.dropFirst() {
            let path = to.deletingLastPathComponent().appendingPathComponent(file.name).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            throw CommandError(
                file: output, reason: "\(file.name) already exists and may be a part of \(input): choose another name for OUT")
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
        try JSONReport.print(report)
    }
}
