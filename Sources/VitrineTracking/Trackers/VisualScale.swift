/// The source of metric scale for tracking without an IMU.
public enum VisualScale: Equatable, Sendable {
    /// Square markers whose black square has this edge length in metres. The scale is correct once a marker was observed from two positions;
    /// before that, the pose comes from a single view of the marker.
    case marker(edge: Double)
    /// The median depth of the first view in metres. The scale is as accurate as this value. Pass 1 if you do not need metres.
    case medianDepth(Double)
    /// The scale is unknown. The tracker uses depth images if the device has them, and otherwise assumes a median depth of 2 m in the first
    /// view; then the state is `limited(.scaleUnknown)` instead of `normal`.
    case unknown

    /// The guess of `unknown` in metres.
    static let assumedDepth = 2.0

    /// Whether the length is between 0.1 mm and 100 km.
    public var isPlausible: Bool {
        switch self {
        case .marker(let size), .medianDepth(let size): size.isFinite && size > 1e-4 && size < 1e5
        case .unknown: true
        }
    }
}
