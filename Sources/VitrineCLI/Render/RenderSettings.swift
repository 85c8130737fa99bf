import Vitrine

/// The options of `vitrine render`.
struct RenderSettings {
    var look = LookSettings()
    var lighting = LightingSettings()
    var output: String?
    /// The size in pixels.
    var size = (width: 1280, height: 720)
    /// The number of images around the model, instead of one image.
    var turntable: Int?
    /// Frames averaged into an image; nil for 16, or 1 with `--msaa`.
    var samples: Int?
    /// The number of frames to time.
    var benchmark: Int?
    var isJSON = false
    /// The options of path tracing.
    var path = PathSettings()
    /// The options of films.
    var film = FilmSettings()
    /// The number of photos with ground truth, instead of one image; `output` is a folder.
    var photoset: Int?
    /// The elevations of the photoset's rings of cameras, in degrees.
    var photosetElevations: [Float] = [12, 35, 60]
    var photosetHasTable = false
    /// The side of the photoset's table in metres; nil: relative to the model.
    var photosetTableSide: Float?
    var isPhotosetOnTurntable = false
    /// The noise of the photoset in levels of 255.
    var photosetNoise: Float = 1.5
    /// The drift of the photoset's exposure in stops.
    var photosetDrift: Float = 0.1
    /// `jpg` or `png`.
    var photosetFormat = "jpg"
    /// The options of photo sets that were given.
    var givenForPhotoset: [String] = []
}

extension RenderSettings {
    static let summary = """
        Renders MODEL as an image or a film. The extension of OUT selects the format: .png, .jpg and .webp are tone-mapped; .hdr and .exr
        store linear light; .mp4, .gif and animated .webp are films of the model's animation, of a turntable, or of both.
        The default background is the image of --environment, or the dark backdrop of the built-in studio.
        """

