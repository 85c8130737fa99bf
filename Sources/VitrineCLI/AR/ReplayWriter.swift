import VitrineARView
import VitrineImageFiles
import VitrineVideo

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes images into a folder or a video, encoding them while the next are tracked and rendered.
///
/// A folder appears once all images are written: a replay that fails leaves nothing that looks complete.
@MainActor
final class ReplayWriter {
    private enum Kind {
        case folder(partial: URL, URL)
        case video(VideoFeed)
    }

    /// The maximum number of images that wait for encoding.
    private static let limit = 3
    private let kind: Kind
    private let output: URL
    private let framesPerSecond: Double
    /// Each returns its duration in milliseconds.
    private var encodings: [Task<Double, any Error>] = []
    private var times: [Double] = []
    private var written = 0

    init(_ output: String, size: (width: Int, height: Int), framesPerSecond: Double) async throws {
        self.framesPerSecond = framesPerSecond
        let url = URL(fileURLWithPath: output)
        self.output = url
        if VideoWriter.extensions.contains(url.pathExtension.lowercased()) {
            kind = .video(try await VideoFeed(url, width: size.width, height: size.height, framesPerSecond: framesPerSecond))
        } else {
            kind = .folder(partial: try Self.partialFolder(url), url)
        }
    }

    /// Creates the folder beside the output in which images are collected. The output must be new or empty: images of other replays have the same
    /// names.
    private static func partialFolder(_ url: URL) throws -> URL {
        let (files, partial) = (
            FileManager.default, url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).partial")
        )
        do {
            if let status = FileStatus(path: url.path) {
                guard status.kind == .folder else {
                    throw CommandError(file: url.path, reason: "is a file: choose a new or an empty folder")
                }
                guard try files.contentsOfDirectory(atPath: url.path).isEmpty else {
                    throw CommandError(file: url.path, reason: "is not empty: choose a new or an empty folder")
                }
            }
            // Of a replay that was killed.
            try? files.removeItem(at: partial)
            try files.createDirectory(at: partial, withIntermediateDirectories: true)
        } catch is CocoaError {
            throw CommandError(file: url.path, reason: "cannot create the folder")
        }
        return partial
    }

    /// Removes the written images after a failure.
    func discard() async {
        for task in encodings { _ = try? await task.value }
        encodings = []
        switch kind {
        case .folder(let partial, _): try? FileManager.default.removeItem(at: partial)
        case .video(let video):
            try? await video.finish()
            try? FileManager.default.removeItem(at: output)
        }
    }

    func write(_ frame: ARReplay.RenderedFrame) async throws {
        let image = frame.image
        switch kind {
        case .folder(let folder, _):
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

    /// - Returns: The encoding time of each image in milliseconds.
    func finish() async throws -> [Double] {
        for task in encodings { times.append(try await task.value) }
        encodings = []
        switch kind {
        case .folder(let partial, let folder):
            do {
                if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
                try FileManager.default.moveItem(at: partial, to: folder)
            } catch {
                throw CommandError(file: folder.path, reason: "cannot create the folder")
            }
        case .video(let video): try await video.finish()
        }
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
