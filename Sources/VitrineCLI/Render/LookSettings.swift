import Vitrine
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The appearance of a model: the options that `render` and `show` share.
struct LookSettings {
    /// An image file; nil for the built-in studio.
    var environment: String?
    var environmentRotation = Angle.zero
    var environmentIntensity: Float = 1
    /// The blur of the background, 0…1.
    var backgroundBlur: Float = 0
    var ground: GroundChoice?
    /// nil for the default of the command.
    var background: BackgroundChoice?
    var orbit = OrbitChoice.automatic
    /// Metres; nil for the centre of the model.
    var target: Vector3?
    /// The vertical field of view.
    var fieldOfView = Angle.degrees(45)
    /// The name or number of a camera in the file, instead of the orbit.
    var camera: String?
    /// The camera of a photo instead of the orbit: a file of cameras and the name of the photo.
    var photoCamera: (file: String, photo: String)?
    /// The exposure in stops.
    var exposure: Float = 0
    /// nil for the default of the command.
    var chosenToneMapping: ToneMapping?
    /// A material variant of the model; nil for the default materials.
    var variant: String?
    var animation: String?
    /// The time in seconds.
    var time: Float?
    /// nil for the default of the command.
    var occlusion: OcclusionChoice?
    var depthOfField: DepthOfFieldChoice?
    /// 0…1; nil to disable.
    var bloom, vignette: Float?
    /// nil for 4.
    var sampleCount: Int?
    var debugView: DebugView?
    var showsStatistics = false
    var adapter: String?
    /// The USD variants to select, by variant set.
    var variants: [String: String] = [:]
    var allowedFolders: [URL] = []
    /// The memory limit of all decoded textures in bytes; nil for the library's default.
    var textureBytes: Int?
    /// The limit of a texture's longest side in pixels; nil for the library's default.
    var textureSide: Int?
    /// Whether warnings about the model are errors.
    var isStrict = false
}

enum BackgroundChoice: Equatable {
    case color(Color)
    case environment
    case transparent
}

/// The position of the camera around the target: angles in degrees, distance in metres (nil to fit the model).
enum OrbitChoice: Equatable {
    case automatic
    case fixed(azimuth: Float, elevation: Float, distance: Float?)
}

extension LookSettings {
    static var sections: [OptionSection<LookSettings>] {
        [
            OptionSection("camera", cameraOptions), OptionSection("animation", animationOptions),
            OptionSection("light", lightOptions), OptionSection("background", backgroundOptions),
            OptionSection("model", modelOptions), OptionSection("image", imageOptions),
            OptionSection("diagnostics", diagnosticOptions),
        ]
    }

