import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of `vitrine convert`.
struct ConvertSettings {
    /// The axis of a model that points up.
    enum UpAxis: String, CaseIterable {
        case x, y, z
        case minusX = "-x"
        case minusY = "-y"
        case minusZ = "-z"

        var direction: Vector3 {
            switch self {
            case .x: Vector3(1, 0, 0)
            case .y: Vector3(0, 1, 0)
            case .z: Vector3(0, 0, 1)
            case .minusX: Vector3(-1, 0, 0)
            case .minusY: Vector3(0, -1, 0)
            case .minusZ: Vector3(0, 0, -1)
            }
        }
    }

    /// nil to keep PNG and JPEG images unchanged.
    var textures: ModelWriteOptions.TextureFormat?
    var compression = ModelWriteOptions.Compression.none
    var writesInstances = false
    var up = UpAxis.y
    var outputUp = UpAxis.y
    var scale: Float = 1
    var isStrict = false
    /// The USD variants to select, by variant set.
    var variants: [String: String] = [:]
    var allowedFolders: [URL] = []
    var isJSON = false
}

extension ConvertSettings {
    static let summary = """
        Converts the model IN to the format of OUT's extension. Prints a warning for everything that the format cannot store.
        Writes OUT completely or not at all.
        """

    static var table: ArgumentTable<ConvertSettings> {
        ArgumentTable(
            operands: ["IN", "OUT"],
            sections: [
                OptionSection("input", inputOptions), OptionSection("output", outputOptions), OptionSection("report", reportOptions),
            ])
    }

    private static var inputOptions: [CommandOption<ConvertSettings>] {
        [
            CommandOption(
                "--up", value: "AXIS",
                help: "The axis of IN that points up: x, y, z, -x, -y, -z. Default: y. For formats that do not define it: OBJ, PLY, STL."
            ) { (settings, text) throws(UsageError) in settings.up = try parseAxis(text) },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
            CommandOption.allowFolder { (settings, folder) in settings.allowedFolders.append(folder) },
        ]
    }

    private static var outputOptions: [CommandOption<ConvertSettings>] {
        [
            CommandOption(
                "--textures", value: "KIND",
                help: "Re-encodes every texture: png, or jpeg:QUALITY with 1 to 100 (images with alpha become PNG). Default: keeps PNG and "
                    + "JPEG files unchanged and converts other formats to PNG."
            ) { (settings, text) throws(UsageError) in settings.textures = try parseTextures(text) },
            CommandOption(
                "--compress", value: "HOW",
                help:
                    "Compresses the meshes of a .glb or .gltf: draco (smallest; 14-bit positions), meshopt (fast to decode; 16-bit positions), "
                    + "or none. Default: none."
            ) { (settings, text) throws(UsageError) in
                settings.compression = try parseWord(text, [("none", .none), ("draco", .draco), ("meshopt", .meshopt)])
            },
            CommandOption(
                "--instances",
                help: "Writes nodes with the same mesh as instances (EXT_mesh_gpu_instancing) in a .glb or .gltf, without their names."
            ) { $0.writesInstances = true },
            CommandOption("--output-up", value: "AXIS", help: "The axis of OUT that points up. Default: y. Most 3D printers use z.") {
                (settings, text) throws(UsageError) in settings.outputUp = try parseAxis(text)
            },
            CommandOption(
                "--scale", value: "FACTOR", help: "Scales the model, for example by 0.001 from millimetres to metres. Default: 1."
            ) {
                (settings, text) throws(UsageError) in settings.scale = try parseNumber(text, in: 1e-6...1e6)
            },
        ]
    }

    private static var reportOptions: [CommandOption<ConvertSettings>] {
        [
            CommandOption("--strict", help: "Fails without writing a file if there are any warnings.") {
                $0.isStrict = true
            },
            CommandOption("--json", help: "Prints a report as JSON: files, counts, warnings.") { $0.isJSON = true },
        ]
    }

    private static func parseAxis(_ text: String) throws(UsageError) -> UpAxis {
        try parseWord(text.lowercased(), UpAxis.allCases.map { ($0.rawValue, $0) })
    }

    private static func parseTextures(_ text: String) throws(UsageError) -> ModelWriteOptions.TextureFormat {
        if text == "png" { return .png }
        guard text.hasPrefix("jpeg:") || text.hasPrefix("jpg:") else { throw UsageError("'\(text)' is not png or jpeg:QUALITY") }
        return .jpeg(quality: try parseCount(String(text.drop { $0 != ":" }.dropFirst()), in: 1...100))
    }

    static let examples = [
        "vitrine convert chair.dae chair.usdz",
        "vitrine convert helmet.gltf helmet.glb --textures jpeg:85",
        "vitrine convert helmet.glb small.glb --compress draco --textures jpeg:80",
        "vitrine convert part.stl part.glb --up z --scale 0.001",
    ]

    static var notes: String {
        let read = ModelFormat.allCases.filter(\.isSupported).map(\.displayName).joined(separator: ", ")
        let written = ModelFile.extensions.map { ".\($0)" }.joined(separator: " ")
        return wrap("Input formats, detected by content: \(read).", width: 100).joined(separator: "\n") + "\n"
            + wrap("Output formats, by extension: \(written).", width: 100).joined(separator: "\n")
    }
}
