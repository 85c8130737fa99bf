import Vitrine
import VitrineFiles
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let web = Command(
        name: "web", summary: "Writes a web page that shows a model.",
        help: {
            WebSettings.table.help(
                command: "web", summary: WebSettings.summary, examples: WebSettings.examples, notes: WebSettings.notes)
        },
        run: { arguments in
            var settings = WebSettings()
            let model = try WebSettings.table.parse(arguments, into: &settings)[0]
            try settings.validate()
            try await cancellable { [settings] in try await WebJob(input: model, settings: settings).run() }
        }, relatedWords: ["html", "page", "site", "website", "publish", "embed", "viewer"])
}

/// One run of `vitrine web`.
@MainActor
struct WebJob {
    let input: String
    let settings: WebSettings
    private let progress: ProgressLine

    init(input: String, settings: WebSettings) {
        (self.input, self.settings) = (input, settings.withDefaultsOfUnlit)
        progress = ProgressLine(isShown: !settings.isJSON)
    }

    private var output: String { settings.output ?? "" }
    private var name: String { URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent }

    func run() async throws {
        defer { progress.finish() }
        let folder = WebFolder(path: output)
        if !settings.isSingleFile { try folder.check(names: Self.names) }
        let (page, warnings) = try await makePage()
        progress.report("writing", fraction: 0.95)
        try Task.checkCancellation()
        let files: [WebFile]
        if settings.isSingleFile {
            let name = URL(fileURLWithPath: output).lastPathComponent
            files = [WebFile(name: name, bytes: Array(page.singleFile.utf8))]
            try AtomicFile.write(files[0].bytes, to: URL(fileURLWithPath: output))
        } else {
            files = page.folder
            try folder.check(names: Self.names)
            try folder.write(files)
        }
        try report(files, warnings)
    }

    /// Encodes the model and renders the poster.
    func makePage() async throws -> (page: WebPage, warnings: [String]) {
        defer { progress.finish() }
        let environment = try settings.look.environment.map { try WebEnvironment.file(contentsOf: $0) }
        let model = try await encodeModel()
        let poster = settings.hasPoster ? try await renderPoster(model) : nil
        let page = WebPage(
            title: settings.title ?? name, alternativeText: settings.alternativeText ?? settings.title ?? name, model: model.file,
            environment: environment ?? model.environment, poster: poster, attributes: attributes(model))
        return (page, model.warnings)
    }

    /// The names of all files that a page can have.
    private static let names: Set = Set(
        [
            "vitrine-viewer.js", "vitrine-runtime.js", "vitrine.wasm", "vitrine-meshopt.js", "model.glb", "poster.webp", "style.css",
            "index.html",
        ]
            + ["hdr", "png", "jpg", "webp"].map { "environment." + $0 })

    // MARK: The model

    private struct Model {
        let file: WebFile
        /// The environment in the file of the model, for example in USD.
        let environment: WebFile?
        let hasAnimations: Bool
        /// The share of the fitting distance, as `WebFraming.share` computes it.
        let share: Float
        /// The animation of `--animation`.
        let animationName: String?
        let warnings: [String]
    }

