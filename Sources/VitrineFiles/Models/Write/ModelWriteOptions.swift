/// Options for writing models.
public struct ModelWriteOptions: Sendable {
    /// The format of textures.
    public enum TextureFormat: Equatable, Sendable {
        /// Textures are written as PNG, without loss.
        case png
        /// Lossy, with a quality of 1 to 100. Images with alpha or 16 bits are written as PNG.
        case jpeg(quality: Int)
    }

    /// The format of textures that must be encoded. Default PNG.
    public var textureFormat = TextureFormat.png
    /// Whether to re-encode PNG and JPEG textures in `textureFormat` instead of keeping their bytes. Default false.
    public var reencodesTextures = false
    /// The compression of meshes in glTF files.
    public enum Compression: Equatable, Sendable {
        /// Geometry is not compressed.
        case none
        /// KHR_draco_mesh_compression: smallest. Positions have 14 bits, texture coordinates 12, normals 10. Changes the order of vertices,
        /// except in meshes with morph targets.
        case draco
        /// EXT_meshopt_compression: fast to decode. Positions and texture coordinates have 16 bits; normals, tangents and colours 12. Keeps the
        /// order of vertices; indices, joints and animations are exact.
        case meshopt
    }

    /// The compression of GLB and glTF files; other formats ignore it. The reader must support the extension. Default none.
    public var compression = Compression.none
    /// Whether to merge nodes that have the same mesh and parent, and nothing else except a transform, into one node with
    /// EXT_mesh_gpu_instancing, in GLB and glTF files. Default false.
    public var writesInstances = false
    /// Whether to keep WebP textures, with EXT_texture_webp, in GLB and glTF files. If false, they are converted to PNG. Default false.
    package var keepsWebP = false
    /// Whether to write baked occlusion (`OcclusionBake`) of a GLB or glTF file as the attributes of `OcclusionAttributes`. Default false.
    package var writesOcclusion = false
    /// Whether to write equal accessors of a GLB or glTF file once. Default false.
    package var sharesAccessors = false
    /// The name of the program, in formats that store it. Default "Vitrine".
    public var generator = "Vitrine"
    /// The properties of materials that are estimates, by their names in glTF: `asset.extras.estimates` of glTF files, and a note after the generator's
    /// name in the other formats. Default: none.
    package var estimates: [String] = []

    /// The generator's name with notes.
    var signature: String { generator + (estimates.isEmpty ? "" : "; estimated: " + estimates.joined(separator: ", ")) }
    /// Limits for decoding textures that must be encoded again.
    public var images = ImageLimits()

    /// Creates the default options.
    public init() {}
}
