/// The file's `asset` and its lists of extensions, which determine whether the reader supports the file.
struct GLTFHeader {
    let version: String
    let generator: String
    let copyright: String
    let extensionsUsed: [String]
    let extensionsRequired: [String]

    /// Reads the header of a document.
    ///
    /// - Throws: `.unsupportedExtension` if the file requires an extension that is not supported.
    init(_ root: JSONValue, _ context: GLTFContext) throws(GLTFError) {
        guard let asset = try root.object("asset") else { throw root.failure("asset", "is missing") }
        version = try asset.string("version") ?? ""
        let required = try Self.names("extensionsRequired", root, context)
        for (index, name) in required.enumerated() where !context.supportedExtensions.contains(name) {
            throw GLTFError(
                file: context.document.name, location: .property("/extensionsRequired/\(index)"), reason: .unsupportedExtension(name))
        }
        let used = try Self.names("extensionsUsed", root, context)
        if let list = root["extensionsUsed"] {
            for (index, name) in used.enumerated() where !context.supportedExtensions.contains(name) {
                context.warn(list[index], "the extension \(name) is not supported and was ignored")
            }
            if used.contains("KHR_mesh_quantization"), !required.contains("KHR_mesh_quantization") {
                context.warn(list, "KHR_mesh_quantization must also be in extensionsRequired")
            }
        }
        generator = try asset.string("generator") ?? ""
        copyright = try asset.string("copyright") ?? ""
        (extensionsUsed, extensionsRequired) = (used, required)
    }

    private static func names(_ key: StaticString, _ root: JSONValue, _ context: GLTFContext) throws(GLTFError) -> [String] {
        guard let list = try root.array(key) else { return [] }
        guard list.count <= context.limits.extensions else {
            throw context.limitFailure(list, "more than \(context.limits.extensions) extensions")
        }
        var names: [String] = []
        for index in 0..<list.count {
            let name = try list[index].string()
            if names.contains(name) { context.warn(list[index], "is listed twice") }
            names.append(name)
        }
        return names
    }

    // MARK: Version

    /// Rejects every version except 2.x. Call it before reading other parts: the arrays of version 1.0 are objects.
    static func checkVersion(_ root: JSONValue) throws(GLTFError) {
        guard let asset = try root.object("asset") else {
            // Version 1.0 does not require an asset, and has objects where 2.0 has arrays.
            if let old = firstObjectOfVersion1(root) { throw unsupported("1.0", old) }
            throw root.failure("asset", "is missing")
        }
        guard let version = asset["version"] else {
            if let old = firstObjectOfVersion1(root) { throw unsupported("1.0", old) }
            throw asset.failure("version", "is missing")
        }
        if version.kind == .number, try version.number() < 2 { throw unsupported("1.0", version) }
        try checkVersion(asset, "version", isMinimum: false)
        try checkVersion(asset, "minVersion", isMinimum: true)
    }

    private static func firstObjectOfVersion1(_ root: JSONValue) -> JSONValue? {
        let lists: [StaticString] = ["scenes", "nodes", "meshes", "accessors", "bufferViews", "buffers"]
        for key in lists { if let list = root[key], list.kind == .object { return list } }
        return nil
    }

    private static func unsupported(_ version: String, _ location: JSONValue) -> GLTFError {
        GLTFError(file: location.document.name, location: .property(location.pointer), reason: .unsupportedVersion(version))
    }

    /// Checks a version `MAJOR.MINOR`. Every 2.x is forward compatible with 2.0, unless `minVersion` requires more.
    private static func checkVersion(_ asset: JSONValue, _ key: StaticString, isMinimum: Bool) throws(GLTFError) {
        guard let member = asset[key] else { return }
        let text = Array(try member.utf8())
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } }
        guard parts.count == 2, areDigits else { throw member.failure("must be a version such as \"2.0\"") }
        let isTwo = parts[0].elementsEqual([UInt8(ascii: "2")])
        guard isTwo, !isMinimum || parts[1].elementsEqual([UInt8(ascii: "0")]) else {
            throw unsupported(String(decoding: text, as: UTF8.self), member)
        }
    }

}