    private func encodeModel() async throws -> Model {
        var load = settings.look.loadOptions
        load.isStrict = false
        load.decodesTextures = false
        let progress = progress
        let loaded = try await SceneFile.load(URL(fileURLWithPath: input), options: load) {
            progress.report($0.stage, fraction: 0.2 * $0.fraction)
        }
        let scene = loaded.scene
        var warnings = loaded.warnings
        if loaded.scenes.count > 1 { warnings.append(ModelWarning(message: "\(loaded.scenes.count - 1) more scenes were not written")) }
        let animationName = try settings.look.clip(of: scene, path: input)?.name
        try checkVariant(of: scene)
        if settings.isUnlit { WebModel.removeLight(from: scene) }
        if settings.look.bakesOcclusion {
            try await scene.bakeOcclusion { progress.report("baking occlusion", fraction: 0.2 + 0.2 * $0) }
        }
        var environment: WebFile?
        if settings.look.environment == nil, let image = scene.environment.image { environment = try WebEnvironment.file(image) }
        let hasAnimations = !scene.animations.isEmpty
        let share = framingShare(of: scene)
        let textures = WebModel.Textures(side: settings.textureSide, format: settings.textureFormat, quality: settings.textureQuality)
        let (file, more) = try await WebModel.encode(scene, textures: textures) { step, fraction in
            progress.report(step.rawValue, fraction: 0.4 + 0.4 * fraction)
        }
        warnings += more
        progress.finish()
        printWarnings(warnings, about: input)
        guard !settings.look.isStrict || warnings.isEmpty else {
            throw CommandError(file: output, reason: "not written because of \(warnings.count) warnings (--strict)")
        }
        return Model(
            file: file, environment: environment, hasAnimations: hasAnimations, share: share, animationName: animationName,
            warnings: warnings.map(\.description))
    }

    /// The azimuth and elevation of the first view, in degrees, and whether its distance fits the model.
    private var direction: (azimuth: Float, elevation: Float, isFitting: Bool) {
        switch settings.look.orbit {
        case .automatic: (30, 15, true)
        case .fixed(let azimuth, let elevation, let distance): (azimuth, elevation, distance == nil)
        }
    }

    /// A shadow needs space around the model.
    private func framingShare(of scene: Scene) -> Float {
        guard direction.isFitting, settings.look.target == nil, settings.shadow == 0 else { return 1 }
        return WebFraming.share(of: scene, elevation: .degrees(direction.elevation), fieldOfView: settings.look.fieldOfView)
    }

    private func checkVariant(of scene: Scene) throws {
        guard let variant = settings.look.variant, !scene.variantNames.contains(variant) else { return }
        let names = scene.variantNames.isEmpty ? "it has none" : "use one of " + scene.variantNames.joined(separator: ", ")
        throw CommandError(file: input, reason: "has no variant '\(variant)': \(names)")
    }

    // MARK: The poster

    /// Renders the written model as the viewer shows it first.
    private func renderPoster(_ model: Model) async throws -> WebFile {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-web-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent(model.file.name)
        try AtomicFile.write(model.file.bytes, to: path)
        var look = settings.look
        (look.occlusion, look.isStrict) = (.map, false)
        look.usesFile(of: model.environment.map { ($0, folder) })
        if model.hasAnimations { look.time = 0 }
        progress.report("rendering the poster", fraction: 0.8)
        let staging = try await look.stage(model: path.path, progress: { _ in })
        if model.share < 1 {
            let distance = WebFraming.distance(
                of: staging.bounds, share: model.share, elevation: .degrees(direction.elevation), fieldOfView: look.fieldOfView)
            look.orbit = .fixed(azimuth: direction.azimuth, elevation: direction.elevation, distance: distance)
        }
        if settings.shadow > 0 {
            let receiver = Node.shadowReceiver(under: staging.bounds)
            receiver.opacity = settings.shadow
            staging.scene.rootNode.addChildNode(receiver)
        }
        try Task.checkCancellation()
        do {
            let device = try GPUDevice.make(look.adapterChoice, optional: [.float32Filterable])
            let target = try OffscreenTarget(device, width: settings.posterSide, height: settings.posterSide)
            let view = try look.view(of: staging, path: input, aspectRatio: 1)
            _ = try Renderer(device: device).renderStill(staging.scene, from: view, to: target, samples: 16, options: look.renderOptions)
            return WebFile(name: "poster.webp", bytes: try ImageFile.encode(try target.image(), as: .webp(quality: 88)))
        } catch let error as GPUError {
            throw CommandError(file: output, reason: "the poster needs a GPU: \(describe(error)) (--no-poster writes the page without it)")
        }
    }

    // MARK: The page

