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
    /// The index into `images`. Textures with the same index share the image.
    package let imageIndex: Int
    /// The plain image (PNG or JPEG) to use if the texture's own image, in a format of an extension, cannot be decoded.
    package let fallback: [UInt8]?
    /// The image's `mimeType`; empty if the file has none.
    package let mimeType: String
    /// The path of the image file; empty if the image is in a buffer or in the JSON text.
    package let uri: String
    /// The JSON pointer of the image.
    package let location: String
}

/// Properties of a glTF file that are not part of its scenes.
package struct GLTFInfo: Equatable, Sendable {
    /// The container of the file: binary (`.glb`) or JSON text (`.gltf`).
    package enum Container: Equatable, Sendable { case glb, json }

    /// The container of the file.
    package var container: Container
    /// `asset.version`, such as `2.0`.
    package var version: String
    /// `asset.generator`; empty if the file has none.
    package var generator: String
    /// `asset.copyright`; empty if the file has none.
    package var copyright: String
    /// `extensionsUsed`, in the file's order.
    package var extensionsUsed: [String]
    /// `extensionsRequired`, in the file's order.
    package var extensionsRequired: [String]
    /// The lengths of the file's top-level arrays.
    package var counts: GLTFCounts
    /// The total size of all buffers in bytes.
    package var bufferBytes: Int
}

/// The lengths of the top-level arrays of a glTF file; 0 for absent arrays.
package struct GLTFCounts: Equatable, Sendable {
    /// The length of `scenes`.
    package var scenes = 0
    /// The length of `nodes`.
    package var nodes = 0
    /// The length of `meshes`.
    package var meshes = 0
    /// The length of `materials`.
    package var materials = 0
    /// The length of `textures`.
    package var textures = 0
    /// The length of `images`.
    package var images = 0
    /// The length of `samplers`.
    package var samplers = 0
    /// The length of `animations`.
    package var animations = 0
    /// The length of `skins`.
    package var skins = 0
    /// The length of `cameras`.
    package var cameras = 0
    /// The length of `KHR_lights_punctual.lights`.
    package var lights = 0
    /// The length of `accessors`.
    package var accessors = 0
    /// The length of `buffers`.
    package var buffers = 0
    /// The length of `bufferViews`.
    package var bufferViews = 0
}
