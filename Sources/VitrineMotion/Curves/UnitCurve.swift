import VitrineMath

/// A timing curve: the fraction of the distance as a function of the fraction of the duration.
///
/// ```swift
/// UnitCurve.easeInOut.value(at: 0.5)       // 0.5
/// UnitCurve.easeInOut.velocity(at: 0)      // 0: starts at rest
/// ```
public enum UnitCurve: Equatable, Hashable, Sendable {
    /// A curve of constant velocity.
    case linear
    /// A curve that starts slowly.
    case easeIn
    /// A curve that ends slowly.
    case easeOut
    /// Starts and ends slowly.
    case easeInOut
    /// A cubic Bézier curve from (0, 0) to (1, 1) with two control points; x is time, y the distance. `x1` and `x2` are clamped to 0…1; `y1` and
    /// `y2` may lie outside, for curves that overshoot.
    case bezier(x1: Double, y1: Double, x2: Double, y2: Double)

    /// Returns the fraction of the distance at the fraction `time` of the duration, clamped to 0…1. Exactly 0 at 0 and 1 at 1.
    public func value(at time: Double) -> Double {
        guard time > 0 else { return 0 }
        guard time < 1 else { return 1 }
        guard let points = controlPoints else { return time }
        return UnitCurve.bezier(parameter(at: time, points), points.y1, points.y2)
    }

    /// Returns the slope at the fraction `time` of the duration. Infinite where the curve is vertical; 0 outside 0…1.
    public func velocity(at time: Double) -> Double {
        guard time >= 0, time <= 1 else { return 0 }
        guard let points = controlPoints else { return 1 }
        let t = parameter(at: time, points)
        let (across, up) = (UnitCurve.slope(t, points.x1, points.x2), UnitCurve.slope(t, points.y1, points.y2))
        // Both derivatives are 0 where a control point coincides with an end point: the second derivative then gives the direction.
        if abs(across) < 1e-9, abs(up) < 1e-9 {
            let (bendAcross, bendUp) = (UnitCurve.bend(t, points.x1, points.x2), UnitCurve.bend(t, points.y1, points.y2))
            return bendAcross == 0 ? (bendUp == 0 ? 1 : .infinity) : bendUp / bendAcross
        }
        return up / across
    }

    private typealias ControlPoints = (x1: Double, y1: Double, x2: Double, y2: Double)

    /// The control points of the CSS timing functions with the same names; nil for linear.
    private var controlPoints: ControlPoints? {
        switch self {
        case .linear: nil
        case .easeIn: (0.42, 0, 1, 1)
        case .easeOut: (0, 0, 0.58, 1)
        case .easeInOut: (0.42, 0, 0.58, 1)
        case .bezier(let x1, let y1, let x2, let y2): (clamp(x1, 0, 1), y1, clamp(x2, 0, 1), y2)
        }
    }

    /// Finds the curve's parameter by bisection, because x increases with it.
    private func parameter(at time: Double, _ points: ControlPoints) -> Double {
        if time <= 0 { return 0 }
        if time >= 1 { return 1 }
        var (low, high) = (0.0, 1.0)
        for _ in 0..<52 {
            let middle = (low + high) / 2
            if UnitCurve.bezier(middle, points.x1, points.x2) < time { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// Returns one coordinate of a cubic Bézier curve from 0 to 1.
    private static func bezier(_ t: Double, _ a: Double, _ b: Double) -> Double {
        let s = 1 - t
        return 3 * s * s * t * a + 3 * s * t * t * b + t * t * t
    }

    /// Returns its first derivative.
    private static func slope(_ t: Double, _ a: Double, _ b: Double) -> Double {
        let s = 1 - t
        return 3 * s * s * a + 6 * s * t * (b - a) + 3 * t * t * (1 - b)
    }

    /// Returns its second derivative.
    private static func bend(_ t: Double, _ a: Double, _ b: Double) -> Double { 6 * (1 - t) * (b - 2 * a) + 6 * t * (1 - 2 * b + a) }
}
