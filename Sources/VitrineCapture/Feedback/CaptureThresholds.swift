import VitrineReconstruct

/// The limits of a session's feedback and shots, with their units.
///
/// A condition begins at its limit and ends `hysteresis` away from it, and each change has to last for `settlingTime`: messages do not flicker.
package struct CaptureThresholds: Equatable, Sendable {
    // MARK: Motion

    /// The most motion blur of a shot, pixels: the motion in the image, during the exposure, of a box 1.2 times the size of the detected one
    /// (`MotionWindow`). For images up to 1,280 pixels wide; proportionally more for wider ones. Default 1.4: the estimate is accurate to about 0.1 pixels, and shots
    /// with up to 1.5 count as sharp.
    package var maximumBlur = 1.4
    /// `movingTooFast` from this blur of the detected box on, pixels; also where blur has prevented the shot of a new view for
    /// `settlingTime`. Default 3.
    package var movingTooFastBlur = 3.0
    /// The number of seconds of exposure if the source does not report it. Default 1/100.
    package var assumedExposure = 0.01
    /// The least sharpness of a shot, relative to the sharpest third of the last `sharpnessMemory` seconds. Default 0.85.
    package var minimumRelativeSharpness = 0.85
    /// The duration, in seconds, of the period that `minimumRelativeSharpness` refers to. Default 3.
    package var sharpnessMemory = 3.0

    // MARK: Light

    /// `environmentLowLight` below this brightness: the level that the brightest tenth of the object exceeds, 0…1, sRGB-encoded. Default 0.3.
    package var lowLight = 0.3
    /// `environmentTooDark` below this brightness, as `lowLight`; no automatic shots. Default 0.15.
    package var tooDark = 0.15
    /// `environmentTooBright` above this share of overexposed pixels in the object's rectangle, 0…1. Default 0.12.
    package var tooBright = 0.12
    /// The share of overexposed pixels, 0…1, above which no automatic shots are taken. Default 0.3.
    package var overexposed = 0.3

    // MARK: Framing

    /// `objectTooFar` if the object's box takes less than this part of the image's shorter side, 0…1; no automatic shots. Default 0.25.
    package var smallestObject = 0.25
    /// `smallestObject` relative to its value while the box is unconfirmed, because landmarks of the front alone give too small a box. Default 0.7.
    package var unconfirmedSize = 0.7
    /// The angle, in radians, between directions from which the camera has viewed the object, from which on its box is confirmed. Default 45°.
    package var confirmingTurn = 45 * Double.pi / 180
    /// `objectTooClose` if the box takes more than this part of the image's shorter side. Default 1.3.
    package var largestObject = 1.3
    /// `outOfFieldOfView` if the box's centre is farther from the image's centre than this part of half the image, 0…1; no automatic shots.
    /// Default 0.6.
    package var largestOffset = 0.6
    /// `objectNotDetected` after these seconds of detection without a box. Default 2.
    package var detectionTime = 2.0

    // MARK: Hysteresis

    /// The distance beyond a limit at which a condition ends, relative to the limit. Default 0.15.
    package var hysteresis = 0.15
    /// The number of seconds that a change must last before it is reported. Default 0.3.
    package var settlingTime = 0.3

    // MARK: Views

    /// The angle in radians between the directions of two automatic shots, seen from the object: beyond them, a view is new. Default 11°.
    package var viewSpacing = 11 * Double.pi / 180
    /// The angle in radians beyond `viewSpacing` at which the best frame so far becomes the shot, because the view passes by. Default 2.5°.
    package var choiceAngle = 2.5 * Double.pi / 180
    /// The angle in radians beyond `viewSpacing` at which a camera that does not hold still gets a shot that may be blurred where the object exceeds the
    /// detected box: more directions would stay uncovered. Default 15°.
    package var passingAngle = 15 * Double.pi / 180
    /// The angle in radians between two shots if the second one covers a new direction: in the middle of a gap, and where a person stays.
    /// Default 6°.
    package var gapSpacing = 6 * Double.pi / 180
    /// The number of seconds since the last shot after which a person counts as staying. Default 1.5.
    package var dwellTime = 1.5
    /// The seconds in which the sharpest frame is chosen once a view is new. Default 0.35.
    package var choiceTime = 0.35
    /// The distance that the camera moves between two shots in area mode, relative to the median distance of the landmarks. Default 0.12.
    package var areaSpacing = 0.12
    /// The angle, in radians, by which the camera turns between two shots in area mode. Default 15°.
    package var areaTurn = 15 * Double.pi / 180

    // MARK: Amount and texture

    /// The most shots that a reconstruction uses: `PhotogrammetrySession.limits.maximumNumberOfInputImages`.
    package var maximumNumberOfInputImages = PhotogrammetrySession.limits.maximumNumberOfInputImages
    /// `objectNotFlippable` if less than this share of the object's visible surface has features that match in neighbouring shots, 0…1.
    /// Default 0.35.
    package var flippableShare = 0.35
    /// The shots after which flipping is judged. Default 6.
    package var flippableShots = 6

    /// Creates the default thresholds.
    package init() {}

    /// The least size of a box in the image for shots and for no `objectTooFar`, relative to the image's shorter side.
    func smallestSize(isBoxConfirmed: Bool) -> Double { isBoxConfirmed ? smallestObject : unconfirmedSize * smallestObject }
}
