import VitrineFiles
import VitrineMath
import VitrineTexture
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Statistics of a reconstruction: its photos, steps and models. `ReportPage` shows them.
public struct ReconstructionSummary: Sendable {
    /// The state of a sample.
    public enum PhotoState: Hashable, Sendable {
        /// The photo is used, and its camera is known.
        case used
        /// The photo cannot be read or used, for this reason.
        case invalid(String)
        /// The photo is a copy of the photo with this name.
        case duplicate(of: String)
        /// The photo could not be aligned with the others, for this reason.
        case leftOut(String)
        /// The session ended before the photo's state was decided.
        case pending
    }

    /// The measurements of a sample's photo.
    public struct Photo: Sendable {
        /// The sample's identifier.
        public let id: Int
        /// The file's name, or `sample 12`.
        public let name: String
        /// The file; nil for a sample in memory.
        public let url: URL?
        /// Whether the sample is used, and if not, why.
        public var state: PhotoState
        /// The width as stored, pixels; 0 for a photo that cannot be read.
        public var width = 0
        /// The height as stored, pixels; 0 for a photo that cannot be read.
        public var height = 0
        /// The EXIF orientation: how to rotate the stored photo upright.
        public var orientation = PhotoOrientation.up
        /// A small JPEG, as stored; empty if there is none.
        public var thumbnail: [UInt8] = []
        /// The sharpness of the photo, 0…1, measured by the effect of a small blur and comparable within one set of photos.
        public var sharpness: Float = 0
        /// The luma that a tenth of the photo exceeds, 0…1.
        public var brightness: Float = 0
        /// The number of detected features.
        public var features = 0
        /// The number of other photos with verified matches.
        public var matchedPhotos = 0
        /// The number of sparse points that the photo observes.
        public var observations = 0
        /// The mean distance between a feature and its point's projection, pixels of the working size.
        public var reprojectionError = 0.0
        /// The camera's pose; nil if the photo is not aligned.
        public var pose: PhotogrammetrySession.Pose?
        /// The fraction of its pixels with a depth, 0…1; nil if depth was not estimated.
        public var depthCoverage: Double?
        /// The fraction of the photo that the mask keeps, 0…1; nil without a mask.
        public var maskCoverage: Double?
    }

    /// The cameras and the sparse points, for export.
    package struct Alignment: Sendable {
        package struct Photo: Sendable {
            package let id: Int
            package let name: String
            package let url: URL?
        }

        /// The photos in the order of `model.cameras`.
        package let photos: [Photo]
        /// The cameras and points, in the model's frame, OpenCV axes in the cameras; lenses and errors are in pixels of the photos as stored.
        package let model: SparseModel
        /// The positions of the features that observations refer to, for each photo, in pixels of the photo as stored.
        package let featurePositions: [[SIMD2<Float>]]
    }

    /// The cost of a step.
    public struct Step: Sendable {
        /// The name of the step, such as `depth` or `surface, medium`.
        public let name: String
        /// The stage that the step belongs to.
        public let stage: PhotogrammetrySession.Output.ProcessingStage
        /// The elapsed time of the step in seconds.
        public let seconds: Double
        /// The peak memory in bytes; nil if the system does not report it.
        public let peakMemory: Int?
        /// Whether a part of the output came from the checkpoint.
        public let wasRestored: Bool
    }

    /// The shading of the photos, as estimated from the colours of the model.
    package struct RemovedShading: Hashable, Sendable {
        /// Whether the object turned in the light, before a camera at rest; otherwise the light was at rest around the object.
        package let turnsWithObject: Bool
        /// The share of the variation of luminance between nearby parts of the surface that the light explains, 0…1.
        package let explainedShare: Double
        /// The factor between the light on the brightest and on the darkest twentieth of the surface.
        package let contrast: Double

        init(_ estimate: ShadingEstimate) {
            (turnsWithObject, explainedShare) = (estimate.frame == .turntable, Double(estimate.explainedShare))
            contrast = Double(estimate.contrast)
        }
    }

