import Foundation

extension PhotogrammetrySession {
    /// The options of a session.
    public struct Configuration: Hashable, Sendable {
        /// Whether a uniform or static background is masked in photos without a mask. Default true.
        public var isObjectMaskingEnabled = true
        /// Whether neighbours in the list are neighbours in space: then only those are matched, which is faster. Default `.unordered`.
        public var sampleOrdering = SampleOrdering.unordered
        /// `.high` detects more and fainter features, for objects with little texture. Default `.normal`.
        public var featureSensitivity = FeatureSensitivity.normal
        /// The folder that keeps the outputs of finished stages; nil: none are kept. With the same photos and options a later session resumes
        /// from there, also after the process was killed, and produces the same bytes.
        public var checkpointDirectory: URL?
        /// Whether samples' bounding boxes are ignored, and the whole scene is kept. Default false.
        public var ignoreBoundingBox = false
        /// Models have triangles; `.quad` fails with `ReconstructionError.unsupported`. Default `.triangle`.
        public var meshPrimitive = MeshPrimitive.triangle
        /// The limits of `.custom` detail.
        public var customDetailSpecification = CustomDetailSpecification()

        /// A folder with masks, one per photo with the photo's name without extension; the object is brighter than half. Default none.
        public var masksDirectory: URL?
        /// Whether photos are used without masks and without automatic masking. Default false.
        public var ignoreMasks = false
        /// A file with known cameras: JSON with `cameras` (K, R, t), this package's poses, `transforms.json`, or COLMAP's text format. Default none.
        public var camerasFile: URL?
        /// The unit of the model. Default `.automatic`.
        public var scale = Scale.automatic
        /// The number of threads; nil: one per processor core.
        public var threads: Int?
        /// The memory limit in bytes; nil: half of the machine's memory. Photos are reduced to keep it.
        public var memoryBudget: Int?

        /// Creates a configuration; the remaining options have their defaults.
        public init(
            isObjectMaskingEnabled: Bool = true, sampleOrdering: SampleOrdering = .unordered,
            featureSensitivity: FeatureSensitivity = .normal,
            checkpointDirectory: URL? = nil
        ) {
            (self.isObjectMaskingEnabled, self.sampleOrdering) = (isObjectMaskingEnabled, sampleOrdering)
            (self.featureSensitivity, self.checkpointDirectory) = (featureSensitivity, checkpointDirectory)
        }
    }
}

extension PhotogrammetrySession.Configuration {
    /// The order of samples.
    public enum SampleOrdering: String, Sendable {
        /// Every photo is matched with every other, or with similar ones.
        case unordered
        /// Photos were taken one after another along a path.
        case sequential
    }

    /// The sensitivity of feature detection.
    public enum FeatureSensitivity: String, Sendable { case normal, high }

    /// The primitives of meshes.
    public enum MeshPrimitive: String, Sendable { case triangle, quad }

    /// The unit of the model.
    public enum Scale: Hashable, Sendable {
        /// Metres if depth maps or known cameras determine them; else the object's longest side is 1, which the report states.
        case automatic
        /// The object's longest side is 1.
        case unit
        /// The object's longest side in metres.
        case size(Double)
        /// The distance in metres between the cameras of two photos, by their names.
        case baseline(String, String, Double)
    }

    /// The limits of a custom level of detail.
    public struct CustomDetailSpecification: Hashable, Sendable {
        /// The model has fewer triangles than this. Default 100,000.
        public var maximumPolygonCount = 100_000
        /// Textures are at most this wide and high. Default `.fourK`.
        public var maximumTextureDimension = TextureDimension.fourK
        /// The file format of textures. Default JPEG.
        public var textureFormat = TextureFormat.jpeg(compressionQuality: 0.9)
        /// The maps that are computed. Default diffuse, normal and ambient occlusion.
        public var outputTextureMaps: OutputTextureMaps = [.diffuseColor, .normal, .ambientOcclusion]

        /// Creates the default limits.
        public init() {}
    }
}

extension PhotogrammetrySession.Configuration.CustomDetailSpecification {
    /// The width and height of textures, pixels.
    public enum TextureDimension: Int, CaseIterable, Sendable {
        case oneK = 1024
        case twoK = 2048
        case fourK = 4096
        case eightK = 8192
        case sixteenK = 16384
    }

    /// The file format of textures.
    public enum TextureFormat: Hashable, Sendable {
        /// Lossless.
        case png
        /// Lossy; quality 0…1, 1 the best.
        case jpeg(compressionQuality: Float = 0.9)
    }

    /// A set of texture maps.
    public struct OutputTextureMaps: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt
        /// Creates a set of its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The base colour, always computed.
        public static let diffuseColor = OutputTextureMaps(rawValue: 1)
        /// Tangent-space normals of the unreduced surface.
        public static let normal = OutputTextureMaps(rawValue: 2)
        /// An estimate of the roughness, from how the brightness varies with the view.
        public static let roughness = OutputTextureMaps(rawValue: 4)
        /// Heights of the unreduced surface above the mesh.
        public static let displacement = OutputTextureMaps(rawValue: 8)
        /// The visible fraction of the sky.
        public static let ambientOcclusion = OutputTextureMaps(rawValue: 16)
        /// Every map.
        public static let all: OutputTextureMaps = [.diffuseColor, .normal, .roughness, .displacement, .ambientOcclusion]
    }
}
