import VitrineARView
import VitrineVideo

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes images into a folder or a video, encoding them while the next are tracked and rendered.
///
/// A video appears when `finish` returns. Images of a folder appear one by one; call `discard` after a failure.
@MainActor
final class ReplayWriter {
    private enum Kind {
        case folder(URL)
        case video(VideoFeed)
    }

    /// The maximum number of images that wait for encoding.
    private static let limit = 3
    private let kind: Kind
    /// Whether the folder existed before.
    private let isFolderKept: Bool
    private let framesPerSecond: Double
    /// The running encodings; each returns its duration in milliseconds.
    private var encodings: [Task<Double, any Error>] = []
    private var times: [Double] = []
    private var written = 0

    init(_ output: String, size: (width: Int, height: Int), framesPerSecond: Double) async throws {
        self.framesPerSecond = framesPerSecond
        isFolderKept = FileManager.default.fileExists(atPath: output)
        let url = URL(fileURLWithPath: output)
        if VideoWriter.extensions.contains(url.pathExtension.lowercased()) {
            kind = .video(try await VideoFeed(url, width: size.width, height: size.height, framesPerSecond: framesPerSecond))
        } else {
            // Images of other replays have the same names.
            try NewFolder.make(output)
            kind = .folder(url)
        }
    }

    /// Removes the images of a failed replay, so that they are not mistaken for a complete one.
    func discard() async {
        for task in encodings { _ = await task.result }
        encodings = []
        guard case .folder(let folder) = kind else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where name.hasSuffix(".png") {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        if !isFolderKept { try? FileManager.default.removeItem(at: folder) }
    }

    func write(_ frame: ARReplay.RenderedFrame) async throws {
        let image = frame.image
        switch kind {
        case .folder(let folder):
            let file = folder.appendingPathComponent("\(frame.index.padded(6)).png")
            encodings.append(
                Task.detached {
                    let began = ContinuousClock.now
                    try image.write(to: file, encoding: .png(.fast))
                    return (ContinuousClock.now - began).milliseconds
                })
        case .video(let video):
            // Repeat the image to keep the frame rate.
            let wanted = Int(frame.elapsed * framesPerSecond) + 1
            let (count, last) = (wanted - written, encodings.last)
            written = max(wanted, written)
            encodings.append(
                Task.detached {
                    // In order.
                    _ = try await last?.value
                    let began = ContinuousClock.now
                    try await video.write(image.bytes, count: count)
                    return (ContinuousClock.now - began).milliseconds
                })
        }
        while encodings.count > Self.limit { times.append(try await encodings.removeFirst().value) }
    }

    /// Waits for the remaining images and finishes the output.
    ///
    /// - Returns: The encoding time of each image in milliseconds.
    func finish() async throws -> [Double] {
        for task in encodings { times.append(try await task.value) }
        encodings = []
        if case .video(let video) = kind { try await video.finish() }
        return times
    }
}

/// Writes a video concurrently: the pipe to the encoder may block.
private actor VideoFeed {
    private let writer: VideoWriter

    init(_ url: URL, width: Int, height: Int, framesPerSecond: Double) async throws {
        writer = try VideoWriter(url, width: width, height: height, framesPerSecond: framesPerSecond)
    }

    func write(_ pixels: [UInt8], count: Int) throws {
        for _ in 0..<max(count, 0) { try writer.write(pixels) }
    }

    func finish() throws { try writer.finish() }
}