    private static var cameraOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--orbit", value: "AZ,EL,DIST",
                help:
                    "Camera position around the target: azimuth and elevation in degrees (0,0 faces along -Z), and distance in metres or auto. Default: auto, the same as 30,15,auto."
            ) { (settings, text) throws(UsageError) in settings.orbit = try parseOrbit(text) },
            CommandOption(
                "--target", value: "X,Y,Z", help: "The point at the centre of the image, in metres. Default: the centre of the model."
            ) {
                (settings, text) throws(UsageError) in settings.target = try parseVector(text, as: "X,Y,Z")
            },
            CommandOption("--fov", value: "DEG", help: "Vertical field of view. Default: 45.") { (settings, text) throws(UsageError) in
                settings.fieldOfView = .degrees(try parseNumber(text, in: 0.1...179))
            },
            CommandOption("--camera", value: "NAME", help: "Uses a camera of the file, by name or by number from 0, instead of the orbit.")
            {
                (settings, text) throws(UsageError) in settings.camera = text
            },
            CommandOption("--exposure", value: "EV", help: "Exposure in stops; each doubles the light. Default: 0.") {
                (settings, text) throws(UsageError) in
                settings.exposure = try parseNumber(text, in: -32...32)
            },
            depthOfFieldOption,
        ]
    }

    private static var animationOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--animation", value: "NAME",
                help: "The animation that poses the model, by name or by number from 0. Default: the first, if --time is given."
            ) { (settings, text) throws(UsageError) in settings.animation = text },
            CommandOption("--time", value: "S", help: "The time in the animation, in seconds.") { (settings, text) throws(UsageError) in
                settings.time = try parseNumber(text, in: 0...1e6)
            },
        ]
    }

    private static var lightOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--environment", value: "FILE",
                help:
                    "Light from an image (.hdr, .exr, .png, .jpg, .webp): a panorama 2:1, a cube map as 6:1, 1:6, 4:3 or 3:4, or a folder of px, nx, py, ny, pz, nz. Default: the model's own (USD), else a built-in studio."
            ) { (settings, text) throws(UsageError) in settings.environment = text },
            CommandOption("--environment-rotation", value: "DEG", help: "Rotates environment light and background about +Y.") {
                (settings, text) throws(UsageError) in settings.environmentRotation = .degrees(try parseNumber(text))
            },
            CommandOption("--environment-intensity", value: "X", help: "Multiplies the environment's light. Default: 1.") {
                (settings, text) throws(UsageError) in settings.environmentIntensity = try parseNumber(text, in: 0...1e6)
            },
            CommandOption(
                "--occlusion", "--ambient-occlusion", value: "HOW",
                help:
                    "Occlusion of environment light by the model: shadows (of the environment, in images of several samples), baked (ray-traced while loading), screen (in screen space, where the model has no occlusion maps) or map (only the occlusion maps of the model). Default: shadows for images, otherwise baked."
            ) { (settings, text) throws(UsageError) in
                settings.occlusion = try parseWord(text, OcclusionChoice.allCases.map { ($0.rawValue, $0) })
            },
        ]
    }

    private static var backgroundOptions: [CommandOption<LookSettings>] {
        [
            CommandOption("--background", value: "WHAT", help: "color:#RRGGBB, environment, or transparent.") {
                (settings, text) throws(UsageError) in settings.background = try parseBackground(text)
            },
            CommandOption("--background-blur", value: "X", help: "Blur of the environment behind the model, 0 to 1. Default: 0.") {
                (settings, text) throws(UsageError) in settings.backgroundBlur = try parseNumber(text, in: 0...1)
            },
            CommandOption(
                "--environment-ground", value: "RADIUS,HEIGHT",
                help:
                    "Projects the environment onto a dome with ground under the model: its radius and the height at which the image was captured, in metres, such as 20,1.6."
            ) { (settings, text) throws(UsageError) in settings.ground = try parseGround(text) },
        ]
    }

    private static var modelOptions: [CommandOption<LookSettings>] {
        [
            CommandOption("--variant", value: "NAME", help: "Selects a material variant of the model (KHR_materials_variants).") {
                (settings, text) throws(UsageError) in settings.variant = text
            },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
            CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
            CommandOption(
                "--texture-memory", value: "MIB",
                help: "Memory limit of all decoded textures. If exceeded, scales the largest down, with a warning. Default: 2048."
            ) { (settings, text) throws(UsageError) in settings.textureBytes = try parseCount(text, in: 1...1_048_576) << 20 },
            CommandOption(
                "--texture-size", value: "PIXELS",
                help: "Scales textures down to at most this many pixels on the longest side, with a warning. Default: 16384."
            ) { (settings, text) throws(UsageError) in settings.textureSide = try parseCount(text, in: 1...65_536) },
            CommandOption.strict { $0.isStrict = true },
        ]
    }

    private static var imageOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--tonemap", value: "NAME", help: "Tone mapping: neutral, agx, aces, or none (linear, clamped). Default: neutral."
            ) {
                (settings, text) throws(UsageError) in
                settings.chosenToneMapping = try parseWord(text, ToneMapping.allCases.map { ($0.name, $0) })
            },
            CommandOption("--msaa", value: "1|4", help: "Samples per pixel for antialiasing. Default: 4.") {
                (settings, text) throws(UsageError) in
                settings.sampleCount = try parseWord(text, [("1", 1), ("4", 4)])
            },
        ] + effectOptions
    }

    private static var diagnosticOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--debug", value: "VIEW",
                help: "Renders one component of shading: " + DebugView.allCases.map(\.name).joined(separator: ", ") + "."
            ) {
                (settings, text) throws(UsageError) in
                settings.debugView = try parseWord(text, DebugView.allCases.map { ($0.name, $0) })
            },
            CommandOption("--stats", help: "Prints frame statistics, and draws them over the image.") { $0.showsStatistics = true },
            CommandOption(
                "--adapter", value: "NAME",
                help: "The GPU: auto, hardware, software, or a part of its name. Default: $VITRINE_ADAPTER, else auto."
            ) {
                (settings, text) throws(UsageError) in settings.adapter = text
            },
        ]
    }
}

