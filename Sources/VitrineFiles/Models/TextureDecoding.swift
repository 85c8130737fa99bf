import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes the pictures of a model, as many at once as there are processors.
struct TextureDecoding: Sendable {
    /// A picture that one or more textures show.
    private struct Job: Sendable {
        let imageIndex: Int
        let encoded: [UInt8]
        /// For messages.
        let place: String
        let name: String
    }

    /// By image index.
    typealias Results = [Int: Result<Image, ImageFileError>]

    private let jobs: [Job]
    private let limits: ImageLimits

    /// - Throws: Where the headers promise more than `maximumTextureBytes`.
    init(_ textures: [ParsedTexture], file: String, options: ModelLoadOptions) throws(ModelFileError) {
        var (jobs, seen, total): ([Job], Set<Int>, Int) = ([], [], 0)
        for texture in textures where seen.insert(texture.imageIndex).inserted {
            guard case .encoded(let bytes) = texture.texture.content else { continue }
            jobs.append(Job(imageIndex: texture.imageIndex, encoded: bytes, place: texture.place, name: texture.texture.name))
            guard let header = try? ImageFile.header(of: bytes),
                let size = try? Image.byteCount(width: header.width, height: header.height, format: header.format)
            else { continue }
            let (sum, overflow) = total.addingReportingOverflow(size)
            total = overflow ? .max : sum
        }
        guard total <= options.maximumTextureBytes else {
            throw ModelFileError(file: file, reason: .texturesTooLarge(bytes: total, limit: options.maximumTextureBytes))
        }
        (self.jobs, limits) = (jobs, options.images)
    }

    /// - Parameter progress: The part that is done, 0…1, rising.
    func run(progress: (Double) -> Void) async throws -> Results {
        try await withThrowingTaskGroup(of: (Int, Result<Image, ImageFileError>).self) { group in
            var (results, next): (Results, Int) = ([:], 0)
            func start() {
                guard next < jobs.count else { return }
                let (job, limits) = (jobs[next], limits)
                next += 1
                group.addTask {
                    try Task.checkCancellation()
                    return (job.imageIndex, TextureDecoding.decode(job, limits))
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
            return .success(try ImageFile.decode(job.encoded, name: job.name, limits: limits))
        } catch {
            return .failure(error)
        }
    }

    /// Puts the pictures where the scene shows them, and takes out the textures whose picture is broken.
    ///
    /// - Returns: A warning for each that was taken out.
    static func assign(_ results: Results, to asset: ParsedModel) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        for entry in asset.textures {
            switch results[entry.imageIndex] {
            case .success(let image): entry.texture.content = .image(image)
            case .failure(let error):
                for material in asset.materials { material.removeMaps(of: entry.texture) }
                warnings.append(ModelWarning(place: entry.place, message: "the picture was left out: \(error)"))
            case nil: break
            }
        }
        return warnings
    }
}

extension Material {
    /// Leaves the slots that show `texture` with their factors alone.
    func removeMaps(of texture: Texture) {
        changeMaps { map in if let found = map?.texture, found === texture { map = nil } }
    }
}
