/// Why a path can't be made or filled.
public enum PathError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SVG path data that can't be read: at which byte, and why.
    case pathData(offset: Int, reason: String)
    /// A coordinate of this element is infinite or not a number, or too large to reckon with.
    case notFinite(element: Int)
    /// More straight pieces than `Path.maximumPieces`, or than that many crossings.
    case tooComplex
    /// Crossings too close together to be distinguished.
    case tangled
    /// Nothing is inside the path.
    case noArea

    public var description: String {
        switch self {
        case .pathData(let offset, let reason): "path data, byte \(offset): \(reason)"
        case .notFinite(let element): "path element \(element): a coordinate is not a number that can be reckoned with"
        case .tooComplex: "the path has more than \(Path.maximumPieces) straight pieces or crossings"
        case .tangled: "the path has self-intersections too close together to be distinguished"
        case .noArea: "the path has no area"
        }
    }
}
