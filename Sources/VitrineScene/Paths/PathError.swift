/// The reason why a path cannot be parsed or filled.
public enum PathError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SVG path data is invalid at this byte offset.
    case pathData(offset: Int, reason: String)
    /// A coordinate of this element is infinite, not a number or too large.
    case notFinite(element: Int)
    /// The path has more than `Path.maximumPieces` line segments or intersections.
    case tooComplex
    /// Intersections are too close together to be distinguished.
    case tangled
    /// The interior is empty.
    case noArea

    public var description: String {
        switch self {
        case .pathData(let offset, let reason): "path data, byte \(offset): \(reason)"
        case .notFinite(let element): "path element \(element): a coordinate is not finite or too large"
        case .tooComplex: "the path has more than \(Path.maximumPieces) line segments or intersections"
        case .tangled: "the path has self-intersections too close together to be distinguished"
        case .noArea: "the path has no area"
        }
    }
}
