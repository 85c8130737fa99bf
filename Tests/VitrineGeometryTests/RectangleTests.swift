import Testing
import VitrineGeometry

@Suite struct RectangleTests {
    private let rectangle = Rectangle(x: 1, y: 2, width: 4, height: 6)

    @Test func cornersAndCentre() {
        #expect(rectangle.maximum == Vector2(5, 8) && rectangle.center == Vector2(3, 5))
        #expect(rectangle.contains(Vector2(1, 2)) && !rectangle.contains(Vector2(5, 8)))
        #expect(!rectangle.contains(Vector2(.nan, 3)))
        #expect(rectangle.clamped(Vector2(0, 9)) == Vector2(1, 8))
        #expect(Rectangle(x: 0, y: 0, width: .nan, height: 1).isEmpty)
    }

    @Test func insetsStopAtTheCentre() {
        #expect(rectangle.inset(by: 1) == Rectangle(x: 2, y: 3, width: 2, height: 4))
        #expect(rectangle.inset(by: -1) == Rectangle(x: 0, y: 1, width: 6, height: 8))
        #expect(rectangle.inset(by: 9) == Rectangle(x: 3, y: 5, width: 0, height: 0))
    }

    @Test func intersectionAndUnion() {
        let other = Rectangle(x: 3, y: 0, width: 9, height: 4)
        #expect(rectangle.intersection(other) == Rectangle(x: 3, y: 2, width: 2, height: 2))
        #expect(rectangle.intersection(Rectangle(x: 9, y: 9, width: 1, height: 1)).isEmpty)
        #expect(rectangle.union(other) == Rectangle(x: 1, y: 0, width: 11, height: 8))
        #expect(rectangle.union(.zero) == rectangle && Rectangle.zero.union(rectangle) == rectangle)
    }
}
