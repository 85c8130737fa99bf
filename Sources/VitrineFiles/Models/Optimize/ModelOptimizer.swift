import VitrineScene

/// Makes models smaller and faster to render: merges equal data, removes unused data, simplifies meshes, re-encodes textures.
///
/// ```swift
/// var load = ModelLoadOptions()
/// load.decodesTextures = false                      // unchanged textures keep their bytes
/// let loaded = try await SceneFile.load(URL(filePath: "car.glb"), options: load)
/// let optimized = try await ModelOptimizer.optimize(loaded.scene, as: .glb, name: "small.glb")
/// try ModelFile.write(optimized.model, to: URL(filePath: "small.glb"))
/// print(optimized.report.after.bytes)
/// ```
///
/// Skins, morph targets, animations, material variants, cameras, lights and texture transforms are preserved. The same scene gives the same bytes.
public enum ModelOptimizer {
    /// Optimizes a scene and encodes it.
    ///
    /// Modifies the scene. Do not use it afterwards.
    ///
    /// - Parameters:
    ///   - format: The format of the files. Compression, instances and WebP textures require GLB or glTF; other formats ignore
    ///     them with a warning.
    ///   - name: The name of the model file, from which the names of referenced files are derived.
    ///   - inputBytes: The bytes of the files that the scene was read from, for the report; nil to use the size of the unchanged scene in `format`.
    ///   - progress: Called before each step with the step and the completed fraction, 0…1.
    /// - Returns: The encoded model, and the result of each step.
    /// - Throws: `ModelFileError` as `ModelFile.encode`, or `CancellationError`.
    public static func optimize(
        _ scene: Scene, as format: ModelFormat, name: String, options: OptimizeOptions = OptimizeOptions(), inputBytes: Int? = nil,
        isolation: isolated (any Actor)? = #isolation, progress: ((OptimizeStep, Double) -> Void)? = nil
    ) async throws -> (model: EncodedModel, report: OptimizeReport) {
        let isGLTF = format == .glb || format == .gltf
        var warnings = unsupported(options, isGLTF: isGLTF, format)
        var plain = ModelWriteOptions()
        (plain.images, plain.generator) = (options.images, options.generator)
        var final = plain
        if isGLTF {
            plain.writesOcclusion = options.writesOcclusion
            final.writesOcclusion = options.writesOcclusion
            plain.keepsWebP = true
            final.keepsWebP = true
            final.sharesAccessors = options.steps.contains(.deduplicate)
            final.writesInstances = options.writesInstances
            if options.steps.contains(.compress) { final.compression = options.compression }
        }

        let unchanged = try ModelFile.encode(scene, as: format, name: name, options: plain)
        var report = OptimizeReport(
            before: OptimizeReport.Totals(scene, countsInstances: false), writtenBytes: unchanged.byteCount, after: .init(), steps: [],
            warnings: [])
        report.before.bytes = inputBytes ?? unchanged.byteCount
        report.before.textureBytes = unchanged.textureBytes
        var (model, bytes) = (unchanged, unchanged.byteCount)
        let steps = OptimizeStep.allCases.filter { options.steps.contains($0) && (($0 != .compress) || final.compression != .none) }
        for (index, step) in steps.enumerated() {
            try Task.checkCancellation()
            let done = Double(index) / Double(steps.count)
            progress?(step, done)
            let summary: String
            switch step {
            case .deduplicate: summary = DuplicateMerging.run(scene, keepsNames: options.keepsNames)
            case .prune: summary = Pruning.run(scene, keepsNames: options.keepsNames, images: options.images)
            case .flatten: summary = options.keepsNames ? "" : Flattening.run(scene)
            case .join: summary = MeshJoining.run(scene, keepsNames: options.keepsNames, keepsShared: final.writesInstances)
            case .weld: summary = GeometryCleanup.weld(scene)
            case .simplify:
                let simplification = Simplification(
                    ratio: options.simplifyRatio, error: options.simplifyError, locksBorders: options.locksBorders)
                summary = simplification.run(scene)
            case .reorder: summary = GeometryCleanup.reorder(scene)
            case .resample: summary = KeyframeReduction.run(scene)
            case .textures:
                let recoding = TextureRecoding(options: options, allowsWebP: isGLTF)
                let result = try await recoding.run(scene) { progress?(step, done + $0 / Double(steps.count)) }
                summary = result.summary
                warnings += result.warnings
            case .compress: summary = "compressed with \(options.compression.name)"
            }
            // The files of every step have instances and shared accessors, so that each step reports only its own savings.
            var now = final
            if step != .compress { now.compression = .none }
            model = try ModelFile.encode(scene, as: format, name: name, options: now)
            report.steps.append(.init(step: step, bytes: model.byteCount, savedBytes: bytes - model.byteCount, summary: summary))
            bytes = model.byteCount
        }
        if steps.isEmpty { model = try ModelFile.encode(scene, as: format, name: name, options: final) }
        report.after = OptimizeReport.Totals(scene, countsInstances: final.writesInstances)
        (report.after.bytes, report.after.textureBytes) = (model.byteCount, model.textureBytes)
        report.warnings = warnings
        return (model, report)
    }

    private static func unsupported(_ options: OptimizeOptions, isGLTF: Bool, _ format: ModelFormat) -> [ModelWarning] {
        guard !isGLTF else { return [] }
        var warnings: [ModelWarning] = []
        func warn(_ what: String) {
            warnings.append(ModelWarning(message: "\(what): only supported in GLB and glTF, not in \(format.displayName)"))
        }
        if options.compression != .none, options.steps.contains(.compress) { warn("compression with \(options.compression.name)") }
        if options.writesInstances { warn("instances") }
        if options.textureFormat == .webp, options.steps.contains(.textures) { warn("WebP textures (they stay PNG or JPEG)") }
        return warnings
    }
}

extension EncodedModel {
    /// The size of all files in bytes.
    public var byteCount: Int { files.reduce(0) { $0 + $1.bytes.count } }
}

extension ModelWriteOptions.Compression {
    /// The name in help and reports.
    var name: String {
        switch self {
        case .none: "none"
        case .draco: "Draco"
        case .meshopt: "meshopt"
        }
    }
}
