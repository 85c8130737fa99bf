import VitrineMath
import VitrineVision

/// The reason why dynamic initialization failed. Initialization is conservative: a wrong initial scale cannot be recovered later.
package enum InitializationFailure: String, Error, Equatable, Sendable, CaseIterable {
    /// The window has too few frames or is too short.
    case tooShort
    /// Inertial samples are missing.
    case inertialGap
    /// Too few features are observed over the whole window.
    case tooFewFeatures
    /// The camera hardly moved: distances cannot be determined.
    case insufficientMotion
    /// Gyroscope and images disagree on the rotation.
    case inconsistentRotation
    /// The equations cannot be solved.
    case noSolution
    /// The magnitude of gravity, left unconstrained, is wrong: the motion does not determine the scale.
    case inconsistentGravity
    /// Too many features contradict the solution.
    case inconsistentFeatures
    /// The inertial samples contradict the solution, or need implausible biases.
    case inconsistentInertial
    /// The scale's standard deviation is too large.
    case uncertainScale
}

/// The result of dynamic initialization: a filter state and its uncertainty.
struct InitialEstimate: Sendable {
    /// The states at the window's frames in the order of time; not empty. The first one's pose is the origin of heading and position.
    var path: [FilterState]
    /// The state at the window's last frame.
    var state: FilterState { path[path.count - 1] }
    /// Seconds to add to a frame's time, and the standard deviation.
    var timeOffset: Double
    var timeOffsetDeviation: Double
    /// The covariance, 15×15 in row order: orientation about the world's axes, position, velocity, gyroscope bias, accelerometer bias.
    /// Heading and position are relative to the window's first frame.
    var covariance: [Double]
    /// Scale and misalignment of the IMU; nil if they are not estimated.
    var calibration: InertialCalibration?
    /// The scale's relative standard deviation.
    var scaleDeviation: Double
    /// The magnitude of gravity when left unconstrained, m/s².
    var unconstrainedGravity: Double
    /// Standard deviation of the features' residuals in pixels.
    var residual: Double
}

/// Attempts to initialize tracking and their outcome.
package struct InitializationCounts: Equatable, Sendable {
    /// The number of filters that started from rest, in motion, and in a map.
    package var fromRest = 0
    package var inMotion = 0
    package var inMap = 0
    /// The number of attempts of dynamic initialization.
    package var attempts = 0
    /// The number of failed attempts for each reason, in the order of `InitializationFailure.allCases`.
    package var failures = [Int](repeating: 0, count: InitializationFailure.allCases.count)

    /// The number of attempts that failed for a reason.
    package func failures(_ reason: InitializationFailure) -> Int { failures[InitializationFailure.allCases.firstIndex(of: reason) ?? 0] }
}
