import CDescriptors
import Testing

@testable import VitrineVision

@Suite struct DescriptorMatcherTests {
    /// Sets of `count` random descriptors, the second a noisy shuffle of the first.
    private func sets(_ count: Int) -> (FeatureSet, FeatureSet, order: [Int]) {
        var numbers = VitrineVision.SeededNumbers(seed: 7)
        let first = (0..<count * 128).map { _ in UInt8(numbers.next(below: 90)) }
        var order = Array(0..<count)
        for i in stride(from: count - 1, to: 0, by: -1) { order.swapAt(i, numbers.next(below: i + 1)) }
        let second = order.flatMap { original in
            first[(original * 128)..<(original * 128 + 128)].map { UInt8(max(0, Int($0) + numbers.next(below: 9) - 4)) }
        }
        func set(_ descriptors: [UInt8]) -> FeatureSet {
            FeatureSet(
                positions: .init(repeating: .zero, count: count), scales: .init(repeating: 1, count: count),
                orientations: .init(repeating: 0, count: count), descriptors: descriptors)
        }
        return (set(first), set(second), order)
    }

    @Test(arguments: [2, 3, 8, 13, 65]) func matchesAShuffledSet(count: Int) {
        let (a, b, order) = sets(count)
        let matches = DescriptorMatcher.mutual(
            PreparedFeatures(a, width: 10, height: 10), count, PreparedFeatures(b, width: 10, height: 10), count, ratio: 0.8)
        #expect(matches.count == count)
        for match in matches { #expect(order[Int(match.second)] == Int(match.first)) }
    }

    /// With the instructions of this processor and with those of every one; the first and the last descriptors have the largest products.
    @Test(arguments: [0, 1, 3, 4, 5, 66]) func productsAreExact(count: Int) {
        var numbers = VitrineVision.SeededNumbers(seed: 11)
        func random(_ count: Int) -> [UInt8] { (0..<count * 128).map { _ in UInt8(numbers.next(below: 256)) } }
        let rows = [UInt8](repeating: 255, count: 128) + random(1)
        let others = random(max(0, count - 1)) + [UInt8](repeating: 255, count: count > 0 ? 128 : 0)
        func product(_ row: Int, _ column: Int) -> Int32 {
            var sum: Int32 = 0
            for k in 0..<128 { sum += Int32(rows[128 * row + k]) * Int32(others[128 * column + k]) }
            return sum
        }
        let expected = (0..<2).map { row in (0..<count).map { product(row, $0) } }
        for products in [vitrine_descriptor_products, vitrine_descriptor_products_portable] {
            // With one more, which stays −1.
            var (first, second) = ([Int32](repeating: -1, count: count + 1), [Int32](repeating: -1, count: count + 1))
            products(rows, Array(rows[128...]), others, count, &first, &second)
            #expect(first == expected[0] + [-1])
            #expect(second == expected[1] + [-1])
        }
    }

    @Test func rejectsAmbiguousMatches() {
        var (a, b, _) = sets(10)
        // Two of the second set are the same: none of them is clearly the nearest.
        b.descriptors.replaceSubrange(128..<256, with: b.descriptors[0..<128])
        let matches = DescriptorMatcher.mutual(
            PreparedFeatures(a, width: 10, height: 10), 10, PreparedFeatures(b, width: 10, height: 10), 10, ratio: 0.8)
        #expect(matches.allSatisfy { $0.second > 1 })
        a = FeatureSet()
        #expect(
            DescriptorMatcher.mutual(
                PreparedFeatures(a, width: 10, height: 10), 10, PreparedFeatures(b, width: 10, height: 10), 10, ratio: 0.8
            ).isEmpty)
    }

    @Test func stripsContainAllFeaturesNearALine() {
        var numbers = VitrineVision.SeededNumbers(seed: 3)
        let positions = (0..<3000).map { _ in SIMD2(Float(numbers.next(below: 8000)) / 10, Float(numbers.next(below: 6000)) / 10) }
        for (isSteep, line) in [
            (false, SIMD3<Float>(-0.6, 0.8, -100)), (true, SIMD3<Float>(0.9, 0.436, -500)), (false, SIMD3<Float>(0, 1, -599)),
        ] {
            let index = StripIndex(positions, side: 800, isSteep: isSteep)
            var found = Set<Int32>()
            index.forEachRange(near: line, distance: 5) { for k in $0 { found.insert(index.order[k]) } }
            let near = positions.indices.filter { abs(line.x * positions[$0].x + line.y * positions[$0].y + line.z) < 5 }
            #expect(near.allSatisfy { found.contains(Int32($0)) })
            #expect(found.count < positions.count / 4)
        }
    }
}
