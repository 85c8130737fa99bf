import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes a video frame by frame with a child process `ffmpeg`, as stored: without rotation.
///
/// Buffers one frame.
final class VideoReader {
    let probe: VideoProbe
    private let url: URL
    private let program: ChildProcess

    /// - Parameter takesHiddenFrames: Whether to ignore an MP4's edit list, which may hide frames.
    init(_ url: URL, takesHiddenFrames: Bool = false) throws(SourceError) {
        let probe = try VideoProbe(url, readsTimes: false)
        (self.url, self.probe) = (url, probe)
        let range = probe.range == .full ? "pc" : "tv"
        let convert = probe.needsConversion ? "out_color_matrix=bt709:" : ""
        program = try ChildProcess(
            "ffmpeg",
            VideoProbe.openArguments + (takesHiddenFrames ? ["-ignore_editlist", "1"] : []) + [
                "-nostdin", "-noautorotate", "-i", "file:" + url.path, "-map", "0:v:0", "-vsync", "passthrough",
                "-vf", "scale=\(convert)in_range=\(range):out_range=\(range),format=nv12", "-f", "rawvideo", "pipe:1",
            ], package: "ffmpeg")
    }

    /// The next frame; nil at the end.
    ///
    /// - Throws: `SourceError.broken` with the error output of ffmpeg for a damaged file.
    func next() throws(SourceError) -> CapturedImage? {
        let pixels = probe.width * probe.height
        let chroma = 2 * ((probe.width + 1) / 2) * ((probe.height + 1) / 2)
        do throws(SourceError) {
            guard let bytes = try program.read(pixels + chroma) else {
                try program.finish()
                return nil
            }
            return CapturedImage(
                luma: Plane(width: probe.width, height: probe.height, values: Array(bytes[0..<pixels])), chroma: Array(bytes[pixels...]),
                matrix: probe.matrix, range: probe.range)
        } catch {
            throw .broken("\(url.lastPathComponent): \(error.description)")
        }
    }

    func close() { program.stop() }
}
