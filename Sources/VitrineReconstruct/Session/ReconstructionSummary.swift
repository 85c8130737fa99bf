import Foundation
import VitrineFiles
import VitrineMath
import VitrineVision

/// What a session did with its photos and what that cost: what the report is made of.
public struct ReconstructionSummary: Sendable {
    /// What became of a sample.
    public enum PhotoState: Hashable, Sendable {
        /// Its camera is known, and it took part.
        case used
        /// It can't be read or used, for this reason.
        case invalid(String)
        /// It is a copy of the photo of this name.
        case duplicate(of: String)
        /// It could not be joined to the others, for this reason.
        case leftOut(String)
        /// Not decided yet: the session ended before.
        case pending
    }

    public struct Photo: Sendable {
        /// The sample's.
        public let id: Int
        /// The file's name, or `sample 12`.
        public let name: String
        public let url: URL?
        public var state: PhotoState
        /// As stored, pixels; 0 for one that can't be read.
        public var width = 0
        public var height = 0
        /// How the stored picture is to be turned for viewing.
        public var orientation = PhotoOrientation.up
        /// A small JPEG, as stored; empty where there is none.
        public var thumbnail: [UInt8] = []
        /// 0…1, by the difference that a small blur makes: compares photos of one set.
        public var sharpness: Float = 0
        /// The luma that a tenth of the photo exceeds, 0…1.
        public var brightness: Float = 0
        /// Distinctive points found.
        public var features = 0
        /// How many other photos show the same things.
        public var matchedPhotos = 0
        /// Points of the scene seen in it.
        public var observations = 0
        /// The mean distance between a feature and its point's projection, pixels of the working size.
        public var reprojectionError = 0.0
        public var pose: PhotogrammetrySession.Pose?
        /// The share of its pixels whose depth was found, 0…1; nil where depth was not measured.
        public var depthCoverage: Double?
        /// The share of the photo that is object, 0…1; nil without a mask.
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

    /// What a step cost.
    public struct Step: Sendable {
        public let name: String
        public let stage: PhotogrammetrySession.ProcessingStage
        public let seconds: Double
        /// The most memory held during it, bytes; nil where the system doesn't tell.
        public let peakMemory: Int?
        /// Whether it came out of the checkpoint, wholly or in part.
        public let wasRestored: Bool
    }

    /// One model that was made.
    public struct Model: Sendable {
        public let detail: PhotogrammetrySession.Request.Detail
        /// nil: in memory.
        public let url: URL?
        public var triangles = 0
        public var vertices = 0
        /// The longest side of the textures, pixels.
        public var textureDimension = 0
        /// The share of the surface that no photo sees, 0…1.
        public var unseenShare = 0.0
        /// Texels for each unit of length.
        public var texelDensity = 0.0
    }

    public var photos: [Photo] = []
    public var steps: [Step] = []
    public var models: [Model] = []
    /// One line each.
    public var warnings: [String] = []
    /// What the requests and options were, for people.
    public var settings: [(name: String, value: String)] = []
    /// Points of the alignment, and of the dense cloud.
    public var sparsePoints = 0
    public var densePoints = 0
    /// A part of the dense cloud, or of the sparse one, for pictures; model frame.
    public var cloudSample: [PhotogrammetrySession.PointCloud.Point] = []
    package var alignment: Alignment?
    /// Where the object is, model frame.
    public var bounds: BoundingBox?
    /// What told which way is up, and what the unit is: for people.
    public var upSource = ""
    public var scaleSource = ""
    /// Whether one unit is a metre.
    public var isMetric = false
    /// The photos' focal lengths by camera: for people.
    public var cameras: [String] = []
    /// From the first photo to the last result, seconds.
    public var seconds = 0.0

    public init() {}

    public var usedCount: Int { photos.reduce(into: 0) { $0 += $1.state == .used ? 1 : 0 } }
    /// Over all observations, pixels.
    public var meanReprojectionError: Double {
        let used = photos.filter { $0.state == .used }
        let count = used.reduce(0) { $0 + $1.observations }
        return count == 0 ? 0 : used.reduce(0) { $0 + $1.reprojectionError * Double($1.observations) } / Double(count)
    }
}