    /// The attributes of the element that differ from their defaults.
    private func attributes(_ model: Model) -> [(name: String, value: String?)] {
        let look = settings.look
        var list: [(name: String, value: String?)] = []
        if settings.waitsForTouch { list.append(("reveal", "interaction")) }
        if settings.hasControls { list.append(("camera-controls", nil)) }
        if settings.autoRotates { list.append(("auto-rotate", nil)) }
        if model.hasAnimations { list.append(("autoplay", nil)) }
        if let animation = model.animationName { list.append(("animation-name", animation)) }
        if let variant = look.variant { list.append(("variant-name", variant)) }
        if let orbit = orbit(share: model.share) { list.append(("camera-orbit", orbit)) }
        if let target = look.target {
            list.append(("camera-target", [target.x, target.y, target.z].map { Self.number($0) + "m" }.joined(separator: " ")))
        }
        if look.fieldOfView != .degrees(45) { list.append(("field-of-view", Self.degrees(look.fieldOfView) + "deg")) }
        if look.environmentRotation != .zero { list.append(("rotation", Self.degrees(look.environmentRotation))) }
        if look.environmentIntensity != 1 { list.append(("environment-intensity", Self.number(look.environmentIntensity))) }
        if look.exposure != 0 { list.append(("exposure", Self.number(exp2(look.exposure)))) }
        if look.toneMapping != .neutral { list.append(("tone-mapping", look.toneMapping.name)) }
        if settings.shadow > 0 { list.append(("shadow", Self.number(settings.shadow))) }
        switch look.background {
        case .environment: list.append(("background", "environment"))
        case .color(let color): list.append(("background", Self.hex(color)))
        case .transparent, nil: break
        }
        if look.backgroundBlur != 0 { list.append(("background-blur", Self.number(look.backgroundBlur))) }
        return list
    }

    /// The attribute `camera-orbit`; nil for the default.
    private func orbit(share: Float) -> String? {
        var distance: Float?
        if case .fixed(_, _, let given) = settings.look.orbit { distance = given } else if share == 1 { return nil }
        let radius = distance.map { Self.number($0) + "m" } ?? (share < 1 ? Self.number((share * 100).rounded()) + "%" : "auto")
        return "\(Self.number(direction.azimuth))deg \(Self.number(90 - direction.elevation))deg \(radius)"
    }

    /// The shortest text of a number.
    private static func number(_ value: Float) -> String {
        value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : "\(value)"
    }

    /// An angle in degrees, without the digits that the way through radians adds.
    static func degrees(_ angle: Angle) -> String { number((angle.degrees * 1000).rounded() / 1000) }

    private static func hex(_ color: Color) -> String {
        let channels = [color.linear.x, color.linear.y, color.linear.z].map(sRGBFromLinear)
        return "#" + channels.map { String(0x100 + Int((min(max($0, 0), 1) * 255).rounded()), radix: 16).dropFirst() }.joined()
    }

    // MARK: Report

    private struct Report: Encodable {
        struct File: Encodable {
            let name: String
            let bytes: Int
        }

        let input, output: String
        let files: [File]
        let warnings: [String]
    }

    private func report(_ files: [WebFile], _ warnings: [String]) throws {
        progress.finish()
        guard !settings.isJSON else {
            let list = files.map { Report.File(name: $0.name, bytes: $0.bytes.count) }
            return try JSONReport.print(Report(input: input, output: output, files: list, warnings: warnings))
        }
        let bytes = files.reduce(0) { $0 + $1.bytes.count }
        print("\(output)  \(OptimizeTable.size(bytes))")
        if !settings.isSingleFile {
            print("To see it, run: python3 -m http.server --directory '\(output)'     and open http://localhost:8000")
        }
    }
}

extension LookSettings {
    /// Uses the environment of the model, which its GLB cannot store.
    fileprivate mutating func usesFile(of environment: (file: WebFile, folder: URL)?) {
        guard let environment else { return }
        let url = environment.folder.appendingPathComponent(environment.file.name)
        guard (try? AtomicFile.write(environment.file.bytes, to: url)) != nil else { return }
        self.environment = url.path
    }
}
