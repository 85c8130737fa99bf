/// Measures named passes with timestamps of the GPU.
///
/// ```swift
/// let timer = try GPUTimer(device)                                    // the device has `.timestampQuery`
/// let encoder = try device.makeCommandEncoder("frame")
/// encoder.renderPass(GPURenderPassDescriptor("main", colors: [target], timestamps: timer.span("main"))) { pass in … }
/// timer.resolve(with: encoder)
/// device.queue.submit(try encoder.finish())
/// for span in try timer.read() { print(span.name, span.nanoseconds) }  // main 812345.0
/// ```
///
/// `read()` waits for the GPU: do not measure in every frame of an interactive program.
package final class GPUTimer {
    /// The start and the end of a measured pass.
    package struct Span: Sendable {
        package let name: String
        package let nanoseconds: Double
    }

    private let device: GPUDevice
    private let queries: GPUQuerySet
    private let results: GPUBuffer
    private var names: [String] = []
    private var resolved: [String] = []

    /// Creates a timer.
    ///
    /// - Parameter capacity: The largest number of passes per frame.
    /// - Throws: `GPUError.validation` on a device without `GPUFeatures.timestampQuery`.
    package init(_ device: GPUDevice, capacity: Int = 64) throws(GPUError) {
        guard device.features.contains(.timestampQuery) else {
            throw .validation(resource: device.label, message: "the device was created without timestamp-query")
        }
        self.device = device
        queries = try device.makeQuerySet("timer", .timestamp, count: capacity * 2)
        results = try device.makeBuffer("timer", size: capacity * 16, usage: [.queryResolve, .copySource])
    }

    /// Returns the queries for the timestamps of the next pass; nil if the frame already has `capacity` passes, so that the pass is not measured.
    package func span(_ name: String) -> GPUPassTimestamps? {
        let first = names.count * 2
        if first + 2 > queries.count { return nil }
        names.append(name)
        return GPUPassTimestamps(queries, begin: first, end: first + 1)
    }

    /// Copies the timestamps of the passes recorded since the last call to a buffer; record it after the passes.
    package func resolve(with encoder: borrowing GPUCommandEncoder) {
        resolved = names
        names.removeAll(keepingCapacity: true)
        if !resolved.isEmpty { encoder.resolve(queries, 0..<(resolved.count * 2), to: results) }
    }

    /// Waits for the GPU and returns the durations of the last resolved frame, in the order of its passes.
    package func read() throws(GPUError) -> [Span] {
        if resolved.isEmpty { return [] }
        let ticks = try results.read(as: UInt64.self, 0..<(resolved.count * 16))
        let period = device.queue.timestampPeriod
        var spans: [Span] = []
        for (i, name) in resolved.enumerated() {
            // The clocks of some drivers jump back at a change of power state: the duration is then 0.
            let (begin, end) = (ticks[2 * i], ticks[2 * i + 1])
            spans.append(Span(name: name, nanoseconds: end > begin ? Double(end - begin) * period : 0))
        }
        return spans
    }
}
