import VitrineScene

/// Reads glTF 2.0, as GLB or as JSON text; the kind is told by the first bytes.
///
/// ```swift
/// let asset = try GLTFReader.read(bytes, name: "duck.glb") { uri throws(GLTFError) in try bytesOfFile(besideTheModel: uri) }
/// asset.scene.rootNode.childNodes   // ready to draw once the textures are decoded
/// asset.warnings                    // what was bent or left out
/// ```
///
/// All of the core specification is read: every primitive mode and component type, sparse, interleaved and unbacked accessors, cameras,
/// skins, morph targets, animations; and the extensions in `supportedExtensions`. A file that requires another extension is refused, one
/// that only uses it gets a warning. A broken rule with one obvious reading is repaired with a warning; anything else that is broken is an error
/// with its place.
///
/// No byte of the file is trusted: see `GLTFLimits` for what bounds memory.
///
/// Not done here: pictures stay encoded (`TextureContent.encoded`); tangents are passed on, not made. Normals that are missing are made
/// flat, as the specification asks.
public enum GLTFReader {
    /// The extensions that are read without a decoder; `GLTFDecoders.supportedExtensions` adds those that need one.
    public static let supportedExtensions = [
        "EXT_mesh_gpu_instancing", "EXT_texture_webp", "KHR_lights_punctual", "KHR_materials_anisotropy", "KHR_materials_clearcoat",
        "KHR_materials_dispersion", "KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_iridescence",
        "KHR_materials_pbrSpecularGlossiness", "KHR_materials_sheen", "KHR_materials_specular", "KHR_materials_transmission",
        "KHR_materials_unlit", "KHR_materials_variants", "KHR_materials_volume", "KHR_mesh_quantization", "KHR_texture_basisu",
        "KHR_texture_transform",
    ]

    /// Whether the first bytes may be those of a glTF file: a GLB's, or a JSON object's.
    public static func matches(_ bytes: [UInt8]) -> Bool { GLBContainer.matches(bytes) || startsObject(bytes) }

    private static func startsObject(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        return text.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "{")
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - name: For errors, and the scene's name where the file gives none.
    ///   - limits: What is taken from a file that isn't trusted.
    ///   - decoders: For compressed meshes. Default none.
    ///   - resolve: Gives the bytes of a file beside the model. The path is relative, without `..`, percent escapes resolved. It throws
    ///     `.resource` where there is no such file: a missing buffer refuses the model, a missing picture is a warning.
    public static func read(
        _ bytes: [UInt8], name: String = "", limits: GLTFLimits = GLTFLimits(), decoders: GLTFDecoders = GLTFDecoders(),
        resolve: (_ path: String) throws(GLTFError) -> [UInt8] = noFiles
    ) throws(GLTFError) -> GLTFAsset {
        let isBinary = GLBContainer.matches(bytes)
        guard isBinary || startsObject(bytes) else { throw GLTFError(file: name, reason: .unrecognized) }
        let container = isBinary ? try GLBContainer(bytes, name: name) : nil
        var (range, warnings) = (container?.json ?? 0..<bytes.count, container?.warnings ?? [])
        if bytes[range].starts(with: [0xEF, 0xBB, 0xBF]) {
            warnings.append(GLTFWarning(message: "the JSON text starts with a byte order mark, which glTF forbids"))
            range = range.lowerBound + 3..<range.upperBound
        }
        let document = try JSONParser.parse(bytes, range: range, name: name, limits: limits)
        let importer = try GLTFImporter(
            document, limits: limits, decoders: decoders, binary: container?.binary, warnings: warnings)
        return try importer.asset(container: isBinary ? .glb : .json, resolve: resolve)
    }

    /// A resolver for models that refer to no files.
    public static func noFiles(_ path: String) throws(GLTFError) -> [UInt8] {
        throw GLTFError(reason: .resource(uri: path, reason: "no files are read here"))
    }
}
