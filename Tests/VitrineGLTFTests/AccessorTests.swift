import Testing
import VitrineGLTF
import VitrineScene

/// Tests of reading numbers from buffers. A custom attribute keeps an accessor's values unchanged.
struct AccessorTests {
    /// The values of one accessor, read as the attribute `_A` beside as many positions.
    private func values(_ builder: ModelBuilder, _ accessor: Int, count: Int) throws -> [Float] {
        var builder = builder
        builder.json["scenes"] = [["nodes": [0]]]
        builder.json["nodes"] = [["mesh": 0]]
        let position = builder.add(["componentType": 5126, "type": "VEC3", "count": count, "min": [0, 0, 0], "max": [0, 0, 0]])
        builder.setPrimitive(["mode": 0, "attributes": ["POSITION": position, "_A": accessor]])
        let geometry = try builder.geometry()
        return try #require(geometry.attribute(.custom("_A"))).values
    }

    private func values(
        _ bytes: [UInt8], _ componentType: Int, _ type: String, count: Int, stride: Int? = nil, extra: [String: Any] = [:]
    ) throws -> [Float] {
        var builder = ModelBuilder()
        let accessor = builder.add(bytes: bytes, componentType, type, count: count, stride: stride, extra: extra)
        return try values(builder, accessor, count: count)
    }

    @Test func componentTypes() throws {
        #expect(try values([0x80, 0xFF, 0x7F], 5120, "SCALAR", count: 3) == [-128, -1, 127])
        #expect(try values([0, 128, 255], 5121, "SCALAR", count: 3) == [0, 128, 255])
        #expect(try values([0x00, 0x80, 0xFF, 0x7F], 5122, "SCALAR", count: 2) == [-32768, 32767])
        #expect(try values([0x00, 0x80, 0xFF, 0xFF], 5123, "SCALAR", count: 2) == [32768, 65535])
        #expect(try values([0, 0, 1, 0], 5125, "SCALAR", count: 1) == [65536])
        #expect(try values(ModelBuilder.bytes(Float(1.5).bitPattern), 5126, "SCALAR", count: 1) == [1.5])
    }

    @Test func normalized() throws {
        let flag = ["normalized": true]
        #expect(try values([0x80, 0x81, 0x40, 0x7F], 5120, "SCALAR", count: 4, extra: flag) == [-1, -1, 64.0 / 127, 1])
        #expect(try values([0, 51, 255], 5121, "SCALAR", count: 3, extra: flag) == [0, 0.2, 1])
        #expect(try values([0, 0x80, 1, 0x80, 0xFF, 0x7F], 5122, "SCALAR", count: 3, extra: flag) == [-1, -1, 1])
        #expect(try values([0xFF, 0xFF, 0x33, 0x33], 5123, "SCALAR", count: 2, extra: flag) == [1, 0.2])
    }

    @Test func interleaved() throws {
        var bytes: [UInt8] = []
        for index in 0..<3 { bytes += [UInt8(index), UInt8(index + 10), 99, 99, 99, 99, 99, 99] }
        #expect(try values(bytes, 5121, "VEC2", count: 3, stride: 8) == [0, 10, 1, 11, 2, 12])
        // The last element needs no padding behind it.
        #expect(try values(Array(bytes.dropLast(6)), 5121, "VEC2", count: 3, stride: 8) == [0, 10, 1, 11, 2, 12])
        #expect(try values([0, 0, 0, 0] + bytes, 5121, "VEC2", count: 3, stride: 8, extra: ["byteOffset": 4]) == [0, 10, 1, 11, 2, 12])
        let floats: [Float] = [1, 2, 9, 3, 4, 9]
        let data = floats.flatMap { ModelBuilder.bytes($0.bitPattern) }
        #expect(try values(data, 5126, "VEC2", count: 2, stride: 12) == [1, 2, 3, 4])
    }

    /// Columns start at multiples of 4 bytes; the last isn't padded.
    @Test func matrices() throws {
        #expect(try values([1, 2, 0, 0, 3, 4], 5121, "MAT2", count: 1) == [1, 2, 3, 4])
        #expect(try values([1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8], 5121, "MAT2", count: 2) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try values([1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9], 5121, "MAT3", count: 1) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        let shorts: [UInt8] = [1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6, 0, 0, 0, 7, 0, 8, 0, 9, 0]
        #expect(try values(shorts, 5123, "MAT3", count: 1) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        let floats = (1...16).map { Float($0) }
        #expect(try values(floats.flatMap { ModelBuilder.bytes($0.bitPattern) }, 5126, "MAT4", count: 1) == floats)
    }

    @Test func sparse() throws {
        var builder = ModelBuilder()
        let (indices, replacements) = (builder.view([1, 0, 3, 0]), builder.view([7, 8, 9, 10]))
        let sparse: [String: Any] = [
            "count": 2, "indices": ["bufferView": indices, "componentType": 5123], "values": ["bufferView": replacements],
        ]
        let base = builder.add(bytes: [1, 1, 2, 2, 3, 3, 4, 4], 5121, "VEC2", count: 4, extra: ["sparse": sparse])
        #expect(try values(builder, base, count: 4) == [1, 1, 7, 8, 3, 3, 9, 10])
        let unbacked = builder.add(["componentType": 5121, "type": "VEC2", "count": 4, "sparse": sparse])
        #expect(try values(builder, unbacked, count: 4) == [0, 0, 7, 8, 0, 0, 9, 10])
    }

