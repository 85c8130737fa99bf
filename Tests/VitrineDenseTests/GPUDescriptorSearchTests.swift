import Testing
import VitrineGPU

@testable import VitrineDenseGPU
@testable import VitrineVision

/// The search for descriptors as a compute shader against the processor's, on the software GPU.
@Suite(.serialized) struct GPUDescriptorSearchTests {
    private static let search = Result { try GPUDescriptorSearch(.software) }

    /// Sets with close descriptors and exact copies, so that there are matches and ties. Longer ones begin with shorter ones.
    private static let sets = [1, 2, 3, 31, 64, 65, 200].map { count -> DescriptorSet in
        var numbers = SeededNumbers(seed: UInt64(count))
        var common = SeededNumbers(seed: 5)
        var base: [Int] = []
        return DescriptorSet(
            (0..<count).flatMap { index -> [UInt8] in
                let isCopy = index % 12 == 1
                if !isCopy { base = (0..<128).map { _ in common.next(below: 240) } }
                let noise = index % 3 == 0 || isCopy ? 1 : 16
                return base.map { UInt8($0 + numbers.next(below: noise)) }
            })
    }

    private static let pairs = sets.indices.flatMap { first in
        sets.indices.filter { sets[$0].count > 1 }.map { (first: first, second: $0) }
    }

    private func nearest(_ a: DescriptorSet, _ b: DescriptorSet) -> [DescriptorNeighbors.Nearest] {
        (0..<a.count).map { row in
            let distances = (0..<b.count).map { a.squaredDistance(row, to: b, $0) }
            let order = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
            return .init(distance: distances[order[0]], second: order.count > 1 ? distances[order[1]] : .max, index: Int32(order[0]))
        }
    }

    @Test func neighboursAreExact() throws {
        let search = try Self.search.get()
        #expect(search.isSoftware)
        let found = try search.neighbors(Self.pairs, of: Self.sets, isCancelled: { false })
        try #require(found.count == Self.pairs.count)
        var matchCount = 0
        for (pair, neighbors) in zip(Self.pairs, found) {
            let (a, b) = (Self.sets[pair.first], Self.sets[pair.second])
            #expect(neighbors.nearest == nearest(a, b) && neighbors.owners == nearest(b, a).map(\.index))
            let onGPU = DescriptorMatcher.mutual(neighbors, ratio: 0.8)
            let onCPU = DescriptorMatcher.mutual((a.bytes, a.squares), a.count, (b.bytes, b.squares), b.count, ratio: 0.8)
            #expect(onGPU.map { [$0.first, $0.second, $0.distance] } == onCPU.map { [$0.first, $0.second, $0.distance] })
            #expect(onGPU.map(\.ratio) == onCPU.map(\.ratio))
            matchCount += onCPU.count
        }
        #expect(matchCount > 500)
        #expect(try search.neighbors([], of: Self.sets, isCancelled: { false }).isEmpty)
        // Submissions of one pair each.
        let small = try GPUDescriptorSearch(.software, batch: SubmissionBatch(largest: 1))
        #expect(try small.neighbors(Self.pairs, of: Self.sets, isCancelled: { false }) == found)
    }

    @Test func cancellationAndLossThrow() throws {
        let search = try GPUDescriptorSearch(.software)
        #expect(throws: MatchingError.cancelled) { try search.neighbors(Self.pairs, of: Self.sets, isCancelled: { true }) }
        #expect(try search.neighbors([(0, 1)], of: Self.sets, isCancelled: { false }).count == 1)
        search.loseDevice()
        let loss = #expect(throws: DenseGPUError.self) { try search.neighbors(Self.pairs, of: Self.sets, isCancelled: { false }) }
        #expect(loss?.description.hasPrefix("\(search.adapter): GPU device lost") == true)
    }
}
