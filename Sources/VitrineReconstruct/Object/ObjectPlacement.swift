import VitrineVision

/// Where the object is among what was photographed, and how it is put on the ground of the public frame.
public struct ObjectPlacement: Equatable, Sendable {
    /// What says where up is.
    public enum UpSource: String, Sendable {
        /// A device's sensor.
        case gravity
        /// How the photos were held.
        case cameraRoll
        /// The plane that the object stands on, near one of the above.
        case supportPlane
        /// Nothing: the photos' own up, which may be wrong.
        case unknown
    }

    /// What says how large the object is.
    public enum ScaleSource: String, Sendable {
        /// Depth maps that came with the photos.
        case depthMaps
        /// A distance or factor that was given.
        case given
        /// Known cameras, taken to be metric.
        case cameras
        /// Nothing: the longest side of the object is 1.
        case unitSize
    }

    /// What the box is around.
    public enum Subject: String, Sendable {
        /// Something that stands free: nothing of its surroundings is wanted.
        case object
        /// What photos from one side show of something that goes on beyond: a thing on a wall, a relief, a facade. The box's sides cut it.
        case view
        /// All that was seen.
        case everything
    }

    /// Unit, in the reconstruction's frame; the support plane's normal where that decided.
    public var up: Vector3d
    public var upSource: UpSource
    /// What the object stands on, its normal up; nil where there is none, or it isn't seen.
    public var supportPlane: Plane3<Double>?
    /// Around the object alone, with a margin; its y axis is `up`. Reconstruction frame. Its bottom lies on the support plane where there is one.
    public var box: OrientedBox
    public var subject: Subject
    /// All photos look from one side: the other is open.
    public var isSeenFromOneSide: Bool
    /// Takes the reconstruction to the public frame: right-handed, +Y up, the box's bottom in y = 0, its middle over the origin, metres or unit size.
    public var publicFromReconstruction: SimilarityTransform
    public var scaleSource: ScaleSource
    /// 0…1: how sure it is that the box holds the object and nothing else.
    public var confidence: Double
    /// For the report: what couldn't be told.
    public var warnings: [String]

    public init(
        up: Vector3d, upSource: UpSource, supportPlane: Plane3<Double>?, box: OrientedBox, subject: Subject = .object,
        isSeenFromOneSide: Bool = false,
        publicFromReconstruction: SimilarityTransform, scaleSource: ScaleSource, confidence: Double, warnings: [String]
    ) {
        (self.up, self.upSource, self.supportPlane, self.box, self.subject) = (up, upSource, supportPlane, box, subject)
        self.isSeenFromOneSide = isSeenFromOneSide
        (self.publicFromReconstruction, self.scaleSource) = (publicFromReconstruction, scaleSource)
        (self.confidence, self.warnings) = (confidence, warnings)
    }
}
