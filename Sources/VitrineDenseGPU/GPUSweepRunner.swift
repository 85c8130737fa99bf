import VitrineDense
import VitrineGPU
import VitrineVision

/// Runs the sweeps of PatchMatch on a GPU, as WGSL compute shaders.
///
/// The planes, random numbers and hypotheses are those of the processor. Rounding differs, so that a few pixels decide otherwise.
package final class GPUSweepRunner: SweepRunner {
    private let gpu: ComputeDevice<SweepDevice>

    /// The name, the kind and the driver of the adapter.
    package var adapter: String { gpu.adapter }
    /// Whether the adapter is a software renderer, which is slower than the processor's own code.
    package var isSoftware: Bool { gpu.isSoftware }

    /// Creates a device on the best adapter for a choice, and compiles the shaders.
    ///
    /// - Throws: `DenseGPUError.unavailable` if no adapter matches.
    package convenience init(_ choice: GPUAdapterChoice = .automatic) throws(DenseGPUError) {
        try self.init(choice, batch: SubmissionBatch())
    }

    init(_ choice: GPUAdapterChoice, batch: SubmissionBatch) throws(DenseGPUError) {
        gpu = try ComputeDevice(choice) { (adapter) throws(GPUError) in try SweepDevice(adapter, batch: batch) }
    }

    package func run(_ sweeps: [Sweep], on level: StereoLevel, in context: StageContext) throws {
        try gpu.use { try $0.run(sweeps, on: level, in: context) }
    }

    /// Destroys the device, as a driver reset does: for tests.
    func loseDevice() { try? gpu.use { $0.device.destroy() } }
}

/// A device with the compiled shaders. Used by one thread at a time.
private final class SweepDevice {
    let device: GPUDevice
    private let adapter: String
    private let layout: GPUBindGroupLayout
    private let evaluation, visits: GPUComputePipeline
    private var batch: SubmissionBatch

    init(_ adapter: GPUAdapter, batch: SubmissionBatch) throws(GPUError) {
        (self.adapter, self.batch) = (adapter.info.name, batch)
        device = try adapter.makeDevice(label: "depth")
        let shader = try device.makeShader("PatchMatch.wgsl", wgsl: PatchMatchShader.source)
        layout = try device.makeBindGroupLayout(
            "PatchMatch",
            [
                .uniformBuffer(0, .compute), .uniformBuffer(1, .compute), .storageBuffer(2, .compute), .storageBuffer(3, .compute),
                .storageBuffer(4, .compute), .storageBuffer(5, .compute), .storageBuffer(6, .compute, isReadOnly: false),
                .storageBuffer(7, .compute, isReadOnly: false), .storageBuffer(8, .compute),
            ])
        let pipelines = try device.makePipelineLayout("PatchMatch", [layout])
        evaluation = try device.makeComputePipeline("evaluate", layout: pipelines, GPUShaderStage(shader, "evaluate"))
        visits = try device.makeComputePipeline("visit", layout: pipelines, GPUShaderStage(shader, "visit"))
    }

    func run(_ sweeps: [Sweep], on level: StereoLevel, in context: StageContext) throws {
        let buffers = try SweepBuffers(level, device: device, layout: layout, adapter: adapter)
        let solver = level.solver
        batch.begin()
        var began = ContinuousClock.now
        func dispatch(_ sweep: Sweep?, color: Int = 0, isLast: Bool = false) throws {
            // Half of the pixels of a row, with about as many costs as half of the hypotheses take until they are worse.
            let work = sweep.map { solver.width * min(solver.viewsPerPixel, solver.sourceCount) * (9 + $0.steps.count) / 4 }
            let rowWork = max(1, work ?? solver.width * solver.sourceCount)
            var first = 0
            while first < solver.height {
                try context.checkCancellation()
                let rows = first..<min(solver.height, first + batch.count(work: rowWork, multipleOf: PatchMatchShader.groupSide))
                let uniforms = SweepUniforms(sweep, rows: rows, color: color, needsViewCosts: color == 0 || !isLast)
                device.queue.write(uniforms.vectors, to: buffers.sweep)
                let encoder = try device.makeCommandEncoder("sweep")
                encoder.computePass("sweep") { pass in
                    pass.setPipeline(sweep == nil ? evaluation : visits)
                    pass.setBindGroup(0, buffers.group)
                    let side = PatchMatchShader.groupSide
                    let columns = sweep == nil ? solver.width : (solver.width + 1) / 2
                    pass.dispatch((columns + side - 1) / side, (rows.count + side - 1) / side)
                }
                device.queue.submit(try encoder.finish())
                if batch.add(rowWork * rows.count) {
                    try device.waitUntilIdle()
                    let now = ContinuousClock.now
                    batch.finish(in: now - began)
                    began = now
                }
                first = rows.upperBound
            }
        }
        try dispatch(nil)
        for (index, sweep) in sweeps.enumerated() {
            for color in 0..<2 { try dispatch(sweep, color: color, isLast: index == sweeps.count - 1) }
        }
        try context.checkCancellation()
        try buffers.readPlanes(into: solver)
    }
}