func parseBackground(_ text: String) throws(UsageError) -> BackgroundChoice {
    switch text {
    case "environment": return .environment
    case "transparent": return .transparent
    default:
        guard text.hasPrefix("color:") else { throw UsageError("'\(text)' is not color:#RRGGBB, environment or transparent") }
        return .color(try parseHexColor(String(text.dropFirst("color:".count))))
    }
}

/// The dome onto which the environment is projected, in metres.
struct GroundChoice: Equatable {
    var radius, height: Float
}

func parseGround(_ text: String) throws(UsageError) -> GroundChoice {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 2 else { throw UsageError("'\(text)' is not RADIUS,HEIGHT") }
    let height = try parseNumber(pieces[1], in: 1e-4...1e6)
    let radius = try parseNumber(pieces[0], in: 1e-4...1e6)
    guard radius > height else { throw UsageError("a radius of \(pieces[0]) is not greater than the height of \(pieces[1])") }
    return GroundChoice(radius: radius, height: height)
}

func parseOrbit(_ text: String) throws(UsageError) -> OrbitChoice {
    if text == "auto" { return .automatic }
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 3 else { throw UsageError("'\(text)' is not AZIMUTH,ELEVATION,DISTANCE or auto") }
    let distance: Float? = pieces[2] == "auto" ? nil : try parseNumber(pieces[2], in: 1e-6...1e9)
    return .fixed(azimuth: try parseNumber(pieces[0]), elevation: try parseNumber(pieces[1], in: -90...90), distance: distance)
}

/// The focus distance and the aperture.
struct DepthOfFieldChoice: Equatable {
    /// Metres; nil for the target.
    var focus: Float?
    var fNumber: Float
}

extension LookSettings {
    static var effectOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--bloom", value: "SHARE",
                help: "Spreads this fraction of the light around bright areas, 0 to 1; 0.05 resembles a good lens."
            ) { (settings, text) throws(UsageError) in settings.bloom = try parseNumber(text, in: 0...1) },
            CommandOption(
                "--vignette", value: "STRENGTH", help: "Darkens the corners, 0 to 1; at 1 they keep a third of their light."
            ) { (settings, text) throws(UsageError) in settings.vignette = try parseNumber(text, in: 0...1) },
        ]
    }

    static var depthOfFieldOption: CommandOption<LookSettings> {
        CommandOption(
            "--depth-of-field", value: "FOCUS,F",
            help:
                "Blurs objects that are not at FOCUS metres (auto: the target), like a lens of f-number F. Use about 2.8 for an object held in the hand, 0.1 for one the size of a person."
        ) { (settings, text) throws(UsageError) in settings.depthOfField = try parseDepthOfField(text) }
    }

    /// The lens of `--depth-of-field`; nil without it.
    ///
    /// - Parameter distance: The focus distance in metres for `auto`.
    func lens(focusingAt distance: Float?) -> Lens? {
        depthOfField.map { Lens(focusDistance: $0.focus ?? max(distance ?? 1, 1e-4), fNumber: $0.fNumber) }
    }
}

func parseDepthOfField(_ text: String) throws(UsageError) -> DepthOfFieldChoice {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 2 else { throw UsageError("'\(text)' is not FOCUS,F: a distance in metres or auto, and an f-number") }
    let focus: Float? = pieces[0] == "auto" ? nil : try parseNumber(pieces[0], in: 1e-4...1e6)
    return DepthOfFieldChoice(focus: focus, fNumber: try parseNumber(pieces[1], in: 0.001...1000))
}

