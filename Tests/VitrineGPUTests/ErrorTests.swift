import Testing

@testable import VitrineGPU

@Suite struct ErrorTests {
    @Test func validationNamesTheResource() throws {
        let device = try makeDevice()
        let error = gpuError { _ = try device.makeBuffer("my vertices", size: 16, usage: [.mapRead, .storage]) }
        guard case .validation("my vertices", let message) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(message.contains("MAP"))
        #expect(!message.contains("Caused by"))
        // Each error is thrown once; the device stays usable.
        try device.checkErrors()
        _ = try device.makeBuffer("good", size: 16, usage: .storage)
    }

    @Test func errorsNameTheLabelOfTheObject() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 256, usage: .copyDestination)
        let layout = try device.makeBindGroupLayout("l", [.uniformBuffer(0, .compute)])
        let shader = try device.makeShader("s", wgsl: everywhere)
        let texture = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: .textureBinding))
        let attempts: [(String, () throws -> Void)] = [
            (
                "texture",
                {
                    _ = try device.makeTexture(.init("texture", size: .init(100_000, 1), format: .rgba8Unorm, usage: .textureBinding))
                }
            ),
            ("group", { _ = try device.makeBindGroup("group", layout: layout, [.buffer(0, buffer)]) }),
            (
                "layout",
                {
                    _ = try device.makeBindGroupLayout("layout", [.uniformBuffer(0, .compute), .uniformBuffer(0, .compute)])
                }
            ),
            (
                "pipeline layout",
                {
                    _ = try device.makePipelineLayout("pipeline layout", [GPUBindGroupLayout](repeating: layout, count: 40))
                }
            ),
            ("compute", { _ = try device.makeComputePipeline("compute", GPUShaderStage(shader, "nothing")) }),
            (
                "render",
                {
                    _ = try device.makeRenderPipeline(.init("render", vertex: GPUShaderStage(shader, "nothing")))
                }
            ),
            (
                "sampler",
                {
                    _ = try device.makeSampler(.init("sampler", filter: .nearest, maxAnisotropy: 4))
                }
            ),
            ("queries", { _ = try device.makeQuerySet("queries", .occlusion, count: 100_000) }),
            ("t", { _ = try texture.makeView(dimension: .cube) }),
            ("t", { _ = try texture.makeView(mipLevels: 0..<2) }),
            ("buffer", { _ = try device.makeBuffer("buffer", size: 1 << 50, usage: .storage) }),
        ]
        for (label, attempt) in attempts {
            let error = gpuError(attempt)
            guard case .validation(let resource, let message) = error else {
                Issue.record("\(label): got \(String(describing: error))")
                continue
            }
            #expect(resource == label, "\(message)")
            #expect(!message.isEmpty)
        }
        try device.checkErrors()
    }

    @Test func missingBindGroupLayoutThrows() throws {
        let device = try makeDevice()
        let shader = try device.makeShader("s", wgsl: "@compute @workgroup_size(1) fn main() {}")
        let pipeline = try device.makeComputePipeline("empty", GPUShaderStage(shader, "main"))
        // Some implementations throw here, wgpu-native when the layout is used.
        #expect(gpuError { _ = try device.makeBindGroup("group", layout: try pipeline.bindGroupLayout(1000), []) } != nil)
    }

    @Test func shaderErrorsNameLineAndColumn() throws {
        let device = try makeDevice()
        let cases: [(source: String, line: Int, column: Int, text: String)] = [
            ("\n@vertex fn v() -> @builtin(position) vec4f { return foo(1.0); }", 2, 53, "foo"),
            ("fn f() {\n    var y: u32 = 1.5;\n}\n", 2, 9, "u32"),
            ("fn a( {}", 1, 7, "expected identifier"),
            // An error of the validation stage:
            (
                "struct S { a: f32 }\n@group(0) @binding(0) var<uniform> s: array<f32, 4>;\nfn f() -> f32 { return s[0]; }\n", 2, 23,
                "stride"
            ),
        ]
        for test in cases {
            let error = gpuError { _ = try device.makeShader("tone.wgsl", wgsl: test.source) }
            guard case .shader("tone.wgsl", let messages) = error, let first = messages.first else {
                Issue.record("got \(String(describing: error))")
                continue
            }
            #expect(first.line == test.line, "\(first.text)")
            #expect(first.column == test.column, "\(first.text)")
            #expect(first.text.contains(test.text))
            #expect(error!.description.hasPrefix("tone.wgsl:\(test.line):\(test.column): "))
        }
    }

    @Test func recordingErrorsThrowInFinish() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 16, usage: [.copySource, .copyDestination])
        let error = gpuError {
            let encoder = try device.makeCommandEncoder("copies")
            encoder.copy(from: buffer, to: buffer, size: 64)
            device.queue.submit(try encoder.finish())
        }
        guard case .validation("copies", _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        try device.checkErrors()
    }

    @Test func openPassThrowsInFinish() throws {
        let device = try makeDevice()
        let encoder = try device.makeCommandEncoder("open")
        let pass = encoder.beginComputePass("pass")
        var error: GPUError?
        do throws(GPUError) { device.queue.submit(try encoder.finish()) } catch let caught { error = caught }
        guard case .validation("open", _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        pass.end()
    }

    @Test func submissionErrorsThrowInCheckErrors() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("small", size: 16, usage: [.copyDestination])
        device.queue.write([UInt32](repeating: 1, count: 8), to: buffer)
        device.queue.write([UInt32](repeating: 1, count: 8), to: buffer, at: 4)
        // The error is not attributed to an object that is made in between.
        _ = try device.makeBuffer("innocent", size: 16, usage: .storage)
        #expect(gpuError { try device.checkErrors() } != nil)
        #expect(gpuError { try device.checkErrors() } != nil)
        #expect(gpuError { try device.checkErrors() } == nil)
    }

    @Test func commandsOfAnotherDeviceAreRefused() throws {
        let adapter = try GPUInstance().adapter()
        let device = try adapter.makeDevice()
        let other = try adapter.makeDevice()
        device.queue.submit(try other.makeCommandEncoder("foreign").finish())
        guard case .validation(_, "commands recorded with another device") = gpuError({ try device.checkErrors() }) else {
            Issue.record("foreign commands were taken")
            return
        }
        let buffer = try other.makeBuffer("foreign", size: 16, usage: .copyDestination)
        let encoder = try device.makeCommandEncoder("mixed")
        encoder.clear(buffer)
        var error: GPUError?
        do throws(GPUError) { device.queue.submit(try encoder.finish()) } catch let caught { error = caught }
        guard case .validation("mixed", _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    /// Two instances use the same numbers for their objects, so the implementation cannot distinguish them.
    @Test func objectsOfAnotherInstanceAreRefused() throws {
        let device = try makeDevice()
        let other = try makeDevice()
        let layout = try device.makeBindGroupLayout("l", [.uniformBuffer(0, .compute)])
        let buffer = try other.makeBuffer("b", size: 256, usage: .uniform)
        guard case .validation("group", _) = gpuError({ _ = try device.makeBindGroup("group", layout: layout, [.buffer(0, buffer)]) })
        else {
            Issue.record("a foreign buffer was bound")
            return
        }
        let shader = try other.makeShader("s", wgsl: everywhere + "@compute @workgroup_size(1) fn main() {}")
        guard case .validation("c", _) = gpuError({ _ = try device.makeComputePipeline("c", .init(shader, "main")) }) else {
            Issue.record("a foreign shader was taken")
            return
        }
        guard
            case .validation("r", _) = gpuError({
                _ = try device.makeRenderPipeline(.init("r", vertex: .init(shader, "everywhere")))
            })
        else {
            Issue.record("a foreign shader was taken")
            return
        }
    }

    @Test func tooManyLateErrorsAreCounted() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("small", size: 16, usage: [.copyDestination])
        for _ in 0..<100 { device.queue.write([UInt32](repeating: 1, count: 8), to: buffer) }
        var errors: [GPUError] = []
        while let error = gpuError({ try device.checkErrors() }) { errors.append(error) }
        #expect(errors.count == 65)
        #expect(errors.last?.description.contains("36 further errors") == true)
        // A full list does not hide a new failure.
        for _ in 0..<100 { device.queue.write([UInt32](repeating: 1, count: 8), to: buffer) }
        guard case .validation("new", _) = gpuError({ _ = try device.makeBuffer("new", size: -1, usage: .storage) })
        else {
            Issue.record("a negative size passed")
            return
        }
        guard
            case .validation("bad", _) = gpuError({
                _ = try device.makeBuffer("bad", size: 16, usage: [.mapRead, .storage])
            })
        else {
            Issue.record("a bad usage passed")
            return
        }
    }

    @Test func everyCallOnALostDeviceThrows() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 16, usage: [.copySource, .copyDestination])
        let texture = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: .copySource))
        let encoder = try device.makeCommandEncoder("before")
        encoder.clear(buffer)
        let commands = try encoder.finish()
        #expect(!device.isLost)
        device.destroy()
        #expect(device.isLost)
        device.queue.submit(commands)
        device.queue.write([UInt32(1)], to: buffer)
        device.queue.poll()
        let attempts: [() throws -> Void] = [
            { try device.checkErrors() },
            { try device.checkErrors() },
            { try device.waitUntilIdle() },
            { _ = try device.makeBuffer("late", size: 16, usage: .storage) },
            { _ = try device.makeShader("late", wgsl: "fn f() {}") },
            { device.queue.submit(try device.makeCommandEncoder("late").finish()) },
            { _ = try buffer.read() },
            { _ = try texture.read() },
        ]
        for (i, attempt) in attempts.enumerated() {
            guard case .deviceLost(.destroyed, _) = gpuError(attempt) else {
                Issue.record("attempt \(i)")
                continue
            }
        }
    }

    /// Loss reported by the implementation, as after a driver reset, without `destroy()`.
    @Test func lossReportedByTheImplementation() throws {
        let device = try makeDevice()
        device.destroyWithoutRecordingLoss()
        #expect(!device.isLost)
        guard case .deviceLost = gpuError({ _ = try device.makeBuffer("late", size: 16, usage: .storage) }) else {
            Issue.record("a buffer was made on a lost device")
            return
        }
        #expect(device.isLost)
        guard case .deviceLost = gpuError({ try device.checkErrors() }) else {
            Issue.record("the check passed")
            return
        }
    }

    @Test func readOutOfBoundsThrows() throws {
        let device = try makeDevice()
        let buffer = try device.makeBuffer("b", size: 16, usage: [.copySource])
        guard case .mapping("b", _) = gpuError({ _ = try buffer.read(8..<24) }) else {
            Issue.record("read beyond the end")
            return
        }
        let texture = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: .textureBinding))
        #expect(gpuError { _ = try texture.read(mipLevel: 1) } != nil)
        #expect(gpuError { _ = try texture.read(layers: 0..<2) } != nil)
        // Without copySource, the error names the buffer.
        guard case .validation = gpuError({ _ = try texture.read() }) else {
            Issue.record("read without copySource")
            return
        }
    }

    @Test func copiesOutOfBoundsThrow() throws {
        let device = try makeDevice()
        let texture = try device.makeTexture(.init("t", size: .init(4, 4), format: .rgba8Unorm, usage: [.copySource, .copyDestination]))
        let pixels = [UInt8](repeating: 1, count: 64)
        for copy in [texture.copyInfo(x: 5), texture.copyInfo(y: -1), texture.copyInfo(mipLevel: 3), texture.copyInfo(layer: 1)] {
            device.queue.write(pixels, to: copy)
            #expect(gpuError { try device.checkErrors() } != nil)
        }
        device.queue.write([UInt8](repeating: 1, count: 63), to: texture.copyInfo())
        #expect(gpuError { try device.checkErrors() } != nil)
        #expect(try texture.read() == [UInt8](repeating: 0, count: 64))
        #expect(gpuError { _ = try device.makeTexture(.init("t", size: .init(1 << 40), format: .r8Unorm, usage: .copySource)) } != nil)
    }
}
