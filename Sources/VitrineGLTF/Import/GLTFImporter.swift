import VitrineScene

/// Converts a parsed document to scenes. Each part reads one kind of object and depends only on the previous parts.
final class GLTFImporter {
    private let context: GLTFContext
    private let root: GLTFRoot
    /// The binary chunk of a GLB, a range of the document's bytes.
    private let binary: Range<Int>?
    /// The meshes, once they have been read, even if a later part throws.
    private(set) var meshes: GLTFMeshes?

    init(
        _ document: JSONDocument, limits: GLTFLimits, decoders: GLTFDecoders = GLTFDecoders(), binary: Range<Int>?, warnings: [GLTFWarning]
    ) throws(GLTFError) {
        try document.root.requireObject()
        try GLTFHeader.checkVersion(document.root)
        root = try GLTFRoot(document.root)
        context = GLTFContext(document, limits: limits, decoders: decoders, warnings: warnings)
        self.binary = binary
    }

    func asset(container: GLTFInfo.Container, resolve: GLTFBuffers.Resolver) throws(GLTFError) -> GLTFAsset {
        let header = try GLTFHeader(root.json, context)
        context.declaredExtensions = header.extensionsUsed
        GLTFSchema.check(root.json, context)
        let buffers = try GLTFBuffers(root, context, container: container, binary: binary, resolve: resolve)
        let accessors = try GLTFAccessors(root, buffers, context)
        let textures = try GLTFTextures(root, buffers, context, resolve: resolve)
        let materials = try GLTFMaterials(root, textures, context)
        let meshes = try GLTFMeshes(root, buffers, accessors, materials, context)
        self.meshes = meshes
        let cameras = try GLTFCameras.read(root, context)
        let lights = try GLTFLights.read(root, context)
        let nodes = try GLTFNodes(root, accessors, meshes, context)
        let skins = try GLTFSkins(root, accessors, meshes, nodes, context)
        let animations = try GLTFAnimations.read(root, accessors, meshes, nodes, context)
        let (scenes, defaultIndex) = try GLTFSceneBuilder(
            context: context, root: root, accessors: accessors, materials: materials, meshes: meshes, cameras: cameras, lights: lights,
            nodes: nodes,
            skins: skins, animations: animations
        ).makeScenes()
        context.finishWarnings()
        let info = GLTFInfo(
            container: container, version: header.version, generator: header.generator, copyright: header.copyright,
            extensionsUsed: header.extensionsUsed, extensionsRequired: header.extensionsRequired, counts: root.counts,
            bufferBytes: buffers.byteCount)
        return GLTFAsset(
            scenes: scenes, defaultSceneIndex: defaultIndex, materials: materials.all, textures: textures.used, info: info,
            warnings: context.warnings)
    }
}
