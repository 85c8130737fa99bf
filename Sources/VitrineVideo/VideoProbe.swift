#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The properties of a video's first video stream, as reported by `ffprobe`.
package struct VideoProbe: Sendable {
    /// The stored size in pixels.
    package let width, height: Int
    /// The displayed size: rotated upright, with square pixels.
    package let uprightWidth, uprightHeight: Int
    /// Whether the colour matrix is BT.709; otherwise it is BT.601. Undefined if `needsConversion`.
    package let isBT709: Bool
    /// Whether levels have the range 0…255; otherwise 16…235.
    package let isFullRange: Bool
    /// Whether the colour matrix is neither BT.601 nor BT.709.
    package let needsConversion: Bool
    /// Whether the transfer function is PQ or HLG; without tone mapping, colours look pale.
    package let isHighDynamicRange: Bool
    /// Whether the file states the colour matrix.
    let isTagged: Bool
    /// The times of the frames in seconds from the first frame, in presentation order; empty unless requested.
    package private(set) var times: [Double] = []

    /// The longest permitted side of a frame in pixels.
    package static let sideLimit = 8192
    /// The allowed container formats: no playlists, which could open other files.
    static let openArguments = [
        "-v", "error", "-protocol_whitelist", "file", "-format_whitelist",
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,h264,hevc,mjpeg,ogg,flv,ivf,yuv4mpegpipe,asf",
    ]
    private static let frameLimit = 10_000_000

    package init(_ url: URL, readsTimes: Bool) throws(VideoError) {
        let entries =
            "stream=width,height,pix_fmt,color_range,color_space,color_transfer,sample_aspect_ratio:stream_side_data=rotation"
        let lines = try Self.ask(url, ["-show_entries", entries, "-of", "default=noprint_wrappers=1"], limit: 1 << 16)
        var fields: [Substring: Substring] = [:]
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        guard let width = fields["width"].flatMap({ Int($0) }), let height = fields["height"].flatMap({ Int($0) }) else {
            throw VideoError("\(url.path): contains no video")
        }
        guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else {
            throw VideoError("\(url.path): frames have \(width) × \(height) pixels; sides must have 1 to \(Self.sideLimit)")
        }
        (self.width, self.height) = (width, height)
        (uprightWidth, uprightHeight) = Self.upright(
            width, height, pixelAspect: fields["sample_aspect_ratio"], rotation: fields["rotation"])
        isFullRange = fields["color_range"] == "pc" || fields["pix_fmt"]?.hasPrefix("yuvj") == true
        isHighDynamicRange = ["smpte2084", "arib-std-b67"].contains(fields["color_transfer"] ?? "")
        switch fields["color_space"] {
        case "bt709": (isBT709, needsConversion, isTagged) = (true, false, true)
        case "smpte170m", "bt470bg": (isBT709, needsConversion, isTagged) = (false, false, true)
        // Untagged: the default that players use.
        case nil, "unknown", "reserved": (isBT709, needsConversion, isTagged) = (height >= 720, false, false)
        default: (isBT709, needsConversion, isTagged) = (true, true, true)
        }
        if readsTimes { times = try Self.times(url) }
    }

    /// Returns the displayed size of a video.
    ///
    /// - Parameters:
    ///   - pixelAspect: `16:15`; anything else counts as square.
    ///   - rotation: The rotation in degrees; only quarter turns exchange the sides.
    private static func upright(_ width: Int, _ height: Int, pixelAspect: Substring?, rotation: Substring?) -> (Int, Int) {
        let parts = (pixelAspect ?? "").split(separator: ":").compactMap { Int($0) }
        var wide = width
        if parts.count == 2, (1...1000).contains(parts[0]), (1...1000).contains(parts[1]), parts[0] != parts[1] {
            wide = min(max(1, (width * parts[0] + parts[1] / 2) / parts[1]), sideLimit)
        }
        let isTurned = rotation.flatMap { Int($0) }.map { abs($0) % 180 == 90 } ?? false
        return isTurned ? (height, wide) : (wide, height)
    }

    /// Reads times from packets without decoding; skips discarded packets.
    private static func times(_ url: URL) throws(VideoError) -> [Double] {
        let lines = try ask(url, ["-show_entries", "packet=pts_time,flags", "-of", "csv=p=0"], limit: 32 * frameLimit)
        var times: [Double] = []
        for line in lines {
            let parts = line.split(separator: ",")
            guard parts.count >= 2, !parts[1].contains("D") else { continue }
            guard let time = Double(parts[0]), time.isFinite else { throw VideoError("\(url.path): a frame has no time") }
            times.append(time)
        }
        times.sort()
        let first = times.first ?? 0
        return times.map { $0 - first }
    }

    private static func ask(_ url: URL, _ arguments: [String], limit: Int) throws(VideoError) -> [Substring] {
        let program = try ChildProcess(
            "ffprobe", openArguments + ["-select_streams", "v:0"] + arguments + ["-i", "file:" + url.path], package: "ffmpeg")
        do throws(VideoError) {
            return String(decoding: try program.readToEnd(limit: limit), as: UTF8.self).split(whereSeparator: \.isNewline)
        } catch {
            throw VideoError("\(url.path): \(error.description)")
        }
    }
}
