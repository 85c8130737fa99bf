import VitrineMath

/// The distances and times that separate a tap from a drag, the same for every gesture, view and controller.
///
/// A press that moves no farther than the tolerance of its device is a tap. A press that moves farther is a drag.
package enum GestureTolerance {
    /// The distance that the mouse may move between press and release of a tap: 4 points.
    package static let mouse: Float = 4
    /// The distance that a finger may move between touch-down and lift-off of a tap: 8 points.
    package static let touch: Float = 8
    /// The distance between the presses of a multiple tap: at most 24 points.
    package static let multipleTapDistance: Float = 24
    /// The time from the release of one tap to the press of the next in a multiple tap: at most 0.35 s.
    package static let multipleTapInterval = 0.35

    static func distance(ofContact id: Int64) -> Float { id == ContactEvent.mouse ? mouse : touch }

    /// Returns whether a press that has moved by `distance` points is a drag.
    ///
    /// - Parameter minimum: The distance that a gesture requires; nil: more than the tolerance of the device.
    static func isDrag(_ distance: Float, minimum: Float?, contact id: Int64) -> Bool {
        guard let minimum else { return distance > self.distance(ofContact: id) }
        return distance >= minimum
    }
}
