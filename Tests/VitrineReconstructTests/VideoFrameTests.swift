import Foundation
import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport
import VitrineVideo
import VitrineVision

@testable import VitrineReconstruct

private let hasFFmpeg = ["ffmpeg", "ffprobe"].allSatisfy {
    (try? ChildProcess($0, ["-version"], package: "ffmpeg").readToEnd(limit: 1 << 20)) != nil
}

/// A video of half a circle around an object, by hand: a stop, a blurred stretch and two frames with too much light.
private enum TestVideo {
    static let views = 40
    static let stop = 14
    static let stopLength = 16
    static let blurred = 25..<29
    static let bright = 34..<36
    static let capture = SyntheticCapture { options in
        (options.photos, options.width, options.height) = (views, 320, 240)
        (options.arc, options.elevations, options.subdivisions, options.wander) = (0.5, [25], 4, 0.1)
    }

    /// The view of each frame.
    static let viewOfFrame = (0..<views).flatMap { Array(repeating: $0, count: $0 == stop ? stopLength : 1) }

    static func pixels(_ frame: Int) -> [UInt8] {
        let view = viewOfFrame[frame]
        guard var image = capture.photos[view].image else { return [] }
        if blurred.contains(view) { image = blurredAcross(image) }
        return bright.contains(view)
            ? image.bytes.enumerated().map { $0.offset % 4 == 3 ? 255 : UInt8(min(255, Int($0.element) * 4 + 60)) } : image.bytes
    }

    /// A motion of 13 pixels.
    private static func blurredAcross(_ image: Image) -> Image {
        var bytes = image.bytes
        for y in 0..<image.height {
            for x in 6..<image.width - 6 {
                for channel in 0..<3 {
                    let sum = (-6...6).reduce(0) { $0 + Int(image.bytes[4 * (y * image.width + x + $1) + channel]) }
                    bytes[4 * (y * image.width + x) + channel] = UInt8(sum / 13)
                }
            }
        }
        return (try? Image(width: image.width, height: image.height, format: .rgba8, bytes: bytes)) ?? image
    }

    static func write(to url: URL) throws {
        let writer = try VideoWriter(url, width: 320, height: 240, framesPerSecond: 10, quality: 0.9)
        for frame in viewOfFrame.indices { try writer.write(pixels(frame)) }
        try writer.finish()
    }
}

