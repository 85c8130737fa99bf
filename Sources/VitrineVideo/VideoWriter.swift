#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes images as a video or an animation with a child process `ffmpeg`. The file extension selects the format.
///
/// | extension | format |
/// | --- | --- |
/// | `.mp4`, `.mkv`, `.mov` | H.264 (libx264, else OpenH264, else MPEG-4 part 2), 4:2:0, BT.709 in video range; even sides; without alpha |
/// | `.gif` | one palette of 256 colours for all frames, ordered dither; alpha below one half is transparent; at most 50 frames per second |
/// | `.webp` | animated WebP, lossy, with alpha |
///
/// The same images give the same bytes with the same version of ffmpeg. The file exists once `finish` returns; it is never incomplete.
package final class VideoWriter {
    /// The supported file extensions, without the dot.
    package static let extensions = ["mp4", "mkv", "mov", "gif", "webp"]

    package let url: URL
    package let width, height: Int
    private let kind: Kind
    private let plays: Int
    /// The temporary files: the encoder's output; for a GIF the lossless frames, the palette and the GIF.
    private let temporaries: [String]
    private let program: ChildProcess
    private var isFinished = false

    private enum Kind: Equatable {
        case video, gif, webp

        init(_ pathExtension: String) {
            switch pathExtension {
            case "gif": self = .gif
            case "webp": self = .webp
            default: self = .video
            }
        }
    }

    /// Returns whether a format supports transparency.
    ///
    /// - Parameter pathExtension: An extension without the dot; case is ignored.
    package static func holdsAlpha(_ pathExtension: String) -> Bool { Kind(pathExtension.lowercased()) != .video }

    /// Returns whether a format requires sides that are multiples of 2.
    ///
    /// - Parameter pathExtension: An extension without the dot; case is ignored.
    package static func needsEvenSides(_ pathExtension: String) -> Bool { Kind(pathExtension.lowercased()) == .video }

    /// Starts a video.
    ///
    /// - Parameters:
    ///   - width, height: The size in pixels; even for video.
    ///   - framesPerSecond: The frame rate, 0.1 to 1000; at most 50 for GIF.
    ///   - quality: The quality of video and WebP: 0 (smallest file) to 1 (no visible loss).
    ///   - plays: The number of times that viewers play a GIF or WebP; 0 loops forever.
    /// - Throws: `VideoError` for an unsupported size or file extension, or if ffmpeg is not installed.
    package init(
        _ url: URL, width: Int, height: Int, framesPerSecond: Double, quality: Double = 0.75, plays: Int = 0
    ) throws(VideoError) {
        let pathExtension = url.pathExtension.lowercased()
        guard Self.extensions.contains(pathExtension) else {
            throw VideoError(
                "\(url.path): the name of a video must end in one of \(Self.extensions.map { "." + $0 }.joined(separator: ", "))")
        }
        let kind = Kind(pathExtension)
        let (smallest, step) = kind == .video ? (2, 2) : (1, 1)
        let largest = kind == .webp ? min(16_383, VideoProbe.sideLimit) : VideoProbe.sideLimit
        guard (smallest...largest).contains(width), (smallest...largest).contains(height), width % step == 0, height % step == 0 else {
            let even = kind == .video ? "even sides" : "sides"
            throw VideoError(
                "\(url.path): a .\(pathExtension) must have \(even) of \(smallest) to \(largest) pixels, but has \(width) × \(height)")
        }
        guard (0.1...(kind == .gif ? 50 : 1000)).contains(framesPerSecond) else {
            throw VideoError(
                "\(url.path): \(framesPerSecond) frames per second are not supported\(kind == .gif ? ": a GIF has at most 50" : "")")
        }
        guard access(url.deletingLastPathComponent().path, W_OK) == 0 else {
            throw VideoError("\(url.deletingLastPathComponent().path): \(String(cString: strerror(errno)).lowercased())")
        }
        (self.url, self.width, self.height, self.kind, self.plays) = (url, width, height, kind, max(0, plays))
        let stem = url.deletingLastPathComponent().appendingPathComponent(".vitrine-\(getpid())-\(UInt32.random(in: 0 ... .max))").path
        let temporaries = kind == .gif ? [stem + ".gif", stem + ".mkv", stem + ".png"] : ["\(stem).\(pathExtension)"]
        self.temporaries = temporaries
        let output: [String] =
            switch kind {
            case .video: try Self.video(quality) + ["file:" + temporaries[0]]
            case .gif: ["-vf", "format=bgra", "-c:v", "ffv1", "-level", "3", "-threads", "1", "file:" + temporaries[1]]
            case .webp: Self.webp(quality, plays: self.plays) + ["file:" + temporaries[0]]
            }
        program = try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "\(width)x\(height)", "-r",
                "\(framesPerSecond)", "-i", "pipe:0",
            ] + output, writes: true, package: "ffmpeg")
    }

    deinit {
        guard !isFinished else { return }
        program.stop()
        discard()
    }

    // MARK: Arguments of ffmpeg

    /// Options that make the output independent of version names and the number of processors.
    private static let reproducible = ["-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"]

    private static func video(_ quality: Double) throws(VideoError) -> [String] {
        ["-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd,format=yuv420p"] + (try encoder(quality)) + reproducible + [
            "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-movflags", "+faststart",
        ]
    }

    private static func webp(_ quality: Double, plays: Int) -> [String] {
        let quality = min(max(quality, 0), 1)
        return [
            "-vf", "format=bgra", "-c:v", "libwebp_anim", "-lossless", quality == 1 ? "1" : "0", "-quality", "\(50 + 50 * quality)",
            "-compression_level", "4",
        ] + reproducible + ["-loop", "\(plays)"]
    }

    /// Returns the options of the best available encoder. The preset veryfast of libx264 takes 0.4 of the time of medium for a file of the same size.
    private static func encoder(_ quality: Double) throws(VideoError) -> [String] {
        let program = try ChildProcess("ffmpeg", ["-v", "error", "-encoders"], package: "ffmpeg")
        let names = Set(
            String(decoding: try program.readToEnd(limit: 1 << 20), as: UTF8.self).split(whereSeparator: \.isNewline)
                .compactMap { $0.split(separator: " ").dropFirst().first })
        let quality = min(max(quality, 0), 1)
        if names.contains("libx264") { return ["-c:v", "libx264", "-preset", "veryfast", "-crf", "\(36 - 24 * quality)"] }
        if names.contains("libopenh264") { return ["-c:v", "libopenh264", "-b:v", "\(Int(1e6 + 19e6 * quality))"] }
        if names.contains("mpeg4") { return ["-c:v", "mpeg4", "-q:v", "\(Int(15 - 13 * quality))"] }
        throw VideoError("ffmpeg has none of the encoders libx264, libopenh264 and mpeg4")
    }

    /// Computes the palette of all frames, then the GIF: two passes, so that memory does not grow with the length.
    private func makeGIF() throws(VideoError) {
        let input = ["-v", "error", "-nostdin", "-y", "-threads", "1", "-i", "file:" + temporaries[1]]
        let palette = ["-vf", "palettegen=max_colors=256:reserve_transparent=1:stats_mode=full", "-frames:v", "1"]
        try ChildProcess("ffmpeg", input + palette + Self.reproducible + ["file:" + temporaries[2]], package: "ffmpeg").finish()
        // ffmpeg expects the number of repetitions; −1 for none.
        let loop = plays == 0 ? 0 : plays == 1 ? -1 : plays - 1
        let mapping = ["-i", "file:" + temporaries[2], "-lavfi", "paletteuse=dither=bayer:bayer_scale=4:alpha_threshold=128"]
        try ChildProcess(
            "ffmpeg", input + mapping + Self.reproducible + ["-loop", "\(loop)", "file:" + temporaries[0]], package: "ffmpeg"
        ).finish()
    }

    // MARK: Writing

    /// Adds an image.
    ///
    /// - Parameter pixels: Red, green, blue and straight alpha, sRGB-encoded, rows from the top: `4 * width * height` bytes. Video ignores alpha.
    package func write(_ pixels: [UInt8]) throws(VideoError) {
        precondition(pixels.count == 4 * width * height && !isFinished)
        do throws(VideoError) {
            try program.write(pixels)
        } catch {
            throw VideoError("\(url.path): \(error.description)")
        }
    }

    /// Finishes the video and moves it to its final path.
    package func finish() throws(VideoError) {
        guard !isFinished else { return }
        isFinished = true
        defer { discard() }
        do throws(VideoError) {
            try program.finish()
            if kind == .gif { try makeGIF() }
        } catch {
            throw VideoError("\(url.path): \(error.description)")
        }
        guard rename(temporaries[0], url.path) == 0 else {
            throw VideoError("\(url.path): \(String(cString: strerror(errno)).lowercased())")
        }
    }

    private func discard() {
        for path in temporaries { unlink(path) }
    }
}
