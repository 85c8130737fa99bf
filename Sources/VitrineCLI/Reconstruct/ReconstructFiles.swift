import Foundation
import Vitrine
import VitrineFiles
import VitrineReconstruct

/// The files beside the model: poses, cameras for other programs, points.
struct ReconstructFiles {
    let settings: ReconstructSettings

    /// Before any work: whether the files' folders are there.
    func check() throws {
        let paths =
            settings.outputs
            + [settings.poses, settings.transforms, settings.colmap, settings.pointCloud, settings.report].compactMap { $0 }
        for path in paths {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), isDirectory.boolValue else {
                throw CommandError(file: path, reason: "there is no folder \(folder.relativePath)")
            }
            guard FileManager.default.isWritableFile(atPath: folder.path) else {
                throw CommandError(file: path, reason: "the folder can't be written")
            }
        }
    }

    func write(_ summary: ReconstructionSummary, results: ReconstructResults) throws {}
}
