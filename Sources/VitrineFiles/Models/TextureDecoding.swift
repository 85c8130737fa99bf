import CProcessor
import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes the textures of a model concurrently, one per processor.
///
/// Removes textures that cannot be decoded from the materials, with a warning. The result does not depend on whether pixels are kept, so that all
/// commands handle a file in the same way.
struct TextureDecoding: Sendable {
    /// An image that one or more textures use.
    private struct Job: Sendable {
        let imageIndex: Int
        let encoded: [UInt8]
        let fallback: [UInt8]?
        let name: String
        /// The longest side to scale down to, in pixels; nil to keep the size.
        var maximumSide: Int?
    }

    /// An image that was decoded.
    struct Decoded: Sendable {
        /// The pixels; nil if they are not kept.
        var image: Image?
        /// The fallback that was decoded, and the error of the texture's image; nil if that image was decoded.
        var fallback: (encoded: [UInt8], error: ImageFileError)?
    }

    /// The results by image index.
    typealias Results = [Int: Result<Decoded, ImageFileError>]

    private var jobs: [Job] = []
    private let limits: ImageLimits
    private let keepsPixels: Bool
    /// The warnings about textures that are scaled down.
    private(set) var warnings: [ModelWarning] = []

    init(_ textures: [ParsedTexture], options: ModelLoadOptions) {
        (limits, keepsPixels) = (options.images, options.decodesTextures)
        var seen: Set<Int> = []
        var sizes: [TextureBudget.Entry] = []
        for texture in textures where seen.insert(texture.imageIndex).inserted {
            guard case .encoded(let bytes) = texture.texture.content else { continue }
            let name = texture.texture.name
            var job = Job(imageIndex: texture.imageIndex, encoded: bytes, fallback: texture.fallback, name: name)
            // Without a readable header, or over the limits, decoding fails.
            if let header = try? ImageFile.header(of: bytes), (try? limits.check(header, name: "")) != nil {
                var entry = TextureBudget.Entry(job: jobs.count, header: header)
                if entry.longestSide > options.maximumTextureSide, entry.limit(side: options.maximumTextureSide) {
                    job.maximumSide = entry.longestSide
                    warn(scaling: name, header, to: entry, limit: options.maximumTextureSide, location: texture.location)
                }
                sizes.append(entry)
            }
            jobs.append(job)
        }
        if keepsPixels { fit(sizes, into: options.maximumTextureBytes) }
    }

    private mutating func warn(
        scaling name: String, _ header: ImageFile.Header, to entry: TextureBudget.Entry, limit: Int, location: String
    ) {
        guard keepsPixels else { return }
        let message =
            "the texture \"\(name.prefix(200))\" has \(header.width) × \(header.height) pixels and was scaled down to "
            + "\(entry.width) × \(entry.height): the longest side may have \(limit) (--texture-size, ModelLoadOptions.maximumTextureSide)"
        warnings.append(ModelWarning(location: location, message: message))
    }

    /// Halves the largest images until all fit.
    private mutating func fit(_ sizes: [TextureBudget.Entry], into limit: Int) {
        let budget = TextureBudget(sizes, limit: limit)
        guard !budget.scaled.isEmpty else { return }
        for entry in budget.scaled { jobs[entry.job].maximumSide = entry.longestSide }
        let named = budget.scaled.prefix(4).map { "\"\(jobs[$0.job].name.prefix(80))\" to \($0.width) × \($0.height)" }
        let more = budget.scaled.count > 4 ? " and \(budget.scaled.count - 4) more" : ""
        warnings.append(
            ModelWarning(
                message:
                    "the decoded textures take \(FileInspection.size(budget.bytesBefore)), the limit is \(FileInspection.size(limit)): "
                    + "\(budget.scaled.count) of \(sizes.count) were scaled down: " + named.joined(separator: ", ") + more
                    + " (--texture-memory, ModelLoadOptions.maximumTextureBytes)"))
    }

    /// Decodes the textures.
    ///
    /// - Parameter progress: Called with the completed fraction, 0…1.
    func run(progress: (Double) -> Void = { _ in }) async throws -> Results {
        try await withThrowingTaskGroup(of: (Int, Result<Decoded, ImageFileError>).self) { group in
            var (results, next): (Results, Int) = ([:], 0)
            func start() {
                guard next < jobs.count else { return }
                let (job, limits, keepsPixels) = (jobs[next], limits, keepsPixels)
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    var result = TextureDecoding.decode(job, limits)
                    if !keepsPixels, case .success(var decoded) = result {
                        decoded.image = nil
                        result = .success(decoded)
                    }
                    return (job.imageIndex, result)
                }
            }
            for _ in 0..<vitrine_processor_count() { start() }
            while let (index, result) = try await group.next() {
                results[index] = result
                progress(Double(results.count) / Double(jobs.count))
                start()
            }
            return results
        }
    }

    private static func decode(_ job: Job, _ limits: ImageLimits) -> Result<Decoded, ImageFileError> {
        do throws(ImageFileError) {
            return .success(Decoded(image: try decode(job.encoded, job, limits)))
        } catch {
            guard let fallback = job.fallback, let image = try? decode(fallback, job, limits) else { return .failure(error) }
            return .success(Decoded(image: image, fallback: (fallback, error)))
        }
    }

    private static func decode(_ encoded: [UInt8], _ job: Job, _ limits: ImageLimits) throws(ImageFileError) -> Image {
        guard let side = job.maximumSide else { return try ImageFile.decode(encoded, name: job.name, limits: limits) }
        return try ImageFile.decode(encoded, name: job.name, maximumSide: side, limits: limits)
    }

    /// Sets the pixels of textures, if they were kept, and removes textures that cannot be decoded from the materials.
    ///
    /// - Returns: A warning for each texture that was removed, or whose fallback is used.
    static func assign(_ results: Results, to asset: ParsedModel) -> [ModelWarning] {
        for entry in asset.textures {
            switch results[entry.imageIndex] {
            case .success(let decoded):
                if let image = decoded.image {
                    entry.texture.content = .image(image)
                } else if let fallback = decoded.fallback {
                    entry.texture.content = .encoded(fallback.encoded)
                }
                entry.texture.isKnownDecodable = true
            case .failure: for material in asset.materials { material.removeMaps(of: entry.texture) }
            case nil: break
            }
        }
        return failures(results, in: asset)
    }

    /// Returns a warning for each texture that cannot be decoded, or whose fallback is used.
    static func failures(_ results: Results, in asset: ParsedModel) -> [ModelWarning] {
        asset.textures.compactMap { entry in
            switch results[entry.imageIndex] {
            case .failure(let error): return ModelWarning(location: entry.location, message: omissionMessage(entry.texture.name, error))
            case .success(let decoded):
                guard let error = decoded.fallback?.error else { return nil }
                let message =
                    "the texture \"\(entry.texture.name.prefix(200))\" cannot be decoded; its plain image was used: \(error.reason)\(error.locationText)"
                return ModelWarning(location: entry.location, message: message)
            case nil: return nil
            }
        }
    }

    /// Returns the message for a texture that cannot be decoded.
    static func omissionMessage(_ name: String, _ error: ImageFileError) -> String {
        "the texture \"\(name.prefix(200))\" was omitted: \(error.reason)\(error.locationText)"
    }
}

extension ImageFileError {
    /// The position in the image as " (byte 12, row 3)"; empty if unknown.
    fileprivate var locationText: String {
        let locations = [offset.map { "byte \($0)" }, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return locations.isEmpty ? "" : " (\(locations))"
    }
}
