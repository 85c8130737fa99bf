/// What gives pictures without an IMU their metres.
public enum VisualScale: Equatable, Sendable {
    /// Square markers (``Settings/dictionaries``) whose black square is so many metres wide. Sizes are right from the moment on at which one
    /// was seen from two places, or, while nothing else is known, from the marker alone.
    case marker(edge: Double)
    /// Half of what the first view shows is nearer than so many metres: sizes are as right as that guess. 1 for those who don't need metres.
    case medianDepth(Double)

    /// Whether the number can be meant.
    public var isPossible: Bool {
        switch self {
        case .marker(let size), .medianDepth(let size): size.isFinite && size > 1e-4 && size < 1e5
        }
    }
}