    /// A finished model.
    public struct Model: Sendable {
        /// The level of detail that was requested.
        public let detail: PhotogrammetrySession.Request.Detail
        /// The model's file; nil for a model in memory.
        public let url: URL?
        /// The number of triangles.
        public var triangles = 0
        /// The number of vertices, split at chart borders.
        public var vertices = 0
        /// The longest side of the textures, pixels.
        public var textureDimension = 0
        /// The fraction of the surface that no photo observes, 0…1.
        public var unseenShare = 0.0
        /// The number of texels per unit of length.
        public var texelDensity = 0.0
        /// The number of photos that show something else where the model is, estimated from up to 24 photos.
        public var contradictingPhotos = 0
        /// The agreement of the compared photos with the model, 0…1: the fraction of their parts that resemble the model most where it is.
        package var photoAgreements: [Double] = []
        /// Whether the photos' shading was divided out of the base colour, which is an estimate then; otherwise the base colour has the
        /// photos' light.
        public var isBaseColorEstimated: Bool { removedShading != nil }
        package var removedShading: RemovedShading?
    }

    /// The frames of a video, and which of them became photos.
    public struct Video: Sendable {
        /// Whether a frame became a photo, and if not, why.
        public enum FrameState: String, CaseIterable, Sendable {
            /// The frame is used as a photo.
            case chosen
            /// The frame is less sharp than the frames around it.
            case blurred
            /// The frame is overexposed: much more of it is white than usual.
            case overexposed
            /// The frame is much darker than usual.
            case underexposed
            /// The camera did not move: a chosen frame shows the same view.
            case still
            /// A better frame nearby is chosen.
            case similar
        }

        /// A frame of a video, and whether it was chosen.
        public struct Frame: Sendable {
            /// The index in the video, from 0.
            public let index: Int
            /// The number of seconds from the first frame.
            public let time: Double
            /// Whether it became a photo, and if not, why.
            public let state: FrameState
            /// The sharpness of the frame, 0…1, comparable within one video.
            public let sharpness: Float
        }

        /// The file's name.
        public let name: String
        /// The frames of the used part, in order.
        public let frames: [Frame]

        /// The number of frames in a state.
        public func count(_ state: FrameState) -> Int { frames.count { $0.state == state } }
    }

    /// The video that the photos come from; nil for photos.
    public var video: Video?
    /// All samples, ordered by their id.
    public var photos: [Photo] = []
    /// The finished steps, in their order.
    public var steps: [Step] = []
    /// The finished models, in their order.
    public var models: [Model] = []
    /// The warnings, one line each.
    public var warnings: [String] = []
    /// The requests and options as text for the report.
    public var settings: [(name: String, value: String)] = []
    /// The number of points of the sparse model.
    public var sparsePoints = 0
    /// The number of fused points.
    public var densePoints = 0
    /// Up to 20,000 of the fused points or, before there are any, of the sparse points, in the model's frame.
    public var cloudSample: [PhotogrammetrySession.PointCloud.Point] = []
    package var alignment: Alignment?
    /// The box around the object, model frame.
    public var bounds: BoundingBox?
    /// The source of the up direction, as text for the report.
    public var upSource = ""
    /// The source of the scale, as text for the report.
    public var scaleSource = ""
    /// Whether one unit of the model is a metre.
    public var isMetric = false
    /// One line for each lens with its focal length and lens model, as text for the report.
    public var cameras: [String] = []
    /// The elapsed seconds from the first photo to the last result.
    public var seconds = 0.0

    /// Creates an empty summary.
    public init() {}

    /// The number of photos that are used.
    public var usedCount: Int { photos.reduce(into: 0) { $0 += $1.state == .used ? 1 : 0 } }
    /// The mean reprojection error over all observations of used photos, pixels of the working size.
    public var meanReprojectionError: Double {
        let used = photos.filter { $0.state == .used }
        let count = used.reduce(0) { $0 + $1.observations }
        return count == 0 ? 0 : used.reduce(0) { $0 + $1.reprojectionError * Double($1.observations) } / Double(count)
    }
}
