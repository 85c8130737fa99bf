import Testing

@testable import VitrineGPU

@Suite struct AdapterTests {
    @Test func adaptersReportTheirProperties() throws {
        let adapters = GPUInstance().adapters()
        try #require(!adapters.isEmpty)
        for adapter in adapters {
            #expect(!adapter.info.name.isEmpty)
            #expect(adapter.limits.maxTextureDimension2D >= 8192)
            #expect(adapter.limits.maxBindGroups >= 4)
        }
        #expect(GPUAdapter.all().count >= adapters.count)
    }

    @Test(arguments: [
        ("", GPUAdapterChoice.automatic), ("auto", .automatic), ("AUTO", .automatic), ("hardware", .hardware), ("Software", .software),
        ("radeon", .named("radeon")),
    ])
    func parsing(text: String, choice: GPUAdapterChoice) {
        #expect(GPUAdapterChoice(parsing: text) == choice)
        #expect(GPUAdapterChoice(parsing: choice.description) == choice)
    }

    @Test func choiceSelectsAnAdapter() throws {
        let instance = GPUInstance()
        let best = try instance.adapter()
        #expect(best.info.rank == instance.adapters().map { $0.info.rank }.max())
        let again = try instance.adapter(.named(String(best.info.name.uppercased().prefix(5))))
        #expect(again.info.name == best.info.name)

        let software = instance.adapters().contains { $0.info.kind == .software }
        #expect((gpuError { _ = try instance.adapter(.software) } == nil) == software)
        let hardware = instance.adapters().contains { $0.info.kind != .software }
        #expect((gpuError { _ = try instance.adapter(.hardware) } == nil) == hardware)
    }

    @Test func missingAdapterIsReported() throws {
        let instance = GPUInstance()
        let error = gpuError { _ = try instance.adapter(.named("no such card")) }
        guard case .noAdapter(.named("no such card"), let found) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(found.count == instance.adapters().count)
        #expect(error!.description.contains("no such card"))
        #expect(error!.description.contains(found[0]))
    }

    /// An old OpenGL driver beside none for Vulkan: everything would fail at its first compute shader.
    @Test func adaptersWithoutComputeShadersSayIt() throws {
        let info = GPUAdapterInfo(
            name: "H200", vendor: "", driver: "3.3.0", backend: .openGL, kind: .other, vendorID: 0, deviceID: 0, hasComputeShaders: false)
        #expect(info.description == "H200, other, OpenGL, 3.3.0, without compute shaders")
        for adapter in GPUInstance().adapters() { #expect(adapter.info.hasComputeShaders) }
        let versions = [
            ("3.3.0 NVIDIA 580.159.04", false), ("3.3 (Core Profile) Mesa 22.3.6", false), ("4.2", false), ("4.3.0", true),
            ("4.5 (Core Profile) Mesa 22.3.6", true), ("OpenGL ES 3.0 Mesa", false), ("OpenGL ES 3.1 Mesa 22.3.6", true), ("", true),
        ]
        for (driver, hasThem) in versions { #expect(GPUAdapterInfo.hasComputeShaders(openGL: driver) == hasThem, "\(driver)") }
    }

    @Test func rankPrefersHardware() {
        func rank(_ kind: GPUAdapterInfo.Kind, _ backend: GPUAdapterInfo.Backend) -> Int {
            GPUAdapterInfo(name: "", vendor: "", driver: "", backend: backend, kind: kind, vendorID: 0, deviceID: 0).rank
        }
        let order = [
            rank(.discrete, .vulkan), rank(.discrete, .openGL), rank(.integrated, .metal), rank(.integrated, .openGLES),
            rank(.other, .vulkan), rank(.software, .vulkan), rank(.software, .openGL),
        ]
        #expect(order == order.sorted(by: >))
        #expect(Set(order).count == order.count)
    }

    @Test func unsupportedRequestsThrow() throws {
        let adapter = try GPUInstance().adapter()
        if !adapter.features.contains(.textureCompressionASTC) {
            guard
                case .deviceRequest(_, let message) = gpuError({
                    _ = try adapter.makeDevice(required: [.textureCompressionASTC, .timestampQuery])
                })
            else {
                Issue.record("a device with a feature that is not there")
                return
            }
            #expect(message == "the adapter does not support texture-compression-astc")
        }
        var limits = adapter.limits
        limits.raw.maxBindGroups = 1000
        guard case .deviceRequest(_, let message) = gpuError({ _ = try adapter.makeDevice(limits: limits) }) else {
            Issue.record("a device with limits that are not there")
            return
        }
        #expect(message.contains("max_bind_groups"))
    }

    @Test func optionalFeaturesAreEnabledIfSupported() throws {
        let adapter = try GPUInstance().adapter()
        let device = try adapter.makeDevice(optional: [.timestampQuery, .textureCompressionASTC, .immediates])
        #expect(device.features == adapter.features.intersection([.timestampQuery, .textureCompressionASTC, .immediates]))
    }
}
