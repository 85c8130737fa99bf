import VitrineTracking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The properties of a video's first video stream by `ffprobe`.
struct VideoProbe {
    let width, height: Int
    let matrix: CapturedImage.Matrix
    let range: CapturedImage.Range
    /// Whether the colour matrix is neither BT.601 nor BT.709.
    let needsConversion: Bool
    /// Frame times in seconds from the first frame, in presentation order; empty unless requested.
    private(set) var times: [Double] = []

    /// The allowed container formats: no playlists, which could open other files.
    static let openArguments = [
        "-v", "error", "-protocol_whitelist", "file", "-format_whitelist",
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,h264,hevc,mjpeg,ogg,flv,ivf,yuv4mpegpipe,asf",
    ]
    private static let frameLimit = 10_000_000

    init(_ url: URL, readsTimes: Bool) throws(SourceError) {
        let entries = "stream=width,height,pix_fmt,color_range,color_space"
        let lines = try Self.ask(url, ["-show_entries", entries, "-of", "default=noprint_wrappers=1"], limit: 1 << 16)
        var fields: [Substring: Substring] = [:]
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        guard let width = fields["width"].flatMap({ Int($0) }), let height = fields["height"].flatMap({ Int($0) }) else {
            throw .broken("\(url.path): holds no video")
        }
        let limit = CameraIntrinsics.sideLimit
        guard (1...limit).contains(width), (1...limit).contains(height) else {
            throw .broken("\(url.path): frames of \(width) × \(height) pixels: sides may be 1 to \(limit)")
        }
        (self.width, self.height) = (width, height)
        let isFull = fields["color_range"] == "pc" || fields["pix_fmt"]?.hasPrefix("yuvj") == true
        range = isFull ? .full : .video
        switch fields["color_space"] {
        case "bt709": (matrix, needsConversion) = (.bt709, false)
        case "smpte170m", "bt470bg": (matrix, needsConversion) = (.bt601, false)
        // Untagged: what players assume.
        case nil, "unknown", "reserved": (matrix, needsConversion) = (height >= 720 ? .bt709 : .bt601, false)
        default: (matrix, needsConversion) = (.bt709, true)
        }
        if readsTimes { times = try Self.times(url) }
    }

    /// Reads times from packets without decoding; skips discarded packets.
    private static func times(_ url: URL) throws(SourceError) -> [Double] {
        let lines = try ask(url, ["-show_entries", "packet=pts_time,flags", "-of", "csv=p=0"], limit: 32 * frameLimit)
        var times: [Double] = []
        for line in lines {
            let parts = line.split(separator: ",")
            guard parts.count >= 2, !parts[1].contains("D") else { continue }
            guard let time = Double(parts[0]), time.isFinite else { throw .broken("\(url.path): a frame without a time") }
            times.append(time)
        }
        times.sort()
        let first = times.first ?? 0
        return times.map { $0 - first }
    }

    private static func ask(_ url: URL, _ arguments: [String], limit: Int) throws(SourceError) -> [Substring] {
        let program = try ChildProcess(
            "ffprobe", openArguments + ["-select_streams", "v:0"] + arguments + ["-i", "file:" + url.path], package: "ffmpeg")
        do throws(SourceError) {
            return String(decoding: try program.readToEnd(limit: limit), as: UTF8.self).split(whereSeparator: \.isNewline)
        } catch {
            throw .broken("\(url.path): \(error.description)")
        }
    }
}
