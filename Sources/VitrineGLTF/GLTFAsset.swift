import VitrineScene

/// What a glTF file holds, as scenes.
public struct GLTFAsset {
    /// One scene for each of the file's; a file without scenes gets one with every node.
    public let scenes: [Scene]
    /// The file's `scene`, else the first.
    public let defaultSceneIndex: Int
    /// Every material of the file, in its order, then the one for primitives that name none.
    public let materials: [Material]
    /// Every texture that a material in use refers to, in the order of first use. Their content is still encoded.
    public let textures: [GLTFTexture]
    public let info: GLTFInfo
    /// What was read in a way its author may not expect, in the order found.
    public let warnings: [GLTFWarning]

    /// The scene to show.
    public var scene: Scene { scenes[defaultSceneIndex] }
}

/// A texture and where its picture lies in the file.
public struct GLTFTexture {
    public let texture: Texture
    /// Index into `images`; textures that share it share the picture.
    public let imageIndex: Int
    /// As the file says; empty where it doesn't.
    public let mimeType: String
    /// The file beside the model; empty where the picture lies in a buffer or in the JSON text.
    public let uri: String
    /// JSON pointer of the image.
    public let place: String
}

/// Facts about a file that a scene doesn't keep.
public struct GLTFInfo: Equatable, Sendable {
    public enum Container: Equatable, Sendable { case glb, json }

    public var container: Container
    public var version: String
    public var generator: String
    public var copyright: String
    public var extensionsUsed: [String]
    public var extensionsRequired: [String]
    /// The lengths of the file's top-level arrays.
    public var counts: GLTFCounts
    /// Bytes of all buffers.
    public var bufferBytes: Int
}

/// The lengths of a file's top-level arrays.
public struct GLTFCounts: Equatable, Sendable {
    public var scenes = 0
    public var nodes = 0
    public var meshes = 0
    public var materials = 0
    public var textures = 0
    public var images = 0
    public var samplers = 0
    public var animations = 0
    public var skins = 0
    public var cameras = 0
    public var lights = 0
    public var accessors = 0
    public var buffers = 0
    public var bufferViews = 0
}