    static var table: ArgumentTable<RenderSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            sections: [OptionSection("output", outputOptions), FilmSettings.section.within(\.film)]
                + LookSettings.sections.map { $0.within(\.look) }
                + [LightingSettings.section.within(\.lighting), OptionSection("camera", cameraOptions)]
                + [PathSettings.section.within(\.path)]
                + [OptionSection("diagnostics", diagnosticOptions), OptionSection("photo set", photosetOptions)])
    }

    private static var outputOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption(
                "-o", "--output", value: "OUT",
                help: "The file to write. Images: .png, .jpg, .webp, .hdr or .exr. Films: .mp4, .mov, .mkv, .gif or .webp."
            ) {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--size", value: "WxH", help: "Size in pixels. Default: 1280x720.") { (settings, text) throws(UsageError) in
                settings.size = try parseSize(text)
            },
            CommandOption(
                "--samples", value: "N",
                help:
                    "Frames averaged into each image, at most 256; 1 is the quality of a window. Default: 16, or 1 with --msaa. With --quality path: samples per pixel. Default: 256."
            ) { (settings, text) throws(UsageError) in settings.samples = try parseCount(text, in: 1...1_048_576) },
            CommandOption(
                "--turntable", value: "N|Ss",
                help: "Renders N images around the model (OUT-000.png, OUT-001.png …) or a film of N frames; 6s is a film of 6 seconds."
            ) { (settings, text) throws(UsageError) in try parseTurntable(text, into: &settings) },
            CommandOption(
                "--quality", value: "WHICH",
                help:
                    "Of images: realtime, as a window shows the model, or path: path tracing on the processor, with true shadows, interreflections and refraction, until --samples, --time-limit or --noise-limit is reached; Ctrl-C writes the image so far. Default: realtime. Of video and WebP: 0 (smallest) to 100 (WebP: lossless). Default: 75."
            ) { (settings, text) throws(UsageError) in try parseQuality(text, into: &settings) },
            CommandOption("--json", help: "Prints a report as JSON.") { $0.isJSON = true },
        ]
    }

    private static var cameraOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption(
                "--photo-camera", value: "FILE,PHOTO",
                help:
                    "Uses the camera of a photo instead of the orbit: from a file of cameras as vitrine reconstruct --cameras reads it, by the name of the photo."
            ) { (settings, text) throws(UsageError) in
                guard let comma = text.lastIndex(of: ",") else { throw UsageError("'\(text)' is not FILE,PHOTO") }
                settings.look.photoCamera = (String(text[..<comma]), String(text[text.index(after: comma)...]))
            }
        ]
    }

    private static var diagnosticOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption(
                "--benchmark", value: "FRAMES", help: "Measures the time of this many frames; the camera moves by 1 degree per frame."
            ) {
                (settings, text) throws(UsageError) in settings.benchmark = try parseCount(text, in: 1...100_000)
            }
        ]
    }

    private static var photosetOptions: [CommandOption<RenderSettings>] {
        [
            CommandOption(
                "--photoset", value: "N",
                help: "Renders N simulated hand-held photos from rings of cameras into the folder OUT: images/, cameras.json, truth.obj."
            ) { (settings, text) throws(UsageError) in settings.photoset = try parseCount(text, in: 1...1000) },
            CommandOption("--rings", value: "EL,EL,…", help: "Elevations of the rings, degrees. Default: 12,35,60.") {
                (settings, text) throws(UsageError) in
                var elevations: [Float] = []
                for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
                    elevations.append(try parseNumber(String(piece), in: -85...85))
                }
                settings.photosetElevations = elevations
                settings.givenForPhotoset.append("--rings")
            },
            CommandOption("--table", help: "Adds a patterned table under the model, which truth.obj does not contain.") {
                $0.photosetHasTable = true
                $0.givenForPhotoset.append("--table")
            },
            CommandOption("--table-side", value: "METRES", help: "The side of the square table. Default: 6 times the model's radius.") {
                (settings, text) throws(UsageError) in
                settings.photosetTableSide = try parseNumber(text, in: 0.000_1...10_000)
                settings.givenForPhotoset.append("--table-side")
            },
            CommandOption(
                "--on-turntable",
                help: "The model turns in front of a camera at rest: once for each ring, with the light at rest beside the camera."
            ) {
                $0.isPhotosetOnTurntable = true
                $0.givenForPhotoset.append("--on-turntable")
            },
            CommandOption("--noise", value: "LEVELS", help: "Image noise, in levels of 255. Default: 1.5.") {
                (settings, text) throws(UsageError) in
                settings.photosetNoise = try parseNumber(text, in: 0...100)
                settings.givenForPhotoset.append("--noise")
            },
            CommandOption("--drift", value: "EV", help: "Exposure jitter in stops. Default: 0.1.") {
                (settings, text) throws(UsageError) in
                settings.photosetDrift = try parseNumber(text, in: 0...8)
                settings.givenForPhotoset.append("--drift")
            },
            CommandOption("--photo-format", value: "jpg|png", help: "File format of the photos. Default: jpg.") {
                (settings, text) throws(UsageError) in
                settings.photosetFormat = try parseWord(text, [("jpg", "jpg"), ("png", "png")])
                settings.givenForPhotoset.append("--photo-format")
            },
        ]
    }

    static let examples = [
        "vitrine render helmet.glb -o helmet.png",
        "# Light from a panorama, no background",
        "vitrine render helmet.glb -o helmet.png --environment hall.hdr --environment-rotation 90 --background transparent",
        "# A product shot: white background, soft shadow on the ground, one more light",
        "vitrine render helmet.glb -o packshot.png --ground --background color:#FFFFFF --light rectangle,azimuth=-60,elevation=30",
        "# Path traced: true shadows, reflections and glass; at most 30 seconds of rendering",
        "vitrine render helmet.glb -o still.png --quality path --time-limit 30s",
        "# From the side and slightly above; 36 images around the model",
        "vitrine render helmet.glb -o side.png --orbit 90,15,auto --size 1920x1080",
        "vitrine render helmet.glb -o turn.png --turntable 36 --orbit 0,15,auto",
        "# Films: a turntable of 6 seconds; half of an animation as a GIF without background",
        "vitrine render helmet.glb -o helmet.mp4 --turntable 6s",
        "vitrine render robot.glb -o walk.gif --animation Walk --from 0 --to 0.5 --size 320x320 --background transparent",
        "# A single moment of an animation",
        "vitrine render robot.glb -o step.png --animation Walk --time 0.5",
    ]

    static let notes = """
        The camera is at target + distance * (sin az cos el, sin el, cos az cos el). The centre of an environment image is at +X.
        A film plays the first animation, or that of --animation ("none" plays none); without an animation it is a turntable of 6 seconds.
        Films average 4 frames into each image unless --samples is given, and require ffmpeg.
        Exit codes: 0 success, 1 failure, 2 invalid command line.
        """
}
