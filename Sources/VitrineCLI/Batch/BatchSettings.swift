#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ReconstructSettings {
    /// The placeholder for the object's name in the paths of a batch.
    static let namePlaceholder = "{name}"
    /// Options that belong to the batch and not to its objects.
    static let batchOptions: Set = ["--batch", "--summary", "--json"]
    /// Options for objects with a video only.
    static let videoOptions: Set = ["--frames", "--time"]

    /// The paths that the reconstruction of an object writes, except the checkpoint's.
    var writtenPaths: [String] { outputs + [poses, transforms, colmap, pointCloud, report].compactMap { $0 } }

    /// Checks the options of a batch.
    ///
    /// - Throws: `UsageError`, also if two objects would write the same file.
    func validateBatch() throws(UsageError) {
        for path in writtenPaths + [checkpoint].compactMap({ $0 }) where !path.contains(Self.namePlaceholder) {
            throw UsageError(
                "'\(path)': the outputs and the checkpoint of a batch need \(Self.namePlaceholder), as in -o 'models/{name}.glb'")
        }
        if let summary, !["html", "htm"].contains(summary.pathExtension.lowercased()) {
            throw UsageError("'\(summary)': the summary must end in .html")
        }
        // Of a video: it allows every option that an object may have.
        try named("object").validate(isVideo: true)
    }

    /// The settings of an object.
    func named(_ name: String) -> ReconstructSettings {
        func named(_ path: String) -> String { path.replacing(Self.namePlaceholder, with: name) }
        var settings = self
        (settings.isBatch, settings.summary) = (false, nil)
        settings.outputs = outputs.map(named)
        settings.checkpoint = checkpoint.map(named)
        settings.cameras = cameras.map(named)
        settings.poses = poses.map(named)
        settings.transforms = transforms.map(named)
        settings.colmap = colmap.map(named)
        settings.pointCloud = pointCloud.map(named)
        settings.report = report.map(named)
        if case .folder(let path) = masks { settings.masks = .folder(named(path)) }
        return settings
    }

    /// The summary page: `--summary`, otherwise `batch.html` in the deepest folder that all objects' outputs share.
    var summaryPath: String {
        if let summary { return summary }
        let path = writtenPaths.first ?? ""
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).prefix { !$0.contains(Self.namePlaceholder) }
        return (parts + ["batch.html"]).joined(separator: "/")
    }
}
