import VitrineMath

/// The orientation of a view, named by the side of a phone's lower edge. The camera image is upright in `landscapeRight`.
public enum InterfaceOrientation: String, Equatable, Sendable, CaseIterable {
    /// The image is rotated by 90° clockwise.
    case portrait
    /// The image is rotated by 90° counterclockwise.
    case portraitUpsideDown
    /// The image is rotated by 180°.
    case landscapeLeft
    /// The image is not rotated.
    case landscapeRight

    /// Whether the view is higher than wide for a camera image in landscape format.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }

    /// The rotation from the camera's frame to the view's; both have x right, y up, −z forward.
    var viewFromCamera: Matrix3 {
        switch self {
        case .landscapeRight: .identity
        case .landscapeLeft: Matrix3(Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1))
        case .portrait: Matrix3(Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))
        case .portraitUpsideDown: Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        }
    }

    /// Maps normalized image coordinates (right, down) to those of the rotated image; homogeneous.
    var rotatedFromImage: Matrix3 {
        switch self {
        case .landscapeRight: .identity
        case .landscapeLeft: Matrix3(Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(1, 1, 1))
        case .portrait: Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(1, 0, 1))
        case .portraitUpsideDown: Matrix3(Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 1, 1))
        }
    }
}
