import Vitrine

/// What `vitrine convert` was asked to do.
struct ConvertSettings {
    /// Which axis of a model points up.
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

    /// nil: pictures that are PNG or JPEG stay as they are.
    var textures: ModelWriteOptions.TextureFormat?
    var compression = ModelWriteOptions.Compression.none
    var writesInstances = false
    var up = UpAxis.y
    var outputUp = UpAxis.y
    var scale: Float = 1
    var isStrict = false
    /// Of USD: by set, the variant to take.
    var variants: [String: String] = [:]
    var isJSON = false
}

extension ConvertSettings {
    static let summary = """
        Reads the model IN and writes it as OUT, in the format that OUT's name ends in. What a format can't hold is left out, and a warning
        on standard error says so. OUT appears when it is whole, or not at all.
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
                help: "The axis of IN that points up: x, y, z, -x, -y, -z. Default y. For OBJ, PLY and STL, whose files do not say."
            ) { (settings, text) throws(UsageError) in settings.up = try parseAxis(text) },
            CommandOption.usdVariant { (settings, set, choice) in settings.variants[set] = choice },
        ]
    }

    private static var outputOptions: [CommandOption<ConvertSettings>] {
        [
            CommandOption(
                "--textures", value: "KIND",
                help: "Re-encodes every texture: png, or jpeg:QUALITY with 1 to 100 (images with alpha become PNG). Without it, PNG and "
                    + "JPEG files are kept byte for byte; other formats become PNG."
            ) { (settings, text) throws(UsageError) in settings.textures = try parseTextures(text) },
            CommandOption(
                "--compress", value: "HOW",
                help:
                    "Compresses the meshes of a .glb or .gltf: draco (smallest; rounds positions to 14 bits), meshopt (fast to read; 16 bits), "
                    + "or none, the default."
            ) { (settings, text) throws(UsageError) in
                settings.compression = try parseWord(text, [("none", .none), ("draco", .draco), ("meshopt", .meshopt)])
            },
            CommandOption(
                "--instances",
                help: "Writes nodes that share a mesh as instances, in a .glb or .gltf; their names are lost."
            ) { $0.writesInstances = true },
            CommandOption("--output-up", value: "AXIS", help: "The axis that points up in OUT. Default y; z for most 3D printers.") {
                (settings, text) throws(UsageError) in settings.outputUp = try parseAxis(text)
            },
            CommandOption("--scale", value: "FACTOR", help: "Scales the model: 0.001 for a file in millimetres.") {
                (settings, text) throws(UsageError) in settings.scale = try parseNumber(text, in: 1e-6...1e6)
            },
        ]
    }

    private static var reportOptions: [CommandOption<ConvertSettings>] {
        [
            CommandOption("--strict", help: "Fails and writes nothing if anything would be repaired, left out or changed.") {
                $0.isStrict = true
            },
            CommandOption("--json", help: "Prints a report as JSON: what was read, written and left out.") { $0.isJSON = true },
        ]
    }

    private static func parseAxis(_ text: String) throws(UsageError) -> UpAxis {
        try parseWord(text.lowercased(), UpAxis.allCases.map { ($0.rawValue, $0) })
    }

    private static func parseTextures(_ text: String) throws(UsageError) -> ModelWriteOptions.TextureFormat {
        if text == "png" { return .png }
        guard text.hasPrefix("jpeg:") || text.hasPrefix("jpg:") else { throw UsageError("'\(text)' is neither png nor jpeg:QUALITY") }
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
        return wrap("Read, told by the first bytes: \(read).", width: 100).joined(separator: "\n") + "\n"
            + wrap("Written, told by the name: \(written).", width: 100).joined(separator: "\n")
    }
}
