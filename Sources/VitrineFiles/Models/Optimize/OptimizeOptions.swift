import VitrineScene

/// A step of `ModelOptimizer`, in the order in which the steps run.
public enum OptimizeStep: String, CaseIterable, Codable, Sendable {
    /// Merges equal textures, materials, geometries and meshes.
    case deduplicate
    /// Removes unused data: vertex attributes, textures of one colour, leaf nodes without content.
    case prune
    /// Moves nodes without animation to the top of the hierarchy.
    case flatten
    /// Merges meshes of equal material under the same parent, and parts of equal material in one mesh.
    case join
    /// Merges equal vertices and removes unused ones.
    case weld
    /// Collapses edges within an error bound.
    case simplify
    /// Orders triangles and vertices for the GPU's caches and for compression.
    case reorder
    /// Removes key frames that interpolation reproduces.
    case resample
    /// Scales textures down and encodes them again.
    case textures
    /// Compresses meshes and animations while writing.
    case compress
}

/// Options of `ModelOptimizer`.
///
/// The defaults keep the rendered image: vertices are merged where they are equal, triangles are removed within 0.01 % of the mesh's size,
/// and textures lose resolution only above 2048 pixels.
public struct OptimizeOptions: Sendable {
    /// The steps to run. Default: all.
    public var steps = Set(OptimizeStep.allCases)

    /// The fraction of triangles to keep, 0…1, within `simplifyError`. Default 0: as few as the error bound allows.
    public var simplifyRatio: Float = 0
    /// The maximum deviation of the surface, relative to the longest side of the mesh's bounding box. Default 0.0001.
    public var simplifyError: Float = 0.0001
    /// Whether vertices on open borders are not moved, so that no gaps appear between adjacent meshes. Default false.
    public var locksBorders = false

    /// The maximum of a texture's longest side in pixels. Larger textures are scaled down. Default 2048.
    public var textureSide = 2048
    /// The format of textures.
    public enum TextureFormat: String, CaseIterable, Sendable {
        /// Keeps the format. JPEG bytes stay unchanged unless scaled down; PNG is recompressed.
        case keep
        /// PNG, lossless.
        case png
        /// JPEG for colours without alpha; other textures stay lossless.
        case jpeg
        /// WebP (EXT_texture_webp), in GLB and glTF files. Requires a reader that supports the extension.
        case webp
    }
    /// The format of textures. Default `.keep`.
    public var textureFormat = TextureFormat.keep
    /// The quality of JPEG and WebP, 1…100. Default 90.
    public var textureQuality = 90
    /// Whether data textures (normals, roughness, metalness, occlusion …) may be encoded lossily. Default false.
    public var allowsLossyData = false

    /// The compression of meshes and animations in GLB and glTF files. Default none, which every reader supports.
    public var compression = ModelWriteOptions.Compression.none
    /// Whether to merge nodes with the same mesh and parent into one node with EXT_mesh_gpu_instancing, in GLB and glTF files. Such nodes are
    /// not joined. Default false.
    public var writesInstances = false
    /// Whether to keep named nodes, meshes and materials. Default false.
    public var keepsNames = false
    /// Whether to write baked occlusion: see `ModelWriteOptions.writesOcclusion`. Default false.
    package var writesOcclusion = false
    /// Limits for decoding textures.
    public var images = ImageLimits()
    /// The name of the program in the written file. Default "Vitrine".
    public var generator = "Vitrine"

    /// Creates the default options.
    public init() {}
}
