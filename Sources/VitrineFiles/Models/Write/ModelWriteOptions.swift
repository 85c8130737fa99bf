/// How a model is written.
public struct ModelWriteOptions: Sendable {
    /// How pixels become bytes.
    public enum TextureFormat: Equatable, Sendable {
        case png
        /// Lossy, 1 to 100; pictures that JPEG can't hold (alpha, 16 bits) are written as PNG.
        case jpeg(quality: Int)
    }

    /// For textures that are pixels; those that are PNG or JPEG bytes already are kept as they are. Default PNG.
    public var textureFormat = TextureFormat.png
    /// How a glTF file's meshes are packed.
    public enum Compression: Equatable, Sendable {
        case none
        /// KHR_draco_mesh_compression: smallest. Positions keep 14 bits of the mesh's size, texture coordinates 12, normals 10; vertices come
        /// back in another order, except those with morph targets.
        case draco
        /// EXT_meshopt_compression: fast to unpack. Positions and texture coordinates keep 16 bits, normals, tangents and colours 12, all in
        /// their order; indices, joints and animations are exact.
        case meshopt
    }

    /// Of GLB and glTF files; other formats pay no heed. A packed file needs a reader that knows the extension. Default none.
    public var compression = Compression.none
    /// Whether nodes without anything of their own beside their place, that show the same mesh below the same parent, become one node with
    /// EXT_mesh_gpu_instancing; of GLB and glTF files. Default false.
    public var writesInstances = false
    /// Whether textures that are WebP bytes stay so, with EXT_texture_webp, in GLB and glTF files; otherwise they become PNG. Default false.
    package var keepsWebP = false
    /// Whether equal accessors of a GLB or glTF file are written once. Default false.
    package var sharesAccessors = false
    /// The program's name, kept in formats that have a place for it. Default "Vitrine".
    public var generator = "Vitrine"
    /// What the decoder takes from textures that have to be repacked.
    public var images = ImageLimits()

    public init() {}
}
