import VitrineMath

/// How a view is held, as told by the side that a phone's lower edge is on. The camera's picture is upright in `landscapeRight`.
public enum InterfaceOrientation: String, Equatable, Sendable, CaseIterable {
    /// The picture is turned clockwise by a quarter.
    case portrait
    /// The picture is turned counter-clockwise by a quarter.
    case portraitUpsideDown
    /// The picture is turned by a half.
    case landscapeLeft
    /// The picture as it is.
    case landscapeRight

    /// Whether the picture lies on its side.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }

    /// The camera's axes as the view has them: x right, y up, −z ahead, in both. The view's frame is named "view".
    var viewFromCamera: Matrix3 {
        switch self {
        case .landscapeRight: .identity
        case .landscapeLeft: Matrix3(Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1))
        case .portrait: Matrix3(Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))
        case .portraitUpsideDown: Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        }
    }

    /// The picture turned: from its own 0…1 (right, down) to that of the turned one; homogeneous.
    var turnedFromPicture: Matrix3 {
        switch self {
        case .landscapeRight: .identity
        case .landscapeLeft: Matrix3(Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(1, 1, 1))
        case .portrait: Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(1, 0, 1))
        case .portraitUpsideDown: Matrix3(Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 1, 1))
        }
    }
}
