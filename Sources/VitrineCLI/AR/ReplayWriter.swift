import Foundation
import VitrineARView

/// Pictures into a folder or a video, packed while the next are tracked and drawn.
@MainActor
final class ReplayWriter {
    private enum Kind {
        case folder(URL)
        case video(VideoFeed)
    }

    /// How many pictures may wait to be packed.
    private static let limit = 3
    private let kind: Kind
    private let framesPerSecond: Double
    /// Each tells what it took, in milliseconds.
    private var packing: [Task<Double, any Error>] = []
    private var times: [Double] = []
    private var written = 0

    init(_ output: String, size: (width: Int, height: Int), framesPerSecond: Double) async throws {
        self.framesPerSecond = framesPerSecond
        let url = URL(fileURLWithPath: output)
        if VideoWriter.extensions.contains(url.pathExtension.lowercased()) {
            kind = .video(try await VideoFeed(url, width: size.width, height: size.height, framesPerSecond: framesPerSecond))
        } else {
            kind = .folder(try Self.emptyFolder(url))
        }
    }

    /// Pictures are named by numbers, as those of recordings and of other replays are: none may lie there.
    private static func emptyFolder(_ url: URL) throws -> URL {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            guard try FileManager.default.contentsOfDirectory(atPath: url.path).isEmpty else {
                throw CommandError(file: url.path, reason: "is not empty: name a new folder")
            }
        } catch let error as CocoaError {
            throw CommandError(file: url.path, reason: error.code == .fileWriteFileExists ? "is a file, no folder" : "can't be made")
        }
        return url
    }

    func write(_ picture: ARReplay.RenderedFrame) async throws {
        let image = picture.image
        switch kind {
        case .folder(let folder):
            let file = folder.appendingPathComponent(String(format: "%06d.png", picture.index))
            packing.append(
                Task.detached {
                    let began = ContinuousClock.now
                    try image.write(to: file, encoding: .png(.fast))
                    return (ContinuousClock.now - began).milliseconds
                })
        case .video(let video):
            // As often as it takes to keep time.
            let wanted = Int(picture.elapsed * framesPerSecond) + 1
            let (count, last) = (wanted - written, packing.last)
            written = max(wanted, written)
            packing.append(
                Task.detached {
                    // In order.
                    _ = try await last?.value
                    let began = ContinuousClock.now
                    try await video.write(image.bytes, count: count)
                    return (ContinuousClock.now - began).milliseconds
                })
        }
        while packing.count > Self.limit { times.append(try await packing.removeFirst().value) }
    }

    /// - Returns: What each picture took, in milliseconds.
    func finish() async throws -> [Double] {
        for task in packing { times.append(try await task.value) }
        packing = []
        if case .video(let video) = kind { try await video.finish() }
        return times
    }
}

/// A video that is written beside everything else: the encoder's pipe may be full.
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
