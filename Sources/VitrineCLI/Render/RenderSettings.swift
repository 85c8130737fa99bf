import Vitrine

/// What `vitrine render` was asked to do.
struct RenderSettings {
    var look = LookSettings()
    var lighting = LightingSettings()
    var output: String?
    /// Pixels.
    var size = (width: 1280, height: 720)
    /// Pictures once around the model, in place of one.
    var turntable: Int?
    /// Frames averaged into a picture; nil: 16, or 1 where the command line asks for MSAA.
    var samples: Int?
    /// Frames to time.
    var benchmark: Int?
    var isJSON = false
    /// Photos of the model with their truth, in place of one picture: `output` is a folder.
    var photoset: Int?
    /// Degrees, one a ring of cameras.
    var photosetElevations: [Float] = [12, 35, 60]
    var photosetHasTable = false
    /// Levels of 255.
    var photosetNoise: Float = 1.5
    /// Stops.
    var photosetDrift: Float = 0.1
    /// `jpg` or `png`.
    var photosetFormat = "jpg"
    /// Those of the options above that were given.
    var givenForPhotoset: [String] = []
}

extension RenderSettings {
    static let summary = """
        Renders MODEL into a picture. The kind of picture follows the name of OUT: .png and .jpg as a person sees it, .hdr and .exr with
        linear light. Without --background the picture given by --environment is seen behind the model, or the studio's dark backdrop.
        """

    static var table: ArgumentTable<RenderSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            options: ownOptions + photosetOptions + LightingSettings.options.map { $0.within(\.lighting) }
                + LookSettings.options.map { $0.within(\.look) })
    }

    private static var ownOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption("-o", "--output", value: "OUT", help: "The picture to write: .png, .jpg, .hdr or .exr.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--size", value: "WxH", help: "Pixels. Default: 1280x720.") { (settings, text) throws(UsageError) in
                settings.size = try parseSize(text)
            },
            CommandOption(
                "--samples", value: "N",
                help: "Frames averaged into each picture, with sharper textures: 1 is what a window shows. Default: 16, or 1 with --msaa."
            ) { (settings, text) throws(UsageError) in settings.samples = try parseCount(text, in: 1...256) },
            CommandOption(
                "--photo-camera", value: "FILE,PHOTO",
                help:
                    "Sees the model as a photo does: a camera of cameras.json or transforms.json, by the photo's name, in place of the orbit."
            ) { (settings, text) throws(UsageError) in
                guard let comma = text.lastIndex(of: ",") else { throw UsageError("'\(text)' is not FILE,PHOTO") }
                settings.look.photoCamera = (String(text[..<comma]), String(text[text.index(after: comma)...]))
            },
            CommandOption("--turntable", value: "N", help: "N pictures once around the model: OUT-000.png, OUT-001.png …") {
                (settings, text) throws(UsageError) in settings.turntable = try parseCount(text, in: 1...3600)
            },
            CommandOption("--benchmark", value: "FRAMES", help: "Times this many finished frames, the camera moving 1 degree a frame.") {
                (settings, text) throws(UsageError) in settings.benchmark = try parseCount(text, in: 1...100_000)
            },
            CommandOption("--json", help: "Prints what was done as JSON.") { $0.isJSON = true },
        ]
    }

    private static var photosetOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption(
                "--photoset", value: "N",
                help: "N photos from rings of cameras, as a hand takes them, into the folder OUT: images/, cameras.json, truth.obj."
            ) { (settings, text) throws(UsageError) in settings.photoset = try parseCount(text, in: 1...1000) },
            CommandOption("--rings", value: "EL,EL,…", help: "The rings' elevations in degrees. Default: 12,35,60.") {
                (settings, text) throws(UsageError) in
                var elevations: [Float] = []
                for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
                    elevations.append(try parseNumber(String(piece), in: -85...85))
                }
                settings.photosetElevations = elevations
                settings.givenForPhotoset.append("--rings")
            },
            CommandOption("--table", help: "Puts a patterned table under the model of a photo set; it is no part of truth.obj.") {
                $0.photosetHasTable = true
                $0.givenForPhotoset.append("--table")
            },
            CommandOption("--noise", value: "LEVELS", help: "Grain of a photo set's photos, in levels of 255. Default: 1.5.") {
                (settings, text) throws(UsageError) in
                settings.photosetNoise = try parseNumber(text, in: 0...100)
                settings.givenForPhotoset.append("--noise")
            },
            CommandOption("--drift", value: "EV", help: "How far a photo set's exposures stray, in stops. Default: 0.1.") {
                (settings, text) throws(UsageError) in
                settings.photosetDrift = try parseNumber(text, in: 0...8)
                settings.givenForPhotoset.append("--drift")
            },
            CommandOption("--photo-format", value: "jpg|png", help: "How a photo set's photos are written. Default: jpg.") {
                (settings, text) throws(UsageError) in
                settings.photosetFormat = try parseWord(text, [("jpg", "jpg"), ("png", "png")])
                settings.givenForPhotoset.append("--photo-format")
            },
        ]
    }

    static let examples = [
        "vitrine render helmet.glb -o helmet.png",
        "vitrine render helmet.glb -o helmet.png --environment hall.hdr --environment-rotation 90 --background transparent",
        "vitrine render helmet.glb -o packshot.png --ground --background color:#FFFFFF",
        "vitrine render helmet.glb -o lit.png --ground --light rectangle,azimuth=-60,elevation=30 --environment-intensity 0.3",
        "vitrine render helmet.glb -o turn.png --turntable 36 --orbit 0,15,auto",
        "vitrine render robot.glb -o step.png --animation Walk --time 0.5",
        "vitrine render helmet.glb --benchmark 100 --json",
        "vitrine render helmet.glb -o photos --photoset 36 --table --size 960x720",
    ]

    static let notes = """
        The camera stands at target + distance * (sin az cos el, sin el, cos az cos el). The middle of an environment picture lies towards +X.
        Exit code: 0 done, 1 failed, 2 wrong command line.
        """
}
