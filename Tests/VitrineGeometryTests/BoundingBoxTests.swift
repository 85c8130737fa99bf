import Testing
import VitrineGeometry

@Suite struct BoundsTests {
    @Test func theEmptyBoxIsNeutral() {
        let box = BoundingBox(minimum: [0, 1, 2], maximum: [3, 4, 5])
        #expect(BoundingBox.empty.isEmpty && !box.isEmpty)
        #expect(box.union(.empty) == box && BoundingBox.empty.union(box) == box)
        #expect(BoundingBox.empty.size == .zero && BoundingBox.empty.radius == 0 && BoundingBox.empty.center == .zero)
        #expect(BoundingBox.empty.transformed(by: Matrix4(translation: [1, 2, 3])).isEmpty)
        #expect(!BoundingBox.empty.contains(.zero))
    }

    @Test func ignoresCoordinatesThatAreNotNumbers() {
        var box = BoundingBox.empty
        box.formUnion(Vector3(.nan, 1, 1))
        box.formUnion(Vector3(2, .nan, 3))
        #expect(box.minimum == [2, 1, 1] && box.maximum == [2, 1, 3])
        box.formUnion(BoundingBox(minimum: Vector3(repeating: .nan), maximum: Vector3(repeating: .nan)))
        #expect(box.minimum == [2, 1, 1] && box.maximum == [2, 1, 3])
    }

    @Test func unionWithPoints() {
        var box = BoundingBox.empty
        box.formUnion([1, -2, 3])
        #expect(box.minimum == [1, -2, 3] && box.maximum == [1, -2, 3] && !box.isEmpty && box.contains([1, -2, 3]))
        box.formUnion([-1, 5, 3])
        #expect(box.size == [2, 7, 0] && box.center == [0, 1.5, 3])
    }

    @Test func transformedBoxContainsTransformedCorners() {
        var random = SplitMix64(seed: 9)
        let box = BoundingBox(minimum: [-1, 0, 2], maximum: [3, 0.5, 4])
        for _ in 0..<50 {
            let matrix = Transform(translation: random.vector3(), rotation: random.quaternion(), scale: [1, -2, 0.5]).matrix
            var expected = BoundingBox.empty
            for corner in 0..<8 {
                let pick = Vector3(corner & 1 == 0 ? 0 : 1, corner & 2 == 0 ? 0 : 1, corner & 4 == 0 ? 0 : 1)
                expected.formUnion(matrix.transform(point: box.minimum + pick * box.size))
            }
            let found = box.transformed(by: matrix)
            #expect(distance(found.minimum, expected.minimum) < 1e-5 && distance(found.maximum, expected.maximum) < 1e-5)
        }
    }

    @Test func boundingSphereContainsTheBox() {
        let box = BoundingBox(minimum: [-1, -2, -3], maximum: [1, 2, 3])
        #expect(abs(box.radius - Float(14).squareRoot()) < 1e-6)
    }

    @Test func hugeBoxesDoNotOverflow() {
        let box = BoundingBox(minimum: Vector3(repeating: 2e38), maximum: Vector3(repeating: 3e38))
        #expect(abs(box.center.x - 2.5e38) < 1e32)
    }
}
