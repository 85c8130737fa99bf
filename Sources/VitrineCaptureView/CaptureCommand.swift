/// A command of an `ObjectCaptureView`, from a button or a key.
package enum CaptureCommand: String, Hashable, Sendable, CaseIterable {
    /// Detects the object in front of the camera.
    case detect
    /// Discards the detected box.
    case reset
    /// Takes shots of the detected object.
    case capture
    /// Takes shots of an area, without a box.
    case captureArea
    /// Takes a shot now.
    case shoot
    /// Switches automatic shots on and off.
    case toggleAutomatic
    /// Begins another pass around the object.
    case nextPass
    /// The object is turned over: begins a pass with a new box.
    case flip
    /// Ends the capture.
    case finish

    /// The label of the button.
    var title: String {
        switch self {
        case .detect: "Detect object"
        case .reset: "Reset"
        case .capture: "Start capture"
        case .captureArea: "Capture area"
        case .shoot: "Shoot"
        case .toggleAutomatic: "Automatic"
        case .nextPass: "Next pass"
        case .flip: "Turned over"
        case .finish: "Finish"
        }
    }

    /// The key, and its name in the button.
    var key: (key: Key, name: String) {
        switch self {
        case .detect, .capture: (.enter, "Enter")
        case .reset: (.character("r"), "R")
        case .captureArea: (.character("a"), "A")
        case .shoot: (.space, "Space")
        case .toggleAutomatic: (.character("m"), "M")
        case .nextPass: (.character("n"), "N")
        case .flip: (.character("f"), "F")
        case .finish: (.character("e"), "E")
        }
    }
}
