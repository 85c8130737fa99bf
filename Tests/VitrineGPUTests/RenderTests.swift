import Testing

@testable import VitrineGPU

@Suite struct RenderTests {
    /// A device with a target of 16×16 `rgba8Unorm`.
    final class Stage {
        let device: GPUDevice
        let image: GPUTexture
        let view: GPUTextureView

        init(size: Int = 16) throws {
            device = try makeDevice(optional: [.multiDrawIndirectCount, .indirectFirstInstance, .polygonModeLine])
            image = try device.makeTexture(
                .init("image", size: .init(size, size), format: .rgba8Unorm, usage: [.renderAttachment, .copySource]))
            view = try image.makeView()
        }

        func draw(clear: GPUColor = .clear, _ body: (borrowing GPURenderPass) throws -> Void) throws -> [[UInt8]] {
            let encoder = try device.makeCommandEncoder("frame")
            try encoder.renderPass(.init("main", colors: [.init(view, load: .clear(clear))]), body)
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
            return try pixels()
        }

        /// Returns the pixels from the top left, row by row.
        func pixels() throws -> [[UInt8]] {
            let bytes = try image.read()
            return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) }
        }
    }

    @Test func multisampledTriangleResolves() throws {
        let stage = try Stage()
        let device = stage.device
        // Below the diagonal from the top left to the bottom right: red.
        let shader = try device.makeShader(
            "half.wgsl",
            wgsl: """
                @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                    let corners = array(vec2f(-1, 1), vec2f(-1, -1), vec2f(1, -1));
                    return vec4f(corners[i], 0, 1);
                }
                @fragment fn red() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
                """)
        let pipeline = try device.makeRenderPipeline(
            .init(
                "half", vertex: .init(shader, "corner"), fragment: .init(shader, "red"), targets: [.init(.rgba8Unorm)], cullMode: .back,
                sampleCount: 4))
        let samples = try device.makeTexture(
            .init("samples", size: .init(16, 16), format: .rgba8Unorm, usage: .renderAttachment, sampleCount: 4))
        let encoder = try device.makeCommandEncoder("frame")
        let attachment = GPUColorAttachment(
            try samples.makeView(), load: .clear(.init(0, 0, 1, 1)), store: .discard, resolveTarget: stage.view)
        encoder.renderPass(.init("multisampled", colors: [attachment])) { pass in
            pass.setPipeline(pipeline)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
        let pixels = try stage.pixels()
        for y in 0..<16 {
            for x in 0..<16 {
                let pixel = pixels[y * 16 + x]
                if y > x { #expect(pixel == [255, 0, 0, 255]) }
                if y < x { #expect(pixel == [0, 0, 255, 255]) }
                // The edge covers some of the four samples: a mixture of both colours.
                if y == x { #expect(pixel[0] > 0 && pixel[0] < 255 && abs(Int(pixel[0]) + Int(pixel[2]) - 255) <= 1) }
            }
        }
    }

    @Test func indexedInstancesWithTwoBuffers() throws {
        let stage = try Stage()
        let device = stage.device
        let shader = try device.makeShader(
            "instances.wgsl",
            wgsl: """
                struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f }
                @vertex fn corner(@location(0) p: vec2f, @location(1) offset: vec2f, @location(2) color: vec4f) -> Out {
                    return Out(vec4f(p + offset, 0, 1), color);
                }
                @fragment fn paint(in: Out) -> @location(0) vec4f { return in.color; }
                """)
        let pipeline = try device.makeRenderPipeline(
            .init(
                "instances", vertex: .init(shader, "corner"),
                vertexBuffers: [
                    .init(.float32x2, location: 0),
                    .init(stride: 12, stepMode: .instance, [.init(.float32x2, location: 1), .init(.unorm8x4, offset: 8, location: 2)]),
                ], fragment: .init(shader, "paint"), targets: [.init(.rgba8Unorm)]))
        // A square of half the width, in index order 0 1 2, 2 1 3; one unused vertex and index before.
        let corners = try device.makeBuffer("corners", contents: [9, 9, -1, 0, 0, 0, -1, 1, 0, 1] as [Float], usage: .vertex)
        let indices = try device.makeBuffer("indices", contents: [7, 0, 1, 2, 2, 1, 3] as [UInt16], usage: .index)
        let instances = try device.makeBuffer(
            "instances",
            contents: [
                Float(0).bitPattern, Float(0).bitPattern, 0xFF00_00FF, Float(1).bitPattern, Float(-1).bitPattern, 0x80FF_0000,
            ] as [UInt32], usage: .vertex)
        func expectTwoSquares(_ pixels: [[UInt8]]) {
            #expect(pixels[0] == [255, 0, 0, 255])
            #expect(pixels[7 * 16 + 7] == [255, 0, 0, 255])
            #expect(pixels[15 * 16 + 15] == [0, 0, 255, 128])
            #expect(pixels[8 * 16 + 8] == [0, 0, 255, 128])
            #expect(pixels[15] == [0, 0, 0, 0])
            #expect(pixels[15 * 16] == [0, 0, 0, 0])
        }
        expectTwoSquares(
            try stage.draw { pass in
                pass.setPipeline(pipeline)
                pass.setVertexBuffer(0, corners)
                pass.setVertexBuffer(1, instances, 0..<24)
                pass.setIndexBuffer(indices, .uint16)
                pass.drawIndexed(indexCount: 6, instanceCount: 2, firstIndex: 1, baseVertex: 1)
            })

        // The same draws from an indirect buffer, one instance each.
        guard device.features.isSuperset(of: [.indirectFirstInstance, .multiDrawIndirectCount]) else { return }
        let draws = try device.makeBuffer("draws", contents: [6, 1, 1, 1, 0, 6, 1, 1, 1, 1, 2] as [UInt32], usage: .indirect)
        func state(_ pass: borrowing GPURenderPass) {
            pass.setPipeline(pipeline)
            pass.setVertexBuffer(0, corners)
            pass.setVertexBuffer(1, instances)
            pass.setIndexBuffer(indices, .uint16)
        }
        expectTwoSquares(
            try stage.draw { pass in
                state(pass)
                pass.drawIndexedIndirect(draws)
                pass.drawIndexedIndirect(draws, offset: 20)
            })
        expectTwoSquares(
            try stage.draw { pass in
                state(pass)
                pass.multiDrawIndexedIndirect(draws, count: 2)
            })
        expectTwoSquares(
            try stage.draw { pass in
                state(pass)
                pass.multiDrawIndexedIndirect(draws, countBuffer: draws, countOffset: 40, maxCount: 2)
            })
    }

    @Test func blendingConstantsAndMasks() throws {
        let stage = try Stage()
        let device = stage.device
        let shader = try device.makeShader(
            "blend.wgsl",
            wgsl: everywhere + """
                override red: f32 = 1;
                override half: bool = false;
                @fragment fn paint() -> @location(0) vec4f { return select(1.0, 0.5, half) * vec4f(red, 0, 0, 1); }
                """)
        func pipeline(_ target: GPUColorTarget, _ constants: [GPUConstant]) throws -> GPURenderPipeline {
            try device.makeRenderPipeline(
                .init(
                    "blend", vertex: .init(shader, "everywhere"), fragment: .init(shader, "paint", constants: constants), targets: [target])
            )
        }
        let over = try pipeline(.init(.rgba8Unorm, blend: .premultiplied), [.init("half", true), .init("red", 0.2)])
        let pixels = try stage.draw(clear: .init(0, 1, 0, 1)) { pass in
            pass.setPipeline(over)
            pass.draw(vertexCount: 3)
        }
        // Red: 0.5 · 0.2 + 0; green: half of the stored value.
        #expect(pixels.allSatisfy { abs(Int($0[0]) - 26) <= 1 && abs(Int($0[1]) - 128) <= 1 && $0[2] == 0 && $0[3] == 255 })

        let masked = try pipeline(.init(.rgba8Unorm, writeMask: [.red]), [])
        let constant = try pipeline(
            .init(.rgba8Unorm, blend: .init(color: .init(.constant, .add, .zero), alpha: .init(.one, .add, .zero))), [])
        let both = try stage.draw(clear: .init(0, 1, 0, 0)) { pass in
            pass.setPipeline(masked)
            pass.setScissor(x: 0, y: 0, width: 16, height: 8)
            pass.draw(vertexCount: 3)
            pass.setPipeline(constant)
            pass.setBlendConstant(.init(0.2, 1, 1, 1))
            pass.setScissor(x: 0, y: 0, width: 16, height: 16)
            pass.setViewport(x: 0, y: 8, width: 16, height: 8)
            pass.draw(vertexCount: 3)
        }
        #expect(both[..<128].allSatisfy { $0 == [255, 255, 0, 0] })
        #expect(both[128...].allSatisfy { $0 == [51, 0, 0, 255] })
        // The error names a misspelt constant.
        guard case .validation("blend", let message) = gpuError({ _ = try pipeline(.init(.rgba8Unorm), [.init("rot", 1)]) }) else {
            Issue.record("a constant that is not there")
            return
        }
        #expect(message.contains("rot"))
    }

    @Test func depthStencilAndOcclusion() throws {
        let stage = try Stage()
        let device = stage.device
        let depth = try device.makeTexture(
            .init("depth", size: .init(16, 16), format: .depth24PlusStencil8, usage: [.renderAttachment, .copySource]))
        let shader = try device.makeShader(
            "depth.wgsl", wgsl: everywhere + "@fragment fn white() -> @location(0) vec4f { return vec4f(1); }")
        let pipeline = try device.makeRenderPipeline(
            .init(
                "depth", vertex: .init(shader, "everywhere"), fragment: .init(shader, "white"), targets: [.init(.rgba8Unorm)],
                depthStencil: .init(
                    .depth24PlusStencil8, depthCompare: .less, stencilFront: .init(depthFail: .zero, pass: .replace),
                    stencilBack: .init(depthFail: .zero, pass: .replace))))
        let queries = try device.makeQuerySet("samples", .occlusion, count: 2)
        let counts = try device.makeBuffer("counts", size: 16, usage: [.queryResolve, .copySource])
        let view = try depth.makeView()
        let encoder = try device.makeCommandEncoder("frame")
        encoder.renderPass(
            .init(
                "depth", colors: [.init(stage.view)], depthStencil: .init(view, depthLoad: .clear(0.75), stencilLoad: .clear(9)),
                timestamps: nil, occlusionQueries: queries)
        ) { pass in
            pass.setPipeline(pipeline)
            pass.setStencilReference(5)
            pass.setScissor(x: 0, y: 0, width: 4, height: 4)
            pass.beginOcclusionQuery(0)
            pass.draw(vertexCount: 3)  // depth 0.5 < 0.75: passes in 16 pixels
            pass.endOcclusionQuery()
            pass.setStencilReference(6)
            pass.setScissor(x: 0, y: 0, width: 2, height: 1)
            pass.beginOcclusionQuery(1)
            pass.draw(vertexCount: 3)  // 0.5 < 0.5 fails
            pass.endOcclusionQuery()
        }
        encoder.resolve(queries, to: counts)
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
        // Drivers may return any nonzero count for an occlusion query that passed.
        let passed = try counts.read(as: UInt64.self)
        #expect(passed[0] > 0 && passed[1] == 0)
        let stencil = try depth.read(aspect: .stencilOnly)
        for y in 0..<16 {
            for x in 0..<16 { #expect(stencil[y * 16 + x] == (x < 2 && y < 1 ? 0 : x < 4 && y < 4 ? 5 : 9)) }
        }
        #expect(try stage.pixels()[0] == [255, 255, 255, 255])
    }

    @Test func depthOnlyPassAndReadback() throws {
        let device = try makeDevice()
        let depth = try device.makeTexture(
            .init("depth", size: .init(5, 3), format: .depth32Float, usage: [.renderAttachment, .copySource]))
        let shader = try device.makeShader("depth.wgsl", wgsl: everywhere)
        let pipeline = try device.makeRenderPipeline(
            .init("depth", vertex: .init(shader, "everywhere"), depthStencil: .init(.depth32Float, depthCompare: .always)))
        let encoder = try device.makeCommandEncoder("depth")
        encoder.renderPass(.init("depth", depthStencil: .init(try depth.makeView()))) { pass in
            pass.setPipeline(pipeline)
            pass.setScissor(x: 1, y: 0, width: 4, height: 3)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
        let values = try depth.read().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(values == (0..<15).map { $0 % 5 == 0 ? 1 : 0.5 })
    }

    @Test func linePolygonMode() throws {
        let stage = try Stage()
        let device = stage.device
        guard device.features.contains(.polygonModeLine) else { return }
        let shader = try device.makeShader(
            "lines.wgsl", wgsl: everywhere + "@fragment fn white() -> @location(0) vec4f { return vec4f(1); }")
        var descriptor = GPURenderPipelineDescriptor(
            "lines", vertex: .init(shader, "everywhere"), fragment: .init(shader, "white"), targets: [.init(.rgba8Unorm)])
        descriptor.polygonMode = .line
        let pipeline = try device.makeRenderPipeline(descriptor)
        let pixels = try stage.draw { pass in
            pass.setPipeline(pipeline)
            pass.draw(vertexCount: 3)
        }
        // Only edges are drawn: the interior of the triangle stays clear.
        #expect(pixels[8 * 16 + 6] == [0, 0, 0, 0])
    }

    @Test func renderingIsDeterministic() throws {
        func run() throws -> [[UInt8]] {
            let stage = try Stage(size: 64)
            let shader = try stage.device.makeShader(
                "noise.wgsl",
                wgsl: everywhere + """
                    @fragment fn noise(@builtin(position) p: vec4f) -> @location(0) vec4f {
                        return vec4f(fract(sin(p.x * 12.9898 + p.y * 78.233) * 43.5453), sqrt(p.x / 64), exp(-p.y / 64), 1);
                    }
                    """)
            let pipeline = try stage.device.makeRenderPipeline(
                .init("noise", vertex: .init(shader, "everywhere"), fragment: .init(shader, "noise"), targets: [.init(.rgba8Unorm)]))
            return try stage.draw { pass in
                pass.setPipeline(pipeline)
                pass.draw(vertexCount: 3)
            }
        }
        let first = try run()
        #expect(first == (try run()))
        #expect(Set(first).count > 1000)
    }
}
