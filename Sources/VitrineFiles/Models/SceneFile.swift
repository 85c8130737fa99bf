import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Loads model files as scenes.
///
/// ```swift
/// let loaded = try await SceneFile.load(URL(filePath: "helmet.glb")) { print($0.stage, $0.fraction) }
/// for warning in loaded.warnings { print("warning: \(warning)") }
/// view.scene = loaded.scene
/// ```
///
/// Reads GLB, glTF, OBJ with MTL, PLY, STL, OFF, USDZ, USDC, USDA and COLLADA, detected by content. Reads the files of a model from its folder, the
/// subfolders, and `ModelLoadOptions.allowedFolders`. Decodes textures on all processors; a texture that cannot be decoded is ignored with a
/// warning.
public enum SceneFile {
    /// Loads a model and decodes its textures.
    ///
    /// - Parameters:
    ///   - url: The model file.
    ///   - options: Limits, folders, and the treatment of warnings.
    ///   - progress: Called with the progress, in order, on any thread.
    /// - Throws: `ModelFileError`, or `CancellationError` if the task was cancelled.
    public static func load(
        _ url: URL, options: ModelLoadOptions = ModelLoadOptions(), progress: (@Sendable (LoadingProgress) -> Void)? = nil
    ) async throws -> sending LoadedScene {
        progress?(LoadingProgress(0, stage: "reading"))
        let bytes = try read(url, options: options)
        progress?(LoadingProgress(0.1, stage: "parsing"))
        try Task.checkCancellation()
        let format = try format(of: bytes, file: url.path)
        let asset = try parse(bytes, url: url, options: options)
        try Task.checkCancellation()
        let decoding = TextureDecoding(asset.textures, options: options)
        let images = try await decoding.run { done in progress?(LoadingProgress(0.4 + 0.6 * done, stage: "decoding")) }
        let warnings = asset.warnings + decoding.warnings + TextureDecoding.assign(images, to: asset)
        try refuse(warnings, of: url.path, options)
        progress?(LoadingProgress(1, stage: "done"))
        return LoadedScene(scene: asset.scene, scenes: asset.scenes, warnings: warnings, format: format, info: asset.info)
    }

    /// Throws the first warning if options are strict.
    static func refuse(_ warnings: [ModelWarning], of file: String, _ options: ModelLoadOptions) throws(ModelFileError) {
        guard options.isStrict, let first = warnings.first else { return }
        throw ModelFileError(file: file, location: first.location, reason: .strict(first.message, others: warnings.count - 1))
    }

    static func read(_ url: URL, options: ModelLoadOptions) throws(ModelFileError) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(url, limit: options.maximumFileBytes)
        } catch {
            throw ModelFileError(file: error.path, reason: .file(error.reason))
        }
    }

    /// Detects the format.
    ///
    /// - Throws: `ModelFileError` if it is unknown or not supported.
    static func format(of bytes: [UInt8], file: String) throws(ModelFileError) -> ModelFormat {
        guard !bytes.isEmpty else { throw ModelFileError(file: file, reason: .malformed("the file is empty")) }
        if let kind = ImageFile.kind(of: bytes) { throw ModelFileError(file: file, reason: .isImage(kind)) }
        guard let format = ModelFormat(firstBytesOf: bytes) else {
            // Throws a more specific error for UTF-32.
            _ = try TextEncoding.utf8(Array(bytes.prefix(64)), file: file)
            throw ModelFileError(file: file, reason: .unrecognized)
        }
        guard format.isSupported else { throw ModelFileError(file: file, reason: .unsupportedFormat(format)) }
        return format
    }

    /// Reads a model in memory. Its textures stay encoded and are not checked.
    ///
    /// - Parameters:
    ///   - name: The name of the file in errors, and of scenes without a name.
    ///   - files: Returns the bytes of a file that the model refers to by a relative path without `..`.
    package static func read(
        _ bytes: [UInt8], name: String, options: ModelLoadOptions = ModelLoadOptions(),
        files: @escaping (_ path: String) throws(FileError) -> [UInt8]
    ) throws(ModelFileError) -> LoadedScene {
        let format = try format(of: bytes, file: name)
        let model = try parse(bytes, file: name, name: name, resources: ModelResources(files), options: options)
        try refuse(model.warnings, of: name, options)
        return LoadedScene(scene: model.scene, scenes: model.scenes, warnings: model.warnings, format: format, info: model.info)
    }

    static func parse(_ bytes: [UInt8], url: URL, options: ModelLoadOptions) throws(ModelFileError) -> ParsedModel {
        let resources = try ModelResources(
            folder: url.deletingLastPathComponent(), allowed: options.allowedFolders, limit: options.maximumFileBytes)
        return try parse(bytes, file: url.path, name: url.lastPathComponent, resources: resources, options: options)
    }

    private static func parse(
        _ bytes: [UInt8], file: String, name: String, resources: ModelResources, options: ModelLoadOptions
    ) throws(ModelFileError) -> ParsedModel {
        let format = try format(of: bytes, file: file)
        // A binary STL may start with any bytes, including those of a byte order mark.
        let isText = format.isPlainText && !(format == .stl && STLReader.binaryCount(bytes) != nil)
        let bytes = isText ? try TextEncoding.utf8(bytes, file: file) : bytes
        return switch format {
        case .obj: try OBJReader.read(bytes, file: file, name: ModelFile.stem(name), resources: resources)
        case .usda, .usdc, .usdz: try USDReader.read(bytes, file: file, name: name, resources: resources, options: options)
        case .collada: try COLLADAReader.read(bytes, file: file, name: ModelFile.stem(name), resources: resources)
        case .ply: try PLYReader.read(bytes, file: file, name: ModelFile.stem(name))
        case .stl: try STLReader.read(bytes, file: file, name: ModelFile.stem(name))
        case .off: try OFFReader.read(bytes, file: file, name: ModelFile.stem(name))
        default: ParsedModel(try parseGLTF(bytes, file: file, name: name, resources: resources, options: options))
        }
    }

    private static func parseGLTF(
        _ bytes: [UInt8], file: String, name: String, resources: ModelResources, options: ModelLoadOptions
    ) throws(ModelFileError) -> GLTFAsset {
        if case .utf16 = TextEncoding.encoding(of: bytes) {
            throw ModelFileError(file: file, reason: .malformed("is UTF-16 text, but glTF requires UTF-8: save it as UTF-8"))
        }
        do throws(GLTFError) {
            var limits = options.gltf
            limits.resolvesOutsidePaths = resources.allowsOutsidePaths
            return try GLTFReader.read(bytes, name: name, limits: limits, decoders: .host) { path throws(GLTFError) in
                do throws(FileError) {
                    return try resources.bytes(path)
                } catch {
                    throw GLTFError(reason: .resource(uri: path, reason: error.reason))
                }
            }
        } catch {
            throw ModelFileError(error, file: file)
        }
    }
}

extension Scene {
    /// Loads the default scene of a model file. `SceneFile.load` also reports progress and warnings.
    ///
    /// - Throws: `ModelFileError`, or `CancellationError` if the task was cancelled.
    public convenience init(contentsOf url: URL, options: ModelLoadOptions = ModelLoadOptions()) async throws {
        let loaded = try await SceneFile.load(url, options: options).scene
        self.init(name: loaded.name)
        for node in loaded.rootNode.childNodes { rootNode.addChildNode(node) }
        animations = loaded.animations
        variantNames = loaded.variantNames
        environment = loaded.environment
        pointOfView = loaded.pointOfView
    }
}
