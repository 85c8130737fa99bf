import VitrineFiles
import VitrineScene
import VitrineVideo
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder of a checkpoint with the chosen frames of a video as photos: the second pass over the video.
///
/// A file beside the folder names what the frames were made from; frames of anything else are removed. Frames are written whole or not at
/// all, and those that exist are not written again.
struct VideoFrameFolder {
    let folder: URL
    private let label: URL

    /// The quality of the JPEG files: above what the compression of the video left.
    private static let quality = 95

    init(in store: CheckpointStore) {
        folder = store.folder.appendingPathComponent("video-frames")
        label = store.folder.appendingPathComponent("video-frames.txt")
    }

    private func url(_ index: Int) -> URL { folder.appendingPathComponent("frame-\(index.padded(6)).jpg") }

    /// Writes the chosen frames that the folder lacks.
    ///
    /// - Returns: Whether the folder had some of them.
    func extract(_ frames: VideoStage.Output, _ input: VideoStage.Input, in context: StageContext) throws -> Bool {
        try prepare(key: VideoStage.artifact(for: input).key.text)
        let manager = FileManager.default
        let wanted = frames.chosen.map { (index: frames.firstIndex + $0, time: frames.frames[$0].time) }
        let missing = wanted.filter { !manager.fileExists(atPath: url($0.index).path) }
        guard !missing.isEmpty else { return true }
        let name = input.url.lastPathComponent
        let reader = try VideoReader(input.url, pixels: .color, frames: missing.map(\.index))
        defer { reader.close() }
        for (number, frame) in missing.enumerated() {
            try context.checkCancellation()
            let bytes: [UInt8]?
            do throws(VideoError) {
                bytes = try reader.next()
            } catch {
                throw ReconstructionError.invalidVideo(input.url, at: frame.time, error)
            }
            guard let bytes else {
                throw ReconstructionError.invalidVideo(file: name, time: frame.time, reason: "has changed while it was read: it ends there")
            }
            let image = try Image(width: reader.width, height: reader.height, format: .rgba8, bytes: bytes, name: name)
            try AtomicFile.write(try ImageFile.encode(image, as: .jpeg(quality: Self.quality)), to: url(frame.index))
            context.report(Double(number + 1) / Double(missing.count))
        }
        return missing.count < wanted.count
    }

    /// Creates the folder, empty unless its frames were made with `key`.
    private func prepare(key: String) throws {
        let manager = FileManager.default
        let isCurrent = (try? FileBytes.read(label, limit: 1 << 10)).map { String(decoding: $0, as: UTF8.self) == key } ?? false
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in try manager.contentsOfDirectory(atPath: folder.path) {
            let isOutdated = !isCurrent && name.hasPrefix("frame-") && name.hasSuffix(".jpg")
            let isUnfinished = name.hasPrefix(".vitrine-") && name.hasSuffix(".tmp")
            if isOutdated || isUnfinished { try manager.removeItem(at: folder.appendingPathComponent(name)) }
        }
        if !isCurrent { try AtomicFile.write(Array(key.utf8), to: label) }
    }
}
