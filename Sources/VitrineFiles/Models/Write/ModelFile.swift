import CCodecs
import CExpat
import CMeshOptimizer
import CZlib
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes scenes as model files: GLB, glTF text, USDZ, USD text and binary, COLLADA, OBJ, PLY and STL.
///
/// ```swift
/// let warnings = try ModelFile.write(scene, to: URL(filePath: "bust.usdz"))
/// for warning in warnings { print("warning: \(warning)") }
/// ```
///
/// Writes nodes, meshes and materials with their textures and, in formats that store them, skins, morph targets, animations, cameras and
/// lights. Returns a warning for everything that a format cannot store, such as displacement in a GLB or a hierarchy in an OBJ. Does not
/// write the environment and the point of view of the viewer. The same scene gives the same bytes.
///
/// | | GLB, glTF | USDZ, USDC, USDA | OBJ | PLY | COLLADA |
/// | --- | --- | --- | --- | --- | --- |
/// | hierarchy, shared meshes | ✅ | ✅ | ❌ baked | ❌ baked | ✅ |
/// | base colour, emission, normal, occlusion, metalness, roughness | ✅ | ✅ | ✅ (MTL with the common PBR extension) | ❌ vertex colours only | base colour, emission, normal; metalness and roughness as a highlight |
/// | clearcoat | ✅ | ✅ without its normals | ✅ | ❌ | ❌ |
/// | displacement | ❌ no slot | ✅ | ✅ | ❌ | ❌ |
/// | skins, morph targets, cameras | ✅ | ✅ | ❌ | ❌ | ✅ |
/// | animations | ✅ | ✅ the first: a stage has one timeline | ❌ | ❌ | ✅ |
/// | lights | ✅ directional, point, spot | ✅ | ❌ | ❌ | ✅ ambient, directional, point, spot |
/// | tangents | ✅ | ❌ readers compute them | ❌ readers compute them | ❌ | ✅ |
/// | several sets of texture coordinates | ✅ | ✅ | ❌ first | ❌ first | ✅ |
/// | points | ✅ | ✅ | ✅ | ✅ | ❌ |
/// | lines | ✅ | ❌ | ✅ | ❌ | ✅ |
///
/// STL stores only triangles, in world coordinates.
public enum ModelFile {
    /// Returns the format of files with an extension; nil if no output format has it.
    ///
    /// - Parameter pathExtension: An extension without the dot; case is ignored.
    public static func format(forExtension pathExtension: String) -> ModelFormat? {
        let wanted = pathExtension.lowercased()
        return ModelFormat.extensionsOfOutputs.first { $0.name == wanted }?.format
    }

    /// The extensions of files that can be written, without the dot.
    public static var extensions: [String] { ModelFormat.extensionsOfOutputs.map(\.name) }

    /// The extensions as text for messages and help: ".glb, .gltf, .usdz …".
    package static var extensionList: String { extensions.map { "." + $0 }.joined(separator: ", ") }

    /// Writes a scene to a model file.
    ///
    /// glTF text, OBJ, COLLADA, USDA and USDC store textures (OBJ also materials, glTF text also buffers) in separate files named after the model:
    /// `bust.obj`, `bust.mtl`, `bust_0.png` … Each file is written atomically, the model file last.
    ///
    /// - Parameters:
    ///   - scene: The scene to write.
    ///   - url: The model file. Replaces an existing file.
    ///   - format: The format. Default: that of the extension of `url`.
    ///   - options: Options of textures and meshes.
    /// - Returns: Warnings about everything that was changed or not written, in a fixed order. Textures that cannot be decoded are not written.
    /// - Throws: `ModelFileError` if the extension has no format, a number is not finite, a texture cannot be encoded, or the file system
    ///   reports an error.
    public static func write(
        _ scene: Scene, to url: URL, format: ModelFormat? = nil, options: ModelWriteOptions = ModelWriteOptions()
    ) throws(ModelFileError) -> [ModelWarning] {
        guard let format = format ?? self.format(forExtension: url.pathExtension) else {
            throw ModelFileError(
                file: url.path,
                reason: .notWritable("the extension \"\(url.pathExtension)\" has no model format: use one of \(extensionList)"))
        }
        let model = try encode(scene, as: format, name: url.lastPathComponent, options: options)
        try write(model, to: url)
        return model.warnings
    }

