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

/// Scenes to model files: GLB, glTF text, USDZ, USD text and binary, COLLADA, OBJ, PLY and STL.
///
/// ```swift
/// let warnings = try ModelFile.write(scene, to: URL(filePath: "bust.usdz"))
/// for warning in warnings { print("warning: \(warning)") }
/// ```
///
/// Written are nodes, meshes and materials with their textures, as they stand, and where the format has a place for them skins, morph
/// targets, animations, cameras and lights. What a format can't hold (displacement in a GLB, a hierarchy in an OBJ) is left out, and a
/// warning says so; the environment and what the viewer looks through are no part of a model file. The same scene gives the same bytes.
///
/// | | GLB, glTF | USDZ, USDC, USDA | OBJ | PLY | COLLADA |
/// | --- | --- | --- | --- | --- | --- |
/// | hierarchy, shared meshes | ✅ | ✅ | ❌ baked | ❌ baked | ✅ |
/// | base colour, emission, normal, occlusion, metalness, roughness | ✅ | ✅ | ✅ (as most readers of `.mtl` do it) | ❌ colours of vertices only | base colour, emission, normal; metal and roughness as a highlight |
/// | clearcoat | ✅ | ✅ without its normals | ✅ | ❌ | ❌ |
/// | displacement | ❌ no slot | ✅ | ✅ | ❌ | ❌ |
/// | skins, morph targets, cameras | ✅ | ✅ | ❌ | ❌ | ✅ |
/// | animations | ✅ | ✅ the first: a stage has one time line | ❌ | ❌ | ✅ |
/// | lights | ✅ directional, point, spot | ✅ | ❌ | ❌ | ✅ ambient, directional, point, spot |
/// | tangents | ✅ | ❌ readers work them out | ❌ readers work them out | ❌ | ✅ |
/// | several sets of texture coordinates | ✅ | ✅ | ❌ first | ❌ first | ✅ |
/// | points | ✅ | ✅ | ✅ | ✅ | ❌ |
/// | lines | ✅ | ❌ | ✅ | ❌ | ✅ |
///
/// STL holds triangles where they stand, no more.
public enum ModelFile {
    /// The format that a file name asks for, or nil where none that is written has this extension.
    ///
    /// - Parameter pathExtension: without the dot, any case.
    public static func format(forExtension pathExtension: String) -> ModelFormat? {
        let wanted = pathExtension.lowercased()
        return formatsByExtension.first { $0.0 == wanted }?.1
    }

    /// What file names may end in, without the dot.
    public static var extensions: [String] { formatsByExtension.map(\.0) }

    /// The same for a message or a help: ".glb, .gltf, .usdz …".
    package static var extensionList: String { extensions.map { "." + $0 }.joined(separator: ", ") }

    /// The one list of what is written.
    private static let formatsByExtension: [(String, ModelFormat)] = [
        ("glb", .glb), ("gltf", .gltf), ("usdz", .usdz), ("usdc", .usdc), ("usd", .usdc), ("usda", .usda), ("obj", .obj), ("ply", .ply),
        ("dae", .collada), ("zae", .collada), ("stl", .stl),
    ]

    /// Writes a scene; each file atomically (see `AtomicFile`), the named one last.
    ///
    /// glTF text, OBJ, USDA and USDC put textures (and OBJ its materials, glTF text its numbers) in files beside the model, named after it:
    /// `bust.obj`, `bust.mtl`, `bust_0.png` …
    ///
    /// - Parameter format: by default what the extension says.
    /// - Returns: What was left out or changed, in a fixed order.
    /// - Throws: `ModelFileError`: an extension that names no format written here, numbers that are not finite, a texture that can't be
    ///   encoded, no place. A texture that can't be decoded is left out with a warning.
    public static func write(
        _ scene: Scene, to url: URL, format: ModelFormat? = nil, options: ModelWriteOptions = ModelWriteOptions()
    ) throws(ModelFileError) -> [ModelWarning] {
        guard let format = format ?? self.format(forExtension: url.pathExtension) else {
            throw ModelFileError(
                file: url.path, reason: .notWritable("no model format to write has the extension \"\(url.pathExtension)\""))
        }
        let model = try encode(scene, as: format, name: url.lastPathComponent, options: options)
        try write(model, to: url)
        return model.warnings
    }

    /// Writes what `encode` made: the files beside the model first, the model itself as `url` last, each atomically.
    public static func write(_ model: EncodedModel, to url: URL) throws(ModelFileError) {
        let folder = url.deletingLastPathComponent()
        for file in model.files.dropFirst().reversed() { try write(file.bytes, to: folder.appendingPathComponent(file.name)) }
        try write(model.files[0].bytes, to: url)
    }

    /// What `write` writes, in memory: the named file first, then those beside it.
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
        case .off, .fbx: throw ModelFileError(file: name, reason: .notWritable("\(format.displayName) is not written"))
        }
    }

    /// A file name without its extension: what the files beside it begin with.
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

/// A model as the files that it is made of.
public struct EncodedModel: Sendable {
    public struct File: Sendable {
        public var name: String
        public var bytes: [UInt8]
    }

    /// The model file, then those that it names; at least one.
    public var files: [File]
    public var warnings: [ModelWarning]
    /// Of the textures inside the files; 0 for formats that have none.
    var textureBytes = 0
}

extension ModelFile {
    /// The libraries that models are packed and parsed with, with their versions.
    public static var libraryVersions: [(name: String, version: String)] {
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
