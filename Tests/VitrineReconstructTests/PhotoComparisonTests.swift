import Testing
import VitrineMath

@testable import VitrineReconstruct

@Suite struct PhotoComparisonTests {
    /// Two rings of twelve photos.
    private static let rays = (0..<24).map { index -> Vector3d in
        let (turn, height) = (Double(index % 12) * .pi / 6, index < 12 ? 15.0 * .pi / 180 : 40.0 * .pi / 180)
        return Vector3d(cos(turn) * cos(height), sin(height), sin(turn) * cos(height))
    }

    private func comparison(_ agreement: (Int, Int) -> Float) -> PhotoComparison {
        PhotoComparison(
            pairs: PhotoComparison.pairs(rays: Self.rays).map {
                PhotoComparison.Pair(first: $0.first, second: $0.second, agreement: agreement($0.first, $0.second))
            })
    }

    @Test func pairsConnectNeighborsAndRings() {
        let pairs = PhotoComparison.pairs(rays: Self.rays)
        #expect(pairs.count <= 5 * 24)
        for photo in 0..<24 {
            let partners = pairs.filter { $0.first == photo || $0.second == photo }
            #expect(partners.count >= 2)
            // Of both rings.
            #expect(partners.contains { ($0.first < 12) != ($0.second < 12) })
        }
        #expect(pairs.contains { ($0.first < 12) == ($0.second < 12) })
    }

    @Test func agreeingPhotosDoNotContradictTheModel() {
        let good = comparison { first, _ in first == 5 ? 0.6 : 0.95 }
        #expect(good.contradicting.isEmpty && !good.isContradiction && good.views.count == 24)
        // One photo is blurred or shows a reflection.
        let blurred = comparison { $0 == 7 || $1 == 7 ? 0.2 : 0.9 }
        #expect(blurred.contradicting == [7] && !blurred.isContradiction && blurred.moved == nil)
    }

    /// The object was moved between the rings: photos of one ring agree with each other.
    @Test func movedObjectMakesTwoGroups() {
        let moved = comparison { ($0 < 12) == ($1 < 12) ? 0.9 : 0.2 }
        #expect(moved.isContradiction)
        #expect(moved.moved == Array(12..<24))
    }

    /// Photos that agree with none.
    @Test func wrongPhotosAreNoGroup() {
        let wrong = comparison { $0 % 4 == 0 || $1 % 4 == 0 ? 0.15 : 0.9 }
        #expect(wrong.isContradiction && wrong.moved == nil)
        #expect(wrong.contradicting == stride(from: 0, to: 24, by: 4).map { $0 })
    }

    /// A view that is compared only with views of its own kind; views of another object that agree with each other and are compared with no others.
    @Test func separateViewsContradictOnlyAlone() {
        let pairs = (0..<6).map { PhotoComparison.Pair(first: $0, second: $0 + 1, agreement: 0.9) }
        let wrong = PhotoComparison(pairs: pairs + [PhotoComparison.Pair(first: 8, second: 9, agreement: 0.1)])
        #expect(wrong.contradicting == [8, 9])
        let apart = PhotoComparison(pairs: pairs + [PhotoComparison.Pair(first: 8, second: 9, agreement: 0.9)])
        #expect(apart.contradicting.isEmpty && apart.views == [0, 1, 2, 3, 4, 5, 6, 8, 9])
    }

    @Test func bytesRoundTrip() throws {
        let value = comparison { Float($0) / 50 + Float($1) / 100 }
        #expect(try PhotoComparison(decoding: value.encoded) == value)
    }
}
