import Foundation

/// The rules of glTF 2.0 that a written GLB must keep, with the reasons why one doesn't.
///
/// After the glTF 2.0 specification (Khronos, 2021). Data compressed by Draco or meshopt is checked against its accessors, but not decoded.
struct GLBRules {
    /// The use of a buffer view.
    enum Use: String { case vertices, indices, data }

    var faults: [String] = []
    let root: JSONNode
    let binary: ArraySlice<UInt8>
    let accessors, views, nodes, meshes, materials: [JSONNode]
    /// Accessors whose numbers lie in Draco data.
    var dracoAccessors: Set<Int> = []
    var accessorUses: [Int: Set<Use>] = [:]
    var viewUses: [Int: Set<Use>] = [:]
    /// The parent of each node.
    var parents: [Int: Int] = [:]

    /// Every broken rule, with its place; empty for a sound file.
    static func faults(in file: [UInt8]) -> [String] {
        let container = GLBChunks(file)
        guard container.faults.isEmpty else { return container.faults }
        guard let root = try? JSONSerialization.jsonObject(with: Data(container.json)), root is [String: Any] else {
            return ["JSON: can't be parsed"]
        }
        var rules = GLBRules(JSONNode(root), container.binary)
        rules.checkAll()
        return rules.faults
    }

    private init(_ root: JSONNode, _ binary: ArraySlice<UInt8>) {
        (self.root, self.binary) = (root, binary)
        (accessors, views) = (root["accessors"].elements, root["bufferViews"].elements)
        (nodes, meshes, materials) = (root["nodes"].elements, root["meshes"].elements, root["materials"].elements)
    }

    private mutating func checkAll() {
        expect(root["asset"]["version"].text == "2.0", "asset: not version 2.0")
        checkEmptiness()
        checkExtensions()
        checkBuffers()
        findDraco()
        checkMeshes()
        checkNodes()
        checkSkins()
        checkAnimations()
        checkImages()
        checkMaterials()
        checkCamerasAndLights()
        checkAccessors()
        checkViews()
    }

    mutating func expect(_ holds: Bool, _ fault: String) {
        if !holds { faults.append(fault) }
    }

    /// A reference: nil where there is none, or where it leads nowhere, which is a fault.
    mutating func reference(_ node: JSONNode, _ list: String, _ location: String) -> Int? {
        guard node.isThere else { return nil }
        if let index = node.integer, index >= 0, index < root[list].elements.count { return index }
        faults.append("\(location): names no element of \(list)")
        return nil
    }

    /// glTF has no empty lists, and no empty objects where a choice is required.
    private mutating func checkEmptiness() {
        var found: [String] = []
        root.visit { location, key, value in
            if value.isList, value.elements.isEmpty { found.append("\(location): an empty list") }
            if ["attributes", "extensions", "extras"].contains(key), value.members.isEmpty {
                found.append("\(location): an empty object")
            }
            if key == "targets" {
                for (index, target) in value.elements.enumerated() where target.members.isEmpty {
                    found.append("\(location)/\(index): an empty object")
                }
            }
        }
        faults += found
    }

    private mutating func checkExtensions() {
        var used: Set<String> = []
        root.visit { _, key, value in if key == "extensions" { used.formUnion(value.members.keys) } }
        let declared = root["extensionsUsed"].elements.compactMap(\.text)
        let required = root["extensionsRequired"].elements.compactMap(\.text)
        expect(Set(declared).count == declared.count && Set(required).count == required.count, "extensions: one is listed twice")
        for name in used.subtracting(declared).sorted() { faults.append("extensionsUsed: lacks \(name)") }
        for name in Set(declared).subtracting(used).sorted() { faults.append("extensionsUsed: \(name), which nothing uses") }
        for name in Set(required).subtracting(declared).sorted() { faults.append("extensionsRequired: \(name) is not in extensionsUsed") }
        // Without the compression extension, the data would be missing.
        for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] where used.contains(name) {
            expect(required.contains(name), "extensionsRequired: lacks \(name)")
        }
    }

    private mutating func checkBuffers() {
        let buffers = root["buffers"].elements
        for (index, buffer) in buffers.enumerated() {
            let length = buffer["byteLength"].integer ?? 0
            expect(length > 0, "buffers/\(index): without bytes")
            let isFallback = buffer["extensions"]["EXT_meshopt_compression"].isThere
            if index == 0 {
                expect(!buffer["uri"].isThere && !isFallback, "buffers/0: is not the binary chunk")
                expect((0...3).contains(binary.count - length), "buffers/0: \(length) bytes in a chunk of \(binary.count)")
                expect(binary.dropFirst(length).allSatisfy { $0 == 0 }, "BIN: not padded with zeros")
            } else {
                expect(isFallback, "buffers/\(index): has no bytes")
            }
        }
        expect(!buffers.isEmpty || binary.isEmpty, "BIN: no buffer has it")
    }
}

/// The two chunks of a GLB.
struct GLBChunks {
    private(set) var json: ArraySlice<UInt8> = []
    private(set) var binary: ArraySlice<UInt8> = []
    private(set) var faults: [String] = []

    init(_ file: [UInt8]) {
        guard file.count >= 20, file.starts(with: "glTF".utf8) else {
            faults = ["header: no GLB"]
            return
        }
        if Self.word(file, 4) != 2 { faults.append("header: not version 2") }
        if Self.word(file, 8) != file.count { faults.append("header: \(Self.word(file, 8)) bytes declared, \(file.count) exist") }
        var (at, number) = (12, 0)
        while at + 8 <= file.count {
            let (length, kind) = (Self.word(file, at), Array(file[at + 4..<at + 8]))
            guard length % 4 == 0, length <= file.count - at - 8 else {
                faults.append("chunk \(number): a length of \(length)")
                return
            }
            add(file[at + 8..<at + 8 + length], kind: kind, number: number)
            at += 8 + length
            number += 1
        }
        if at != file.count { faults.append("file: \(file.count - at) bytes behind the last chunk") }
        checkText()
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>, kind: [UInt8], number: Int) {
        switch number {
        case 0 where kind == Array("JSON".utf8): json = bytes
        case 1 where kind == Array("BIN\0".utf8): binary = bytes
        default: faults.append("chunk \(number): of a kind that doesn't belong there")
        }
    }

    private mutating func checkText() {
        if json.first != UInt8(ascii: "{") { faults.append("JSON: doesn't begin with an object") }
        let padding = json.reversed().prefix { $0 != UInt8(ascii: "}") }
        if padding.count > 3 || padding.contains(where: { $0 != 0x20 }) { faults.append("JSON: not padded with up to 3 spaces") }
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> Int {
        Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16 | Int(bytes[at + 3]) << 24
    }
}
