import Foundation

extension PhotogrammetrySession {
    /// How photos are read and what is done with them.
    public struct Configuration: Hashable, Sendable {
        /// Whether the background is told from the object where no masks are given. Default true.
        public var isObjectMaskingEnabled = true
        /// Whether neighbours in the list are neighbours in space: then only those are compared, which is faster. Default `.unordered`.
        public var sampleOrdering = SampleOrdering.unordered
        /// `.high` looks for more and fainter features, for objects with little texture. Default `.normal`.
        public var featureSensitivity = FeatureSensitivity.normal
        /// Where finished stages are kept; nil: nowhere. With the same photos and options a later session goes on from there, also after the
        /// process was killed, and ends with the same bytes.
        public var checkpointDirectory: URL?
        /// Whether samples' bounding boxes are ignored, and the whole scene is kept. Default false.
        public var ignoreBoundingBox = false
        /// Models are made of triangles; `.quad` is refused with an error. Default `.triangle`.
        public var meshPrimitive = MeshPrimitive.triangle
        /// What `.custom` detail means.
        public var customDetailSpecification = CustomDetailSpecification()

        /// A folder of masks, one for each photo with the photo's name less its extension; from half brightness up is object. Default none.
        public var masksDirectory: URL?
        /// Whether masks and automatic masking are left out altogether. Default false.
        public var ignoreMasks = false
        /// Cameras that are known: see `KnownCameras` for the kinds of files. Default none.
        public var camerasFile: URL?
        /// What one unit of the model is. Default `.automatic`.
        public var scale = Scale.automatic
        /// How many threads work; nil: one per processor core.
        public var threads: Int?
        /// The memory to stay below, in bytes; nil: half of the machine's. Photos are made smaller to keep it.
        public var memoryBudget: Int?

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
    public enum SampleOrdering: String, Sendable {
        /// Any photo may show what any other shows.
        case unordered
        /// Taken one after another along a path.
        case sequential
    }

    public enum FeatureSensitivity: String, Sendable { case normal, high }

    public enum MeshPrimitive: String, Sendable { case triangle, quad }

    /// What one unit of the model is.
    public enum Scale: Hashable, Sendable {
        /// Metres where depth maps or given cameras tell them; else the object's longest side is 1, and the report says so.
        case automatic
        /// The object's longest side is 1.
        case unit
        /// The object's longest side in metres.
        case size(Double)
        /// The distance in metres between the places where two photos were taken, by their names.
        case baseline(String, String, Double)
    }

    /// A level of detail of one's own.
    public struct CustomDetailSpecification: Hashable, Sendable {
        /// The model has fewer triangles than this. Default 100,000.
        public var maximumPolygonCount = 100_000
        /// Textures are at most this wide and high. Default `.fourK`.
        public var maximumTextureDimension = TextureDimension.fourK
        /// How textures are stored. Default JPEG.
        public var textureFormat = TextureFormat.jpeg(compressionQuality: 0.9)
        /// Which maps are made. Default diffuse, normal and ambient occlusion.
        public var outputTextureMaps: OutputTextureMaps = [.diffuseColor, .normal, .ambientOcclusion]

        public init() {}
    }
}

extension PhotogrammetrySession.Configuration.CustomDetailSpecification {
    public enum TextureDimension: Int, CaseIterable, Sendable {
        case oneK = 1024
        case twoK = 2048
        case fourK = 4096
        case eightK = 8192
        case sixteenK = 16384
    }

    public enum TextureFormat: Hashable, Sendable {
        case png
        /// 0…1, 1 the best.
        case jpeg(compressionQuality: Float = 0.9)
    }

    public struct OutputTextureMaps: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let diffuseColor = OutputTextureMaps(rawValue: 1)
        public static let normal = OutputTextureMaps(rawValue: 2)
        public static let roughness = OutputTextureMaps(rawValue: 4)
        public static let displacement = OutputTextureMaps(rawValue: 8)
        public static let ambientOcclusion = OutputTextureMaps(rawValue: 16)
        public static let all: OutputTextureMaps = [.diffuseColor, .normal, .roughness, .displacement, .ambientOcclusion]
    }
}