/// A loaded model with the light and the pose of the command line.
struct Staging {
    let scene: Scene
    let warnings: [String]
    /// The bounds of the model in the world frame, metres.
    let bounds: BoundingBox
}

extension LookSettings {
    /// Loads the model and its light, and bakes the occlusion that the image needs.
    ///
    /// - Parameter bakeProgress: Receives the baked fraction of the occlusion, 0…1, after the model has been loaded.
    @MainActor
    func stage(
        model path: String, progress: @escaping @Sendable (LoadingProgress) -> Void, bakeProgress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Staging {
        let staging = try await load(model: path, progress: progress)
        if bakesOcclusion { try await staging.scene.bakeOcclusion(progress: bakeProgress) }
        return staging
    }

    /// Loads the model and its light. Without `--background` the environment is the background: a given image, or the studio's backdrop.
    @MainActor
    func load(model path: String, progress: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Staging {
        let loaded = try await SceneFile.load(URL(fileURLWithPath: path), options: loadOptions, progress: progress)
        let scene = loaded.scene
        try light(scene)
        do {
            try scene.choose(variant: variant)
        } catch {
            throw CommandError(file: path, reason: error.description)
        }
        try pose(scene, path: path)
        if let ground {
            let bounds = scene.bounds
            let foot = bounds.isEmpty ? Vector3(0, 0, 0) : Vector3(bounds.center.x, bounds.minimum.y, bounds.center.z)
            scene.environment.ground = GroundProjection(radius: ground.radius, cameraHeight: ground.height, center: foot)
        }
        return Staging(scene: scene, warnings: loaded.warnings.map(\.description), bounds: scene.bounds)
    }

    /// The options for loading models.
    var loadOptions: ModelLoadOptions {
        var options = ModelLoadOptions()
        options.usdVariants = variants
        options.allowedFolders = allowedFolders
        options.isStrict = isStrict
        if let textureBytes { options.maximumTextureBytes = textureBytes }
        if let textureSide { options.maximumTextureSide = textureSide }
        return options
    }

    /// Sets the environment: `--environment`, otherwise that of the file, otherwise the studio.
    private func light(_ scene: Scene) throws {
        let made: Environment
        if let environment {
            made = try Environment(contentsOf: URL(fileURLWithPath: environment))
        } else if scene.environment.image != nil {
            made = scene.environment
        } else {
            made = .studio()
        }
        made.rotation = made.rotation + environmentRotation
        made.intensity *= environmentIntensity
        made.backgroundBlur = backgroundBlur
        switch background {
        case .color(let color): made.background = .color(color)
        case .environment: made.background = .environment
        case .transparent: made.background = .transparent
        case nil: break
        }
        scene.environment = made
    }

    /// Applies the animation at `--time`.
    private func pose(_ scene: Scene, path: String) throws { try clip(of: scene, path: path)?.apply(at: time ?? 0) }

    /// The animation of `--animation`; the first if only `--time` is given; nil without both.
    func clip(of scene: Scene, path: String) throws -> AnimationClip? {
        guard animation != nil || time != nil else { return nil }
        guard !scene.animations.isEmpty else { throw CommandError(file: path, reason: "has no animation") }
        guard let animation else { return scene.animations[0] }
        if let found = scene.animation(named: animation) { return found }
        if let index = Int(animation), scene.animations.indices.contains(index) { return scene.animations[index] }
        let names = scene.animations.map(\.name).joined(separator: ", ")
        throw CommandError(file: path, reason: "has no animation '\(animation)': use one of \(names)")
    }

    /// The view of the settings, rotated by `turn` about the target, with the lens of `--depth-of-field`.
    func view(of staging: Staging, path: String, aspectRatio: Float, turn: Angle = .zero) throws -> View {
        var view = try pinhole(of: staging, path: path, aspectRatio: aspectRatio, turn: turn)
        guard depthOfField != nil else { return view }
        guard case .perspective = view.camera.projection else {
            throw CommandError(file: path, reason: "--depth-of-field requires a perspective camera")
        }
        let middle = staging.bounds.isEmpty ? Vector3(0, 0, 0) : staging.bounds.center
        view.camera.lens = lens(focusingAt: -view.worldFromCamera.affineInverse.transform(point: target ?? middle).z)
        return view
    }

    private func pinhole(of staging: Staging, path: String, aspectRatio: Float, turn: Angle) throws -> View {
        if let photoCamera {
            let found = try PhotoCamera(named: photoCamera.photo, in: photoCamera.file)
            printWarnings(found.warnings, about: photoCamera.photo)
            return found.view(aspectRatio: aspectRatio)
        }
        if let camera, let view = View(of: try cameraNode(named: camera, in: staging.scene, path: path)) { return view }
        let (azimuth, elevation, distance): (Angle, Angle, Float?) =
            switch orbit {
            case .automatic: (.degrees(30), .degrees(15), nil)
            case .fixed(let azimuth, let elevation, let distance): (.degrees(azimuth), .degrees(elevation), distance)
            }
        let framed = View.framing(
            staging.bounds, azimuth: azimuth + turn, elevation: elevation, fieldOfView: fieldOfView, aspectRatio: aspectRatio)
        guard target != nil || distance != nil else { return framed }
        let middle = staging.bounds.isEmpty ? Vector3(0, 0, 0) : staging.bounds.center
        let reach = VitrineMath.distance(framed.worldFromCamera.translation, middle)
        return View.orbit(
            target: target ?? middle, azimuth: azimuth + turn, elevation: elevation, distance: distance ?? reach, fieldOfView: fieldOfView)
    }

    /// The node of the camera that `--camera` names.
    func cameraNode(named name: String, in scene: Scene, path: String) throws -> Node {
        var nodes: [Node] = []
        scene.rootNode.forSubtree { if $0.camera != nil { nodes.append($0) } }
        if let found = nodes.first(where: { $0.name == name }) { return found }
        if let index = Int(name), nodes.indices.contains(index) { return nodes[index] }
        let names = nodes.isEmpty ? "the file has no cameras" : "use one of " + nodes.map(\.name).joined(separator: ", ")
        throw CommandError(file: path, reason: "has no camera '\(name)': \(names)")
    }

    var toneMapping: ToneMapping { chosenToneMapping ?? .neutral }

    var renderOptions: RenderOptions {
        var options = RenderOptions(
            sampleCount: sampleCount ?? 4, toneMapping: toneMapping, exposure: exposure, debugView: debugView,
            screenOcclusion: occlusion == .screen ? ScreenOcclusion() : nil, bloom: bloom.map { Bloom(intensity: $0) },
            vignette: vignette.map { Vignette(strength: $0) })
        options.environmentShadows = occlusion == .shadows
        return options
    }

    /// Whether to bake occlusion of environment light while loading; otherwise only the model's occlusion maps apply. Shadows need it for the light
    /// between surfaces.
    var bakesOcclusion: Bool { occlusion == nil || occlusion == .baked || occlusion == .shadows }

    /// The adapter of `--adapter`, otherwise of `VITRINE_ADAPTER`.
    var adapterChoice: GPUAdapterChoice {
        GPUAdapterChoice(parsing: adapter ?? ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "")
    }
}

/// How a model occludes the light of the environment.
enum OcclusionChoice: String, CaseIterable { case shadows, baked, screen, map }

/// Whether two paths refer to the same existing file, also through links.
func isSameFile(_ a: String, _ b: String) -> Bool {
    let (a, b) = (URL(fileURLWithPath: a).resolvingSymlinksInPath(), URL(fileURLWithPath: b).resolvingSymlinksInPath())
    return a.path == b.path && FileManager.default.fileExists(atPath: a.path)
}

/// A failure related to a file: `FILE: reason`.
struct CommandError: LocalizedError {
    let file: String
    let reason: String
    var errorDescription: String? { "\(file): \(reason)" }
}
