import VitrineScene

/// The scenes of a glTF file with their materials and textures.
package struct GLTFAsset {
    /// The file's scenes; at least one. A file without scenes gets one scene with every node.
    package let scenes: [Scene]
    /// The index of the file's `scene`; 0 if it has none.
    package let defaultSceneIndex: Int
    /// Every material in the file's order, then the default for primitives without one.
    package let materials: [Material]
    /// Every texture that a material uses, in order of first use. Their content is still encoded.
    package let textures: [GLTFTexture]
    package let info: GLTFInfo
    /// Deviations from the specification and parts that were ignored, in the order of reading.
    package let warnings: [GLTFWarning]

    /// The default scene.
    package var scene: Scene { scenes[defaultSceneIndex] }
}

/// A texture and the location of its image.
package struct GLTFTexture {
    package let texture: Texture
    /// Index into `images`. Textures with the same index share the image.
    package let imageIndex: Int
    /// The plain image (PNG or JPEG) to use if the texture's own image, in a format of an extension, cannot be decoded.
    package let fallback: [UInt8]?
    /// The image's `mimeType`; empty if the file has none.
    package let mimeType: String
    /// The path of the image file; empty if the image lies in a buffer or in the JSON text.
    package let uri: String
    /// JSON pointer of the image.
    package let place: String
}

/// Properties of a glTF file that its scene does not keep.
public struct GLTFInfo: Equatable, Sendable {
    /// The container of the file: binary (`.glb`) or JSON text (`.gltf`).
    public enum Container: Equatable, Sendable { case glb, json }

    /// The container of the file.
    public var container: Container
    /// `asset.version`, such as `2.0`.
    public var version: String
    /// `asset.generator`; empty if the file has none.
    public var generator: String
    /// `asset.copyright`; empty if the file has none.
    public var copyright: String
    /// `extensionsUsed`, in the file's order.
    public var extensionsUsed: [String]
    /// `extensionsRequired`, in the file's order.
    public var extensionsRequired: [String]
    /// The lengths of the file's top-level arrays.
    public var counts: GLTFCounts
    /// Bytes of all buffers together.
    public var bufferBytes: Int
}

/// The lengths of the top-level arrays of a glTF file; 0 for absent arrays.
public struct GLTFCounts: Equatable, Sendable {
    /// The length of `scenes`.
    public var scenes = 0
    /// The length of `nodes`.
    public var nodes = 0
    /// The length of `meshes`.
    public var meshes = 0
    /// The length of `materials`.
    public var materials = 0
    /// The length of `textures`.
    public var textures = 0
    /// The length of `images`.
    public var images = 0
    /// The length of `samplers`.
    public var samplers = 0
    /// The length of `animations`.
    public var animations = 0
    /// The length of `skins`.
    public var skins = 0
    /// The length of `cameras`.
    public var cameras = 0
    /// The length of `KHR_lights_punctual.lights`.
    public var lights = 0
    /// The length of `accessors`.
    public var accessors = 0
    /// The length of `buffers`.
    public var buffers = 0
    /// The length of `bufferViews`.
    public var bufferViews = 0
}
