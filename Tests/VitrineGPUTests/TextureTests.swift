import Testing

@testable import VitrineGPU

@Suite struct TextureTests {
    @Test func writeAndReadUnalignedRows() throws {
        let device = try makeDevice()
        let texture = try device.makeTexture(
            .init("t", size: .init(13, 7, 3), format: .rgba8Unorm, usage: [.copyDestination, .copySource], mipLevelCount: 3))
        func fill(_ count: Int, _ seed: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + seed) } }
        for layer in 0..<3 { device.queue.write(fill(13 * 7 * 4, layer), to: texture.copyInfo(layer: layer)) }
        device.queue.write(fill(3 * 1 * 4, 99), to: texture.copyInfo(mipLevel: 2, layer: 1))
        try device.checkErrors()
        #expect(try texture.read(layers: 1..<2) == fill(13 * 7 * 4, 1))
        #expect(try texture.read(layers: 0..<3) == fill(13 * 7 * 4, 0) + fill(13 * 7 * 4, 1) + fill(13 * 7 * 4, 2))
        #expect(try texture.read(mipLevel: 2, layers: 1..<2) == fill(3 * 1 * 4, 99))
        #expect(try texture.read(mipLevel: 1, layers: 0..<1) == [UInt8](repeating: 0, count: 6 * 3 * 4))

        // A part, from rows with gaps.
        let rows = fill(2 * 16, 5)
        rows.withUnsafeBytes { device.queue.write($0, to: texture.copyInfo(x: 4, y: 2), size: .init(3, 2), bytesPerRow: 16) }
        let bytes = try texture.read()
        for y in 0..<2 {
            let start = ((y + 2) * 13 + 4) * 4
            #expect(Array(bytes[start..<start + 12]) == Array(rows[y * 16..<y * 16 + 12]))
        }
    }

    @Test func copiesBetweenTexturesAndBuffers() throws {
        let device = try makeDevice()
        let usage: GPUTextureUsage = [.copyDestination, .copySource]
        let a = try device.makeTexture(.init("a", size: .init(8, 8), format: .r32Float, usage: usage))
        let b = try device.makeTexture(.init("b", size: .init(8, 8), format: .r32Float, usage: usage))
        device.queue.write((0..<64).map { Float($0) }, to: a.copyInfo())
        let rows = try device.makeBuffer("rows", size: 512, usage: [.copyDestination, .copySource])
        let encoder = try device.makeCommandEncoder("copies")
        encoder.copy(from: a.copyInfo(x: 2, y: 3), to: b.copyInfo(), size: .init(4, 2))
        encoder.copy(from: a.copyInfo(), to: rows, bytesPerRow: 256, size: .init(8, 2))
        encoder.copy(from: rows, bytesPerRow: 256, to: b.copyInfo(y: 6), size: .init(8, 2))
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
        let values = try b.read().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(Array(values[0..<8]) == [26, 27, 28, 29, 0, 0, 0, 0])
        #expect(Array(values[8..<16]) == [34, 35, 36, 37, 0, 0, 0, 0])
        #expect(Array(values[48..<64]) == (0..<16).map { Float($0) })
    }

    @Test func volumesAndCompressedBlocks() throws {
        let device = try makeDevice(optional: .textureCompressionBC)
        let volume = try device.makeTexture(
            .init(
                "volume", size: .init(4, 4, 4), format: .r8Unorm, usage: [.copyDestination, .copySource], dimension: .threeDimensional,
                mipLevelCount: 2))
        let bytes = (0..<64).map { UInt8($0) }
        device.queue.write(bytes, to: volume.copyInfo())
        #expect(try volume.read(layers: 0..<4) == bytes)
        #expect(try volume.read(layers: 2..<3) == Array(bytes[32..<48]))
        #expect(volume.size(ofMipLevel: 1) == GPUExtent(2, 2, 2))
        guard device.features.contains(.textureCompressionBC) else { return }
        let blocks = try device.makeTexture(
            .init("blocks", size: .init(12, 8), format: .bc7RGBAUnormSRGB, usage: [.copyDestination, .copySource]))
        let data = (0..<96).map { UInt8($0) }
        device.queue.write(data, to: blocks.copyInfo())
        try device.checkErrors()
        #expect(try blocks.read() == data)
    }

    /// Each face and mip level of a cube is drawn by clearing its own view, then all are sampled through one cube view.
    @Test func cubeFacesAndMipLevels() throws {
        let device = try makeDevice()
        let cube = try device.makeTexture(
            .init("cube", size: .init(4, 4, 6), format: .rgba8Unorm, usage: [.renderAttachment, .textureBinding], mipLevelCount: 2))
        let encoder = try device.makeCommandEncoder("cube")
        for level in 0..<2 {
            for face in 0..<6 {
                let view = try cube.makeView(mipLevels: level..<level + 1, layers: face..<face + 1)
                let color = GPUColor(Double(face * 20) / 255, Double(level * 100) / 255, 0, 1)
                encoder.renderPass(.init("face", colors: [.init(view, load: .clear(color))])) { _ in }
            }
        }
        device.queue.submit(try encoder.finish())

        let shader = try device.makeShader(
            "sample.wgsl",
            wgsl: """
                @group(0) @binding(0) var cube: texture_cube<f32>;
                @group(0) @binding(1) var sampler_: sampler;
                @group(0) @binding(2) var<storage, read_write> found: array<vec2f>;
                @compute @workgroup_size(6) fn main(@builtin(local_invocation_id) id: vec3u) {
                    let axes = array(vec3f(1, 0, 0), vec3f(-1, 0, 0), vec3f(0, 1, 0), vec3f(0, -1, 0), vec3f(0, 0, 1), vec3f(0, 0, -1));
                    for (var level = 0u; level < 2; level++) {
                        found[level * 6 + id.x] = textureSampleLevel(cube, sampler_, axes[id.x], f32(level)).xy * 255;
                    }
                }
                """)
        let layout = try device.makeBindGroupLayout(
            "sample", [.texture(0, .compute, dimension: .cube), .sampler(1, .compute), .storageBuffer(2, .compute, isReadOnly: false)])
        let pipeline = try device.makeComputePipeline(
            "sample", layout: try device.makePipelineLayout("sample", [layout]), .init(shader, "main"))
        let found = try device.makeBuffer("found", size: 96, usage: [.storage, .copySource])
        let group = try device.makeBindGroup(
            "sample", layout: layout,
            [
                .texture(0, try cube.makeView(dimension: .cube)), .sampler(1, try device.makeSampler(.init("linear", mipmap: .nearest))),
                .buffer(2, found),
            ])
        let second = try device.makeCommandEncoder("sample")
        second.computePass("sample") { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.dispatch(1)
        }
        device.queue.submit(try second.finish())
        try device.checkErrors()
        let values = try found.read(as: SIMD2<Float>.self)
        for level in 0..<2 {
            for face in 0..<6 {
                let value = values[level * 6 + face]
                #expect(abs(value.x - Float(face * 20)) < 0.01 && abs(value.y - Float(level * 100)) < 0.01)
            }
        }
    }

    @Test func storageTexturesAndSRGBViews() throws {
        let device = try makeDevice()
        let texture = try device.makeTexture(
            .init(
                "t", size: .init(4, 4), format: .rgba8Unorm, usage: [.storageBinding, .textureBinding, .copySource],
                viewFormats: [.rgba8UnormSRGB]))
        let shader = try device.makeShader(
            "store.wgsl",
            wgsl: """
                @group(0) @binding(0) var target_: texture_storage_2d<rgba8unorm, write>;
                @compute @workgroup_size(4, 4) fn store(@builtin(local_invocation_id) id: vec3u) {
                    textureStore(target_, id.xy, vec4f(188.0 / 255, f32(id.x) / 255, f32(id.y) / 255, 1));
                }
                @group(0) @binding(0) var source: texture_2d<f32>;
                @group(0) @binding(1) var<storage, read_write> found: array<f32>;
                @compute @workgroup_size(1) fn load() { found[0] = textureLoad(source, vec2u(1, 1), 0).x; }
                """)
        let store = try device.makeComputePipeline("store", .init(shader, "store"))
        let load = try device.makeComputePipeline("load", .init(shader, "load"))
        let found = try device.makeBuffer("found", size: 16, usage: [.storage, .copySource])
        let storeGroup = try device.makeBindGroup(
            "store", layout: try store.bindGroupLayout(0), [.texture(0, try texture.makeView(format: .rgba8Unorm))])
        // An sRGB view cannot be a storage binding, so it is sampled from a texture made for sampling alone.
        let copy = try device.makeTexture(
            .init(
                "copy", size: .init(4, 4), format: .rgba8Unorm, usage: [.textureBinding, .copyDestination],
                viewFormats: [.rgba8UnormSRGB]))
        let loadGroup = try device.makeBindGroup(
            "load", layout: try load.bindGroupLayout(0), [.texture(0, try copy.makeView(format: .rgba8UnormSRGB)), .buffer(1, found)])
        let encoder = try device.makeCommandEncoder("store")
        encoder.computePass("store") { pass in
            pass.setPipeline(store)
            pass.setBindGroup(0, storeGroup)
            pass.dispatch(1)
        }
        encoder.copy(from: texture.copyInfo(), to: copy.copyInfo())
        encoder.computePass("load") { pass in
            pass.setPipeline(load)
            pass.setBindGroup(0, loadGroup)
            pass.dispatch(1)
        }
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
        let bytes = try texture.read()
        for i in 0..<16 { #expect(Array(bytes[i * 4..<i * 4 + 4]) == [188, UInt8(i % 4), UInt8(i / 4), 255]) }
        // 188 on the sRGB curve is 0.5029 of the light.
        #expect(abs(try found.read(as: Float.self)[0] - 0.5029) < 0.001)
    }
}
