import Foundation
import VitrineFiles
import VitrineMath
import VitrineVision

/// Statistics of a reconstruction: its photos, steps and models. `ReportPage` shows them.
public struct ReconstructionSummary: Sendable {
    /// The state of a sample.
    public enum PhotoState: Hashable, Sendable {
        /// Its camera is known, and it is used.
        case used
        /// It can't be read or used, for this reason.
        case invalid(String)
        /// It is a copy of the photo of this name.
        case duplicate(of: String)
        /// It could not be aligned with the others, for this reason.
        case leftOut(String)
        /// Not decided: the session ended before.
        case pending
    }

    /// A sample, and the measurements of its photo.
    public struct Photo: Sendable {
        /// The sample's.
        public let id: Int
        /// The file's name, or `sample 12`.
        public let name: String
        /// The file; nil for a sample in memory.
        public let url: URL?
        /// What became of the sample.
        public var state: PhotoState
        /// As stored, pixels; 0 for one that can't be read.
        public var width = 0
        /// As stored, pixels; 0 for one that can't be read.
        public var height = 0
        /// How the stored photo has to be turned to stand upright.
        public var orientation = PhotoOrientation.up
        /// A small JPEG, as stored; empty if there is none.
        public var thumbnail: [UInt8] = []
        /// 0…1, measured by the effect of a small blur: comparable within one set of photos.
        public var sharpness: Float = 0
        /// The luma that a tenth of the photo exceeds, 0…1.
        public var brightness: Float = 0
        /// Detected features.
        public var features = 0
        /// Other photos with verified matches.
        public var matchedPhotos = 0
        /// Points of the scene that it observes.
        public var observations = 0
        /// The mean distance between a feature and its point's projection, pixels of the working size.
        public var reprojectionError = 0.0
        /// Its camera; nil if it is not aligned.
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

        /// In the order of `model.cameras`.
        package let photos: [Photo]
        /// In the model's frame, OpenCV axes in the cameras; lenses and errors are in pixels of the photos as stored.
        package let model: SparseModel
        /// By photo and feature, which observations refer to: pixels of the photos as stored.
        package let featurePositions: [[SIMD2<Float>]]
    }

    /// The cost of a step.
    public struct Step: Sendable {
        /// For people: `depth`, `surface, medium` …
        public let name: String
        /// The stage that it belongs to.
        public let stage: PhotogrammetrySession.ProcessingStage
        /// Elapsed time.
        public let seconds: Double
        /// Peak memory, bytes; nil if the system doesn't report it.
        public let peakMemory: Int?
        /// Whether it came out of the checkpoint, wholly or in part.
        public let wasRestored: Bool
    }

    /// A finished model.
    public struct Model: Sendable {
        /// The level of detail that was requested.
        public let detail: PhotogrammetrySession.Request.Detail
        /// nil: in memory.
        public let url: URL?
        /// The number of triangles.
        public var triangles = 0
        /// The number of vertices, split at chart borders.
        public var vertices = 0
        /// The longest side of the textures, pixels.
        public var textureDimension = 0
        /// The fraction of the surface that no photo observes, 0…1.
        public var unseenShare = 0.0
        /// Texels for each unit of length.
        public var texelDensity = 0.0
    }

    /// All samples, by id.
    public var photos: [Photo] = []
    /// The finished steps, in their order.
    public var steps: [Step] = []
    /// The finished models, in their order.
    public var models: [Model] = []
    /// One line each.
    public var warnings: [String] = []
    /// The requests and options, for people.
    public var settings: [(name: String, value: String)] = []
    /// Points of the alignment.
    public var sparsePoints = 0
    /// Points of the dense cloud.
    public var densePoints = 0
    /// A part of the dense cloud, or of the sparse one, for drawings; model frame.
    public var cloudSample: [PhotogrammetrySession.PointCloud.Point] = []
    package var alignment: Alignment?
    /// The box around the object, model frame.
    public var bounds: BoundingBox?
    /// The sources of the up direction and of the scale, for people.
    public var upSource = ""
    /// The source of the scale, for people.
    public var scaleSource = ""
    /// Whether one unit is a metre.
    public var isMetric = false
    /// One line per camera with its focal length and lens model, for people.
    public var cameras: [String] = []
    /// From the first photo to the last result, seconds.
    public var seconds = 0.0

    /// Creates an empty summary.
    public init() {}

    /// The number of photos that are used.
    public var usedCount: Int { photos.reduce(into: 0) { $0 += $1.state == .used ? 1 : 0 } }
    /// Over all observations, pixels.
    public var meanReprojectionError: Double {
        let used = photos.filter { $0.state == .used }
        let count = used.reduce(0) { $0 + $1.observations }
        return count == 0 ? 0 : used.reduce(0) { $0 + $1.reprojectionError * Double($1.observations) } / Double(count)
    }
}
