import Vitrine

/// What `vitrine material` was asked to do.
struct MaterialSettings {
    var output = ""
    var recipe = ImageMaterialRecipe()
    var isJSON = false
}

extension MaterialSettings {
    static let summary = """
        Makes a material from one picture: its colours, metalness derived from them (what is bright shines like metal), sparkle from seeded
        noise, one roughness. OUT is a folder for the maps as PNG, or a model file: then a card of the picture's shape wears the material.
        """
    static let examples = [
        "vitrine material front.png -o card.glb", "vitrine material front.png -o maps --metalness-intensity 0.4 --sparkle 0.05 --json",
        "vitrine material label.jpg -o label.usdz --roughness 0.15 --seed 7",
    ]
    static let notes = """
        How metalness comes about, on the values that the picture stores: grey (0.2126 R + 0.7152 G + 0.0722 B), more contrast, and a tone
        curve that pulls white to 0.9. metalness.png holds it before the intensity, which is a factor of the material, as roughness and the
        strength of sparkle are: the model file has all three, and --json prints them. The maps are data, without a transfer function;
        base-color.png is sRGB. Normals have +y up. The same picture and numbers give the same bytes.
        """

    static let table = ArgumentTable<MaterialSettings>(
        operands: ["IMAGE"],
        options: [
            CommandOption("-o", "--output", value: "OUT", help: "A folder, or a model file (.glb, .usdz …). Needed.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--roughness", value: "NUMBER", help: "0 mirror to 1 dull; 0.35 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.roughness = try parseNumber(text, in: 0...1)
            },
            CommandOption("--metalness-intensity", value: "NUMBER", help: "Multiplies the derived metalness, 0 to 1; 0.6 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.metalnessIntensity = try parseNumber(text, in: 0...1)
            },
            CommandOption("--contrast", value: "NUMBER", help: "Of the greys that metalness is made from, 0 to 100; 2 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.contrast = try parseNumber(text, in: 0...100)
            },
            CommandOption("--sparkle", value: "NUMBER", help: "Strength of the noise normals, 0 (none) to 1; 0.15 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.sparkle = try parseNumber(text, in: 0...1)
            },
            CommandOption("--sparkle-size", value: "PIXELS", help: "Side of the noise, 4 to 4096; 1024 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.sparkleSize = try parseCount(text, in: 4...4096)
            },
            CommandOption("--seed", value: "N", help: "Another number, another noise; 0 by default.") {
                (settings, text) throws(UsageError) in settings.recipe.seed = UInt64(try parseCount(text, in: 0...Int.max))
            },
            CommandOption("--json", help: "Prints what was written as JSON.") { $0.isJSON = true },
        ])
}
