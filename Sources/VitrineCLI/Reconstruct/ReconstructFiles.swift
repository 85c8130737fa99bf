import Vitrine
import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The output files except models: poses, cameras for other programs, points.
struct ReconstructFiles {
    let settings: ReconstructSettings

    private var files: [String] {
        settings.outputs + [settings.poses, settings.transforms, settings.pointCloud, settings.report].compactMap { $0 }
    }

    /// Checks before any work that the folders of the outputs exist and are writable.
    func check() throws {
        for path in files { try OutputFile.check(path) }
        if let folder = settings.colmap { try OutputFile.checkFolder(of: folder) }
    }

    func write(_ summary: ReconstructionSummary, results: ReconstructResults) throws {
        if let alignment = summary.alignment {
            let names = alignment.photos.map(\.name)
            if let path = settings.poses {
                try PosesFile(alignment.model, names: names, isMetric: summary.isMetric).write(to: URL(fileURLWithPath: path))
            }
            if let path = settings.transforms {
                let url = URL(fileURLWithPath: path)
                let paths = alignment.photos.map { photo in
                    photo.url.map { Self.path(of: $0, from: url.deletingLastPathComponent()) } ?? photo.name
                }
                try TransformsFile(alignment.model, names: paths).write(to: url)
            }
            if let path = settings.colmap {
                try COLMAPModel.write(alignment.model, names: names, to: URL(fileURLWithPath: path)) { photo, feature in
                    SIMD2<Double>(alignment.featurePositions[photo][feature])
                }
            }
        }
        if let path = settings.pointCloud, let points = results.points { try write(points, to: URL(fileURLWithPath: path)) }
    }

    private func write(_ cloud: PhotogrammetrySession.PointCloud, to url: URL) throws {
        for warning in try ModelFile.write(try cloud.makeScene(name: url.deletingPathExtension().lastPathComponent), to: url) {
            printError("warning: \(url.relativePath): \(warning)")
        }
    }

    /// The relative path from a folder to a file.
    static func path(of file: URL, from folder: URL) -> String {
        let (to, from) = (file.standardizedFileURL.pathComponents, folder.standardizedFileURL.pathComponents)
        let shared = zip(to, from).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: from.count - shared) + to[shared...]).joined(separator: "/")
    }
}
