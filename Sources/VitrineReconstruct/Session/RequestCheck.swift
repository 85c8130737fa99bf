import Foundation
import VitrineFiles

/// Finds out before any work whether requests can be fulfilled.
struct RequestCheck {
    let requests: [PhotogrammetrySession.Request]
    let configuration: PhotogrammetrySession.Configuration

    func run() throws {
        guard !requests.isEmpty else { throw ReconstructionError.invalidOption("there is no request") }
        guard Set(requests).count == requests.count else { throw ReconstructionError.invalidOption("the same request is made twice") }
        guard configuration.meshPrimitive == .triangle else {
            throw ReconstructionError.unsupported("meshes of quads are not made here, only of triangles")
        }
        let polygons = configuration.customDetailSpecification.maximumPolygonCount
        guard polygons >= 100 else {
            throw ReconstructionError.invalidOption("a model of fewer than \(polygons) triangles: 100 are the least")
        }
        if let threads = configuration.threads, !(1...1024).contains(threads) {
            throw ReconstructionError.invalidOption("\(threads) threads: 1 to 1024 are possible")
        }
        if let budget = configuration.memoryBudget, budget < 256 << 20 {
            throw ReconstructionError.invalidOption("a memory budget under 256 MiB")
        }
        for request in requests { try checkOutput(of: request) }
        try checkStorage()
    }

    private func checkOutput(of request: PhotogrammetrySession.Request) throws {
        guard case .modelFile(let url, _, _) = request else { return }
        let folder = url.deletingLastPathComponent()
        var isDirectory: ObjCBool = false
        let manager = FileManager.default
        guard url.isFileURL, ModelFile.format(forExtension: url.pathExtension) != nil,
            manager.fileExists(atPath: folder.path, isDirectory: &isDirectory),
            isDirectory.boolValue, manager.isWritableFile(atPath: folder.path)
        else { throw PhotogrammetrySession.Error.invalidOutput(url) }
    }

    /// The models' files; what the checkpoint takes depends on the photos, and is checked when they are known.
    private func checkStorage() throws {
        for case .modelFile(let url, let detail, _) in requests {
            let limits = DetailLimits.limits(of: detail, custom: configuration.customDetailSpecification)
            let required = limits.largestFileBytes
            guard let free = CheckpointStore.freeBytes(at: url.deletingLastPathComponent()), free < required else { continue }
            throw PhotogrammetrySession.Error.insufficientStorage(requiredBytes: required)
        }
    }
}

extension DetailLimits {
    /// About what a file of this detail takes on disk: triangles with their vertices, and textures at about a byte a texel for each map.
    var largestFileBytes: Int64 {
        let geometry = Int64(min(triangles, 4_000_000)) * 36
        let mapCount = Int64((0..<5).filter { maps.rawValue >> UInt($0) & 1 == 1 }.count)
        return geometry + Int64(textureDimension * textureDimension) * mapCount / 2
    }
}
