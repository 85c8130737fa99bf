import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The minimum, median and maximum of measured times.
struct Spread: Encodable {
    let min, median, max: Double

    /// Computes the statistics of measured values.
    ///
    /// - Parameter values: The measured values; at least one.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        (min, max) = (sorted.first ?? 0, sorted.last ?? 0)
        median = sorted.isEmpty ? 0 : sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// The report of `vitrine render`.
struct RenderReport: Encodable {
    let output: [String]
    let width, height: Int
    let drawCalls, triangles, instances: Int
    let gpuMemoryBytes: Int
    let startupMS: Double?
    let frameMS: Spread?

    enum CodingKeys: String, CodingKey {
        case output, width, height, triangles, instances
        case drawCalls = "draw_calls"
        case gpuMemoryBytes = "gpu_memory_bytes"
        case startupMS = "startup_ms"
        case frameMS = "frame_ms"
    }

    init(output: [String], size: (width: Int, height: Int), statistics: FrameStatistics, startup: Double?, frames: Spread?) {
        self.output = output
        (width, height) = size
        drawCalls = statistics.drawCalls
        triangles = statistics.triangles
        instances = statistics.instances
        gpuMemoryBytes = statistics.gpuMemory
        (startupMS, frameMS) = (startup, frames)
    }

    var json: String {
        // Numbers and text always encode.
        (try? JSONReport.text(self)) ?? "{}"
    }

    func lines(includingStatistics: Bool) -> [String] {
        var lines = output
        if let frameMS, let startupMS {
            let range = "\(frameMS.median.fixed(1)) ms (\(frameMS.min.fixed(1)) to \(frameMS.max.fixed(1)))"
            lines.append("frame \(range), first frame after \(startupMS.fixed(0)) ms")
        }
        if includingStatistics || frameMS != nil {
            let memory = (Double(gpuMemoryBytes) / 1_048_576).fixed(1)
            lines.append("\(width)x\(height), \(drawCalls) draw calls, \(triangles) triangles, \(memory) MiB of GPU memory")
        }
        return lines
    }
}