@Suite(.enabled(if: hasFFmpeg, "ffmpeg is not installed: sudo apt-get install -y ffmpeg")) struct VideoFrameTests {
    private func resources(_ folder: URL) throws -> StageResources {
        let store = try CheckpointStore(folder: folder)
        return StageResources(store: store, pixels: PhotoPixels(store: store, budget: 0), views: ViewCache())
    }

    private func input(_ url: URL, count: Int?, range: ClosedRange<Double>? = nil) throws -> VideoStage.Input {
        VideoStage.Input(url: url, digest: try Digest(ofFileAt: url), count: count, range: range)
    }

    @Test func framesAreSharpAndEvenlySpaced() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("walk.mp4")
            try TestVideo.write(to: url)
            let resources = try resources(folder.appendingPathComponent("work"))
            let input = try input(url, count: 20)
            let output = try VideoStage.run(input, with: resources, in: StageContext(parallel: Parallel(threads: 2)))
            let views = output.chosen.map { TestVideo.viewOfFrame[$0] }
            #expect(output.frames.count == TestVideo.viewOfFrame.count && output.chosen.count == 20)
            #expect(output.size == PhotoSize(width: 320, height: 240))
            // One frame of the stop, none that is blurred or overexposed.
            #expect(views.count { $0 == TestVideo.stop } <= 2)
            #expect(!views.contains { TestVideo.blurred.contains($0) || TestVideo.bright.contains($0) }, "\(views)")
            for (state, view) in zip(output.states, TestVideo.viewOfFrame) {
                if TestVideo.blurred.contains(view) { #expect(state == .blurred, "view \(view)") }
                if TestVideo.bright.contains(view) { #expect(state == .overexposed, "view \(view)") }
            }
            #expect(output.states.count { $0 == .still } >= TestVideo.stopLength - 5)
            // 40 views for 20 photos: never more than 4 apart, except across the blur.
            #expect((views.first ?? 9) <= 2 && (views.last ?? 0) >= 37)
            for (a, b) in zip(views, views.dropFirst()) where !TestVideo.blurred.contains(a + 1) { #expect(b - a <= 4, "\(views)") }
            // The path grows with the angle, and not during the stop.
            let path = output.frames.map(\.path)
            #expect(abs(path[TestVideo.stop + TestVideo.stopLength - 1] - path[TestVideo.stop]) < 0.01)
            // 180° are about 30 steps.
            let steps = (path.last ?? 0) / VideoFrameSelector.step
            #expect(steps > 15 && steps < 60, "\(steps)")
            // The same with another number of threads, and after coding.
            let again = try VideoStage.run(input, with: resources, in: StageContext(parallel: Parallel(threads: 1)))
            #expect(again.frames == output.frames && again.states == output.states)
            let decoded = try VideoStage.Output(decoding: output.encoded)
            #expect(decoded.frames == output.frames && decoded.states == output.states)
        }
    }

    @Test func framesAreExtractedOnce() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("walk.mp4")
            try TestVideo.write(to: url)
            let resources = try resources(folder.appendingPathComponent("work"))
            let input = try input(url, count: 4, range: 0.5...1.2)
            let output = try VideoStage.run(input, with: resources, in: StageContext())
            #expect(output.firstIndex == 5 && output.frames.count == 8)
            let frames = VideoFrameFolder(in: resources.store)
            #expect(try !frames.extract(output, input, in: StageContext()))
            let manager = FileManager.default
            let names = try manager.contentsOfDirectory(atPath: frames.folder.path).sorted()
            #expect(names == output.chosen.map { String(format: "frame-%06d.jpg", 5 + $0) })
            let before = try names.map { try FileBytes.read(frames.folder.appendingPathComponent($0)) }
            // The right frame: close to the drawn one.
            let image = try Image(contentsOf: frames.folder.appendingPathComponent(names[0]))
            let truth = TestVideo.pixels(5 + output.chosen[0])
            var error = 0
            for (byte, expected) in zip(image.bytes, truth) { error += abs(Int(byte) - Int(expected)) }
            error /= truth.count
            #expect(error < 6, "\(error)")
            // Files of a killed process are removed, a missing frame is written again: the same bytes.
            try manager.removeItem(at: frames.folder.appendingPathComponent(names[2]))
            try Data([1, 2]).write(to: folder.appendingPathComponent("work/video-frames/.vitrine-1-2-0.tmp"))
            #expect(try frames.extract(output, input, in: StageContext()))
            #expect(try manager.contentsOfDirectory(atPath: frames.folder.path).sorted() == names)
            #expect(try names.map { try FileBytes.read(frames.folder.appendingPathComponent($0)) } == before)
            // Other options: other frames.
            let other = try self.input(url, count: 3)
            let third = try VideoStage.run(other, with: resources, in: StageContext())
            #expect(try !frames.extract(third, other, in: StageContext()))
            #expect(try manager.contentsOfDirectory(atPath: frames.folder.path).count == 3)
        }
    }

    @Test func rotatedVideosAreUpright() throws {
        try withTemporaryDirectory { folder in
            let (flat, turned) = (folder.appendingPathComponent("flat.mp4"), folder.appendingPathComponent("turned.mp4"))
            let writer = try VideoWriter(flat, width: 96, height: 64, framesPerSecond: 10, quality: 1)
            // Red left half, blue right half.
            let pixels = (0..<96 * 64).flatMap { $0 % 96 < 48 ? [255, 0, 0, 255] as [UInt8] : [0, 0, 255, 255] }
            for _ in 0..<3 { try writer.write(pixels) }
            try writer.finish()
            try ChildProcess(
                "ffmpeg", ["-v", "error", "-i", flat.path, "-c", "copy", "-metadata:s:v", "rotate=90", turned.path], package: "ffmpeg"
            ).finish()
            let reader = try VideoReader(turned, pixels: .color, frames: [1])
            #expect((reader.width, reader.height) == (64, 96))
            let bytes = try #require(try reader.next())
            #expect(try reader.next() == nil)
            // The quarter turn that players show: versions of ffmpeg write the tag in one direction or the other.
            let whole = try ChildProcess(
                "ffmpeg",
                [
                    "-v", "error", "-i", turned.path, "-frames:v", "1", "-vf", "scale=64:96", "-f", "rawvideo", "-pix_fmt", "rgba",
                    "pipe:1",
                ], package: "ffmpeg")
            let shown = try whole.readToEnd(limit: 1 << 20)
            let (top, bottom) = (4 * (10 * 64 + 32), 4 * (85 * 64 + 32))
            #expect(abs(Int(bytes[top]) - Int(bytes[bottom])) > 150)
            for offset in [top, bottom] { #expect(abs(Int(bytes[offset]) - Int(shown[offset])) < 30) }
        }
    }

    @Test func badVideosAreErrors() async throws {
        try await withTemporaryDirectory { folder in
            try Data("no video".utf8).write(to: folder.appendingPathComponent("notes.mp4"))
            let session = try PhotogrammetrySession(input: folder.appendingPathComponent("notes.mp4"))
            try session.process(requests: [.poses])
            let transcript = try await Transcript(session)
            guard case .invalidVideo("notes.mp4", nil, let reason)? = transcript.errors.first as? ReconstructionError else {
                Issue.record("\(transcript.errors)")
                return
            }
            #expect(reason.hasPrefix("ffprobe"), "\(reason)")
            #expect(throws: PhotogrammetrySession.Error.self) {
                _ = try PhotogrammetrySession(input: folder.appendingPathComponent("photo.jpg"))
            }
        }
    }

    @Test func selectionFillsGaps() {
        // Steps of 0.01; every frame of the second half is blurred but two.
        let frames = (0..<100).map { index in
            let isBlurred = index >= 50 && index != 70 && index != 71
            return VideoFrameMeasure(
                time: Double(index) / 10, sharpness: isBlurred ? 0.2 : 0.6, brightness: 0.5, clipped: 0, path: Float(index) * 0.01)
        }
        let states = VideoFrameSelector(count: 12).states(of: frames)
        let chosen = states.indices.filter { states[$0] == .chosen }
        #expect(chosen.count == 12 && !chosen.contains { states[$0] == .blurred })
        #expect(chosen.contains(70) || chosen.contains(71))
        // More photos than usable frames.
        #expect(VideoFrameSelector(count: 90).states(of: frames).count { $0 == .chosen } == 52)
        // A camera that never moves.
        let still = frames.map { VideoFrameMeasure(time: $0.time, sharpness: 0.5, brightness: 0.5, clipped: 0) }
        #expect(VideoFrameSelector(count: 5).states(of: still).count { $0 == .chosen } == 5)
        #expect(VideoFrameSelector(count: nil).states(of: []).isEmpty)
    }
}
