import VitrineMath

/// How a motion is spread over its time: which share of the way is done after which share of the time.
public enum TimingMode: Equatable, Hashable, Sendable {
    /// Evenly.
    case linear
    /// Begins slowly.
    case easeIn
    /// Ends slowly.
    case easeOut
    /// Begins and ends slowly.
    case easeInEaseOut
    /// A cubic Bézier curve from (0, 0) to (1, 1) with these two points between, time to the right and way upwards. `x1` and `x2` are held
    /// between 0 and 1; `y1` and `y2` may lie outside: the motion then swings back or overshoots.
    case bezier(x1: Float, y1: Float, x2: Float, y2: Float)

    /// The share of the way at the share `time` of the time, which is held between 0 and 1. Exactly 0 at 0 and 1 at 1.
    public func value(at time: Float) -> Float {
        guard time > 0 else { return 0 }
        guard time < 1 else { return 1 }
        // The control points of the curves that style sheets call by the same names.
        switch self {
        case .linear: return time
        case .easeIn: return TimingMode.curve(time, 0.42, 0, 1, 1)
        case .easeOut: return TimingMode.curve(time, 0, 0, 0.58, 1)
        case .easeInEaseOut: return TimingMode.curve(time, 0.42, 0, 0.58, 1)
        case .bezier(let x1, let y1, let x2, let y2):
            return TimingMode.curve(time, Double(clamp(x1, 0, 1)), Double(y1), Double(clamp(x2, 0, 1)), Double(y2))
        }
    }

    private static func curve(_ time: Float, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> Float {
        let time = Double(time)
        // x rises with the curve's parameter: halve the interval that holds the answer.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<40 {
            let middle = (low + high) / 2
            if bezier(middle, x1, x2) < time { low = middle } else { high = middle }
        }
        return Float(bezier((low + high) / 2, y1, y2))
    }

    /// One coordinate of a cubic Bézier curve from 0 to 1.
    private static func bezier(_ t: Double, _ a: Double, _ b: Double) -> Double {
        let s = 1 - t
        return 3 * s * s * t * a + 3 * s * t * t * b + t * t * t
    }
}
