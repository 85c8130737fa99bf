import Vitrine
import VitrineBake

/// The options of `vitrine bake`.
struct BakeSettings {
    var output: String?
    var options = LightBake.Options()
    var look = LookSettings()
    var isJSON = false
}

extension BakeSettings {
    static let summary = """
        Bakes occlusion or light into textures of MODEL by path tracing and writes the model with them as OUT, a .glb or .gltf.
        An occlusion map stores which share of the sky each point of the surfaces sees: creases, contacts and rooms get darker, in any light
        and in any viewer of glTF. A light map stores the light itself: soft shadows of the environment and light that surfaces reflect to each
        other, with its colors, for the environment of the bake. An irradiance volume stores this light on a grid of probes, for models that move
        between the surfaces with light maps. Frames and web pages of Vitrine show both; others may ignore them.
        Writes OUT completely or not at all.
        """

    static var table: ArgumentTable<BakeSettings> {
        ArgumentTable(
            operands: ["MODEL"],
            sections: [OptionSection("output", outputOptions), OptionSection("quality", qualityOptions)] + lookSections)
    }

    private static var outputOptions: [CommandOption<BakeSettings>] {
        [
            CommandOption("-o", "--output", value: "OUT", help: "The model to write: .glb or .gltf.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption(
                "--maps", value: "LIST",
                help:
                    "The maps to bake, separated by commas: occlusion, light, irradiance-volume. With occlusion and light, diffuse light comes from the light map, and occlusion weakens reflections. Replaces maps of the same kind in the model. Default: occlusion."
            ) { (settings, text) throws(UsageError) in
                settings.options.maps = []
                for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                    settings.options.maps.insert(
                        try parseWord(
                            String(word), [("occlusion", .occlusion), ("light", .light), ("irradiance-volume", .irradianceVolume)]))
                }
            },
            CommandOption(
                "--bake-lights",
                help:
                    "Adds the direct light of the model's lights to the light map and the irradiance volume, with their shadows, and writes OUT without lights: fast, but without their highlights. By default OUT keeps its lights, and only their reflected light is baked."
            ) { $0.options.bakesLights = true },
            CommandOption("--json", help: "Prints a report as JSON.") { $0.isJSON = true },
        ]
    }

    private static var qualityOptions: [CommandOption<BakeSettings>] {
        [
            CommandOption(
                "--size", value: "PIXELS",
                help:
                    "Width and height of the texture, a power of two from 64 to 8192. All meshes share it; four times as many pixels take four times as long. Default: 1024."
            ) { (settings, text) throws(UsageError) in
                let size = try parseCount(text, in: 64...8192)
                guard size.nonzeroBitCount == 1 else { throw UsageError("'\(text)' is not a power of two from 64 to 8192") }
                settings.options.size = size
            },
            CommandOption(
                "--samples", value: "N",
                help:
                    "Paths for each pixel of the texture, and for each of the 12 directions of a probe; four times as many halve the noise. Default: 128."
            ) {
                (settings, text) throws(UsageError) in settings.options.samples = try parseCount(text, in: 1...65_536)
            },
            CommandOption(
                "--probe-spacing", value: "METERS",
                help:
                    "The distance between the probes of an irradiance volume, at most 64 along each side. Light passes through walls that are thinner than half of it. Default: a sixteenth of the longest side."
            ) { (settings, text) throws(UsageError) in
                settings.options.probeSpacing = try parseNumber(text, in: 0.001...10_000)
            },
            CommandOption(
                "--no-denoise", help: "Keeps the noise. By default it is removed along the surface, guided by its positions and normals."
            ) {
                $0.options.isDenoised = false
            },
            CommandOption("--threads", value: "N", help: "Threads; the result does not depend on it. Default: one per processor core.") {
                (settings, text) throws(UsageError) in settings.options.threads = try parseCount(text, in: 1...1024)
            },
        ]
    }

    /// The options of `render` for the light and the pose of the model.
    private static var lookSections: [OptionSection<BakeSettings>] {
        let names: Set = [
            "--environment", "--environment-rotation", "--environment-intensity", "--animation", "--time", "--variant", "--usd-variant",
            "--allow-folder", "--strict",
        ]
        return LookSettings.sections.map { section in
            OptionSection(section.title, section.options.filter { names.contains($0.names[0]) }).within(\.look)
        }
    }

    func validate() throws(UsageError) {
        guard let output, !output.isEmpty else { throw UsageError("-o OUT is missing: name the model to write") }
        let storesLight = !options.maps.isDisjoint(with: [.light, .irradianceVolume])
        guard storesLight || !options.bakesLights else {
            throw UsageError("--bake-lights requires --maps light or --maps irradiance-volume")
        }
        guard options.maps.contains(.irradianceVolume) || options.probeSpacing == nil else {
            throw UsageError("--probe-spacing requires --maps irradiance-volume")
        }
        guard storesLight || !hasLight else {
            throw UsageError("occlusion does not depend on the environment: add --maps light, or remove --environment")
        }
        guard ["glb", "gltf"].contains(output.pathExtension.lowercased()) else {
            throw UsageError("'\(output)': OUT must end in .glb or .gltf")
        }
    }

    /// Whether an option of the environment was given.
    private var hasLight: Bool { look.environment != nil || look.environmentRotation != .zero || look.environmentIntensity != 1 }

    static let examples = [
        "vitrine bake chair.glb -o baked.glb",
        "# A room in the light of its windows: bake and render with the same environment",
        "vitrine bake room.gltf -o room.glb --maps occlusion,light --environment sky.hdr --size 2048 --samples 256",
        "vitrine render room.glb -o room.png --environment sky.hdr",
        "# The same with light for the models that move through the room",
        "vitrine bake room.gltf -o room.glb --maps light,irradiance-volume --environment sky.hdr",
        "# Smaller textures for the web",
        "vitrine optimize baked.glb -o small.glb --texture-format webp",
    ]

    static let notes = """
        Maps go to static, opaque surfaces; moving and transparent ones cast their occlusion in the pose of --time. A mesh that several nodes
        share is written once for each node. Bake last: simplifying a mesh afterwards moves its texture.
        """
}
