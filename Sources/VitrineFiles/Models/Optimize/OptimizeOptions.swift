import VitrineScene

/// A step of `ModelOptimizer`, in the order in which the steps run.
public enum OptimizeStep: String, CaseIterable, Codable, Sendable {
    /// Merges equal textures, materials, geometries and meshes.
    case deduplicate
    /// Removes what nothing uses: vertex attributes, textures of one colour, leaf nodes without content.
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
    /// Removes key frames that interpolation gives back.
    case resample
    /// Scales textures down and encodes them again.
    case textures
    /// Compresses meshes and animations while writing.
    case compress
}

/// What `ModelOptimizer` does and how far it goes.
///
/// The defaults keep the rendered image: vertices are merged where they are equal, triangles are removed within 0.01 % of the mesh's size,
/// and textures lose resolution only above 2048 pixels.
public struct OptimizeOptions: Sendable {
    /// The steps that run. Default: all.
    public var steps = Set(OptimizeStep.allCases)

    /// The share of its triangles, 0…1, that a mesh is reduced to, as far as `simplifyError` allows. Default 0: as few as the error allows.
    public var simplifyRatio: Float = 0
    /// The greatest distance that the surface moves, as a share of the mesh's size (the longest side of its box). Default 0.0001.
    public var simplifyError: Float = 0.0001
    /// Whether vertices on open borders stay where they are, so that meshes that meet at a border show no gap. Default false.
    public var locksBorders = false

    /// Pixels on a texture's longest side; larger ones are scaled down. Default 2048.
    public var textureSide = 2048
    /// How textures are encoded.
    public enum TextureFormat: String, CaseIterable, Sendable {
        /// In the format that they have: JPEG bytes stay as they are unless they are scaled down, PNG is packed harder.
        case keep
        /// PNG, lossless.
        case png
        /// JPEG for colours without alpha; others stay lossless.
        case jpeg
        /// WebP (EXT_texture_webp), in GLB and glTF files. The file needs a reader that knows the extension.
        case webp
    }
    /// Default `.keep`.
    public var textureFormat = TextureFormat.keep
    /// Of JPEG and WebP, 1…100. Default 90.
    public var textureQuality = 90
    /// Whether textures that hold numbers (normals, roughness, metalness, occlusion …) may be encoded with loss too. Default false.
    public var allowsLossyData = false

    /// How meshes and animations are compressed in GLB and glTF files. Default none: every reader opens the file.
    public var compression = ModelWriteOptions.Compression.none
    /// Whether nodes that show the same mesh below the same parent become one node with EXT_mesh_gpu_instancing, in GLB and glTF files.
    /// Such nodes are not joined. Default false.
    public var writesInstances = false
    /// Whether nodes, meshes and materials with a name stay apart under that name. Default false.
    public var keepsNames = false
    /// What the decoder takes from textures.
    public var images = ImageLimits()
    /// The program's name in the written file. Default "Vitrine".
    public var generator = "Vitrine"

    public init() {}
}
