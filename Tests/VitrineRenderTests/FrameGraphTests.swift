import Testing
import VitrineGPU

@testable import VitrineRender

/// Order, need and lifetimes follow from the declarations of passes.
struct FrameGraphTests {
    private let shape = TextureShape(width: 8, height: 8, format: .rgba8Unorm)

    @Test func orderFollowsFromReadsAndWrites() {
        var graph = FrameGraph()
        let target = graph.external(nil)
        let (color, glow) = (graph.texture("color", shape), graph.texture("glow", shape))
        graph.addPass("resolve", reads: [color, glow], writes: [target]) { _, _ in }
        graph.addPass("bloom", reads: [color], writes: [glow]) { _, _ in }
        graph.addPass("scene", writes: [color]) { _, _ in }
        #expect(graph.passNames == ["scene", "bloom", "resolve"])
    }

    @Test func passesWithoutEffectAreSkipped() {
        var graph = FrameGraph()
        let target = graph.external(nil)
        let unused = graph.texture("unused", shape)
        graph.addPass("scene", writes: [target]) { _, _ in }
        graph.addPass("unused", writes: [unused]) { _, _ in }
        #expect(graph.passNames == ["scene"])
        #expect(graph.schedule().lifetimes.isEmpty)
    }

    /// A pass that draws over contents waits for all readers of the old ones.
    @Test func updatesComeAfterReaders() {
        var graph = FrameGraph()
        let target = graph.external(nil)
        let (color, copy) = (graph.texture("color", shape), graph.texture("copy", shape))
        let later = graph.version(of: color)
        graph.addPass("translucent", updates: [(color, later)]) { _, _ in }
        graph.addPass("resolve", reads: [later, copy], writes: [target]) { _, _ in }
        graph.addPass("copy", reads: [color], writes: [copy]) { _, _ in }
        graph.addPass("opaque", writes: [color]) { _, _ in }
        #expect(graph.passNames == ["opaque", "copy", "translucent", "resolve"])
    }

    @Test func lifetimesSpanFirstToLastUse() throws {
        var graph = FrameGraph()
        let target = graph.external(nil)
        let handles = ["a", "b", "c"].map { graph.texture($0, shape) }
        graph.addPass("1", writes: [handles[0]]) { _, _ in }
        graph.addPass("2", reads: [handles[0]], writes: [handles[1]]) { _, _ in }
        graph.addPass("3", reads: [handles[1]], writes: [handles[2]]) { _, _ in }
        graph.addPass("4", reads: [handles[2]], writes: [target]) { _, _ in }
        let lifetimes = graph.schedule().lifetimes
        #expect(lifetimes.map { $0.label } == ["a", "b", "c"])
        #expect(lifetimes.map { [$0.first, $0.last] } == [[0, 1], [1, 2], [2, 3]])
        #expect(lifetimes.allSatisfy { $0.isSampled })
    }

    /// Textures whose lifetimes do not overlap share memory; a frame that needs less frees the rest.
    @Test func texturesAreReused() throws {
        let device = try GPUDevice.make()
        let pool = TexturePool(device)
        func frame(passes: Int) throws -> [ObjectIdentifier] {
            var graph = FrameGraph()
            let target = graph.external(nil)
            var used: [ObjectIdentifier] = []
            let handles = (0..<passes).map { graph.texture("\($0)", shape) }
            for index in handles.indices {
                graph.addPass("\(index)", reads: index > 0 ? [handles[index - 1]] : [], writes: [handles[index]]) { _, textures in
                    used.append(ObjectIdentifier(textures[handles[index]].texture))
                }
            }
            graph.addPass("last", reads: [handles[passes - 1]], writes: [target]) { _, _ in }
            let encoder = try device.makeCommandEncoder("test")
            try graph.encode(to: encoder, pool)
            pool.endFrame()
            device.queue.submit(try encoder.finish())
            return used
        }
        let used = try frame(passes: 3)
        #expect(used[0] == used[2] && used[0] != used[1])
        #expect(pool.memory == 2 * 8 * 8 * 4)
        #expect(try frame(passes: 3) == used)
        _ = try frame(passes: 1)
        #expect(pool.memory == 8 * 8 * 4)
    }
}
