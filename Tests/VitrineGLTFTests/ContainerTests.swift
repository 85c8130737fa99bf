import Foundation
import Testing

@testable import VitrineGLTF

struct ContainerTests {
    private static let json = Array(#"{"asset":{"version":"2.0"}}  "#.utf8.prefix(28))
    private let jsonType: UInt32 = 0x4E4F_534A
    private let binaryType: UInt32 = 0x004E_4942

    private func refusal(_ bytes: [UInt8]) -> GLTFError? {
        do throws(GLTFError) {
            _ = try GLTFReader.read(bytes, name: "a.glb")
            return nil
        } catch { return error }
    }

    @Test func readsChunks() throws {
        let bytes = ModelBuilder.container([(jsonType, Self.json), (binaryType, [1, 2, 3, 4]), (0x1234, [0, 0, 0, 0])])
        let container = try GLBContainer(bytes + [9], name: "")
        #expect(Array(bytes[container.json]) == Self.json)
        #expect(container.binary.map { Array(bytes[$0]) } == [1, 2, 3, 4])
        #expect(container.warnings.count == 2)
    }

    @Test func refusesBrokenContainers() {
        let good = ModelBuilder.container([(jsonType, Self.json)])
        #expect(refusal(good) == nil)
        for length in 4..<good.count { #expect(refusal(Array(good.prefix(length))) != nil, "cut at \(length)") }
        func changed(_ offset: Int, _ byte: UInt8) -> [UInt8] {
            var bytes = good
            bytes[offset] = byte
            return bytes
        }
        #expect(refusal(changed(4, 1))?.reason == .unsupportedVersion("1 of the container"))
        #expect(refusal(changed(11, 0xFF))?.location == .byte(8))
        #expect(refusal(changed(15, 0xFF))?.location == .byte(12))
        #expect(refusal(changed(16, 0))?.location == .byte(16))
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (binaryType, []), (binaryType, [])])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (jsonType, Self.json)])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, [])])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (5, []), (binaryType, [])])) != nil)
    }

    @Test func refusesFilesThatAreNotGLTF() {
        for text in ["", "x", "[1]", "<COLLADA>", "glT"] { #expect(refusal(Array(text.utf8))?.reason == .unrecognized) }
        #expect(!GLTFReader.matches(Array("ply\n".utf8)) && GLTFReader.matches(Array(" \n{".utf8)))
    }

    /// A JSON chunk of 27 bytes and a binary one of 6, with and without uncounted padding.
    @Test(arguments: [false, true]) func readsChunksOfOddLength(isPadded: Bool) throws {
        let json = Array(#"{"asset":{"version":"2.0"}}"#.utf8)
        #expect(json.count == 27)
        func chunk(_ type: UInt32, _ bytes: [UInt8]) -> [UInt8] {
            let padding = isPadded ? [UInt8](repeating: 0x20, count: (4 - bytes.count % 4) % 4) : []
            return ModelBuilder.bytes(UInt32(bytes.count)) + ModelBuilder.bytes(type) + bytes + padding
        }
        let body = chunk(jsonType, json) + chunk(binaryType, [1, 2, 3, 4, 5, 6])
        let bytes = Array("glTF".utf8) + ModelBuilder.bytes(UInt32(2)) + ModelBuilder.bytes(UInt32(body.count + 12)) + body
        let container = try GLBContainer(bytes, name: "")
        #expect(Array(bytes[container.json]) == json)
        #expect(container.binary.map { Array(bytes[$0]) } == [1, 2, 3, 4, 5, 6])
        #expect(container.warnings.map(\.message).filter { $0.contains("not a multiple of 4") }.count == 2)
        #expect(container.warnings.map(\.location).first == "byte 12")
    }

    @Test func aByteOrderMarkIsAWarning() throws {
        let asset = try GLTFReader.read([0xEF, 0xBB, 0xBF] + Self.json, name: "a.gltf")
        #expect(asset.warnings.contains { $0.message.contains("byte order mark") })
    }

    @Test func version1IsNamed() throws {
        func refusal(_ text: String) -> GLTFError? {
            do throws(GLTFError) {
                _ = try GLTFReader.read(Array(text.utf8), name: "a.gltf")
                return nil
            } catch { return error }
        }
        let text = #"{"asset":{"version":"1.0"},"accessors":{"a":{}},"nodes":{}}"#
        #expect(refusal(text)?.description == "a.gltf:/asset/version: glTF version 1.0 is not supported; use version 2.0")
        for text in [#"{"accessors":{"a":{}}}"#, #"{"asset":{},"nodes":{}}"#, #"{"asset":{"version":1}}"#] {
            #expect(refusal(text)?.reason == .unsupportedVersion("1.0"))
        }
        #expect(refusal("{}")?.reason == .invalid("\"asset\" is missing"))
    }

    @Test func buffersWithoutBytesAreZeros() throws {
        let text = try ModelBuilder.triangle().glb()
        // Without its binary chunk.
        let length = Int(text[12]) | Int(text[13]) << 8 | Int(text[14]) << 16
        let cut = ModelBuilder.container([(jsonType, Array(text[20..<20 + length]))])
        let asset = try GLTFReader.read(cut, name: "a.glb")
        #expect(asset.warns("/buffers/0", "which is missing") && asset.warns("/buffers/0", "has no bytes; its values are read as 0"))
        let geometry = asset.scene.rootNode.childNodes.first?.mesh?.parts.first?.geometry
        #expect(geometry?.attribute(.position)?.values == Array(repeating: 0, count: 9))
    }

    @Test func unusedElementsAreChecked() throws {
        let asset = try ModelBuilder([
            "textures": [["source": 3], ["sampler": 2]], "extensionsUsed": ["KHR_mesh_quantization", "KHR_mesh_quantization"],
            "extensions": ["KHR_lights_punctual": [String: Any]()],
            "buffers": [
                ["byteLength": 1, "uri": "data:text/plain;base64,AA=="],
                ["byteLength": 1, "uri": "data:application/Octet-Stream;base64,AA=="],
            ],
        ]).read()
        #expect(asset.warns("/textures/0/source", "index 3, but there are 0") && asset.warns("/textures/1/sampler", "index 2"))
        #expect(asset.warns("/extensionsUsed/1", "is listed twice"))
        #expect(asset.warns("/extensionsUsed", "must also be in extensionsRequired"))
        #expect(asset.warns("/extensions/KHR_lights_punctual", "\"lights\" is missing"))
        #expect(asset.warns("/buffers/0/uri", "media type") && !asset.warns("/buffers/1/uri", "media type"))
        let light = try ModelBuilder([
            "nodes": [["extensions": ["KHR_lights_punctual": ["light": 0]]]], "scenes": [["nodes": [0]]],
            "extensionsUsed": ["KHR_lights_punctual"], "extensions": ["KHR_lights_punctual": ["lights": [["type": "tube"]]]],
        ]).read()
        #expect(light.warns("/extensions/KHR_lights_punctual/lights/0/type", "ignored"))
        #expect(light.scene.rootNode.childNodes.first?.light == nil)
    }

    // MARK: Messages

    @Test func messagesAreShortAndOnOneLine() throws {
        let long = String(repeating: "A", count: 100_000)
        let error = try ModelBuilder(["buffers": [["byteLength": 1, "uri": long]]]).refusal()
        #expect(error.description.count < 200 && error.description.contains("AAA…"))
        let control = try ModelBuilder(["buffers": [["byteLength": 1, "uri": "a\u{1B}[31mb%ff%0a\u{202E}"]]]).refusal()
        #expect(control.description.contains(#""a\u{1B}[31mb\xFF\n\u{202E}""#))
        let key = try ModelBuilder([long: 1]).read()
        #expect(key.warnings.allSatisfy { $0.description.count < 400 })
        #expect(try ModelBuilder(["extensionsRequired": [long]]).refusal().description.count < 200)
    }

    @Test func fileNamesKeepTheirBytes() {
        let names: [[UInt8]] = [
            Array("plain é 日本 🙂".utf8), [0x63, 0x61, 0x66, 0xE9], [0xFF, 0xFE, 0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            // The characters that represent bytes.
            Array("\u{10FF80}\u{10FFFF}".utf8), [0xE6, 0x97], [],
        ]
        for name in names { #expect(FileNameText.bytes(FileNameText.text(name)) == name) }
        #expect(FileNameText.text(names[0]) == "plain é 日本 🙂")
        #expect(FileNameText.text([0x63, 0xE9]) == "c\u{10FFE9}")
        #expect(MessageText.name(FileNameText.text([0x63, 0xE9])) == "c\\xE9")
        #expect(Set(names.map { FileNameText.text($0) }).count == names.count)
    }

    @Test func checksVersions() throws {
        func refusal(_ asset: [String: Any]) throws -> GLTFError.Reason { try ModelBuilder(["asset": asset]).refusal().reason }
        #expect(try refusal(["version": "1.0"]) == .unsupportedVersion("1.0"))
        #expect(try refusal(["version": "3.0"]) == .unsupportedVersion("3.0"))
        #expect(try refusal(["version": "2.1", "minVersion": "2.1"]) == .unsupportedVersion("2.1"))
        #expect(try refusal(["version": "two"]) == .invalid("must be a version such as \"2.0\""))
        #expect(try ModelBuilder(["asset": ["version": "2.1", "minVersion": "2.0", "generator": "g"]]).read().info.generator == "g")
    }

    @Test func requiredExtensionsAreRefusedByNameAndOptionalOnesReported() throws {
        let required = try ModelBuilder(["extensionsUsed": ["KHR_x"], "extensionsRequired": ["KHR_x"]]).refusal()
        #expect(required.description == "test.glb:/extensionsRequired/0: requires the extension KHR_x, which is not supported")
        let optional = try ModelBuilder(["extensionsUsed": ["KHR_x"]]).read()
        #expect(optional.warns("/extensionsUsed/0", "KHR_x"))
        let known = ModelBuilder([
            "extensionsUsed": GLTFReader.supportedExtensions, "extensionsRequired": GLTFReader.supportedExtensions,
        ])
        #expect(try known.read().info.extensionsRequired == GLTFReader.supportedExtensions)
    }

    // MARK: URIs

    private func parse(_ uri: String) -> String {
        switch ResourceURI.parse(Array(uri.utf8)[...]) {
        case .parsed(.relative(let path)): "file \(path)"
        case .parsed(.data(let bytes, let type)): "\(type) \(String(decoding: bytes, as: UTF8.self))"
        case .refused(let reason): "refused: \(reason)"
        }
    }

    @Test(arguments: [
        ("a.bin", "file a.bin"), ("b/c%20d%2e.png", "file b/c d..png"), ("b:c/d", "refused"), ("data:,a%20b", " a b"),
        ("data:text/plain;base64,aGk=", "text/plain hi"), ("data:;base64,aGk", " hi"),
        ("DATA:x/y;charset=z;base64,aGkh", "x/y;charset=z hi!"),
        ("grün/ä.png", "file grün/ä.png"), ("a..b/c", "file a..b/c"),
    ])
    func accepts(_ uri: String, _ expected: String) { #expect(parse(uri).hasPrefix(expected)) }

    @Test(arguments: [
        "", "/etc/passwd", "\\x", "../a", "a/../../b", "a/%2e%2E/b", "a\\..\\b", "file:///etc/passwd", "http://x/y", "C:/x", "a%2", "a%zz",
        "a%00b",
        "data:", "data:;base64", "data:;base64,a", "data:;base64,a===", "data:;base64,aG*k", "data:;base64,aGk=x", "data:,%4",
    ])
    func refuses(_ uri: String) { #expect(parse(uri).hasPrefix("refused")) }

    @Test func base64AgreesWithFoundation() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 5) }
            #expect(ResourceURI.base64Decoded(Array(Data(bytes).base64EncodedData())[...]) == bytes)
        }
    }
}
