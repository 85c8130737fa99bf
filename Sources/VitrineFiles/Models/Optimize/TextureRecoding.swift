import CProcessor
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Scales textures down and encodes them again, concurrently on all processors.
struct TextureRecoding {
    /// The task of recoding one texture.
    private struct Job: Sendable {
        let content: TextureContent
        let name: String
        /// Whether the texture contains data, not colours.
        let isData: Bool
    }

    private struct Result: Sendable {
        var bytes: [UInt8]?
        var isScaled = false
        /// The reason why the texture could not be decoded or encoded.
        var failure: String?
    }

    let options: OptimizeOptions
    /// Whether the output format supports WebP.
    let allowsWebP: Bool

    /// Scales and encodes the textures of a scene.
    ///
    /// - Returns: A summary for the report, and a warning for each texture that is unchanged because it cannot be decoded.
    func run(
        _ scene: Scene, isolation: isolated (any Actor)? = #isolation, progress: (Double) -> Void
    ) async throws -> (summary: String, warnings: [ModelWarning]) {
        let textures = Self.textures(of: scene)
        let jobs = textures.map { Job(content: $0.texture.content, name: $0.texture.name, isData: $0.isData) }
        let results = try await encode(jobs, progress: progress)
        var (scaled, encoded, warnings): (Int, Int, [ModelWarning]) = (0, 0, [])
        for (index, result) in results.enumerated() {
            if let failure = result.failure {
                let name = jobs[index].name.isEmpty ? "\(index)" : jobs[index].name
                warnings.append(ModelWarning(location: "texture \"\(name)\"", message: "not encoded again: \(failure)"))
            }
            guard let bytes = result.bytes else { continue }
            textures[index].texture.content = .encoded(bytes)
            if result.isScaled { scaled += 1 } else { encoded += 1 }
        }
        let parts = [
            OptimizeText.list([(scaled, "texture")], verb: "scaled down"), OptimizeText.list([(encoded, "texture")], verb: "encoded again"),
        ]
        return (parts.filter { !$0.isEmpty }.joined(separator: ", "), warnings)
    }

    /// Returns every texture once. A texture that any slot reads as numbers counts as data.
    private static func textures(of scene: Scene) -> [(texture: Texture, isData: Bool)] {
        var found: [(texture: Texture, isData: Bool)] = []
        var indices: [ObjectIdentifier: Int] = [:]
        var seen: Set<ObjectIdentifier> = []
        func add(_ map: TextureMap?, isData: Bool) {
            guard let texture = map?.texture else { return }
            let index = indices[ObjectIdentifier(texture)] ?? found.count
            indices[ObjectIdentifier(texture)] = index
            if index == found.count { found.append((texture, isData)) } else if isData { found[index].isData = true }
        }
        for case let mesh? in scene.visibleNodes.map(\.mesh) where seen.insert(ObjectIdentifier(mesh)).inserted {
            for material in mesh.parts.flatMap(\.allMaterials) where seen.insert(ObjectIdentifier(material)).inserted {
                let colors = [
                    material.baseColor.map, material.emission.map, material.lightMap.map, material.specular.color.map,
                    material.sheen.color.map, material.highlight.color.map,
                ]
                for map in colors { add(map, isData: false) }
                let colorTextures = colors.compactMap { $0?.texture }
                for map in material.textureMaps where !colorTextures.contains(where: { $0 === map.texture }) { add(map, isData: true) }
                for map in [material.normal.map, material.metalness.map, material.roughness.map, material.occlusion.map] {
                    add(map, isData: true)
                }
                for image in material.surfaceFunction?.textures ?? [] { add(image.map, isData: !image.holdsColor) }
            }
        }
        return found
    }