    @Test(
        arguments: [
            ([3, 0, 1, 0], 2, "the indices must increase"), ([1, 0, 1, 0], 2, "the indices must increase"), ([1, 0, 4, 0], 2, "index 4"),
            ([1, 0, 2, 0], 5, "exceeds the accessor's 4"),
        ] as [([UInt8], Int, String)])
    func refusesBrokenSparse(_ indices: [UInt8], _ count: Int, _ reason: String) throws {
        var builder = ModelBuilder.triangle()
        let (indexView, valueView) = (builder.view(indices), builder.view([UInt8](repeating: 0, count: 60)))
        let sparse: [String: Any] = [
            "count": count, "indices": ["bufferView": indexView, "componentType": 5123], "values": ["bufferView": valueView],
        ]
        let position = builder.add(["componentType": 5126, "type": "VEC3", "count": 4, "sparse": sparse])
        builder.setPrimitive(["attributes": ["POSITION": position]])
        let error = try builder.refusal()
        #expect(error.location == .property("/accessors/1/sparse") || error.location == .property("/accessors/1/sparse/count"))
        #expect(error.description.contains(reason))
    }

    @Test func refusesRangesOutsideOfTheData() throws {
        func refusal(_ accessor: [String: Any], _ view: [String: Any] = [:]) throws -> String {
            var builder = ModelBuilder()
            var accessor = ["bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1].merging(accessor) { $1 }
            accessor["bufferView"] = builder.view([UInt8](repeating: 0, count: 24))
            _ = builder.add(accessor)
            return try builder.refusal().description
        }
        #expect(try refusal(["count": 3]).contains("/accessors/0: 3 elements of 12 bytes at offset 0 exceed the view's 24 bytes"))
        #expect(try refusal(["byteOffset": 13]).contains("exceed"))
        #expect(try refusal(["byteOffset": Int.max]).contains("must be an integer") || refusal(["byteOffset": 1 << 52]).contains("exceed"))
        #expect(try refusal(["count": 1 << 53]).contains("exceed"))
        #expect(try refusal(["count": 0]).contains("at least 1"))
        #expect(try refusal(["componentType": 5124]).contains("5120"))
        #expect(try refusal(["type": "VEC5"]).contains("MAT4"))
    }

    /// A promise of two thousand million zeros costs nothing to write.
    @Test func boundsUnbackedElements() throws {
        var builder = ModelBuilder()
        _ = builder.add(["componentType": 5126, "type": "MAT4", "count": 2_147_483_648])
        let error = try builder.refusal()
        #expect(error.location == .property("/accessors/0"))
        #expect(error.reason == .limit("2147483648 elements without bytes, the limit is 4194304"))
    }

    @Test func boundsDecodedBytes() throws {
        var limits = GLTFLimits()
        (limits.decodedBytes, limits.decodedBytesPerBufferByte) = (35, 0)
        #expect(try ModelBuilder.triangle().refusal(limits: limits).reason == .limit("the decoded data takes more than 35 bytes"))
    }

    @Test func replacesValuesThatAreNotFinite() throws {
        var builder = ModelBuilder.triangle()
        let accessor = builder.add(floats: [.nan, 1, -.infinity], "SCALAR")
        builder.setPrimitive(["mode": 0, "attributes": ["POSITION": 0, "_A": accessor]])
        let asset = try builder.read()
        #expect(asset.warns("/accessors/1", "2 values are infinite or not a number"))
        #expect(try builder.geometry().attribute(.custom("_A"))?.values == [0, 1, 0])
    }

    /// Repeated use of one part of a file is also bounded: shared vertices by primitive, images by view, scenes by node.
    @Test func boundsRepeatedWork() throws {
        func refusal(_ builder: ModelBuilder, _ change: (inout GLTFLimits) -> Void) throws -> GLTFError.Reason {
            var limits = GLTFLimits()
            change(&limits)
            return try builder.refusal(limits: limits).reason
        }
        var shared = ModelBuilder.triangle()
        shared.json["meshes"] = [["primitives": (0..<10).map { _ in ["attributes": ["POSITION": 0]] }]]
        #expect(try refusal(shared) { $0.steps = 29 } == .limit("processing the data takes more than 29 steps"))
        #expect(try refusal(ModelBuilder.triangle()) { $0.attributes = 0 } == .limit("more than 0 attributes"))
        #expect(try refusal(ModelBuilder.triangle()) { $0.scenes = 0 } == .limit("more than 0 scenes"))
        #expect(try refusal(ModelBuilder(["extensionsUsed": ["a", "b"]])) { $0.extensions = 1 } == .limit("more than 1 extensions"))
        var images = ModelBuilder()
        let view = images.view([UInt8](repeating: 0, count: 64))
        images.json["images"] = (0..<1000).map { _ in ["bufferView": view, "mimeType": "image/png"] }
        // A thousand images of one view are one copy.
        var limits = GLTFLimits()
        (limits.decodedBytes, limits.decodedBytesPerBufferByte) = (64, 0)
        #expect(try images.read(limits: limits).info.counts.images == 1000)
        limits.decodedBytes = 63
        #expect(try images.refusal(limits: limits).location == .property("/images/0"))
    }

    @Test func boundsFilesBesideTheModel() throws {
        let text = #"{"asset":{"version":"2.0"},"buffers":[{"uri":"a","byteLength":4},{"uri":"a","byteLength":4}]}"#
        var limits = GLTFLimits()
        func read() throws(GLTFError) {
            _ = try GLTFReader.read(Array(text.utf8), limits: limits) { path throws(GLTFError) in [1, 2, 3, 4] }
        }
        try read()
        limits.resourceBytes = 7
        #expect(
            throws: GLTFError(
                location: .property("/buffers/1/uri"), reason: .limit("the files that the model refers to have more than 7 bytes"))
        ) {
            try read()
        }
    }
}
