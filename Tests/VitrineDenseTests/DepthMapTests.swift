import Testing
import VitrineMath
import VitrineVision

@testable import VitrineDense

struct DepthMapTests {
    private let map = SyntheticScene().perfectMap(SyntheticScene.camera(angle: 10, width: 40, height: 30, focal: 50), photo: 7)

    @Test func packedNormalsKeepTheDirection() {
        for index in 0..<500 {
            let (a, z) = (Float(index) * 2.4, Float(index) / 250 - 0.998)
            let r = (1 - z * z).squareRoot()
            let normal = Vector3(r * cos(a), r * sin(a), z)
            let back = DepthMap.unpackNormal(DepthMap.packNormal(normal))
            #expect(length(cross(back, normal)) < 2e-4 && dot(back, normal) > 0)
        }
        for axis in [Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(0, 0, -1)] {
            #expect(distance(DepthMap.unpackNormal(DepthMap.packNormal(axis)), axis) < 1e-4)
        }
    }

    @Test func pointsLieOnTheSurface() {
        for (x, y) in [(20, 15), (3, 4), (36, 27)] {
            let point = map.pointInWorld(x: x, y: y)
            let onBall = abs(length(point) - 1) < 1e-5
            #expect(onBall || abs(point.z - 1.5) < 1e-5)
        }
    }

    @Test func smallIslandsAreRemoved() {
        var holed = DepthMap(photo: 0, camera: map.camera)
        func fill(_ xs: Range<Int>, _ ys: Range<Int>, _ depth: Float) {
            for y in ys { for x in xs { holed.depths[y * holed.width + x] = depth } }
        }
        fill(0..<20, 0..<10, 2)
        fill(30..<34, 20..<24, 2)
        // Separated from the first island by a depth step only.
        fill(20..<22, 0..<5, 3)
        holed.removeIslands(smallerThan: 17)
        #expect(holed.depths[5 * holed.width + 5] == 2)
        #expect(holed.depths[21 * holed.width + 31] == 0)
        #expect(holed.depths[20] == 0)
    }
}
