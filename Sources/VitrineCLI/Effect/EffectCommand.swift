import Vitrine
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let effect = Command(
        name: "effect", summary: "Applies shader effects to an image: built-in or custom.",
        help: {
            EffectSettings.table.help(
                command: "effect", summary: EffectSettings.summary, examples: EffectSettings.examples, notes: EffectSettings.notes)
        },
        run: { arguments in
            var settings = EffectSettings()
            let table = arguments.contains("--list") ? EffectSettings.listing : EffectSettings.table
            let paths = try table.parse(arguments, into: &settings)
            if settings.isListing {
                try EffectListing(settings: settings).run()
            } else {
                try settings.validate()
                try await cancellable { [settings] in try EffectJob(input: paths[0], settings: settings).run() }
            }
        }, relatedWords: ["filter", "shader"])
}

extension EffectSettings {
    func validate() throws(UsageError) {
        guard !effects.isEmpty else { throw UsageError("--function NAME is missing: name an effect (--list prints the built-in effects)") }
        guard !output.isEmpty else { throw UsageError("-o OUT is missing: name the image to write") }
        let kind = output.pathExtension
        if kind.isEmpty, frames != nil { return }
        guard ImageFile.encoding(forExtension: kind) != nil else {
            throw UsageError("'\(output)': OUT must end in one of .png, .jpg, .hdr, .exr")
        }
    }

    var adapterChoice: GPUAdapterChoice {
        GPUAdapterChoice(parsing: adapter ?? ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "auto")
    }
}

/// One run of `vitrine effect`.
struct EffectJob {
    let input: String
    let settings: EffectSettings

    /// The default time of a built-in effect in a single image, at which every effect is visible.
    private static let stillTime: Float = 0.2

    func run() throws {
        let image = try Image(contentsOf: URL(fileURLWithPath: input))
        let points = Vector2(Float(image.width), Float(image.height)) / settings.scale
        let effects = try settings.effects.map { try LoadedEffect($0, size: points) }
        let isStill = settings.frames == nil && effects.contains(where: \.usesDefaultTime)
        let start = settings.time ?? (isStill ? Self.stillTime : 0)
        let device = try GPUDevice.make(settings.adapterChoice)
        let renderer = try EffectRenderer(device)
        let transfer = ImageTransfer(device)
        let source = try transfer.surface(of: image, scale: settings.scale)
        let paths = try paths()
        var previous: LayerSurface?
        for (index, path) in paths.enumerated() {
            try Task.checkCancellation()
            let time = start + Float(index) / settings.framesPerSecond
            let encoder = try device.makeCommandEncoder("effects")
            let result = try renderer.apply(effects.map { $0.effect(at: time) }, to: source, reusing: previous, with: encoder)
            device.queue.submit(try encoder.finish())
            try write(transfer.image(of: result, format: format(of: image, for: path)), to: path)
            previous = result
        }
        try report(paths, effects, previous ?? source)
    }

    /// Float for formats that store it, 16 bits if the input has them, otherwise 8.
    private func format(of image: Image, for path: String) -> PixelFormat {
        switch ImageFile.encoding(forExtension: path.pathExtension) {
        case .hdr, .exr: .rgba32Float
        case .png: image.format == .rgba8 ? .rgba8 : .rgba16
        default: .rgba8
        }
    }

    private func write(_ image: Image, to path: String) throws { try image.write(to: URL(fileURLWithPath: path)) }

    // MARK: Frame names

    private func paths() throws -> [String] {
        guard let count = settings.frames else { return [settings.output] }
        let url = URL(fileURLWithPath: settings.output)
        let isFolder = url.pathExtension.isEmpty
        if isFolder {
            do {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            } catch {
                throw CommandError(file: settings.output, reason: "cannot create the folder")
            }
        }
        let base = isFolder ? settings.output + "/" : settings.output.deletingPathExtension + "-"
        let kind = isFolder ? "png" : url.pathExtension
        let digits = max(3, String(count - 1).count)
        return (0..<count).map { base + String(repeating: "0", count: digits - String($0).count) + "\($0).\(kind)" }
    }

