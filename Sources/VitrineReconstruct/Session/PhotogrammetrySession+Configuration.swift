#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PhotogrammetrySession {
    /// The options of a session.
    ///
    /// ```swift
    /// var configuration = PhotogrammetrySession.Configuration(checkpointDirectory: work)
    /// configuration.scale = .size(0.31)
    /// ```
    public struct Configuration: Hashable, Sendable {
        /// Whether the session masks a uniform or static background in photos without a mask. Default true.
        public var isObjectMaskingEnabled = true
        /// The order of the samples. `.sequential` matches only neighbours in the list, which is faster. Default `.unordered`.
        public var sampleOrdering = SampleOrdering.unordered
        /// `.high` detects more and fainter features, for objects with little texture. Default `.normal`.
        public var featureSensitivity = FeatureSensitivity.normal
        /// The folder that keeps the outputs of finished stages, or `nil` to keep none. A later session with the same photos and options resumes
        /// from there, also after the process was killed, and produces the same bytes.
        public var checkpointDirectory: URL?
        /// Whether the model keeps the whole scene, and the samples' bounding boxes are ignored. Default false.
        public var ignoreBoundingBox = false
        /// The primitives of the mesh; `.quad` fails with `ReconstructionError.unsupported`. Default `.triangle`.
        public var meshPrimitive = MeshPrimitive.triangle
        /// The limits of `.custom` detail.
        public var customDetailSpecification = CustomDetailSpecification()

        /// A folder with one mask for each photo, named like the photo; the object is brighter than half. `nil` uses masks beside the photos.
        public var masksDirectory: URL?
        /// Whether the session uses no masks, neither given ones nor automatic masking. Default false.
        public var ignoreMasks = false
        /// A file with known cameras: JSON with `cameras` (K, R, t), Vitrine's poses, `transforms.json`, or COLMAP's text format. Default `nil`.
        public var camerasFile: URL?
        /// The uncertainty of known cameras, from `camerasFile` or the samples: they are adjusted to the photos within these deviations. Default
        /// `nil`: they are kept as given.
        public var cameraDeviation: CameraDeviation?
        /// The number of frames of a video that become photos, 3…2,000, or `nil` for 40 to 120, one for about 6° around the object.
        public var videoFrameCount: Int?
        /// The part of a video that is used, in seconds from its first frame, or `nil` for all of it.
        public var videoTimeRange: ClosedRange<Double>?
        /// The approximate number of photos in a submap, at least 20. More than twice as many photos are mapped in submaps, which are merged by the
        /// points that they share: for a job on many machines. Default `nil`: all photos are in one map, which takes less work.
        public var submapPhotoCount: Int?
        /// The number of spatial blocks in which depth maps are fused; nil: one for more than 128 photos for each 20 million pixels of depth maps.
        package var fusionBlockCount: Int?
        /// The number of pages that a job divides each texture into, which does not change the outputs; nil: one for each four million texels.
        package var texturePageCount: Int?
        /// The unit of the model. Default `.automatic`.
        public var scale = Scale.automatic
        /// Whether the photos' shading is divided out of the base colour, so that the model can be relit. The result is an estimate: it assumes a
        /// mostly diffuse object whose colour does not follow its shape, and light from afar. Default false.
        public var isDelightingEnabled = false
        /// Whether a GPU matches features and estimates depth; `nil` uses a hardware GPU if there is one, and the processor if it fails. Default
        /// false: the processor, which gives the same bytes on every machine. Depth from a GPU differs by rounding.
        ///
        /// With true, the requests fail with `ReconstructionError` if there is no GPU, or if it fails. A software renderer is used if there is no
        /// other adapter: it is slower than the processor.
        public var usesGPU: Bool? {
            get {
                switch computeDevice {
                case .automatic: nil
                case .cpu: false
                case .gpu: true
                }
            }
            set { computeDevice = newValue.map { $0 ? .gpu : .cpu } ?? .automatic }
        }
        /// The device of `usesGPU`.
        package var computeDevice = ComputeDevice.cpu
        /// The GPU, as the text of `GPUAdapterChoice`; empty: the fastest.
        package var computeAdapter = ""
        /// The number of threads, 1…1,024, or `nil` for one per processor core. Results do not depend on it.
        public var threads: Int?
        /// The memory limit in bytes, at least 256 MiB, or `nil` for half of the machine's memory. The session reduces photos to keep it.
        public var memoryBudget: Int?

        /// Creates a configuration with the options of Apple's initializer; the others keep their defaults.
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
        /// Photos are in any order. Each is matched with every other one or, with more than 64 photos, with similar ones.
        case unordered
        /// Photos were taken one after another along a path: each is matched with its neighbours.
        case sequential
    }

    /// The sensitivity of feature detection.
    public enum FeatureSensitivity: String, CaseIterable, Sendable {
        /// Detects up to 8,000 features in each photo.
        case normal
        /// Detects up to 12,000 features in each photo, with half of the usual contrast: for objects with little texture.
        case high
    }

    /// The device that matches features and estimates depth.
    package enum ComputeDevice: String, CaseIterable, Sendable {
        /// A hardware GPU if there is one. If it fails, the processor matches all pairs, or estimates the depth of all photos, again.
        case automatic = "auto"
        /// The processor.
        case cpu
        /// The GPU, or a software renderer if there is no other adapter. A failure is an error.
        case gpu
    }

    /// The uncertainty of known cameras: the standard deviations of the priors of bundle adjustment.
    ///
    /// A feature deviates by one pixel in an image 1,000 pixels long. The whole model can turn, move and grow by the mean error of the cameras.
    public struct CameraDeviation: Hashable, Sendable {
        /// The standard deviation of a camera's rotation in radians. Default 1°.
        public var rotation = Double.pi / 180
        /// The standard deviation of a camera's position, as a share of its distance to the object. Default 0.02.
        public var position = 0.02
        /// The standard deviation of the focal length, as a share of it. Default 0.01. The principal point deviates by 0.3 of this share of the image size.
        public var focalLength = 0.01

        /// Creates the default deviations.
        public init() {}
    }

    /// The primitives of meshes.
    public enum MeshPrimitive: String, Sendable {
        /// A mesh of triangles.
        case triangle
        /// A mesh of quadrilaterals. Not supported.
        case quad
    }

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
        /// The texture maps. Default diffuse colour, normal and ambient occlusion.
        public var outputTextureMaps: OutputTextureMaps = [.diffuseColor, .normal, .ambientOcclusion]

        /// Creates the default limits.
        public init() {}
    }
}

