import Vitrine

/// The options of `vitrine effect`.
struct EffectSettings {
    var output = ""
    var effects: [EffectRequest] = []
    /// The shader file of the functions that follow; nil for the built-in library.
    var shaderFile: String?
    /// Seconds; nil for 0, or for `EffectJob.stillTime` in a single image with a built-in effect at its default time.
    var time: Float?
    var frames: Int?
    var framesPerSecond: Float = 30
    /// Pixels per point.
    var scale: Float = 1
    var adapter: String?
    var isListing = false
    var isJSON = false

    /// Changes the last effect of the command line.
    fileprivate mutating func change(_ body: (inout EffectRequest) throws(UsageError) -> Void) throws(UsageError) {
        guard !effects.isEmpty else { throw UsageError("must follow the --function that it applies to") }
        try body(&effects[effects.count - 1])
    }
}

/// One effect of the command line.
struct EffectRequest {
    var shaderFile: String?
    var function: String
    /// nil to derive it from the function's parameters.
    var kind: ShaderEffect.Kind?
    var arguments: [EffectArgument] = []
    /// The largest sample offset in points.
    var maxSampleOffset = Vector2.zero
    /// nil for the working space of the shader file.
    var workingSpace: ShaderEffect.WorkingSpace?
}

extension EffectSettings {
    static let summary = """
        Applies effects to IMAGE: WGSL functions, built-in or custom, that change colors, move content or sample the image.
        """
    static let examples = [
        "vitrine effect photo.jpg --function grayscale --arg float:1 -o grey.png",
        "# A built-in effect; the same with its arguments, as 30 images",
        "vitrine effect button.png --function ripple -o ripple.png",
        "vitrine effect button.png --function ripple --arg float2:120,40 --arg time --arg float:2 --arg float:4 --arg float:10 --arg float:800 "
            + "--arg float:1 --max-sample-offset 2,2 --frames 30 -o frames",
        "vitrine effect photo.jpg --shader mine.wgsl --function stripes --arg float:12 --arg color:#ff8800 -o striped.png",
        "vitrine effect --shader mine.wgsl --list",
    ]
    static let notes = """
        A complete effect, mine.wgsl: stripes of `width` points in one color.

          fn stripes(position: vec2f, color: vec4f, width: f32, tint: vec4f) -> vec4f {
              return select(color, tint * color.a, fract(position.x / width) < 0.5);
          }

        The signature of a function determines its kind. Its own parameters follow; each takes one --arg, in order:

          color       fn f(position: vec2f, color: vec4f, …) -> vec4f    a new color for each pixel
          distortion  fn f(position: vec2f, …) -> vec2f                  the position at which to sample a pixel's colour
          layer       fn f(position: vec2f, layer: Layer, …) -> vec4f    calls sampleLayer(layer, p) any number of times

          --arg float:0.5                            f32         --arg boundingRect              vec4f: x, y, width, height
          --arg float2:10,20 (float3:, float4:)      vec2f …     --arg floatArray:1,2,3          FloatArray: floatAt(a, i), a.count
          --arg color:#ff8800 (or #ff880080)         vec4f       --arg colorArray:#f00000,#00f000 ColorArray: colorAt(a, i)
          --arg image:FILE                           Image       --arg data:FILE                 Data: byteAt(d, i), wordAt(d, i)
          --arg time (or time*2)                     f32: seconds from --time, plus 1 / --fps for each frame

        Positions are points from the upper left corner: pixels / --scale. Colors are sRGB-encoded with premultiplied alpha, as in SwiftUI; for
        linear light, write the comment '// working-space: linear' into FILE.wgsl, or pass --working-space linear. Several --function options
        apply several effects in order. --shader precedes its --function; --kind, --arg, --max-sample-offset and --working-space follow it.
        Errors start with FILE.wgsl:LINE:COLUMN. docs/effects.md is the full reference.
        """

    static let table = ArgumentTable<EffectSettings>(operands: ["IMAGE"], sections: sections)
    /// Listing needs no image.
    static let listing = ArgumentTable<EffectSettings>(operands: [], sections: sections)

