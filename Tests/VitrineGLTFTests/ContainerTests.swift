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
        #expect(refusal(changed(11, 0xFF))?.place == .byte(8))
        #expect(refusal(changed(15, 0xFF))?.place == .byte(12))
        #expect(refusal(changed(16, 0))?.place == .byte(16))
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (binaryType, []), (binaryType, [])])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (jsonType, Self.json)])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, [])])) != nil)
        #expect(refusal(ModelBuilder.container([(jsonType, Self.json), (5, []), (binaryType, [])])) != nil)
    }

    @Test func refusesWhatIsNoGLTF() {
        for text in ["", "x", "[1]", "<COLLADA>", "glT"] { #expect(refusal(Array(text.utf8))?.reason == .unrecognized) }
        #expect(!GLTFReader.matches(Array("ply\n".utf8)) && GLTFReader.matches(Array(" \n{".utf8)))
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
        ("data:text/plain;base64,aGk=", "text/plain hi"), ("data:;base64,aGk", " hi"), ("DATA:x/y;charset=z;base64,aGkh", "x/y hi!"),
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
