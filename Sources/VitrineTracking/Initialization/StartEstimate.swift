import VitrineMath
import VitrineVision

/// Why a window of pictures and inertial samples doesn't begin a track. Better late than wrong: a wrong scale is never made good.
public enum InitializationFailure: String, Error, Equatable, Sendable, CaseIterable {
    /// Too few pictures yet, or over too short a time.
    case tooShort
    /// The IMU was silent for a part of it.
    case inertialGap
    /// Too few features that stay.
    case tooFewFeatures
    /// The camera turned, if anything: without travel there is no distance.
    case tooLittleTravel
    /// The gyroscope and the pictures disagree on how the device turned.
    case rotationDisagrees
    /// The equations have no answer.
    case noSolution
    /// Left free, gravity comes out as something else: the motion doesn't tell the scale.
    case gravityDisagrees
    /// The features don't fit what was found.
    case featuresDisagree
    /// The IMU doesn't fit what was found, or only with a sensor that is far off.
    case inertialDisagrees
    /// All fits, but the scale could as well be another.
    case scaleUnsure
}

/// A state to begin a filter with, and how sure it is.
struct StartEstimate: Sendable {
    var state: FilterState
    /// Seconds to add to a picture's time, and its standard deviation.
    var timeOffset: Double
    var timeOffsetDeviation: Double
    /// 15×15 by rows: orientation about the world's axes, position, velocity, gyroscope bias, accelerometer bias. Heading and position are
    /// those of the window's first frame, by definition.
    var covariance: [Double]
    /// The pose at the window's first frame: the origin of what `state` says.
    var first: RigidTransform
    /// The scale's standard deviation over itself.
    var scaleDeviation: Double
    /// What gravity came out as when it wasn't told, m/s².
    var freeGravity: Double
    /// The root of the mean square of the features' misses, pixels.
    var residual: Double
}
