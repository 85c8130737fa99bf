import Foundation
import VitrineFiles
import VitrineReconstruct

/// What `vitrine reconstruct` was told.
struct ReconstructSettings: Sendable {
    typealias Configuration = PhotogrammetrySession.Configuration
    typealias Detail = PhotogrammetrySession.Request.Detail

    enum Masks: Equatable, Sendable {
        case automatic, none
        case folder(String)
    }

    var outputs: [String] = []
    /// The n-th goes with the n-th output; a single one with all.
    var details: [Detail] = []
    var custom = Configuration.CustomDetailSpecification()
    /// Whether one of the options that describe a custom level was given.
    var describesCustom = false
    var checkpoint: String?
    var masks = Masks.automatic
    var order = Configuration.SampleOrdering.unordered
    var sensitivity = Configuration.FeatureSensitivity.normal
    var cameras: String?
    var poses: String?
    var transforms: String?
    var colmap: String?
    var pointCloud: String?
    var report: String?
    var scale = Configuration.Scale.automatic
    var keepsScene = false
    var threads: Int?
    var memory: Double?
    var isJSON = false
}

extension ReconstructSettings {
    /// - Throws: what is missing, or doesn't go together.
    func validate() throws(UsageError) {
        guard !outputs.isEmpty || poses != nil || transforms != nil || colmap != nil || pointCloud != nil || report != nil else {
            throw UsageError("-o OUT is missing: the model to write")
        }
        for output in outputs {
            guard ModelFile.format(forExtension: (output as NSString).pathExtension) != nil else {
                throw UsageError("'\(output)': the model's name must end in one of \(ModelFile.extensionList)")
            }
        }
        guard Set(outputs).count == outputs.count else { throw UsageError("the same output is named twice") }
        guard details.count <= max(1, outputs.count) else { throw UsageError("--detail is given more often than -o") }
        guard details.count <= 1 || details.count == outputs.count else {
            throw UsageError("--detail is given \(details.count) times for \(outputs.count) outputs: once for all, or once for each")
        }
        guard !describesCustom || details.contains(.custom) else {
            throw UsageError("--triangles, --texture-size, --texture-format and --maps go with --detail custom")
        }
        if let pointCloud, (pointCloud as NSString).pathExtension.lowercased() != "ply" {
            throw UsageError("'\(pointCloud)': the point cloud's name must end in .ply")
        }
    }

    var configuration: Configuration {
        var configuration = Configuration(sampleOrdering: order, featureSensitivity: sensitivity)
        configuration.checkpointDirectory = checkpoint.map { URL(fileURLWithPath: $0) }
        configuration.customDetailSpecification = custom
        switch masks {
        case .automatic: break
        case .none: (configuration.isObjectMaskingEnabled, configuration.ignoreMasks) = (false, true)
        case .folder(let path): configuration.masksDirectory = URL(fileURLWithPath: path)
        }
        configuration.camerasFile = cameras.map { URL(fileURLWithPath: $0) }
        configuration.scale = scale
        configuration.ignoreBoundingBox = keepsScene
        configuration.threads = threads
        configuration.memoryBudget = memory.map { Int($0 * 1e9) }
        return configuration
    }

    func detail(of output: Int) -> Detail { details.count > 1 ? details[output] : details.first ?? .reduced }

    var requests: [PhotogrammetrySession.Request] {
        var requests: [PhotogrammetrySession.Request] = [.poses, .bounds]
        if pointCloud != nil || report != nil { requests.append(.pointCloud) }
        for (index, output) in outputs.enumerated() {
            requests.append(.modelFile(url: URL(fileURLWithPath: output), detail: detail(of: index)))
        }
        return requests
    }
}
