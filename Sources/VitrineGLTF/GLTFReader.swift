import VitrineScene

/// Reads glTF 2.0, as GLB or as JSON text, determined by the first bytes.
///
/// ```swift
/// let asset = try GLTFReader.read(bytes, name: "duck.glb") { uri throws(GLTFError) in try bytesOfFile(besideTheModel: uri) }
/// asset.scene.rootNode.childNodes   // ready to draw once the textures are decoded
/// asset.warnings                    // repairs and ignored parts
/// ```
///
/// Supports the complete core specification (every primitive mode and component type; sparse, interleaved and unbacked accessors; cameras,
/// skins, morph targets, animations) and the extensions in `supportedExtensions`. Rejects a file that requires another extension; warns about
/// one that only uses it. Repairs violations with one obvious interpretation, with a warning; other violations are errors with their position.
///
/// The file is not trusted: `GLTFLimits` limits memory and time.
///
/// Images stay encoded (`TextureContent.encoded`). The reader computes flat normals for primitives without normals, as the specification
/// requires, but no tangents.
package enum GLTFReader {
    /// The extensions that require no decoder. `GLTFDecoders.supportedExtensions` adds those that require one.
    package static let supportedExtensions = [
        "EXT_mesh_gpu_instancing", "EXT_texture_webp", "KHR_lights_punctual", "KHR_materials_anisotropy", "KHR_materials_clearcoat",
        "KHR_materials_dispersion", "KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_iridescence",
        "KHR_materials_pbrSpecularGlossiness", "KHR_materials_sheen", "KHR_materials_specular", "KHR_materials_transmission",
        "KHR_materials_unlit", "KHR_materials_variants", "KHR_materials_volume", "KHR_mesh_quantization", "KHR_texture_basisu",
        "KHR_texture_transform", "MOZ_lightmap", "VITRINE_irradiance_volume",
    ]

    /// Returns whether the file starts like a GLB or like a JSON object.
    package static func matches(_ bytes: [UInt8]) -> Bool { GLBContainer.matches(bytes) || startsObject(bytes) }

    private static func startsObject(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        return text.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "{")
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: The name of the file in errors, and of scenes without a name.
    ///   - limits: Limits for untrusted files.
    ///   - decoders: Decoders of compressed meshes. Default none.
    ///   - resolve: Returns the bytes of a file that the model refers to. The path is relative, without `..` (unless
    ///     `limits.resolvesOutsidePaths`) and without percent escapes. Throws `.resource` if there is no such file: a missing buffer is an
    ///     error, a missing image a warning.
    package static func read(
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

    /// A resolver that rejects every file.
    package static func noFiles(_ path: String) throws(GLTFError) -> [UInt8] {
        throw GLTFError(reason: .resource(uri: path, reason: "the reader has no access to files"))
    }
}