extension PhotogrammetrySession.Configuration.CustomDetailSpecification {
    /// The width and height of textures, pixels.
    public enum TextureDimension: Int, CaseIterable, Sendable {
        /// 1,024 × 1,024.
        case oneK = 1024
        /// 2,048 × 2,048.
        case twoK = 2048
        /// 4,096 × 4,096.
        case fourK = 4096
        /// 8,192 × 8,192.
        case eightK = 8192
        /// 16,384 × 16,384.
        case sixteenK = 16384
    }

    /// The file format of textures.
    public enum TextureFormat: Hashable, Sendable {
        /// PNG, without loss.
        case png
        /// Lossy; quality 0…1, 1 the best.
        case jpeg(compressionQuality: Float = 0.9)
    }

    /// A set of texture maps.
    public struct OutputTextureMaps: OptionSet, Hashable, Sendable {
        /// The bits of the set: 1 diffuse colour, 2 normal, 4 roughness, 8 displacement, 16 ambient occlusion.
        public let rawValue: UInt
        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The base colour: part of every model, also if the set lacks it.
        public static let diffuseColor = OutputTextureMaps(rawValue: 1)
        /// Tangent-space normals of the unreduced surface.
        public static let normal = OutputTextureMaps(rawValue: 2)
        /// An estimate of the roughness, from how the brightness varies with the view.
        public static let roughness = OutputTextureMaps(rawValue: 4)
        /// Heights of the unreduced surface above the mesh.
        public static let displacement = OutputTextureMaps(rawValue: 8)
        /// The visible fraction of the sky.
        public static let ambientOcclusion = OutputTextureMaps(rawValue: 16)
        /// All maps.
        public static let all: OutputTextureMaps = [.diffuseColor, .normal, .roughness, .displacement, .ambientOcclusion]
    }
}
