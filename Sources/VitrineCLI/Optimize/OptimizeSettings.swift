import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine optimize`.
struct OptimizeSettings {
    var output: String?
    var options = OptimizeOptions()
    /// Whether `--simplify-error` was given; a ratio without it raises the bound.
    var hasError = false
    var isStrict = false
    var isJSON = false
    /// The USD variants to select, by variant set.
    var variants: [String: String] = [:]
    /// Folders in addition to the model's own.
    var allowedFolders: [URL] = []
    /// The error bound for a ratio without `--simplify-error`.
    static let errorWithRatio: Float = 0.01
}

extension OptimizeSettings {
    static let summary = """
        Makes MODEL smaller and faster to render and writes it as OUT: merges equal data, removes unused data, joins meshes of equal
        material, simplifies surfaces within an error bound, and scales textures down. The defaults keep the rendered image. Prints a table
        of what each step saves. Keeps skins, morph targets, animations, variants and texture transforms. Supports the same formats as
        'vitrine convert'. Writes OUT completely or not at all.
        """

    static var table: ArgumentTable<OptimizeSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            sections: [
                OptionSection("output", outputOptions), OptionSection("geometry", geometryOptions),
                OptionSection("textures", textureOptions), OptionSection("steps", stepOptions),
            ])
    }

    private static var outputOptions: [CommandOption<OptimizeSettings>] {
        [
            CommandOption(
                "-o", "--output", value: "OUT",
                help: "The model to write: " + ModelFile.extensions.map { ".\($0)" }.joined(separator: " ") + "."
            ) { (settings, text) throws(UsageError) in settings.output = text },
            CommandOption(
                "--compress", value: "HOW",
                help:
                    "Compresses meshes of a .glb or .gltf: draco (smallest), meshopt (fast to decode, animations too), none. The reader of OUT must support it. Default: none."
            ) { (settings, text) throws(UsageError) in
                settings.options.compression = try parseWord(text, [("none", .none), ("draco", .draco), ("meshopt", .meshopt)])
            },
            CommandOption(
                "--instances",
                help: "Writes nodes that share a mesh as instances (EXT_mesh_gpu_instancing), in a .glb or .gltf, without their names."
            ) { $0.options.writesInstances = true },
            CommandOption(
                "--keep-names", help: "Keeps named nodes, meshes and materials, and the hierarchy, for programs that access them by name."
            ) {
                $0.options.keepsNames = true
            },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
            CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
            CommandOption("--strict", help: "Fails without writing a file if there are any warnings.") {
                $0.isStrict = true
            },
            CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
        ]
    }

    private static var geometryOptions: [CommandOption<OptimizeSettings>] {
        [
            CommandOption(
                "--simplify-error", value: "E",
                help:
                    "Maximum deviation of a surface, relative to the size of its mesh: 0.001 is 1 mm for a mesh of 1 m. Default: 0.0001, or 0.01 with --simplify-ratio."
            ) { (settings, text) throws(UsageError) in
                settings.options.simplifyError = try parseNumber(text, in: 0...1)
                settings.hasError = true
            },
            CommandOption(
                "--simplify-ratio", value: "R",
                help:
                    "Fraction of triangles to keep, 0 to 1, within the error bound. Default: 0, as few as the bound allows. Meshes with skins or morph targets are simplified only if R is given."
            ) { (settings, text) throws(UsageError) in settings.options.simplifyRatio = try parseNumber(text, in: 0...1) },
            CommandOption(
                "--simplify-lock-borders", help: "Keeps vertices on open borders in place, so that no gaps appear between adjacent meshes."
            ) {
                $0.options.locksBorders = true
            },
        ]
    }

    private static var textureOptions: [CommandOption<OptimizeSettings>] {
        [
            CommandOption("--texture-size", value: "PIXELS", help: "Scales larger textures down to this longest side. Default: 2048.") {
                (settings, text) throws(UsageError) in settings.options.textureSide = try parseCount(text, in: 1...16_384)
            },
            CommandOption(
                "--texture-format", value: "KIND",
                help:
                    "keep (recompresses PNG, keeps JPEG), jpeg (for colours without alpha), webp (smallest; .glb and .gltf only) or png (lossless). Default: keep."
            ) { (settings, text) throws(UsageError) in
                settings.options.textureFormat = try parseWord(
                    text, OptimizeOptions.TextureFormat.allCases.map { ($0.rawValue, $0) })
            },
            CommandOption("--texture-quality", value: "Q", help: "Quality of JPEG and WebP, 1 to 100. Default: 90.") {
                (settings, text) throws(UsageError) in settings.options.textureQuality = try parseCount(text, in: 1...100)
            },
            CommandOption(
                "--texture-lossy-data",
                help: "Also allows lossy compression of normal, roughness, metalness and occlusion maps. Default: lossless."
            ) { $0.options.allowsLossyData = true },
        ]
    }

    /// A switch for each step. Compression has its own option.
    private static var stepOptions: [CommandOption<OptimizeSettings>] {
        OptimizeStep.allCases.filter { $0 != .compress }.map { step in
            CommandOption("--no-\(step.rawValue)", help: "Skips: \(step.explanation)") { $0.options.steps.remove(step) }
        }
    }

    static let examples = [
        "vitrine optimize car.glb -o small.glb",
        "# For the web: WebP textures of 1024 pixels, meshopt",
        "vitrine optimize car.glb -o web.glb --texture-size 1024 --texture-format webp --compress meshopt",
        "# A quarter of the triangles, moved by at most 1 % of the size",
        "vitrine optimize scan.obj -o scan.glb --simplify-ratio 0.25 --simplify-error 0.01",
        "# Only merge and remove data; keep geometry and textures unchanged",
        "vitrine optimize part.glb -o lean.glb --no-simplify --no-textures --keep-names",
    ]

    static let notes = """
        Steps run in this order: \(OptimizeStep.allCases.map(\.rawValue).joined(separator: ", ")). Exit codes: 0 success, 1 failure, 2 invalid command line.
        """
}

extension OptimizeStep {
    /// The description of the step in the help.
    fileprivate var explanation: String {
        switch self {
        case .deduplicate: "merging equal textures, materials, geometries and meshes."
        case .prune: "removing unused vertex attributes, textures of one colour and empty nodes."
        case .flatten: "moving nodes without animation to the top of the hierarchy."
        case .join: "merging meshes of equal material. Transparent meshes are not merged."
        case .weld: "merging equal vertices and removing unused ones."
        case .simplify: "collapsing edges within --simplify-error."
        case .reorder: "ordering triangles and vertices for GPU caches and compression."
        case .resample: "removing key frames that interpolation reproduces."
        case .textures: "scaling and encoding textures."
        case .compress: "compression."
        }
    }
}
