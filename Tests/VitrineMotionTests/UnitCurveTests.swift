import Testing
import VitrineMotion

@Suite struct UnitCurveTests {
    @Test func endsAreExactAndTimeIsClamped() {
        let modes: [UnitCurve] = [.linear, .easeIn, .easeOut, .easeInOut, .bezier(x1: 0.3, y1: -0.4, x2: 0.6, y2: 1.5)]
        for mode in modes {
            #expect([-1, 0, .nan].allSatisfy { mode.value(at: $0) == 0 })
            #expect(mode.value(at: 1) == 1 && mode.value(at: 7) == 1)
        }
    }

    @Test func curvesMatchCSS() {
        // A Bézier curve with evenly spread control points is a straight line.
        let straight = UnitCurve.bezier(x1: 1 / 3, y1: 1 / 3, x2: 2 / 3, y2: 2 / 3)
        for share in stride(from: Double(0), through: 1, by: 0.125) { #expect(abs(straight.value(at: share) - share) < 1e-5) }
        // easeInOut is symmetric about its middle; easeIn backwards is easeOut.
        #expect(abs(UnitCurve.easeInOut.value(at: 0.5) - 0.5) < 1e-5)
        for share in stride(from: Double(0.1), to: 1, by: 0.1) {
            #expect(abs(UnitCurve.easeIn.value(at: share) + UnitCurve.easeOut.value(at: 1 - share) - 1) < 1e-5)
            #expect(UnitCurve.easeIn.value(at: share) < share && UnitCurve.easeOut.value(at: share) > share)
        }
        // At the parameter ½: x = (3 · 0.42 + 3 · 1 + 1) / 8, y = (0 + 3 + 1) / 8.
        #expect(abs(UnitCurve.easeIn.value(at: 0.6575) - 0.5) < 1e-5)
    }

    /// The slope against differences of the value.
    @Test func velocityIsTheSlope() {
        let curves: [UnitCurve] = [.linear, .easeIn, .easeOut, .easeInOut, .bezier(x1: 0.3, y1: -0.4, x2: 0.6, y2: 1.5)]
        for curve in curves {
            for time in stride(from: 0.05, to: 1, by: 0.05) {
                let h = 1e-6
                let slope = (curve.value(at: time + h) - curve.value(at: time - h)) / (2 * h)
                #expect(abs(curve.velocity(at: time) - slope) < 1e-5)
            }
        }
        #expect(UnitCurve.easeIn.velocity(at: 0) == 0 && UnitCurve.easeOut.velocity(at: 1) == 0)
        #expect(abs(UnitCurve.easeOut.velocity(at: 0) - UnitCurve.easeOut.value(at: 1e-5) / 1e-5) < 1e-3)
        #expect(UnitCurve.easeIn.velocity(at: -1) == 0 && UnitCurve.easeIn.velocity(at: 2) == 0)
        // Straight up at the start, and with a control point on it.
        #expect(UnitCurve.bezier(x1: 0, y1: 0.5, x2: 1, y2: 1).velocity(at: 0) == .infinity)
        #expect(UnitCurve.bezier(x1: 0, y1: 0, x2: 1, y2: 1).velocity(at: 0) == 1)
    }
}