    private func encode(
        _ jobs: [Job], isolation: isolated (any Actor)? = #isolation, progress: (Double) -> Void
    ) async throws -> [Result] {
        guard !jobs.isEmpty else { return [] }
        var (results, next, done) = ([Result](repeating: Result(), count: jobs.count), 0, 0)
        try await withThrowingTaskGroup(of: (Int, Result).self, isolation: isolation) { group in
            func start() {
                guard next < jobs.count else { return }
                let (index, job, recoding) = (next, jobs[next], self)
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    return (index, recoding.result(of: job))
                }
            }
            for _ in 0..<vitrine_processor_count() { start() }
            while let (index, result) = try await group.next() {
                results[index] = result
                done += 1
                progress(Double(done) / Double(jobs.count))
                start()
            }
        }
        return results
    }

    // MARK: One texture

    private func result(of job: Job) -> Result {
        do throws(ImageFileError) {
            switch job.content {
            case .encoded(let bytes): return try recoded(bytes, job)
            case .image(let image): return try encoded(image, job)
            }
        } catch {
            return Result(failure: "\(error.reason)")
        }
    }

    private func recoded(_ bytes: [UInt8], _ job: Job) throws(ImageFileError) -> Result {
        let header = try ImageFile.header(of: bytes, name: job.name)
        let isScaled = max(header.width, header.height) > options.textureSide
        // Each lossy encoding loses quality, so lossy images are only encoded again if the format or the size changes.
        let format = options.textureFormat
        if !isScaled, header.kind == .jpeg, format == .keep || format == .jpeg { return Result() }
        if !isScaled, header.kind == .webp, allowsWebP, format == .keep || format == .webp { return Result() }
        let image =
            isScaled
            ? try ImageFile.decode(bytes, name: job.name, maximumSide: options.textureSide, limits: options.images)
            : try ImageFile.decode(bytes, name: job.name, limits: options.images)
        let made = try encode(image, as: encoding(of: header.kind, job, isOpaque: image.isOpaque), job)
        let isKept = header.kind == .png || header.kind == .jpeg || header.kind == .webp && allowsWebP
        // Never larger than the input, unless the output does not support its format.
        if !isScaled, isKept, made.count >= bytes.count { return Result() }
        return Result(bytes: made, isScaled: isScaled)
    }

    private func encoded(_ image: Image, _ job: Job) throws(ImageFileError) -> Result {
        let longest = max(image.width, image.height)
        guard longest > options.textureSide, image.format != .rgba32Float else {
            return Result(bytes: try encode(image, as: encoding(of: .png, job, isOpaque: image.isOpaque), job))
        }
        func side(_ side: Int) -> Int { max(1, (side * options.textureSide + longest / 2) / longest) }
        let scaled = try AreaResampler.resample(image, width: side(image.width), height: side(image.height))
        return Result(bytes: try encode(scaled, as: encoding(of: .png, job, isOpaque: scaled.isOpaque), job), isScaled: true)
    }

    private enum Format { case png, jpeg, webp, webpLossless }

    private func encoding(of kind: ImageFile.Kind, _ job: Job, isOpaque: Bool) -> Format {
        let mayLose = !job.isData || options.allowsLossyData
        switch options.textureFormat {
        case .png: return .png
        case .jpeg: return kind == .jpeg || mayLose && isOpaque ? .jpeg : .png
        case .webp where allowsWebP: return mayLose ? .webp : .webpLossless
        case .webp, .keep:
            // Lossy input may stay lossy.
            if kind == .jpeg { return .jpeg }
            if kind == .webp, allowsWebP { return mayLose ? .webp : .webpLossless }
            return .png
        }
    }

    private func encode(_ image: Image, as format: Format, _ job: Job) throws(ImageFileError) -> [UInt8] {
        // Only PNG supports 16 bits and floats.
        guard image.format == .rgba8 else { return try ImageFile.encode(image, as: .png(.small)) }
        return switch format {
        case .png: try ImageFile.encode(image, as: .png(.small))
        case .jpeg: try ImageFile.encode(image, as: .jpeg(quality: options.textureQuality))
        case .webp: try ImageFile.encode(image, as: .webp(quality: options.textureQuality))
        case .webpLossless: try ImageFile.encode(image, as: .webpLossless)
        }
    }
}
