import VitrineGPU
import VitrineVision

/// Searches nearest neighbours among descriptors on a GPU, as a WGSL compute shader with integers: exactly those of the processor.
package final class GPUDescriptorSearch: DescriptorSearch {
    private let gpu: ComputeDevice<SearchDevice>

    /// The name, the kind and the driver of the adapter.
    package var adapter: String { gpu.adapter }
    /// Whether the adapter is a software renderer, which is slower than the processor's own code.
    package var isSoftware: Bool { gpu.isSoftware }

    /// Creates a device on the best adapter for a choice, and compiles the shader.
    ///
    /// - Throws: `DenseGPUError.unavailable` if no adapter matches.
    package convenience init(_ choice: GPUAdapterChoice = .automatic) throws(DenseGPUError) {
        try self.init(choice, batch: SubmissionBatch())
    }

    init(_ choice: GPUAdapterChoice, batch: SubmissionBatch) throws(DenseGPUError) {
        gpu = try ComputeDevice(choice) { (adapter) throws(GPUError) in try SearchDevice(adapter, batch: batch) }
    }

    package func neighbors(
        _ pairs: [(first: Int, second: Int)], of sets: [DescriptorSet], isCancelled: () -> Bool
    ) throws -> [DescriptorNeighbors] {
        guard !pairs.isEmpty else { return [] }
        return try gpu.use { try $0.neighbors(pairs, of: sets, isCancelled: isCancelled) }
    }

    /// Destroys the device, as a driver reset does: for tests.
    func loseDevice() { try? gpu.use { $0.device.destroy() } }
}

/// A device with the compiled shader. Used by one thread at a time.
private final class SearchDevice {
    let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private let pipeline: GPUComputePipeline
    private var batch: SubmissionBatch

    init(_ adapter: GPUAdapter, batch: SubmissionBatch) throws(GPUError) {
        self.batch = batch
        device = try adapter.makeDevice(label: "matching")
        let shader = try device.makeShader("DescriptorSearch.wgsl", wgsl: DescriptorSearchShader.source)
        layout = try device.makeBindGroupLayout(
            "descriptor search",
            [
                .storageBuffer(0, .compute), .storageBuffer(1, .compute), .storageBuffer(2, .compute),
                .storageBuffer(3, .compute, isReadOnly: false),
            ])
        pipeline = try device.makeComputePipeline(
            "search", layout: try device.makePipelineLayout("descriptor search", [layout]), GPUShaderStage(shader, "search"))
    }

    /// One direction of a pair: the structure `Search`.
    private struct Search {
        /// The first descriptor and the number of descriptors, of the rows' and of the columns' set.
        let rows, columns: Range<Int>
        /// The index of the first result.
        let result: Int

        /// Two vectors.
        var vectors: [SIMD4<UInt32>] {
            [
                SIMD4(UInt32(rows.lowerBound), UInt32(rows.count), UInt32(columns.lowerBound), UInt32(columns.count)),
                SIMD4(UInt32(result), 0, 0, 0),
            ]
        }
    }

    func neighbors(
        _ pairs: [(first: Int, second: Int)], of sets: [DescriptorSet], isCancelled: () -> Bool
    ) throws -> [DescriptorNeighbors] {
        var ranges: [Range<Int>] = []
        for set in sets { ranges.append((ranges.last?.upperBound ?? 0)..<(ranges.last?.upperBound ?? 0) + set.count) }
        var (searches, count) = ([Search](), 0)
        for pair in pairs {
            for (rows, columns) in [(ranges[pair.first], ranges[pair.second]), (ranges[pair.second], ranges[pair.first])] {
                searches.append(Search(rows: rows, columns: columns, result: count))
                count += rows.count
            }
        }
        let descriptors = try device.makeBuffer(
            "descriptors", size: (ranges.last?.upperBound ?? 0) * FeatureSet.descriptorLength, usage: [.storage, .copyDestination])
        let squares = try device.makeBuffer("squares", contents: sets.flatMap(\.squares), usage: .storage)
        for (set, range) in zip(sets, ranges) where !set.bytes.isEmpty {
            device.queue.write(set.bytes, to: descriptors, at: range.lowerBound * FeatureSet.descriptorLength)
        }
        let parameters = try device.makeBuffer("searches", size: searches.count * 32, usage: [.storage, .copyDestination])
        let results = try device.makeBuffer("neighbours", size: count * 16, usage: [.storage, .copySource])
        let group = try device.makeBindGroup(
            "descriptor search", layout: layout,
            [.buffer(0, parameters), .buffer(1, descriptors), .buffer(2, squares), .buffer(3, results)])
        try device.checkErrors()
        try run(searches, parameters, group, isCancelled)
        return split(try results.read(as: SIMD4<Int32>.self), pairs.map { (ranges[$0.first].count, ranges[$0.second].count) })
    }

    private func run(_ searches: [Search], _ parameters: GPUBuffer, _ group: GPUBindGroup, _ isCancelled: () -> Bool) throws {
        batch.begin()
        var (first, began) = (0, ContinuousClock.now)
        while first < searches.count {
            if isCancelled() { throw MatchingError.cancelled }
            let work = searches[first].rows.count * searches[first].columns.count
            let part = searches[first..<min(searches.count, first + min(batch.count(work: work), DescriptorSearchShader.mostSearches))]
            device.queue.write(part.flatMap(\.vectors), to: parameters)
            let encoder = try device.makeCommandEncoder("descriptor search")
            encoder.computePass("descriptor search") { pass in
                pass.setPipeline(pipeline)
                pass.setBindGroup(0, group)
                let rows = part.reduce(0) { max($0, $1.rows.count) }
                pass.dispatch((rows + DescriptorSearchShader.groupSize - 1) / DescriptorSearchShader.groupSize, part.count)
            }
            device.queue.submit(try encoder.finish())
            if batch.add(part.reduce(0) { $0 + $1.rows.count * $1.columns.count }) {
                try device.waitUntilIdle()
                let now = ContinuousClock.now
                batch.finish(in: now - began)
                began = now
            }
            first = part.endIndex
        }
    }

    /// The results of the pairs, of which each has those of its first set, then those of its second.
    private func split(_ results: [SIMD4<Int32>], _ counts: [(first: Int, second: Int)]) -> [DescriptorNeighbors] {
        var start = 0
        return counts.map { count in
            let (nearest, owners) = (
                results[start..<start + count.first], results[start + count.first..<start + count.first + count.second]
            )
            start += count.first + count.second
            return DescriptorNeighbors(
                nearest: nearest.map { .init(distance: $0.x, second: $0.y, index: $0.z) }, owners: owners.map(\.z))
        }
    }
}
