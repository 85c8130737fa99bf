import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes the textures of a model, as many at once as there are processors.
///
/// Textures that can't be decoded are removed from the materials, with a warning. This is the same whether pixels are kept or not, so that
/// every command treats a file alike.
struct TextureDecoding: Sendable {
    /// An image that one or more textures use.
    private struct Job: Sendable {
        let imageIndex: Int
        let encoded: [UInt8]
        let name: String
        /// Pixels; the image is scaled down to this longest side. nil: as the file has it.
        var maximumSide: Int?
    }

    /// By image index.
    typealias Results = [Int: Result<Image?, ImageFileError>]

    private var jobs: [Job] = []
    private let limits: ImageLimits
    private let keepsPixels: Bool
    /// About textures that are scaled down.
    private(set) var warnings: [ModelWarning] = []

    init(_ textures: [ParsedTexture], options: ModelLoadOptions) {
        (limits, keepsPixels) = (options.images, options.decodesTextures)
        var seen: Set<Int> = []
        var sizes: [TextureBudget.Entry] = []
        for texture in textures where seen.insert(texture.imageIndex).inserted {
            guard case .encoded(let bytes) = texture.texture.content else { continue }
            let name = texture.texture.name
            var job = Job(imageIndex: texture.imageIndex, encoded: bytes, name: name)
            // What has no readable header, or breaks the limits, fails when it is decoded.
            if let header = try? ImageFile.header(of: bytes), (try? limits.check(header, name: "")) != nil {
                var entry = TextureBudget.Entry(job: jobs.count, header: header)
                if entry.longestSide > options.maximumTextureSide, entry.limit(side: options.maximumTextureSide) {
                    job.maximumSide = entry.longestSide
                    warn(scaling: name, header, to: entry, limit: options.maximumTextureSide, place: texture.place)
                }
                sizes.append(entry)
            }
            jobs.append(job)
        }
        if keepsPixels { fit(sizes, into: options.maximumTextureBytes) }
    }

    private mutating func warn(
        scaling name: String, _ header: ImageFile.Header, to entry: TextureBudget.Entry, limit: Int, place: String
    ) {
        guard keepsPixels else { return }
        let message =
            "the texture \"\(name.prefix(200))\" has \(header.width) × \(header.height) pixels and was scaled down to "
            + "\(entry.width) × \(entry.height): the longest side allowed is \(limit) (--texture-size, ModelLoadOptions.maximumTextureSide)"
        warnings.append(ModelWarning(place: place, message: message))
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

    /// - Parameter progress: The part that is done, 0…1, rising.
    func run(progress: (Double) -> Void = { _ in }) async throws -> Results {
        try await withThrowingTaskGroup(of: (Int, Result<Image?, ImageFileError>).self) { group in
            var (results, next): (Results, Int) = ([:], 0)
            func start() {
                guard next < jobs.count else { return }
                let (job, limits, keepsPixels) = (jobs[next], limits, keepsPixels)
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    let image = TextureDecoding.decode(job, limits)
                    return (job.imageIndex, keepsPixels ? image.map { $0 } : image.map { _ in nil })
                }
            }
            for _ in 0..<max(ProcessInfo.processInfo.activeProcessorCount, 1) { start() }
            while let (index, result) = try await group.next() {
                results[index] = result
                progress(Double(results.count) / Double(jobs.count))
                start()
            }
            return results
        }
    }

    private static func decode(_ job: Job, _ limits: ImageLimits) -> Result<Image, ImageFileError> {
        do throws(ImageFileError) {
            guard let side = job.maximumSide else { return .success(try ImageFile.decode(job.encoded, name: job.name, limits: limits)) }
            return .success(try ImageFile.decode(job.encoded, name: job.name, maximumSide: side, limits: limits))
        } catch {
            return .failure(error)
        }
    }

    /// Gives the textures their pixels, where these were kept, and removes those that can't be decoded from the materials.
    ///
    /// - Returns: A warning for each that was removed.
    static func assign(_ results: Results, to asset: ParsedModel) -> [ModelWarning] {
        for entry in asset.textures {
            switch results[entry.imageIndex] {
            case .success(let image):
                if let image { entry.texture.content = .image(image) }
                entry.texture.isKnownDecodable = true
            case .failure: for material in asset.materials { material.removeMaps(of: entry.texture) }
            case nil: break
            }
        }
        return failures(results, in: asset)
    }

    /// A warning for each texture that can't be decoded.
    static func failures(_ results: Results, in asset: ParsedModel) -> [ModelWarning] {
        asset.textures.compactMap { entry in
            guard case .failure(let error)? = results[entry.imageIndex] else { return nil }
            return ModelWarning(place: entry.place, message: leftOut(entry.texture.name, error))
        }
    }

    /// The one message for a texture that can't be decoded.
    static func leftOut(_ name: String, _ error: ImageFileError) -> String {
        "the texture \"\(name.prefix(200))\" was left out: \(error.reason)\(error.placeText)"
    }
}

extension ImageFileError {
    /// " (byte 12, row 3)", or nothing.
    fileprivate var placeText: String {
        let places = [offset.map { "byte \($0)" }, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return places.isEmpty ? "" : " (\(places))"
    }
}
