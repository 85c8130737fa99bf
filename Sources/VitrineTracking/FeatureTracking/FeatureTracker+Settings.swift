import VitrineVision

extension FeatureTracker {
    package struct Settings: Equatable, Sendable {
        /// The maximum number of features. Default 200.
        package var maximumFeatures = 200
        /// The smallest distance between two features in working pixels. Default 10.
        package var minimumDistance: Float = 10
        /// The maximum width in pixels of the images that are searched: wider ones are halved until they fit. Default 640.
        package var maximumWidth = 640
        /// The number of pyramid levels, which determines how far a feature may move between frames. Default 4.
        package var levels = 4
        /// The largest forward-backward error in working pixels. Default 0.5.
        package var maximumReturnError: Float = 0.5
        /// The smallest normalized correlation of a patch between consecutive frames, 0…1. Default 0.8.
        package var minimumSimilarity: Float = 0.8
        /// The largest distance of a feature from its epipolar plane in working pixels. Default 1.
        package var maximumEpipolarError = 1.0
        /// The smallest strength of a corner: the smaller eigenvalue of the gradients' mean outer product, in squared grey levels per
        /// pixel. Default 6.
        package var minimumCornerStrength: Float = 6
        /// The smallest contrast of an image with usable features: the root mean square difference of neighbouring pixels in grey levels.
        /// Images with less are skipped. Default 0.6.
        package var minimumContrast = 0.6
        /// The number of seconds for which features are searched again after featureless images. Default 1.
        package var maximumGap = 1.0
        /// The camera may be somewhere else if the previous frame had so many features that should be in the image, and less than this share of
        /// them is found, unless it has turned by more than this angle in radians, which blurs images. Defaults 20, 0.2 and 0.25.
        package var minimumExpected = 20
        package var lostShare: Float = 0.2
        package var maximumRotation = 0.25
        /// The share instead of `lostShare` if the features that are found move by another rotation than the gyroscope's, as after a cut between views that
        /// overlap. Default 0.5.
        package var lostShareOfOtherRotation: Float = 0.5
        /// It is somewhere else if so many images, over so many seconds, contain less than `lostShare` of the features, and their contrast differs from
        /// the one before by no more than this ratio. Defaults 3, 0.19 and 0.5.
        package var minimumContradictions = 3
        package var minimumContradictionTime = 0.19
        package var comparableContrast = 0.5

        package init() {}
    }

    /// Statistics of tracking features into one frame.
    package struct Report: Equatable, Sendable {
        /// The number of features tracked from the previous frame.
        package var tracked = 0
        /// The number of features lost because they left the image.
        package var lostAtEdge = 0
        /// The number of features lost because their patches differ or could not be compared.
        package var lostBySimilarity = 0
        /// The number of features lost by the forward-backward check.
        package var lostOnReturn = 0
        /// The number of features lost by the epipolar check.
        package var lostByMotion = 0
        /// The number of features lost because they came too close to another feature.
        package var lostByCrowding = 0
        /// The number of features dropped because the image size changed or the last frame is too old.
        package var dropped = 0
        /// The number of new features.
        package var new = 0
        /// Whether the image has too little contrast; it was skipped, and features are searched in the next one.
        package var isFeatureless = false
        /// The mean grey level, 0…255.
        package var brightness = 0.0
        /// The root mean square difference of neighbouring pixels at half size, in grey levels: low in the dark, in fog and with blur.
        package var contrast = 0.0
        /// The median motion of the tracked features in pixels, and their median parallax (motion without the camera's rotation).
        package var medianMotion = 0.0, medianParallax = 0.0
        /// Whether nearly all features were lost at once in a recent frame, and the view was not matched yet.
        package var isUncertain = false
        /// The time of the first frame of another scene, if the images since then prove that the camera is somewhere else; otherwise nil.
        package var discontinuityTime: Double?
        /// The rotation since the previous frame (new camera from old), refined by the features; nil with too few features.
        package var rotation: Matrix3d?

        package init() {}

        /// The number of features lost in this frame.
        package var lost: Int { lostAtEdge + lostBySimilarity + lostOnReturn + lostByMotion + lostByCrowding }
    }
}
