#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requests and options as text for the report.
struct SettingsDescription {
    let lines: [(name: String, value: String)]

    init(_ job: ReconstructionJob) {
        let configuration = job.configuration
        var lines: [(name: String, value: String)] = []
        switch job.input {
        case .folder(let url): lines.append(("photos", url.lastPathComponent))
        case .video(let url):
            lines.append(("video", url.lastPathComponent))
            if let count = configuration.videoFrameCount { lines.append(("frames", "\(count)")) }
            if let range = configuration.videoTimeRange {
                lines.append(("time range", "\(VideoStage.text(range.lowerBound)) to \(VideoStage.text(range.upperBound))"))
            }
        case .samples(let samples): lines.append(("photos", "\(samples.count) samples"))
        }
        let wanted = job.requests.map { request -> String in
            switch request {
            case .modelFile(let url, let detail, _): "\(url.lastPathComponent) (\(detail.rawValue))"
            case .modelEntity(let detail, _): "model in memory (\(detail.rawValue))"
            case .bounds: "bounds"
            case .pointCloud: "point cloud"
            case .poses: "poses"
            }
        }
        lines.append(("requests", wanted.joined(separator: ", ")))
        lines.append(("order", configuration.sampleOrdering.rawValue))
        lines.append(("sensitivity", configuration.featureSensitivity.rawValue))
        let masks = configuration.ignoreMasks ? "none" : configuration.masksDirectory?.lastPathComponent ?? "automatic"
        lines.append(("masks", masks))
        if let file = configuration.camerasFile {
            lines.append(("cameras", file.lastPathComponent + (configuration.cameraDeviation == nil ? "" : ", refined")))
        }
        if configuration.isDelightingEnabled { lines.append(("delighting", "on")) }
        if configuration.ignoreBoundingBox { lines.append(("bounds", "the whole scene")) }
        if configuration.computeDevice != .cpu { lines.append(("device", configuration.computeDevice.rawValue)) }
        if let threads = configuration.threads { lines.append(("threads", "\(threads)")) }
        if let budget = configuration.memoryBudget { lines.append(("memory", "\(budget >> 20) MiB")) }
        if configuration.checkpointDirectory != nil { lines.append(("checkpoint", "kept")) }
        self.lines = lines
    }
}
