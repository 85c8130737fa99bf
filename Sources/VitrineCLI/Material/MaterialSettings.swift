import Vitrine

/// The options of `vitrine material`.
struct MaterialSettings {
    var output = ""
    var recipe = ImageMaterialRecipe()
    var isJSON = false
}

extension MaterialSettings {
    static let summary = """
        Creates a material from one image: its colors, metalness derived from them (bright areas become metal), sparkle from seeded noise,
        and one roughness. Writes the maps as PNG files into the folder OUT, or a card of the image's shape with the material as a model.
        """
    static let examples = [
        "vitrine material front.png -o card.glb", "vitrine material front.png -o maps --metalness-intensity 0.4 --sparkle 0.05 --json",
        "vitrine material label.jpg -o label.usdz --roughness 0.15 --seed 7",
    ]
    static let notes = """
        Metalness is computed from the stored values of the image: gray (0.2126 R + 0.7152 G + 0.0722 B), contrast, and a tone curve that
        maps white to 0.9. metalness.png stores it without the intensity, which is a factor of the material like roughness and the strength
        of the sparkle: the model file has all three, and --json prints them. The maps are linear data; base-color.png is sRGB. Normals
        have +y up. The same input gives the same bytes.
        """

    static let table = ArgumentTable<MaterialSettings>(
        operands: ["IMAGE"],
        options: [
            CommandOption("-o", "--output", value: "OUT", help: "A folder, or a model file such as .glb or .usdz. Required.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--roughness", value: "NUMBER", help: "Roughness, 0 (mirror) to 1 (matte). Default: 0.35.") {
                (settings, text) throws(UsageError) in settings.recipe.roughness = try parseNumber(text, in: 0...1)
            },
            CommandOption("--metalness-intensity", value: "NUMBER", help: "Factor of the derived metalness, 0 to 1. Default: 0.6.") {
                (settings, text) throws(UsageError) in settings.recipe.metalnessIntensity = try parseNumber(text, in: 0...1)
            },
            CommandOption("--contrast", value: "NUMBER", help: "Contrast of the grey values before metalness, 0 to 100. Default: 2.") {
                (settings, text) throws(UsageError) in settings.recipe.contrast = try parseNumber(text, in: 0...100)
            },
            CommandOption("--sparkle", value: "NUMBER", help: "Strength of the noise in the normal map, 0 (none) to 1. Default: 0.15.") {
                (settings, text) throws(UsageError) in settings.recipe.sparkle = try parseNumber(text, in: 0...1)
            },
            CommandOption("--sparkle-size", value: "PIXELS", help: "Size of the normal map in pixels, 4 to 4096. Default: 1024.") {
                (settings, text) throws(UsageError) in settings.recipe.sparkleSize = try parseCount(text, in: 4...4096)
            },
            CommandOption("--seed", value: "N", help: "Seed of the noise. Default: 0.") {
                (settings, text) throws(UsageError) in settings.recipe.seed = UInt64(try parseCount(text, in: 0...Int.max))
            },
            CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
        ])
}