    // MARK: Report

    private struct Report: Encodable {
        struct Effect: Encodable {
            let library, function, kind: String
        }

        let input: String
        let output: [String]
        let width, height: Int
        let effects: [Effect]
    }

    private func report(_ paths: [String], _ effects: [LoadedEffect], _ result: LayerSurface) throws {
        guard settings.isJSON else {
            for path in paths { print(path) }
            return
        }
        let named = effects.map { Report.Effect(library: $0.library.name, function: $0.request.function, kind: $0.kind.word) }
        try JSONReport.print(
            Report(input: input, output: paths, width: result.texture.width, height: result.texture.height, effects: named))
    }
}

/// An effect of the command line with its library and loaded files.
private struct LoadedEffect {
    let request: EffectRequest
    let library: ShaderLibrary
    let kind: ShaderEffect.Kind
    /// Whether a built-in function uses the default time.
    private(set) var usesDefaultTime = false
    private var arguments: [(Float) -> Shader.Argument]

    /// Loads the library and the files of an effect.
    ///
    /// - Parameter size: The size of the image in points.
    init(_ request: EffectRequest, size: Vector2) throws {
        self.request = request
        library = try shaderLibrary(request.shaderFile)
        // Rendering reports unknown functions and wrong signatures.
        kind = request.kind ?? library.functions.first { $0.name == request.function }?.kind ?? .color
        arguments = try request.arguments.map { try $0.loaded() }
        if request.shaderFile == nil { addDefaults(size) }
    }

    /// Adds default arguments for the remaining parameters of a built-in function: the image's centre, its bounds, the time, or a default value.
    private mutating func addDefaults(_ size: Vector2) {
        guard let function = library.functions.first(where: { $0.name == request.function }) else { return }
        for parameter in function.parameters.dropFirst(arguments.count) {
            switch parameter.name {
            case "touch", "origin": arguments.append { _ in .float2(size.x / 2, size.y / 2) }
            case "bounds": arguments.append { _ in .boundingRect }
            case "time", "p":
                usesDefaultTime = true
                arguments.append { .float($0) }
            default:
                guard let usual = ShaderLibrary.usualArgument(parameter.name, of: request.function) else { return }
                arguments.append { _ in usual }
            }
        }
    }

    func effect(at time: Float) -> ShaderEffect {
        let shader = Shader(function: library[request.function], arguments: arguments.map { $0(time) })
        return ShaderEffect(kind, shader, maxSampleOffset: request.maxSampleOffset, workingSpace: request.workingSpace)
    }
}

/// The output of `--list`.
private struct EffectListing {
    let settings: EffectSettings

    private struct Entry: Encodable {
        struct Parameter: Encodable {
            let name, type, arguments: String
        }

        let name, kind, text: String
        let line: Int
        let parameters: [Parameter]
    }

    func run() throws {
        let library = try shaderLibrary(settings.shaderFile ?? settings.effects.last?.shaderFile)
        guard settings.isJSON else {
            for function in library.functions {
                print(function.kind.word.padded(to: 12) + function.text)
            }
            return
        }
        try JSONReport.print(
            library.functions.map { function in
                Entry(
                    name: function.name, kind: function.kind.word, text: function.text, line: function.line,
                    parameters: function.parameters.map { Entry.Parameter(name: $0.name, type: $0.type, arguments: $0.arguments) })
            })
    }
}

private func shaderLibrary(_ file: String?) throws(ShaderError) -> ShaderLibrary {
    guard let file else { return .default }
    return try ShaderLibrary(url: URL(fileURLWithPath: file, relativeTo: nil), name: file)
}

extension ShaderEffect.Kind {
    /// The value of `--kind`.
    fileprivate var word: String {
        switch self {
        case .color: "color"
        case .distortion: "distortion"
        case .layer: "layer"
        }
    }
}