    /// Writes an encoded model: the other files first, then the model file as `url`, each atomically.
    ///
    /// - Throws: `ModelFileError` if the file system reports an error.
    public static func write(_ model: EncodedModel, to url: URL) throws(ModelFileError) {
        let folder = url.deletingLastPathComponent()
        for file in model.files.dropFirst().reversed() { try write(file.bytes, to: folder.appendingPathComponent(file.name)) }
        try write(model.files[0].bytes, to: url)
    }

    /// Encodes a scene in memory.
    ///
    /// - Parameters:
    ///   - scene: The scene to encode.
    ///   - format: The format of the files.
    ///   - name: The name of the model file, from which the names of the other files are derived.
    ///   - options: Options of textures and meshes.
    /// - Returns: The model file, the files beside it, and warnings.
    /// - Throws: `ModelFileError`, as `write(_:to:format:options:)`.
    public static func encode(
        _ scene: Scene, as format: ModelFormat, name: String, options: ModelWriteOptions = ModelWriteOptions()
    ) throws(ModelFileError) -> EncodedModel {
        let contents = try SceneContents(scene, file: name, images: options.images)
        let pool = TexturePool(file: name, options: options)
        switch format {
        case .glb:
            var writer = GLBWriter(contents, pool: pool, options: options)
            return try writer.write(name: name)
        case .gltf:
            var writer = GLBWriter(contents, pool: pool, options: options)
            return try writer.writeText(name: name)
        case .usdz: return try USDWriter.usdz(contents, pool: pool, options: options, name: name)
        case .usdc, .usda:
            return try USDWriter.layer(contents, pool: pool, options: options, name: name, isText: format == .usda)
        case .obj: return try OBJWriter.write(contents, pool: pool, options: options, name: name)
        case .ply: return try PLYWriter.write(contents, options: options, name: name)
        case .collada: return try COLLADAWriter.write(contents, pool: pool, options: options, name: name)
        case .stl: return try STLWriter.write(contents, options: options, name: name)
        case .off, .fbx: throw ModelFileError(file: name, reason: .notWritable("\(format.displayName) files cannot be written"))
        }
    }

    /// Returns a file name without its extension: the prefix of the names of the other files.
    static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    private static func write(_ bytes: [UInt8], to url: URL) throws(ModelFileError) {
        do throws(FileError) {
            try AtomicFile.write(bytes, to: url)
        } catch {
            throw ModelFileError(file: error.path, reason: .file(error.reason))
        }
    }
}

/// An encoded model: its files and the warnings of encoding.
public struct EncodedModel: Sendable {
    /// A file of the model.
    public struct File: Sendable {
        /// The file name, without a folder.
        public var name: String
        /// The content of the file.
        public var bytes: [UInt8]
    }

    /// The model file, then the files beside it. At least one.
    public var files: [File]
    /// Warnings about everything that was changed or not written.
    public var warnings: [ModelWarning]
    /// The size of the textures in the files in bytes.
    var textureBytes = 0
}

extension ModelFile {
    /// The libraries for compression and parsing of models, with their versions.
    package static var libraryVersions: [(name: String, version: String)] {
        let length = 32
        let packing = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * length) { texts -> (String, String) in
            guard let start = texts.baseAddress else { return ("", "") }
            vitrine_packing_versions(start, start + length)
            return (String(cString: start), String(cString: start + length))
        }
        let optimizer = Int(MESHOPTIMIZER_VERSION)
        return [
            ("Draco", packing.0), ("Zstandard", packing.1), ("meshoptimizer", "\(optimizer / 1000).\(optimizer % 1000 / 10)"),
            ("expat", expatVersion), ("zlib", String(cString: zlibVersion())),
        ]
    }

    private static var expatVersion: String {
        let version = XML_ExpatVersionInfo()
        return "\(version.major).\(version.minor).\(version.micro)"
    }
}
