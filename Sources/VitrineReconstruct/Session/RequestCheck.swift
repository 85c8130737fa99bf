import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks requests and options before any work.
struct RequestCheck {
    let requests: [PhotogrammetrySession.Request]
    let configuration: PhotogrammetrySession.Configuration

    func run() throws {
        guard !requests.isEmpty else { throw ReconstructionError.invalidOption("no request is given") }
        guard Set(requests).count == requests.count else { throw ReconstructionError.invalidOption("a request is given twice") }
        guard configuration.meshPrimitive == .triangle else {
            throw ReconstructionError.unsupported("meshes of quads are not supported: set meshPrimitive to .triangle")
        }
        let polygons = configuration.customDetailSpecification.maximumPolygonCount
        guard polygons >= 100 else {
            throw ReconstructionError.invalidOption("maximumPolygonCount is \(polygons), it must be at least 100")
        }
        if let threads = configuration.threads, !(1...1024).contains(threads) {
            throw ReconstructionError.invalidOption("threads is \(threads), it must be from 1 to 1024")
        }
        if let budget = configuration.memoryBudget, budget < 256 << 20 {
            throw ReconstructionError.invalidOption("memoryBudget is \(budget >> 20) MiB, it must be at least 256 MiB")
        }
        if let count = configuration.submapPhotoCount, count < 20 {
            throw ReconstructionError.invalidOption("submapPhotoCount is \(count), it must be at least 20")
        }
        if let count = configuration.videoFrameCount, !(3...PhotoLimits.photos).contains(count) {
            throw ReconstructionError.invalidOption("videoFrameCount is \(count), it must be from 3 to \(PhotoLimits.photos)")
        }
        for request in requests { try checkOutput(of: request) }
        try checkStorage()
    }

    private func checkOutput(of request: PhotogrammetrySession.Request) throws {
        guard case .modelFile(let url, _, _) = request else { return }
        let folder = url.deletingLastPathComponent()
        guard url.isFileURL, ModelFile.format(forExtension: url.pathExtension) != nil,
            FileStatus.isFolder(folder.path), FileManager.default.isWritableFile(atPath: folder.path)
        else { throw PhotogrammetrySession.Error.invalidOutput(url) }
    }

    /// Checks the space for the models' files. The size of the checkpoint depends on the photos: the pipeline checks it later.
    private func checkStorage() throws {
        for case .modelFile(let url, let detail, _) in requests {
            let limits = DetailLimits.limits(of: detail, custom: configuration.customDetailSpecification)
            let required = limits.largestFileBytes
            guard let free = DiskSpace.freeBytes(at: url.deletingLastPathComponent()), free < required else { continue }
            throw PhotogrammetrySession.Error.insufficientStorage(requiredBytes: required)
        }
    }
}

extension DetailLimits {
    /// The approximate size of a file of this detail: 36 bytes per triangle, and half a byte per texel of each map.
    var largestFileBytes: Int64 {
        let geometry = Int64(min(triangles, 4_000_000)) * 36
        let mapCount = Int64((0..<5).filter { maps.rawValue >> UInt($0) & 1 == 1 }.count)
        return geometry + Int64(textureDimension * textureDimension) * mapCount / 2
    }
}
