import Foundation
import Testing

@testable import VitrineGPU

/// Makes and releases ten thousand objects of each kind. The implementation's count of live objects must return to its initial value, and the
/// memory of the process must stop growing.
@Suite(.serialized) struct LeakTests {
    static let cycles = 10_000

    /// Resident memory of this process in bytes; nil if the system does not report it.
    static func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }

    /// Runs `cycle` repeatedly and expects that objects and memory are released.
    func expectNoLeak(_ device: GPUDevice, _ name: String, _ cycle: () throws -> Void) throws {
        try cycle()
        try settle(device)
        let counts = device.adapter.instance.objectCounts()
        // Pools of driver and allocator grow at first; a leak grows in every round.
        var growth = Int.max
        for _ in 0..<3 where growth > 8 << 20 {
            let memory = Self.residentBytes() ?? 0
            for i in 0..<Self.cycles {
                try cycle()
                if i % 256 == 0 { try settle(device) }
            }
            try settle(device)
            growth = (Self.residentBytes() ?? 0) - memory
        }
        // Other tests in this process would be counted too: scripts/test.sh runs this suite in a separate process and sets the variable.
        if ProcessInfo.processInfo.environment["VITRINE_TESTS_RUN_ALONE"] != nil {
            #expect(growth <= 8 << 20, "\(name): \(growth) bytes more in \(Self.cycles) cycles")
        }
        for (before, after) in zip(counts, device.adapter.instance.objectCounts()) {
            #expect(before.count == after.count, "\(name): \(before.kind)")
        }
    }

    /// Submits an empty recording: some drivers free released objects only with the next commands (lavapipe: pipelines).
    func settle(_ device: GPUDevice) throws {
        device.queue.submit(try device.makeCommandEncoder("settle").finish())
        try device.waitUntilIdle()
    }

    @Test func resources() throws {
        let device = try makeDevice()
        try expectNoLeak(device, "buffer") { _ = try device.makeBuffer("b", size: 256, usage: .storage) }
        try expectNoLeak(device, "filled buffer") { _ = try device.makeBuffer("b", contents: [1, 2, 3, 4] as [UInt32], usage: .vertex) }
        try expectNoLeak(device, "texture and view") {
            _ = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: .textureBinding)).makeView()
        }
        try expectNoLeak(device, "sampler") { _ = try device.makeSampler(.init("s")) }
        try expectNoLeak(device, "queries") { _ = try device.makeQuerySet("q", .occlusion, count: 4) }
    }

    @Test func bindings() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 256, usage: .uniform)
        let layout = try device.makeBindGroupLayout("l", [.uniformBuffer(0, .compute)])
        try expectNoLeak(device, "layout") {
            _ = try device.makePipelineLayout("p", [try device.makeBindGroupLayout("l", [.uniformBuffer(0, .vertex)])])
        }
        try expectNoLeak(device, "bind group") { _ = try device.makeBindGroup("g", layout: layout, [.buffer(0, buffer)]) }
    }

    @Test func shadersAndPipelines() throws {
        let device = try makeDevice()
        let source = everywhere + "@compute @workgroup_size(1) fn main() {}"
        try expectNoLeak(device, "shader") { _ = try device.makeShader("s", wgsl: source) }
        let shader = try device.makeShader("s", wgsl: source)
        let layout = try device.makePipelineLayout("l", [])
        try expectNoLeak(device, "compute pipeline") { _ = try device.makeComputePipeline("c", layout: layout, .init(shader, "main")) }
        try expectNoLeak(device, "render pipeline") {
            _ = try device.makeRenderPipeline(
                .init(
                    "r", layout: layout, vertex: .init(shader, "everywhere"), depthStencil: .init(.depth32Float, depthCompare: .always)))
        }
    }

    @Test func recordingsAndReadbacks() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 16, usage: [.copySource, .copyDestination])
        let image = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: [.renderAttachment, .copySource]))
        let view = try image.makeView()
        try expectNoLeak(device, "submission") {
            let encoder = try device.makeCommandEncoder("e")
            encoder.renderPass(.init("p", colors: [.init(view)])) { _ in }
            encoder.computePass("c") { _ in }
            encoder.clear(buffer)
            device.queue.submit(try encoder.finish())
        }
        try expectNoLeak(device, "recording thrown away") {
            let encoder = try device.makeCommandEncoder("e")
            encoder.clear(buffer)
            _ = consume encoder
        }
        try expectNoLeak(device, "read") { _ = try buffer.read() }
    }

    @Test func failures() throws {
        let device = try makeDevice()
        try expectNoLeak(device, "refused buffer") {
            #expect(gpuError { _ = try device.makeBuffer("b", size: 16, usage: [.mapRead, .storage]) } != nil)
        }
        try expectNoLeak(device, "refused shader") {
            #expect(gpuError { _ = try device.makeShader("s", wgsl: "fn f( {") } != nil)
        }
    }
}
