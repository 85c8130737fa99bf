import VitrineVision

/// The object's position in the scene, and the transform to the public frame.
struct ObjectPlacement: Equatable, Sendable {
    /// The source of the up direction.
    enum UpSource: String, Sendable {
        /// A gravity sensor.
        case gravity
        /// The roll of the cameras.
        case cameraRoll
        /// The axis of the turntable that the object stands on.
        case turntable
        /// The support plane's normal, near one of the above.
        case supportPlane
        /// Nothing determined the up direction, which may be wrong.
        case unknown
    }

    /// The source of the scale.
    enum ScaleSource: String, Sendable {
        /// Depth maps that came with the photos.
        case depthMaps
        /// A given distance or factor.
        case given
        /// Known cameras, taken to be metric.
        case cameras
        /// The poses of a capture session's cameras.
        case trackedCameras
        /// Nothing determined the scale; the longest side of the object is 1.
        case unitSize
    }

    /// The content of the box.
    enum Subject: String, Sendable {
        /// A free-standing object, without its surroundings.
        case object
        /// A part of something larger, photographed from one side: an object on a wall, a relief, a facade. The box's sides cut it.
        case view
        /// The whole scene.
        case everything
    }

    /// Unit, in the mapper's frame; the support plane's normal if there is one.
    var up: Vector3d
    var upSource: UpSource
    /// The plane that the object stands on, its normal up; nil if there is none, or it is not observed.
    var supportPlane: Plane3<Double>?
    /// Whether the object ends at its lowest points, flat and unobserved: its base belongs to it, and no plane is cut off.
    var standsOnBottom = false
    /// Whether points near the bottom may belong to what the object stands on; only if `standsOnBottom`.
    var observesGround = false
    /// The box around the object alone, with a margin; its y axis is `up`. Mapper's frame. Its bottom lies on the support plane, if there is one.
    var box: OrientedBox
    var subject: Subject
    /// Whether all photos were taken from one side: the other side is then unobserved.
    var isSeenFromOneSide: Bool
    /// Transforms the mapper's frame to the public frame: right-handed, +Y up, the box's bottom in y = 0, its middle over the origin, metres or unit
    /// size.
    var publicFromReconstruction: SimilarityTransform
    var scaleSource: ScaleSource
    /// The confidence, 0…1, that the box contains the object and nothing else.
    var confidence: Double
    /// The warnings for the report, one line each.
    var warnings: [String]

    init(
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
