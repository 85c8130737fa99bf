import VitrineTracking

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

/// Writes pictures as a video, by the program `ffmpeg` in a process of its own: H.264 (libx264, else OpenH264, else MPEG-4 part 2) in MP4, Matroska or
/// QuickTime, as the file's name says; BT.709, video range.
///
/// The same pictures give the same bytes with the same version of the program. The file appears when `finish` returns, whole, or not at all.
public final class VideoWriter {
    public static let extensions = ["mp4", "mkv", "mov"]

    public let url: URL
    public let width, height: Int
    private let temporary: URL
    private let program: ChildProcess
    private var isFinished = false

    /// - Parameters:
    ///   - width: of each picture, in pixels; even, as the format wants it. So is `height`.
    ///   - framesPerSecond: 0.1 to 1000.
    ///   - quality: 0 (smallest) to 1 (no loss that can be seen). Default 0.75.
    /// - Throws: `SourceError.broken`: a size or a name that can't be, a program that isn't installed.
    public init(_ url: URL, width: Int, height: Int, framesPerSecond: Double, quality: Double = 0.75) throws(SourceError) {
        guard Self.extensions.contains(url.pathExtension.lowercased()) else {
            throw .broken("\(url.path): a video's name must end in one of \(Self.extensions.map { "." + $0 }.joined(separator: ", "))")
        }
        guard (2...TrackingCamera.sideLimit).contains(width), (2...TrackingCamera.sideLimit).contains(height), width % 2 == 0,
            height % 2 == 0
        else { throw .broken("\(url.path): a video has even sides of 2 to \(TrackingCamera.sideLimit) pixels, not \(width) × \(height)") }
        guard (0.1...1000).contains(framesPerSecond) else { throw .broken("\(url.path): \(framesPerSecond) frames a second") }
        guard access(url.deletingLastPathComponent().path, W_OK) == 0 else {
            throw .broken("\(url.deletingLastPathComponent().path): \(String(cString: strerror(errno)).lowercased())")
        }
        (self.url, self.width, self.height) = (url, width, height)
        temporary = url.deletingLastPathComponent().appendingPathComponent(
            ".vitrine-\(getpid())-\(UInt32.random(in: 0 ... .max)).\(url.pathExtension.lowercased())")
        program = try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "\(width)x\(height)", "-r",
                "\(framesPerSecond)", "-i", "pipe:0", "-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd,format=yuv420p",
            ] + (try Self.encoder(quality)) + [
                // Names of versions and the number of processors would reach the bytes.
                "-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1", "-colorspace", "bt709",
                "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-movflags", "+faststart",
                "file:" + temporary.path,
            ], writes: true, package: "ffmpeg")
    }

    deinit {
        guard !isFinished else { return }
        program.stop()
        unlink(temporary.path)
    }

    /// The best encoder that the installed program has. Of libx264's presets veryfast takes 0.4 of the time that medium takes, for a file of the same size.
    private static func encoder(_ quality: Double) throws(SourceError) -> [String] {
        let program = try ChildProcess("ffmpeg", ["-v", "error", "-encoders"], package: "ffmpeg")
        let names = Set(
            String(decoding: try program.readToEnd(limit: 1 << 20), as: UTF8.self).split(whereSeparator: \.isNewline)
                .compactMap { $0.split(separator: " ").dropFirst().first })
        let quality = min(max(quality, 0), 1)
        if names.contains("libx264") { return ["-c:v", "libx264", "-preset", "veryfast", "-crf", "\(36 - 24 * quality)"] }
        if names.contains("libopenh264") { return ["-c:v", "libopenh264", "-b:v", "\(Int(1e6 + 19e6 * quality))"] }
        if names.contains("mpeg4") { return ["-c:v", "mpeg4", "-q:v", "\(Int(15 - 13 * quality))"] }
        throw .broken("ffmpeg: has none of the encoders libx264, libopenh264 and mpeg4")
    }

    /// Adds a picture.
    ///
    /// - Parameter pixels: red, green, blue, alpha, sRGB-encoded, rows from the top: `4 * width * height` bytes. Alpha is left out.
    public func write(_ pixels: [UInt8]) throws(SourceError) {
        precondition(pixels.count == 4 * width * height && !isFinished)
        do throws(SourceError) {
            try program.write(pixels)
        } catch {
            throw .broken("\(url.path): \(error.description)")
        }
    }

    /// Ends the video and puts it in its place.
    public func finish() throws(SourceError) {
        guard !isFinished else { return }
        isFinished = true
        do throws(SourceError) {
            try program.finish()
        } catch {
            unlink(temporary.path)
            throw .broken("\(url.path): \(error.description)")
        }
        guard rename(temporary.path, url.path) == 0 else {
            let reason = String(cString: strerror(errno)).lowercased()
            unlink(temporary.path)
            throw .broken("\(url.path): \(reason)")
        }
    }
}
