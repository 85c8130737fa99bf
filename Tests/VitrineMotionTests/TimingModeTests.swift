import Testing
import VitrineMotion

@Suite struct TimingModeTests {
    @Test func endsAreExactAndTimeIsHeld() {
        let modes: [TimingMode] = [.linear, .easeIn, .easeOut, .easeInEaseOut, .bezier(x1: 0.3, y1: -0.4, x2: 0.6, y2: 1.5)]
        for mode in modes {
            #expect([-1, 0, .nan].allSatisfy { mode.value(at: $0) == 0 })
            #expect(mode.value(at: 1) == 1 && mode.value(at: 7) == 1)
        }
    }

    @Test func curvesAreWhatTheirNamesSay() {
        // A Bézier curve with evenly spread control points is a straight line.
        let straight = TimingMode.bezier(x1: 1 / 3, y1: 1 / 3, x2: 2 / 3, y2: 2 / 3)
        for share in stride(from: Float(0), through: 1, by: 0.125) { #expect(abs(straight.value(at: share) - share) < 1e-5) }
        // easeInEaseOut is symmetric about its middle; easeIn backwards is easeOut.
        #expect(abs(TimingMode.easeInEaseOut.value(at: 0.5) - 0.5) < 1e-5)
        for share in stride(from: Float(0.1), to: 1, by: 0.1) {
            #expect(abs(TimingMode.easeIn.value(at: share) + TimingMode.easeOut.value(at: 1 - share) - 1) < 1e-5)
            #expect(TimingMode.easeIn.value(at: share) < share && TimingMode.easeOut.value(at: share) > share)
        }
        // At the parameter ½: x = (3 · 0.42 + 3 · 1 + 1) / 8, y = (0 + 3 + 1) / 8.
        #expect(abs(TimingMode.easeIn.value(at: 0.6575) - 0.5) < 1e-5)
    }
}
