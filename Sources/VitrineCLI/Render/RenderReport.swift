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

/// The times of measured frames, in milliseconds.
struct FrameTimes {
    /// From the start of a frame until the GPU has finished it.
    var finished: [Double] = []
    /// The part of it until the GPU has the work.
    var processor: [Double] = []
    /// The GPU's own time, of frames apart. Empty if it cannot measure time.
    var gpu: [Double] = []
}

/// The report of `vitrine render`.
struct RenderReport: Encodable {
    let output: [String]
    let width, height: Int
    let drawCalls, triangles, instances: Int
    let gpuMemoryBytes: Int
    let startupMS: Double?
    let frameMS, processorMS, gpuMS: Spread?

    enum CodingKeys: String, CodingKey {
        case output, width, height, triangles, instances
        case drawCalls = "draw_calls"
        case gpuMemoryBytes = "gpu_memory_bytes"
        case startupMS = "startup_ms"
        case frameMS = "frame_ms"
        case processorMS = "processor_ms"
        case gpuMS = "gpu_ms"
    }

    init(output: [String], size: (width: Int, height: Int), statistics: FrameStatistics, startup: Double?, frames: FrameTimes?) {
        self.output = output
        (width, height) = size
        drawCalls = statistics.drawCalls
        triangles = statistics.triangles
        instances = statistics.instances
        gpuMemoryBytes = statistics.gpuMemory
        startupMS = startup
        (frameMS, processorMS) = (frames.map { Spread($0.finished) }, frames.map { Spread($0.processor) })
        gpuMS = frames.flatMap { $0.gpu.isEmpty ? nil : Spread($0.gpu) }
    }

    var json: String {
        // Numbers and text always encode.
        (try? JSONReport.text(self)) ?? "{}"
    }

    func lines(includingStatistics: Bool) -> [String] {
        var lines = output
        if let frameMS, let startupMS {
            let range = "\(frameMS.median.fixed(1)) ms (\(frameMS.min.fixed(1)) to \(frameMS.max.fixed(1)))"
            let gpu = gpuMS.map { ", \($0.median.fixed(1)) ms on the GPU" } ?? ""
            lines.append("frame \(range)\(gpu), first frame after \(startupMS.fixed(0)) ms")
        }
        if includingStatistics || frameMS != nil {
            let memory = (Double(gpuMemoryBytes) / 1_048_576).fixed(1)
            lines.append("\(width)x\(height), \(drawCalls) draw calls, \(triangles) triangles, \(memory) MiB of GPU memory")
        }
        return lines
    }
}
