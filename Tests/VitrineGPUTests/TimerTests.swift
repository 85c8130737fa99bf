import Testing

@testable import VitrineGPU

@Suite struct TimerTests {
    @Test func passesAreMeasuredByName() throws {
        let device = try makeDevice(optional: .timestampQuery)
        guard device.features.contains(.timestampQuery) else { return }
        let shader = try device.makeShader(
            "work.wgsl",
            wgsl: """
                @group(0) @binding(0) var<storage, read_write> values: array<f32>;
                override rounds: u32;
                @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                    var x = f32(id.x);
                    for (var i = 0u; i < rounds; i++) { x = sin(x) + 1; }
                    values[id.x] = x;
                }
                """)
        let layout = try device.makeBindGroupLayout("work", [.storageBuffer(0, .compute, isReadOnly: false)])
        let pipelineLayout = try device.makePipelineLayout("work", [layout])
        func pipeline(_ rounds: Double) throws -> GPUComputePipeline {
            try device.makeComputePipeline(
                "work", layout: pipelineLayout, .init(shader, "main", constants: [.init("rounds", rounds)]))
        }
        let short = try pipeline(1)
        let long = try pipeline(20_000)
        let buffer = try device.makeBuffer("values", size: 4096 * 4, usage: .storage)
        let group = try device.makeBindGroup("work", layout: layout, [.buffer(0, buffer)])
        let timer = try GPUTimer(device, capacity: 2)
        #expect(try timer.read().isEmpty)
        for _ in 0..<2 {
            let encoder = try device.makeCommandEncoder("frame")
            for (name, pipeline) in [("short", short), ("long", long)] {
                encoder.computePass(name, timestamps: timer.span(name)) { pass in
                    pass.setPipeline(pipeline)
                    pass.setBindGroup(0, group)
                    pass.dispatch(64)
                }
            }
            #expect(timer.span("one too many") == nil)
            timer.resolve(with: encoder)
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
            let spans = try timer.read()
            #expect(spans.map { $0.name } == ["short", "long"])
            // 80 million sines take longer than four thousand, on any clock that ticks.
            #expect(spans[1].nanoseconds > spans[0].nanoseconds)
            #expect(spans[1].nanoseconds < 60e9)
        }
    }

    @Test func deviceWithoutTimestampsIsRefused() throws {
        let device = try makeDevice()
        guard case .validation(_, let message) = gpuError({ _ = try GPUTimer(device) }) else {
            Issue.record("a timer without timestamps")
            return
        }
        #expect(message.contains("timestamp-query"))
    }
}
