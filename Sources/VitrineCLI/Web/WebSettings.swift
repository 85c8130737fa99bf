import Vitrine
import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine web`.
struct WebSettings {
    var output: String?
    /// Whether to write one HTML file instead of a folder.
    var isSingleFile = false
    var hasPoster = true
    /// The side of the square poster in pixels.
    var posterSide = 1200
    /// nil for the name of the model.
    var title: String?
    /// The description for people who do not see the model; nil for the title.
    var alternativeText: String?
    var autoRotates = false
    var hasControls = true
    /// Whether the page loads the model after a click, a touch or a key.
    var waitsForTouch = false
    /// The strength of the shadow, 0…1.
    var shadow: Float = 0
    /// Whether surfaces show their base colours without light.
    var isUnlit = false
    var look = LookSettings()
    var textureSide = 2048
    var textureFormat = OptimizeOptions.TextureFormat.webp
    var textureQuality = 90
    var isJSON = false

    init() { look.background = .transparent }
}

extension WebSettings {
    static let summary = """
        Writes a web page that shows MODEL with Vitrine's viewer: the page, the viewer, the model as GLB with baked occlusion, its environment
        and a poster image. The page needs no other files and no other server. Writes OUT completely or not at all.
        """

    static var table: ArgumentTable<WebSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            sections: [
                OptionSection("output", outputOptions), OptionSection("page", pageOptions), OptionSection("textures", textureOptions),
            ]
                + lookSections)
    }

    private static var outputOptions: [CommandOption<WebSettings>] {
        [
            CommandOption(
                "-o", "--output", value: "OUT", help: "The folder to write, or the HTML file with --single-file. Replaces an earlier page."
            ) { (settings, text) throws(UsageError) in settings.output = text },
            CommandOption("--single-file", help: "Writes one HTML file that also opens from a disk or an e-mail.") {
                $0.isSingleFile = true
            },
            CommandOption("--json", help: "Prints a report as JSON.") { $0.isJSON = true },
        ]
    }

    private static var pageOptions: [CommandOption<WebSettings>] {
        [
            CommandOption("--title", value: "TEXT", help: "The title of the page. Default: the name of the model.") {
                (settings, text) throws(UsageError) in settings.title = text
            },
            CommandOption("--alt", value: "TEXT", help: "Describes the model for people who do not see it. Default: the title.") {
                (settings, text) throws(UsageError) in settings.alternativeText = text
            },
            CommandOption("--poster", help: "Renders the poster, the image that the page shows while it loads. This is the default.") {
                $0.hasPoster = true
            },
            CommandOption("--no-poster", help: "Renders no poster. The command then needs no GPU.") { $0.hasPoster = false },
            CommandOption("--poster-size", value: "PIXELS", help: "The side of the square poster. Default: 1200.") {
                (settings, text) throws(UsageError) in settings.posterSide = try parseCount(text, in: 16...8192)
            },
            CommandOption("--auto-rotate", help: "Rotates the camera around the model until the user moves it.") { $0.autoRotates = true },
            CommandOption("--on-touch", help: "Shows the poster, and loads viewer and model after a click, a touch or a key.") {
                $0.waitsForTouch = true
            },
            CommandOption("--no-controls", help: "Ignores mouse, touch and keys.") { $0.hasControls = false },
            CommandOption("--shadow", value: "X", help: "The strength of the model's shadow on the ground, 0 to 1. Default: 0.") {
                (settings, text) throws(UsageError) in settings.shadow = try parseNumber(text, in: 0...1)
            },
            CommandOption(
                "--unlit",
                help:
                    "Shows base colours without light, and without tone mapping unless --tonemap names one. For models from photos, whose colours contain the light of the photos."
            ) { $0.isUnlit = true },
        ]
    }

    private static var textureOptions: [CommandOption<WebSettings>] {
        [
            CommandOption("--texture-size", value: "PIXELS", help: "Scales larger textures down to this longest side. Default: 2048.") {
                (settings, text) throws(UsageError) in settings.textureSide = try parseCount(text, in: 1...16_384)
            },
            CommandOption(
                "--texture-format", value: "KIND",
                help:
                    "webp (normals, roughness and metalness stay lossless), jpeg (only colours without alpha), png, or keep. Default: webp."
            ) { (settings, text) throws(UsageError) in
                settings.textureFormat = try parseWord(text, OptimizeOptions.TextureFormat.allCases.map { ($0.rawValue, $0) })
            },
            CommandOption("--texture-quality", value: "Q", help: "Quality of JPEG and WebP, 1 to 100. Default: 90.") {
                (settings, text) throws(UsageError) in settings.textureQuality = try parseCount(text, in: 1...100)
            },
        ]
    }

    /// The options of `render` that the viewer of the page also has.
    private static var lookSections: [OptionSection<WebSettings>] {
        let names: Set = [
            "--orbit", "--target", "--fov", "--exposure", "--animation", "--environment", "--environment-rotation",
            "--environment-intensity", "--occlusion", "--background", "--background-blur", "--variant", "--usd-variant", "--allow-folder",
            "--strict", "--tonemap", "--adapter",
        ]
        return LookSettings.sections.map { section in
            OptionSection(section.title, section.options.filter { names.contains($0.names[0]) }).within(\.look)
        }
    }

    func validate() throws(UsageError) {
        guard let output, !output.isEmpty else {
            throw UsageError("-o OUT is missing: name the folder to write, or a file with --single-file")
        }
        let isHTML = ["html", "htm"].contains(output.pathExtension.lowercased())
        guard !isSingleFile || isHTML || AtomicFile.isStream(path: output) else {
            throw UsageError("'\(output)': with --single-file OUT must end in .html")
        }
        guard isSingleFile || !isHTML else { throw UsageError("'\(output)' is a folder: add --single-file to write one HTML file") }
        guard hasPoster || !waitsForTouch else { throw UsageError("--on-touch needs the poster: remove --no-poster") }
        guard look.occlusion != .screen, look.occlusion != .shadows else {
            throw UsageError("--occlusion: the page supports baked and map")
        }
    }

    /// Light has no effect on unlit surfaces: nothing is baked, and their colours stay unchanged.
    var withDefaultsOfUnlit: WebSettings {
        guard isUnlit else { return self }
        var settings = self
        settings.look.occlusion = .map
        settings.look.chosenToneMapping = look.chosenToneMapping ?? ToneMapping.none
        return settings
    }

    static let examples = [
        "vitrine web helmet.glb -o site --environment studio.hdr",
        "vitrine web chair.usdz -o chair.html --single-file --auto-rotate",
        "vitrine web statue.glb -o statue --unlit",
        "# Show the folder in a browser at http://localhost:8000",
        "python3 -m http.server --directory site",
    ]

    static let notes = """
        Supports the same models as 'vitrine render'. Browsers show the 3D view of a folder only from a web server, not from a disk;
        a single file also opens from a disk.
        """
}
