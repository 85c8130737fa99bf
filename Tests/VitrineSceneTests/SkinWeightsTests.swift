import Testing
import VitrineTestSupport

@testable import VitrineScene

struct SkinWeightsTests {
    private func sums(_ sets: [[Float]]) -> [Double] {
        (0..<sets[0].count / 4).map { vertex in
            sets.reduce(0) { sum, set in sum + set[vertex * 4..<vertex * 4 + 4].reduce(0) { $0 + Double($1) } }
        }
    }

    @Test func sumsBecomeExactToRounding() {
        // As from bytes, as from careless programs, over two sets.
        var state: UInt32 = 1
        var sets: [[Float]] = [[], []]
        for _ in 0..<4000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            sets[0].append(Float(state >> 24) / 255)
            sets[1].append(Float(state >> 16 & 0xFF) / 255 * (state & 64 == 0 ? 0 : 1))
        }
        _ = SkinWeights.normalize(&sets)
        #expect(sums(sets).allSatisfy { abs($0 - 1) <= 6e-8 })
        #expect(sets.joined().allSatisfy { $0 >= 0 && $0 <= 1 })
        let packed = SkinWeights.quantized(sets)
        for vertex in 0..<1000 {
            let sum = packed.reduce(0) { sum, set in sum + set[vertex * 4..<vertex * 4 + 4].reduce(0) { $0 + Int($1) } }
            #expect(sum == 65_535)
        }
        #expect(zip(packed.joined(), sets.joined()).allSatisfy { abs(Float($0) / 65_535 - $1) < 1e-4 })
    }

    @Test func repairsAreCounted() {
        var sets: [[Float]] = [[0.5, 0.482, 0, 0, 2, 2, 0, 0, -1, 1, 0, 0, .nan, 0, .infinity, 0.25, 0.25, 0.75, 0, 0]]
        let repair = SkinWeights.normalize(&sets)
        // 0.982 is within the rounding of bytes: scaled without a warning.
        #expect(repair == SkinWeights.Repair(invalid: 3, scaled: 2))
        #expect(sums(sets).allSatisfy { abs($0 - 1) <= 6e-8 })
        #expect(Array(sets[0][4...]) == [0.5, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0.25, 0.75, 0, 0])
        var empty: [[Float]] = [[0, 0, 0, 0]]
        _ = SkinWeights.normalize(&empty)
        #expect(empty == [[0, 0, 0, 0]])
        _ = SkinWeights.normalize(&empty, fillsUnweighted: true)
        #expect(empty == [[1, 0, 0, 0]])
    }
}
