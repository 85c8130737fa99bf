import Vitrine

/// How a model is shown: what `render` and `show` have in common.
struct LookSettings {
    /// A picture file; nil: the built-in studio.
    var environment: String?
    var environmentRotation = Angle.zero
    var environmentIntensity: Float = 1
    /// 0…1.
    var backgroundBlur: Float = 0
    var ground: GroundChoice?
    /// nil: what suits the command.
    var background: BackgroundChoice?
    var orbit = OrbitChoice.automatic
    /// Metres; nil: the middle of the model.
    var target: Vector3?
    /// Vertical.
    var fieldOfView = Angle.degrees(45)
    /// The name or number of a camera in the file, in place of the orbit.
    var camera: String?
    /// A photo's camera in place of the orbit: a file of cameras and the photo's name.
    var photoCamera: (file: String, photo: String)?
    /// Stops.
    var exposure: Float = 0
    var toneMapping = ToneMapping.neutral
    /// A material variant of the model; nil: none.
    var variant: String?
    var animation: String?
    /// Seconds.
    var time: Float?
    /// Whether surfaces keep the environment's light from each other (worked out at load), or only by the model's occlusion maps.
    var bakesOcclusion = true
    /// Found in the picture instead.
    var hasScreenOcclusion = false
    var depthOfField: DepthOfFieldChoice?
    /// Shares, 0…1; nil: none.
    var bloom, vignette: Float?
    /// nil: 4.
    var sampleCount: Int?
    var debugView: DebugView?
    var showsStatistics = false
    var adapter: String?
    /// Of USD: by set, the variant to show.
    var variants: [String: String] = [:]
    /// Refuses a model that gives any warning.
    var isStrict = false
}

enum BackgroundChoice: Equatable {
    case color(Color)
    case environment
    case transparent
}

/// Where the camera stands around the target; angles in degrees, distance in metres (nil: as far as the model needs).
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
                    "Camera position around the target: azimuth and elevation in degrees (0,0 looks along -Z), distance in metres or auto. Default: auto, which is 30,15,auto."
            ) { (settings, text) throws(UsageError) in settings.orbit = try parseOrbit(text) },
            CommandOption("--target", value: "X,Y,Z", help: "The point looked at, metres. Default: the centre of the model.") {
                (settings, text) throws(UsageError) in settings.target = try parseVector(text, as: "X,Y,Z")
            },
            CommandOption("--fov", value: "DEG", help: "Vertical field of view. Default: 45.") { (settings, text) throws(UsageError) in
                settings.fieldOfView = .degrees(try parseNumber(text, in: 0.1...179))
            },
            CommandOption("--camera", value: "NAME", help: "A camera of the file, by name or number from 0, instead of the orbit.") {
                (settings, text) throws(UsageError) in settings.camera = text
            },
            CommandOption("--exposure", value: "EV", help: "Stops: each doubles the light. Default: 0.") {
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
                help: "The animation that poses the model, by name or number from 0. Default: the first, with --time."
            ) { (settings, text) throws(UsageError) in settings.animation = text },
            CommandOption("--time", value: "S", help: "The time in the animation, seconds.") { (settings, text) throws(UsageError) in
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
            CommandOption("--environment-rotation", value: "DEG", help: "Turns environment light and background about +Y.") {
                (settings, text) throws(UsageError) in settings.environmentRotation = .degrees(try parseNumber(text))
            },
            CommandOption("--environment-intensity", value: "X", help: "Multiplies the environment's light. Default: 1.") {
                (settings, text) throws(UsageError) in settings.environmentIntensity = try parseNumber(text, in: 0...1e6)
            },
            CommandOption(
                "--occlusion", "--ambient-occlusion", value: "HOW",
                help:
                    "How the model blocks environment light. baked (default): by rays, while loading. screen: in screen space, where the model has no occlusion maps. map: only the model's occlusion maps."
            ) { (settings, text) throws(UsageError) in
                (settings.bakesOcclusion, settings.hasScreenOcclusion) = try parseWord(
                    text, [("baked", (true, false)), ("screen", (false, true)), ("map", (false, false))])
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
                    "Projects the environment onto the ground under the model: a dome of this radius, taken from this height, metres, such as 20,1.6."
            ) { (settings, text) throws(UsageError) in settings.ground = try parseGround(text) },
        ]
    }

    private static var modelOptions: [CommandOption<LookSettings>] {
        [
            CommandOption("--variant", value: "NAME", help: "The materials of one of the model's variants (KHR_materials_variants).") {
                (settings, text) throws(UsageError) in settings.variant = text
            },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
            CommandOption.strict { $0.isStrict = true },
        ]
    }

    private static var imageOptions: [CommandOption<LookSettings>] {
        [
            CommandOption("--tonemap", value: "NAME", help: "neutral (default), agx, aces, or none (linear, clamped).") {
                (settings, text) throws(UsageError) in
                settings.toneMapping = try parseWord(text, ToneMapping.allCases.map { ($0.name, $0) })
            },
            CommandOption("--msaa", value: "1|4", help: "Samples per pixel for smooth edges. Default: 4.") {
                (settings, text) throws(UsageError) in
                settings.sampleCount = try parseWord(text, [("1", 1), ("4", 4)])
            },
        ] + effectOptions
    }

    private static var diagnosticOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--debug", value: "VIEW", help: "Shows one component: " + DebugView.allCases.map(\.name).joined(separator: ", ") + "."
            ) {
                (settings, text) throws(UsageError) in
                settings.debugView = try parseWord(text, DebugView.allCases.map { ($0.name, $0) })
            },
            CommandOption("--stats", help: "Draws frame statistics over the image and prints them.") { $0.showsStatistics = true },
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
        guard text.hasPrefix("color:") else { throw UsageError("'\(text)' is none of color:#RRGGBB, environment, transparent") }
        return .color(try parseHexColor(String(text.dropFirst("color:".count))))
    }
}

/// The dome that the environment is thrown onto, metres.
struct GroundChoice: Equatable {
    var radius, height: Float
}

func parseGround(_ text: String) throws(UsageError) -> GroundChoice {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 2 else { throw UsageError("'\(text)' is not RADIUS,HEIGHT") }
    let height = try parseNumber(pieces[1], in: 1e-4...1e6)
    let radius = try parseNumber(pieces[0], in: 1e-4...1e6)
    guard radius > height else { throw UsageError("a radius of \(pieces[0]) must be more than the height") }
    return GroundChoice(radius: radius, height: height)
}

func parseOrbit(_ text: String) throws(UsageError) -> OrbitChoice {
    if text == "auto" { return .automatic }
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 3 else { throw UsageError("'\(text)' is neither AZIMUTH,ELEVATION,DISTANCE nor auto") }
    let distance: Float? = pieces[2] == "auto" ? nil : try parseNumber(pieces[2], in: 1e-6...1e9)
    return .fixed(azimuth: try parseNumber(pieces[0]), elevation: try parseNumber(pieces[1], in: -90...90), distance: distance)
}
