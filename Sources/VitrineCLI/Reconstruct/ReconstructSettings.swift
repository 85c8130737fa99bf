import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine reconstruct`.
struct ReconstructSettings: Sendable {
    typealias Configuration = PhotogrammetrySession.Configuration
    typealias Detail = PhotogrammetrySession.Request.Detail

    enum Masks: Equatable, Sendable {
        case automatic, none
        case folder(String)
    }

    var outputs: [String] = []
    /// The n-th applies to the n-th output; a single one to all.
    var details: [Detail] = []
    var custom = Configuration.CustomDetailSpecification()
    /// Whether an option of `--detail custom` was given.
    var describesCustom = false
    var checkpoint: String?
    var masks = Masks.automatic
    var order = Configuration.SampleOrdering.unordered
    var sensitivity = Configuration.FeatureSensitivity.normal
    var cameras: String?
    var refinesCameras = false
    var poses: String?
    var transforms: String?
    var colmap: String?
    var pointCloud: String?
    var report: String?
    var scale = Configuration.Scale.automatic
    var keepsScene = false
    var removesShading = false
    var submapPhotoCount: Int?
    var frameCount: Int?
    var timeRange: ClosedRange<Double>?
    var device = Configuration.ComputeDevice.cpu
    var threads: Int?
    var memory: Double?
    var isJSON = false
    /// Whether the input is a folder of folders, one for each object.
    var isBatch = false
    /// The summary page of a batch.
    var summary: String?
}

extension ReconstructSettings {
    /// Checks the combination of options.
    ///
    /// - Parameter isVideo: Whether the input is a file.
    /// - Throws: `UsageError` if an option is missing or options exclude each other.
    func validate(isVideo: Bool = false) throws(UsageError) {
        guard isBatch || summary == nil else { throw UsageError("--summary requires --batch") }
        guard isVideo || frameCount == nil && timeRange == nil else {
            throw UsageError("--frames and --time are options for a video, and the input is a folder")
        }
        guard !isVideo || checkpoint != nil || transforms == nil && colmap == nil else {
            throw UsageError("--transforms and --colmap name the frames of the video: add --checkpoint DIR, which keeps them")
        }
        guard !outputs.isEmpty || poses != nil || transforms != nil || colmap != nil || pointCloud != nil || report != nil else {
            throw UsageError("-o OUT is missing: name the model to write")
        }
        for output in outputs {
            guard ModelFile.format(forExtension: output.pathExtension) != nil else {
                throw UsageError("'\(output)': OUT must end in one of \(ModelFile.extensionList)")
            }
        }
        guard Set(outputs).count == outputs.count else { throw UsageError("-o names the same file twice") }
        try validateNames()
        guard details.count <= max(1, outputs.count) else {
            throw UsageError("--detail is given \(details.count) times for \(outputs.count) outputs: give it once, or once for each output")
        }
        guard details.count <= 1 || details.count == outputs.count else {
            throw UsageError("--detail is given \(details.count) times for \(outputs.count) outputs: give it once, or once for each output")
        }
        guard !describesCustom || details.contains(.custom) else {
            throw UsageError("--triangles, --texture-size, --texture-format and --maps require --detail custom")
        }
        guard !refinesCameras || cameras != nil else {
            throw UsageError("--refine-cameras requires --cameras FILE: without known cameras all are estimated")
        }
        if let pointCloud, pointCloud.pathExtension.lowercased() != "ply" {
            throw UsageError("'\(pointCloud)': the point cloud must end in .ply")
        }
    }

    /// Refuses outputs whose texture files would have the same names: they are named after the model, without its extension.
    private func validateNames() throws(UsageError) {
        var named: [String: String] = [:]
        for output in outputs {
            guard let format = ModelFile.format(forExtension: output.pathExtension), format.writesFilesBeside else {
                continue
            }
            let stem = URL(fileURLWithPath: output).deletingPathExtension().standardizedFileURL.path
            if let other = named[stem] {
                throw UsageError("'\(output)' and '\(other)' would overwrite each other's textures: give one of them another name")
            }
            named[stem] = output
        }
    }

    var configuration: Configuration {
        var configuration = Configuration(sampleOrdering: order, featureSensitivity: sensitivity)
        configuration.checkpointDirectory = checkpoint.map { URL(fileURLWithPath: $0) }
        configuration.customDetailSpecification = custom
        switch masks {
        case .automatic: break
        case .none: (configuration.isObjectMaskingEnabled, configuration.ignoreMasks) = (false, true)
        case .folder(let path): configuration.masksDirectory = URL(fileURLWithPath: path)
        }
        configuration.camerasFile = cameras.map { URL(fileURLWithPath: $0) }
        if refinesCameras { configuration.cameraDeviation = Configuration.CameraDeviation() }
        configuration.submapPhotoCount = submapPhotoCount
        configuration.videoFrameCount = frameCount
        configuration.videoTimeRange = timeRange
        configuration.scale = scale
        configuration.ignoreBoundingBox = keepsScene
        configuration.isDelightingEnabled = removesShading
        configuration.computeDevice = device
        configuration.computeAdapter = ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? ""
        configuration.threads = threads
        configuration.memoryBudget = memory.map { Int($0 * 1e9) }
        return configuration
    }

    /// Checks that the GPU of `--device gpu` exists, before any work.
    func checkDevice() throws {
        do {
            try configuration.checkDevice()
        } catch {
            throw CommandError(file: "--device \(device.rawValue)", reason: describe(error))
        }
    }

    func detail(of output: Int) -> Detail { details.count > 1 ? details[output] : details.first ?? .reduced }

    var requests: [PhotogrammetrySession.Request] {
        var requests: [PhotogrammetrySession.Request] = [.poses, .bounds]
        if pointCloud != nil || report != nil { requests.append(.pointCloud) }
        for (index, output) in outputs.enumerated() {
            requests.append(.modelFile(url: URL(fileURLWithPath: output), detail: detail(of: index)))
        }
        return requests
    }
}

extension ReconstructSettings {
    static let summary = """
        Reconstructs a textured model of an object from a folder of 3 to 2000 photos (JPEG, PNG, WebP or HEIC) of any camera, or from a video, whose best frames it chooses. Skips other files of the folder with a warning.
        """

    static let examples = [
        "vitrine reconstruct photos -o vase.usdz",
        "vitrine reconstruct photos -o vase.glb --detail preview --report vase.html",
        "vitrine reconstruct vase.mp4 -o vase.glb --report vase.html",
        "vitrine reconstruct objects --batch -o 'models/{name}.usdz'",
        "vitrine reconstruct photos -o vase.usdz --detail full --checkpoint work",
        "vitrine reconstruct photos -o small.glb --detail preview -o large.usdz --detail medium",
        "vitrine reconstruct photos -o vase.obj --masks masks --scale size:0.31",
        "vitrine reconstruct photos --colmap sparse --poses poses.json",
    ]

    static let notes = """
        Take 20 to 60 photos, 10 to 20 degrees apart, in two or three rings at different heights. Keep the object sharp and the light constant.
        Film slowly, all around the object and at two or three heights, for 30 to 90 seconds. Videos need ffmpeg.
        --report advises how to improve the photos. With --checkpoint the same command resumes after it was stopped, even by kill -9.
        detail    triangles    texture   maps
        preview   < 25,000     1,024     diffuse, normal, occlusion
        reduced   < 50,000     2,048     diffuse, normal, occlusion
        medium    < 100,000    4,096     diffuse, normal, occlusion
        full      < 250,000    8,192     diffuse, normal, occlusion, roughness, displacement
        raw       < 30,000,000 8,192     diffuse
        Exit codes: 0 success, 1 failed or stopped, 2 invalid command line.
        """

    /// The extensions of models that can be written.
    static var formats: String { ModelFile.extensionList }

    static func parseDetail(_ text: String) throws(UsageError) -> Detail { try parseWord(text, Detail.allCases.map { ($0.rawValue, $0) }) }

    static var table: ArgumentTable<ReconstructSettings> {
        ArgumentTable(
            operands: ["PHOTOS"],
            sections: [
                OptionSection("output", outputOptions), OptionSection("detail", detailOptions), OptionSection("input", inputOptions),
                OptionSection("resources", resourceOptions),
            ])
    }

    private static var outputOptions: [CommandOption<ReconstructSettings>] {
        [
            CommandOption(
                "-o", "--output", value: "OUT", help: "The model to write: \(ModelFile.extensionList). Repeatable."
            ) {
                (settings, text) throws(UsageError) in settings.outputs.append(text)
            },
            CommandOption("--poses", value: "OUT.json", help: "Writes the pose, the intrinsics and the error of each photo.") {
                (settings, text) throws(UsageError) in settings.poses = text
            },
            CommandOption(
                "--transforms", value: "OUT.json", help: "Writes the cameras as transforms.json for radiance-field tools."
            ) {
                (settings, text) throws(UsageError) in settings.transforms = text
            },
            CommandOption("--colmap", value: "OUTDIR", help: "Writes cameras.txt, images.txt and points3D.txt in COLMAP's format.") {
                (settings, text) throws(UsageError) in settings.colmap = text
            },
            CommandOption("--point-cloud", value: "OUT.ply", help: "Writes the fused points.") {
                (settings, text) throws(UsageError) in settings.pointCloud = text
            },
            CommandOption(
                "--report", value: "OUT.html",
                help: "Writes an HTML report: used and skipped photos, coverage, cameras, images, times, advice."
            ) { (settings, text) throws(UsageError) in settings.report = text },
        ]
    }

    private static var detailOptions: [CommandOption<ReconstructSettings>] {
        [
            CommandOption(
                "--detail", value: "LEVEL",
                help: "preview, reduced, medium, full, raw or custom; see below. Give it once, or once for each output. Default: reduced."
            ) { (settings, text) throws(UsageError) in
                settings.details.append(try parseDetail(text))
            },
            CommandOption("--triangles", value: "N", help: "custom: the maximum number of triangles. Default: 100000.") {
                (settings, text) throws(UsageError) in
                settings.custom.maximumPolygonCount = try parseCount(text, in: 100...30_000_000)
                settings.describesCustom = true
            },
            CommandOption("--texture-size", value: "SIZE", help: "custom: 1k, 2k, 4k, 8k or 16k pixels per side. Default: 4k.") {
                (settings, text) throws(UsageError) in
                settings.custom.maximumTextureDimension = try parseWord(
                    text, [("1k", .oneK), ("2k", .twoK), ("4k", .fourK), ("8k", .eightK), ("16k", .sixteenK)])
                settings.describesCustom = true
            },
            CommandOption("--texture-format", value: "png|jpeg[:Q]", help: "custom: png, or jpeg with quality Q from 0 to 1 (default 0.9).")
            {
                (settings, text) throws(UsageError) in
                settings.custom.textureFormat = try parseTextureFormat(text)
                settings.describesCustom = true
            },
            CommandOption(
                "--maps", value: "LIST",
                help: "custom: any of diffuse, normal, occlusion, roughness, displacement, separated by commas; or all."
            ) { (settings, text) throws(UsageError) in
                settings.custom.outputTextureMaps = try parseMaps(text)
                settings.describesCustom = true
            },
        ]
    }

    private static var inputOptions: [CommandOption<ReconstructSettings>] {
        [
            CommandOption(
                "--masks", value: "DIR|auto|none",
                help:
                    "A folder with a mask of the same name for each photo (bright is the object); auto uses masks beside the photos, else segments the object; none uses no masks. Default: auto."
            ) { (settings, text) throws(UsageError) in
                settings.masks = text == "auto" ? .automatic : text == "none" ? .none : .folder(text)
            },
            CommandOption(
                "--frames", value: "N", help: "Video: the number of frames to use. Default: 40 to 120, one for about 6 degrees."
            ) { (settings, text) throws(UsageError) in settings.frameCount = try parseCount(text, in: 3...2000) },
            CommandOption("--time", value: "FROM-TO", help: "Video: uses this part only, in seconds: 2.5-40, or 10- to the end.") {
                (settings, text) throws(UsageError) in settings.timeRange = try parseTimeRange(text)
            },
            CommandOption("--cameras", value: "FILE", help: "Known cameras: JSON with K, R and t for each photo, or transforms.json.") {
                (settings, text) throws(UsageError) in settings.cameras = text
            },
            CommandOption(
                "--refine-cameras",
                help:
                    "Adjusts the cameras of --cameras to the photos: they may deviate by about 1 degree, 2 % of the distance to the object and 1 % of the focal length. Without it they are kept exactly."
            ) { $0.refinesCameras = true },
            CommandOption(
                "--order", value: "unordered|sequential", help: "sequential compares only consecutive photos. Default: unordered."
            ) {
                (settings, text) throws(UsageError) in
                settings.order = try parseWord(text, [("unordered", .unordered), ("sequential", .sequential)])
            },
            CommandOption(
                "--submap-photos", value: "N",
                help:
                    "Maps more than 2 N photos in submaps of about N, which are merged by their common points: for a job on many machines. Default: one map."
            ) { (settings, text) throws(UsageError) in settings.submapPhotoCount = try parseCount(text, in: 20...2000) },
            CommandOption(
                "--sensitivity", value: Configuration.FeatureSensitivity.allCases.map(\.rawValue).joined(separator: "|"),
                help: "high detects weaker features, for objects with little texture. Default: normal."
            ) {
                (settings, text) throws(UsageError) in
                settings.sensitivity = try parseWord(text, Configuration.FeatureSensitivity.allCases.map { ($0.rawValue, $0) })
            },
            CommandOption(
                "--scale", value: "HOW",
                help:
                    "auto (metres from depth maps or --cameras, else a longest side of 1), unit (a longest side of 1), size:METRES (the longest side) or photos:A,B,METRES (the distance between the cameras of two photos). Default: auto."
            ) { (settings, text) throws(UsageError) in settings.scale = try parseScale(text) },
            CommandOption(
                "--delight",
                help:
                    "Divides the photos' shading out of the base colour, so that the model can be relit. An estimate, for mostly matte objects; the file and the report state this."
            ) { $0.removesShading = true },
            CommandOption("--whole-scene", help: "Keeps the whole scene, not only the object.") { $0.keepsScene = true },
            CommandOption(
                "--batch",
                help:
                    "PHOTOS is a folder with a folder of photos, or a video, for each object. {name} in the paths of outputs is replaced by the object's name: -o 'models/{name}.glb'. An object that fails stops no other; the same command again makes only missing and changed objects."
            ) { $0.isBatch = true },
            CommandOption(
                "--summary", value: "OUT.html",
                help:
                    "--batch: the page with all results; OUT.json and OUT.jsonl are beside it. Default: batch.html in the folder of the outputs."
            ) { (settings, text) throws(UsageError) in settings.summary = text },
        ]
    }

    private static var resourceOptions: [CommandOption<ReconstructSettings>] {
        [
            CommandOption("--checkpoint", value: "DIR", help: "Saves finished stages in DIR and resumes from them.") {
                (settings, text) throws(UsageError) in settings.checkpoint = text
            },
            CommandOption(
                "--device", value: "auto|cpu|gpu",
                help:
                    "Matches features and estimates depth on the processor or on a GPU ($VITRINE_ADAPTER selects one of several); auto uses a GPU unless it is a software renderer, and the processor if it fails. Matches are the same, depths differ by rounding. Default: cpu, with the same bytes on every machine."
            ) { (settings, text) throws(UsageError) in
                settings.device = try parseWord(text, Configuration.ComputeDevice.allCases.map { ($0.rawValue, $0) })
            },
            CommandOption("--threads", value: "N", help: "Number of threads. Default: one per processor core.") {
                (settings, text) throws(UsageError) in
                settings.threads = try parseCount(text, in: 1...1024)
            },
            CommandOption(
                "--memory", value: "GB", help: "Memory limit; scales photos down to stay below it. Default: half of the machine's memory."
            ) {
                (settings, text) throws(UsageError) in settings.memory = Double(try parseNumber(text, in: 0.3...10_000))
            },
            CommandOption("--json", help: "Prints events and the result as JSON, one object per line.") { $0.isJSON = true },
        ]
    }
}

private func parseTextureFormat(
    _ text: String
) throws(UsageError) -> PhotogrammetrySession.Configuration.CustomDetailSpecification.TextureFormat {
    if text == "png" { return .png }
    let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pieces[0] == "jpeg" || pieces[0] == "jpg", pieces.count <= 2 else {
        throw UsageError("'\(text)' is not png or jpeg[:QUALITY]")
    }
    return .jpeg(compressionQuality: pieces.count == 2 ? try parseNumber(String(pieces[1]), in: 0...1) : 0.9)
}

/// Parses a range of seconds in the form `2.5-40`, `10-` or `-40`.
func parseTimeRange(_ text: String) throws(UsageError) -> ClosedRange<Double> {
    let pieces = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 2, pieces != ["", ""] else { throw UsageError("'\(text)' is not FROM-TO in seconds, such as 2.5-40") }
    let from = pieces[0].isEmpty ? 0 : Double(try parseNumber(pieces[0]))
    let to = pieces[1].isEmpty ? Double.greatestFiniteMagnitude : Double(try parseNumber(pieces[1]))
    guard from >= 0, from < to else { throw UsageError("'\(text)' contains no time: FROM must be less than TO") }
    return from...to
}

private func parseMaps(
    _ text: String
) throws(UsageError) -> PhotogrammetrySession.Configuration.CustomDetailSpecification.OutputTextureMaps {
    typealias Maps = PhotogrammetrySession.Configuration.CustomDetailSpecification.OutputTextureMaps
    let words: [(String, Maps)] = [
        ("diffuse", .diffuseColor), ("normal", .normal), ("occlusion", .ambientOcclusion), ("roughness", .roughness),
        ("displacement", .displacement), ("all", .all),
    ]
    var maps: Maps = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) { maps.formUnion(try parseWord(String(piece), words)) }
    return maps
}

private func parseScale(_ text: String) throws(UsageError) -> PhotogrammetrySession.Configuration.Scale {
    if text == "auto" { return .automatic }
    if text == "unit" { return .unit }
    if text.hasPrefix("size:") { return .size(Double(try parseNumber(String(text.dropFirst(5)), in: 1e-4...1e5))) }
    let pieces = text.hasPrefix("photos:") ? text.dropFirst(7).split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
    guard pieces.count == 3 else { throw UsageError("'\(text)' is not auto, unit, size:METRES or photos:A,B,METRES") }
    return .baseline(pieces[0], pieces[1], Double(try parseNumber(pieces[2], in: 1e-4...1e5)))
}