/// The buffers of one level in GPU memory.
private struct SweepBuffers {
    let sweep: GPUBuffer
    let group: GPUBindGroup
    private let planes: GPUBuffer

    init(_ level: StereoLevel, device: GPUDevice, layout: GPUBindGroupLayout, adapter: String) throws {
        let solver = level.solver
        let pixels = solver.width * solver.height
        let largest = min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize)
        func buffer(_ label: String, bytes: Int, _ usage: GPUBufferUsage = []) throws -> GPUBuffer {
            guard bytes <= largest else {
                throw DenseGPUError.tooLarge(
                    photoWidth: solver.width, photoHeight: solver.height, bytes: bytes, limit: largest, adapter: adapter)
            }
            return try device.makeBuffer(label, size: max(16, (bytes + 3) & ~3), usage: usage.union([.storage, .copyDestination]))
        }
        func write<Element>(_ elements: UnsafePointer<Element>, _ count: Int, to buffer: GPUBuffer, at offset: Int = 0) {
            device.queue.write(UnsafeRawBufferPointer(start: elements, count: count * MemoryLayout<Element>.stride), to: buffer, at: offset)
        }

        let images = [level.reference.image] + level.others.map(\.image)
        var (firstWords, wordCount) = ([Int](), 0)
        for image in images {
            firstWords.append(wordCount)
            wordCount += image.wordCount
        }
        let words = try buffer("images", bytes: wordCount * 4)
        for (image, first) in zip(images, firstWords) { write(UnsafePointer(image.words), image.wordCount, to: words, at: first * 4) }

        var (firstDepths, depthCount) = ([Int?](), 0)
        for index in level.others.indices {
            let source = solver.sources[index]
            firstDepths.append(source.inverseDepths == nil ? nil : depthCount)
            if source.inverseDepths != nil { depthCount += Int(source.mapWidth * source.mapHeight) }
        }
        let depths = try buffer("source maps", bytes: depthCount * 4)
        for (index, first) in firstDepths.enumerated() {
            guard let first, let map = solver.sources[index].inverseDepths else { continue }
            write(map, Int(solver.sources[index].mapWidth * solver.sources[index].mapHeight), to: depths, at: first * 4)
        }

        let activity = try buffer("active pixels", bytes: pixels)
        let padded = Array(UnsafeBufferPointer(start: solver.active, count: pixels)) + [UInt8](repeating: 0, count: -pixels & 3)
        device.queue.write(padded, to: activity)
        let priors = try buffer("priors", bytes: solver.priors == nil ? 0 : pixels * 8)
        if let known = solver.priors { write(known, pixels, to: priors) }
        planes = try buffer("planes", bytes: pixels * 16, .copySource)
        write(UnsafePointer(solver.planes), pixels, to: planes)
        let curvatures = try buffer("curvatures", bytes: pixels * 16)
        write(UnsafePointer(solver.curvatures), pixels, to: curvatures)
        let viewCosts = try buffer("costs by source", bytes: pixels * ((solver.sourceCount + 3) / 4) * 4)

        let uniforms = SweepUniforms(level, firstWords: firstWords, firstDepths: firstDepths)
        let constants = try device.makeBuffer("level", contents: uniforms.vectors, usage: .uniform)
        sweep = try device.makeBuffer("sweep", size: SweepUniforms.sweepSize, usage: [.uniform, .copyDestination])
        let bindings = [constants, sweep, words, depths, activity, priors, planes, viewCosts, curvatures]
        group = try device.makeBindGroup("PatchMatch", layout: layout, bindings.enumerated().map { .buffer($0.offset, $0.element) })
        try device.checkErrors()
    }

    /// Waits for the GPU and copies the planes back.
    func readPlanes(into solver: PatchMatch) throws {
        let result = try planes.read(as: SIMD4<Float>.self)
        for (index, plane) in result.enumerated() { solver.planes[index] = plane }
    }
}
