import Testing
import VitrineGeometry

@testable import VitrineRender

struct PixelFilterTests {
    @Test func offsetsLieInsideTheWindowAndBalance() {
        for count in [2, 4, 16, 64] {
            let offsets = PixelFilter.offsets(count: count)
            #expect(offsets.count == count)
            #expect(offsets.allSatisfy { abs($0.x) <= PixelFilter.width / 2 && abs($0.y) <= PixelFilter.width / 2 })
            let mean = offsets.reduce(Vector2(0, 0), +) / Float(count)
            #expect(abs(mean.x) < 0.01 && abs(mean.y) < 0.01)
            #expect(Set(offsets.map(\.x)).count == count && Set(offsets.map(\.y)).count == count)
        }
        #expect(PixelFilter.offsets(count: 1) == [Vector2(0, 0)])
    }

    @Test func samplesFollowTheWindow() {
        #expect(abs(PixelFilter.quantile(0.5)) < 1e-4)
        #expect(abs(PixelFilter.quantile(0.25) + PixelFilter.quantile(0.75)) < 1e-4)
        var area = 0.0
        var total = 0.0
        let quarter = Double(PixelFilter.quantile(0.75)) / Double(PixelFilter.width) + 0.5
        for step in 0..<10_000 {
            let x = (Double(step) + 0.5) / 10_000
            let turn = 2 * Double.pi * x
            let (c1, c2, c3) = (cos(turn), cos(2 * turn), cos(3 * turn))
            let window = 0.358_75 - 0.488_29 * c1 + 0.141_28 * c2 - 0.011_68 * c3
            total += window
            if x < quarter { area += window }
        }
        #expect(abs(area / total - 0.75) < 1e-3)
    }
}