    private static let sections: [OptionSection<EffectSettings>] = [
        OptionSection(
            "output",
            [
                CommandOption(
                    "-o", "--output", value: "OUT",
                    help: "The image to write: .png, .jpg, .hdr or .exr. With --frames, a folder, or OUT.png for OUT-000.png …"
                ) {
                    (settings, text) throws(UsageError) in settings.output = text
                },
                CommandOption("--frames", value: "N", help: "Renders N numbered images, 1 to 100000.") {
                    (settings, text) throws(UsageError) in
                    settings.frames = try parseCount(text, in: 1...100_000)
                },
                CommandOption("--fps", value: "RATE", help: "Frames per second. Default: 30.") { (settings, text) throws(UsageError) in
                    settings.framesPerSecond = try parseNumber(text, in: 0.001...10_000)
                },
                CommandOption("--scale", value: "NUMBER", help: "Pixels of IMAGE per point, 0.01 to 100. Default: 1.") {
                    (settings, text) throws(UsageError) in settings.scale = try parseNumber(text, in: 0.01...100)
                },
                CommandOption("--json", help: "Prints the report, or the list, as JSON.") { $0.isJSON = true },
            ]),
        OptionSection(
            "effect",
            [
                CommandOption(
                    "--shader", value: "FILE",
                    help: "The WGSL file of the --function options that follow; 'default' is the built-in library."
                ) { (settings, text) throws(UsageError) in settings.shaderFile = text == "default" ? nil : text },
                CommandOption("--function", value: "NAME", help: "Adds an effect.") { (settings, text) throws(UsageError) in
                    settings.effects.append(EffectRequest(shaderFile: settings.shaderFile, function: text))
                },
                CommandOption("--kind", value: "KIND", help: "color, distortion or layer. Default: from the function's signature.") {
                    (settings, text) throws(UsageError) in
                    let kind = try parseWord(text, [("color", ShaderEffect.Kind.color), ("distortion", .distortion), ("layer", .layer)])
                    try settings.change { $0.kind = kind }
                },
                CommandOption(
                    "--arg", value: "KIND:VALUE",
                    help: "The function's next argument; see below. Parameters of built-in functions have defaults."
                ) {
                    (settings, text) throws(UsageError) in
                    let argument = try EffectArgument(text)
                    try settings.change { $0.arguments.append(argument) }
                },
                CommandOption(
                    "--max-sample-offset", value: "X,Y",
                    help: "Distance in points by which the effect may extend beyond the image. The output grows by it."
                ) { (settings, text) throws(UsageError) in
                    let numbers = try parseNumbers(text, count: 2, as: "X,Y, such as 2,2")
                    try settings.change { $0.maxSampleOffset = Vector2(numbers[0], numbers[1]) }
                },
                CommandOption(
                    "--working-space", value: "SPACE",
                    help: "sRGB or linear: the encoding of the function's colours. Default: that of FILE, else sRGB."
                ) { (settings, text) throws(UsageError) in
                    let word = text.lowercased() == "srgb" ? "sRGB" : text
                    let space = try parseWord(word, [("sRGB", ShaderEffect.WorkingSpace.sRGB), ("linear", .linear)])
                    try settings.change { $0.workingSpace = space }
                },
                CommandOption(
                    "--time", value: "SECONDS", help: "The time of the first image in seconds, which --arg time passes. Default: 0."
                ) {
                    (settings, text) throws(UsageError) in
                    settings.time = try parseNumber(text)
                },
                CommandOption("--list", help: "Prints the functions of --shader, or the built-in functions, and renders nothing.") {
                    $0.isListing = true
                },
            ]),
        OptionSection(
            "diagnostics",
            [
                CommandOption(
                    "--adapter", value: "NAME",
                    help: "The GPU: auto, hardware, software, or a part of its name. Default: $VITRINE_ADAPTER, else auto."
                ) {
                    (settings, text) throws(UsageError) in settings.adapter = text
                }
            ]),
    ]
}
