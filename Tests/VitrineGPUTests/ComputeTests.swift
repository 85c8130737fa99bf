import Testing

@testable import VitrineGPU

@Suite struct ComputeTests {
    @Test func exactValues() throws {
        let device = try makeDevice()
        let result = try compute(
            device,
            """
            @group(0) @binding(0) var<storage, read_write> values: array<u32>;
            override factor: u32 = 2;
            override offset: u32 = 5;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                values[id.x] = values[id.x] * factor + offset;
            }
            """, constants: [GPUConstant("factor", 3)], on: (0..<256).map { $0 }, groups: 4)
        #expect(result == (0..<256).map { $0 * 3 + 5 })
    }

    @Test func dispatchReadsResultsOfEarlierDispatches() throws {
        let device = try makeDevice(optional: .immediates)
        let shader = try device.makeShader(
            "steps.wgsl",
            wgsl: """
                struct Step { add: u32, times: u32 }
                @group(0) @binding(0) var<storage, read_write> values: array<u32>;
                @group(0) @binding(1) var<uniform> step: Step;
                @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
                    values[id.x] = (values[id.x] + step.add) * step.times;
                }
                """)
        let layout = try device.makeBindGroupLayout(
            "steps", [.storageBuffer(0, .compute, isReadOnly: false), .uniformBuffer(1, .compute, hasDynamicOffset: true, minSize: 8)])
        let pipeline = try device.makeComputePipeline(
            "steps", layout: try device.makePipelineLayout("steps", [layout]), GPUShaderStage(shader, "main"))
        let values = try device.makeBuffer("values", contents: [1, 2, 3, 4] as [UInt32], usage: [.storage, .copySource])
        let steps = try device.makeBuffer("steps", size: 512, usage: [.uniform, .copyDestination])
        device.queue.write(value: SIMD2<UInt32>(10, 2), to: steps)
        device.queue.write([5, 3] as [UInt32], to: steps, at: 256)
        let group = try device.makeBindGroup("steps", layout: layout, [.buffer(0, values), .buffer(1, steps, 0..<8)])
        let workgroups = try device.makeBuffer("workgroups", contents: [1, 1, 1] as [UInt32], usage: .indirect)

        let encoder = try device.makeCommandEncoder("steps")
        encoder.pushDebugGroup("all steps")
        let pass = encoder.beginComputePass("steps")
        pass.setPipeline(pipeline)
        pass.setBindGroup(0, group, dynamicOffset: 0)
        pass.dispatch(1)
        pass.insertDebugMarker("second")
        pass.setBindGroup(0, group, dynamicOffsets: [256])
        pass.dispatchIndirect(workgroups)
        pass.end()
        encoder.popDebugGroup()
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
        #expect(try values.read(as: UInt32.self) == [1, 2, 3, 4].map { (($0 + 10) * 2 + 5) * 3 })
        #expect(try values.read(as: UInt32.self, 4..<12) == [87, 93])
    }

    @Test func immediates() throws {
        let device = try makeDevice(optional: .immediates)
        guard device.features.contains(.immediates) else { return }
        let shader = try device.makeShader(
            "immediates.wgsl",
            wgsl: """
                @group(0) @binding(0) var<storage, read_write> values: array<u32>;
                var<immediate> step: vec2u;
                @compute @workgroup_size(1) fn main() { values[step.x] = step.y; }
                """)
        let layout = try device.makeBindGroupLayout("values", [.storageBuffer(0, .compute, isReadOnly: false)])
        let pipeline = try device.makeComputePipeline(
            "immediates", layout: try device.makePipelineLayout("immediates", [layout], immediateSize: 8), GPUShaderStage(shader, "main"))
        let values = try device.makeBuffer("values", size: 16, usage: [.storage, .copySource])
        let group = try device.makeBindGroup("values", layout: layout, [.buffer(0, values)])
        let encoder = try device.makeCommandEncoder("immediates")
        encoder.computePass("immediates") { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            for i in 0..<4 as Range<UInt32> {
                pass.setImmediates(SIMD2<UInt32>(i, 100 + i))
                pass.dispatch(1)
            }
        }
        device.queue.submit(try encoder.finish())
        #expect(try values.read(as: UInt32.self) == [100, 101, 102, 103])
    }

    @Test func buffersAndCopies() throws {
        let device = try makeDevice()
        let source = try device.makeBuffer("source", contents: (0..<64).map { UInt8($0) }, usage: [.copySource, .copyDestination])
        let target = try device.makeBuffer("target", size: 64, usage: [.copySource, .copyDestination])
        let encoder = try device.makeCommandEncoder("copies")
        encoder.copy(from: source, at: 8, to: target, at: 16, size: 32)
        encoder.clear(source, 0..<4)
        device.queue.submit(try encoder.finish())
        #expect(try target.read() == [UInt8](repeating: 0, count: 16) + (8..<40).map { UInt8($0) } + [UInt8](repeating: 0, count: 16))
        #expect(try source.read(0..<8) == [0, 0, 0, 0, 4, 5, 6, 7])
        // Sizes are padded to a multiple of 4 with zeros.
        let odd = try device.makeBuffer("odd", contents: [1, 2, 3, 4, 5] as [UInt8], usage: .copySource)
        #expect(odd.size == 8)
        #expect(try odd.read() == [1, 2, 3, 4, 5, 0, 0, 0])
        let mappable = try device.makeBuffer("mappable", size: 64, usage: [.mapRead, .copyDestination])
        let second = try device.makeCommandEncoder("copy")
        second.copy(from: target, to: mappable, size: 64)
        device.queue.submit(try second.finish())
        #expect(try mappable.read() == target.read())
        #expect(try mappable.read(16..<24) == (8..<16).map { UInt8($0) })
        let none = try device.makeBuffer("none", contents: [] as [UInt8], usage: .copySource)
        #expect(none.size == 0)
    }
}
