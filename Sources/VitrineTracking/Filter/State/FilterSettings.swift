import VitrineVision

/// Settings of a visual-inertial filter.
package struct FilterSettings: Equatable, Sendable {
    /// Gravity in the world, m/s². Default 9.81 along −Y.
    package var gravity = Vector3d(0, -9.81, 0)
    /// Past poses (clones) in the window, without the newest, 3…23. Default 11: about one half to one second at 10 to 20 frames per second.
    package var clones = 11
    /// Maximum number of points in the state (SLAM features), 0…150. Default 60.
    ///
    /// For features with independent errors in every frame, such as recognized marks. Patch-tracked features have correlated errors, with which
    /// points in the state make the filter overconfident: use 0.
    package var points = 60
    /// Maximum number of keyframes whose poses are consider parameters, 0…64, for measurements by a map. Default 0.
    package var keyframes = 0
    /// Maximum number of finished tracks (MSCKF features) per update, longest first. Default 120.
    package var tracks = 120
    /// Standard deviation of a feature in pixels. Default 1.
    package var pixelNoise = 1.0
    /// Standard deviation of a feature in pixels for the triangulated landmarks, which do not influence the state. Default 1.
    package var landmarkNoise = 1.0
    /// Drift of a feature on its surface per frame, a standard deviation in pixels: patches matched from frame to frame accumulate errors.
    /// Default 0: features without drift, such as marker corners.
    package var featureDrift = 0.0
    /// Probability of the χ² gate: measurements less likely than this are rejected. Default 0.95.
    package var gate = 0.95
    /// Minimum number of observations of a track. Default 4.
    package var minimumTrackLength = 4
    /// Largest relative standard deviation of a track's depth. Default 0.1.
    ///
    /// With less accurate depth the linearization at the triangulated point is poor; a few such tracks can corrupt an uncertain state.
    package var depthDeviation = 0.1
    /// An unconverged track (depth less accurate than `depthDeviation`) is used if the product of its inverse depth's uncertainty and the
    /// uncertainty of the translation is below this share of `pixelNoise`. Default 0.25.
    package var unconvergedTrackTolerance = 0.25
    /// Seconds after which an unobserved point leaves the state. Useful only if features return with their identifiers. Default 0.
    package var pointMemory = 0.0
    /// Whether to apply zero-velocity updates. Default true.
    package var usesZeroVelocityUpdates = true
    /// Largest median image motion at rest in pixels, against the newest clone. Default 0.5.
    package var restDisparity = 0.5
    /// Factor on the standard deviation of the IMU's noise at rest: motors, hands, a table. Default 10.
    package var restNoise = 10.0

    package init() {}
}
