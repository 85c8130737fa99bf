import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let optimize = Command(
        name: "optimize", summary: "Makes a model smaller and faster to render.",
        help: {
            OptimizeSettings.table.help(
                command: "optimize", summary: OptimizeSettings.summary, examples: OptimizeSettings.examples, notes: OptimizeSettings.notes)
        },
        run: { arguments in
            var settings = OptimizeSettings()
            let path = try OptimizeSettings.table.parse(arguments, into: &settings)[0]
            guard let output = settings.output, !output.isEmpty else { throw UsageError("-o OUT is missing: name the model to write") }
            try await cancellable { [settings] in try await OptimizeJob(input: path, output: output, settings: settings).run() }
        }, relatedWords: ["simplify", "compress", "decimate", "reduce", "pack", "prune"])
}

/// One run of `vitrine optimize`.
struct OptimizeJob {
    let input: String
    let output: String
    let settings: OptimizeSettings

    func run() async throws {
        guard let format = ModelFile.format(forExtension: URL(fileURLWithPath: output).pathExtension) else {
            throw UsageError("'\(output)': OUT must end in one of " + ModelFile.extensionList)
        }
        guard !isSameFile(input, output) else { throw CommandError(file: output, reason: "is the input file: choose another name for OUT") }
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        var load = ModelLoadOptions()
        load.decodesTextures = false
        load.usdVariants = settings.variants
        load.allowedFolders = settings.allowedFolders
        let loaded = try await SceneFile.load(URL(fileURLWithPath: input), options: load) {
            progress.report($0.stage, fraction: 0.2 * $0.fraction)
        }
        var read = loaded.warnings
        if loaded.scenes.count > 1 { read.append(ModelWarning(message: "\(loaded.scenes.count - 1) more scenes were not written")) }
        var options = settings.options
        if options.simplifyRatio > 0, !settings.hasError { options.simplifyError = OptimizeSettings.errorWithRatio }
        let name = URL(fileURLWithPath: output).lastPathComponent
        let optimized = try await ModelOptimizer.optimize(
            loaded.scene, as: format, name: name, options: options, inputBytes: inputBytes(loaded.format)
        ) { step, fraction in
            progress.report(step.rawValue, fraction: 0.2 + 0.8 * fraction)
        }
        progress.finish()
        printWarnings(read, about: input)
        var written = optimized.report.warnings + optimized.model.warnings
        if optimized.report.after.bytes > optimized.report.before.bytes {
            let message = "larger than \(input), which is compressed, quantized or sparse: try --compress meshopt or draco"
            written.append(ModelWarning(message: message))
        }
        printWarnings(written, about: output)
        guard !settings.isStrict || read.isEmpty && written.isEmpty else {
            throw CommandError(
                file: output, reason: "not written because of \(read.count + written.count) warnings (--strict)")
        }
        try Task.checkCancellation()
        try ModelFile.write(optimized.model, to: URL(fileURLWithPath: output))
        try printReport(optimized.report)
    }

    /// The size of the input file; nil for formats that consist of several files.
    private func inputBytes(_ format: ModelFormat) -> Int? {
        switch format {
        case .glb, .usdz, .stl, .ply, .off: FileStatus(path: input)?.size
        default: nil
        }
    }

    private func printReport(_ result: OptimizeReport) throws {
        let report = OptimizeTable(input: input, output: output, report: result)
        guard settings.isJSON else {
            for line in report.lines { print(line) }
            return
        }
        try JSONReport.print(report)
    }
}

/// The report of `vitrine optimize`.
struct OptimizeTable: Encodable {
    let input, output: String
    let report: OptimizeReport

    var lines: [String] {
        let (before, after) = (report.before, report.after)
        var lines = [Self.row("", "before", "after", "")]
        func add(_ title: String, _ old: Int, _ new: Int, _ text: (Int) -> String = { "\($0)" }) {
            let change = old > 0 ? "\((100 * (Double(new) / Double(old) - 1)).fixed(0, showsPlus: true)) %" : ""
            lines.append(Self.row(title, text(old), text(new), old == new ? "" : change))
        }
        add("file size", before.bytes, after.bytes, Self.size)
        if before.textureBytes + after.textureBytes > 0 { add("  textures", before.textureBytes, after.textureBytes, Self.size) }
        add("triangles", before.triangles, after.triangles)
        add("vertices", before.vertices, after.vertices)
        add("draw calls", before.drawCalls, after.drawCalls)
        add("nodes", before.nodes, after.nodes)
        add("meshes", before.meshes, after.meshes)
        add("materials", before.materials, after.materials)
        add("textures", before.textures, after.textures)
        if before.keyframes > 0 { add("key frames", before.keyframes, after.keyframes) }
        lines += ["", "step         saved      result"]
        if report.writtenBytes != before.bytes {
            lines.append(Self.step("rewrite", before.bytes - report.writtenBytes, "wrote the unchanged input in the format of OUT"))
        }
        for step in report.steps {
            lines.append(Self.step(step.step.rawValue, step.savedBytes, step.summary.isEmpty ? "no changes" : step.summary))
        }
        return lines + ["", output]
    }

    private static func row(_ title: String, _ before: String, _ after: String, _ change: String) -> String {
        let text = title.padded(to: 12) + before.leftPadded(to: 11) + after.leftPadded(to: 12) + change.leftPadded(to: 9)
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    private static func step(_ name: String, _ saved: Int, _ summary: String) -> String {
        let text = saved < 0 ? "−" + size(-saved) : size(saved)
        return name.padded(to: 12) + (saved == 0 ? "–" : text).leftPadded(to: 9) + "  " + summary
    }

    /// Returns a size with three significant digits: `980 B`, `12.3 kB`, `4.56 MB`.
    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < 3 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return "\(bytes) B" }
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return "\(value.fixed(digits)) " + ["B", "kB", "MB", "GB"][unit]
    }
}

extension String {
    /// Prepends spaces up to `width` characters.
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
