#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes a video frame by frame with a child process `ffmpeg`. Buffers one frame.
package final class VideoReader {
    /// The layout of a frame's bytes, rows from the top.
    package enum Pixels: Sendable {
        /// The levels and the colour matrix of the probe: luma, then interleaved Cb and Cr at half size. In stored orientation, or upright with square pixels.
        case planar(isUpright: Bool)
        /// Upright, with square pixels: one byte of grey, 0…255; the longer side has at most this many pixels.
        case gray(maximumSide: Int)
        /// Upright, with square pixels: red, green, blue and 255, sRGB-encoded.
        case color
    }

    package let probe: VideoProbe
    /// The size of the delivered frames in pixels.
    package let width, height: Int
    private let bytesPerFrame: Int
    private let url: URL
    private let program: ChildProcess

    /// Opens a video file.
    ///
    /// - Parameters:
    ///   - takesHiddenFrames: Whether to ignore an MP4's edit list, which may hide frames.
    ///   - frames: The indices of the frames to deliver, at most a thousand, in presentation order from 0; nil for all.
    package init(
        _ url: URL, pixels: Pixels = .planar(isUpright: false), takesHiddenFrames: Bool = false, frames: [Int]? = nil
    ) throws(VideoError) {
        let probe = try VideoProbe(url, readsTimes: false)
        (self.url, self.probe) = (url, probe)
        let range = probe.isFullRange ? "pc" : "tv"
        let matrix = probe.isTagged ? "" : "in_color_matrix=\(probe.isBT709 ? "bt709" : "bt601"):"
        var filters: [String] = []
        if let frames { filters.append("select='" + frames.map { "eq(n,\($0))" }.joined(separator: "+") + "'") }
        switch pixels {
        case .planar(let isUpright):
            (width, height) = isUpright ? (probe.uprightWidth, probe.uprightHeight) : (probe.width, probe.height)
            bytesPerFrame = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
            let convert = probe.needsConversion ? "out_color_matrix=bt709:" : ""
            filters.append("scale=\(width):\(height):\(convert)in_range=\(range):out_range=\(range),format=nv12")
        case .gray(let side):
            let (wide, high) = (probe.uprightWidth, probe.uprightHeight)
            let longer = max(wide, high)
            let scale = min(1, Double(side) / Double(longer))
            (width, height) = (max(1, Int((Double(wide) * scale).rounded())), max(1, Int((Double(high) * scale).rounded())))
            bytesPerFrame = width * height
            filters.append("scale=\(width):\(height):flags=area:in_range=\(range):out_range=pc,format=gray")
        case .color:
            (width, height) = (probe.uprightWidth, probe.uprightHeight)
            bytesPerFrame = 4 * width * height
            filters.append(
                "scale=\(width):\(height):flags=bicubic+accurate_rnd+full_chroma_int:\(matrix)in_range=\(range):out_range=pc,format=rgba")
        }
        var rotation: [String] = []
        if case .planar(isUpright: false) = pixels { rotation = ["-noautorotate"] }
        program = try ChildProcess(
            "ffmpeg",
            VideoProbe.openArguments + (takesHiddenFrames ? ["-ignore_editlist", "1"] : []) + ["-nostdin"] + rotation + [
                "-i", "file:" + url.path, "-map", "0:v:0", "-vsync", "passthrough", "-vf", filters.joined(separator: ","), "-f",
                "rawvideo", "pipe:1",
            ], package: "ffmpeg")
    }

    /// Returns the bytes of the next frame; nil at the end.
    ///
    /// - Throws: `VideoError` with the error output of ffmpeg for a damaged file.
    package func next() throws(VideoError) -> [UInt8]? {
        do throws(VideoError) {
            if let bytes = try program.read(bytesPerFrame) { return bytes }
            try program.finish()
            return nil
        } catch {
            throw VideoError("\(url.lastPathComponent): \(error.description)")
        }
    }

    package func close() { program.stop() }
}
