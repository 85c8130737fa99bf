import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct FrameDepthTests {
    private static let size = SIMD2(96, 72)

    /// The depth image of a plane n · p = d, as a camera with a focal length of 80 depth pixels sees it.
    private func plane(_ normal: Vector3d, _ distance: Double) -> Plane<Float> {
        var metres = Plane<Float>(width: Self.size.x, height: Self.size.y, repeating: 0)
        for y in 0..<Self.size.y {
            for x in 0..<Self.size.x { metres[x, y] = Float(depth(normal, distance, Vector2d(Double(x) + 0.5, Double(y) + 0.5))) }
        }
        return metres
    }

    private func depth(_ normal: Vector3d, _ distance: Double, _ pixel: Vector2d) -> Double {
        let ray = Vector3d((pixel.x - 48) / 80, (pixel.y - 36) / 80, 1)
        return distance / dot(normal, ray)
    }

    /// Between the pixels of a slanted surface the depth is exact, at any size of the image.
    @Test func slantedSurfacesAreExact() throws {
        let (normal, distance) = (normalize(Vector3d(0.1, 0.6, 0.8)), 1.3)
        let depth = FrameDepth(plane(normal, distance), image: SIMD2(480, 360))
        for position in [Vector2d(20.1, 30.7), Vector2d(60.9, 40.02), Vector2d(47.5, 50.5), Vector2d(80.3, 66.6)] {
            let measured = try #require(depth.depth(at: position * 5))
            #expect(abs(measured.metres / self.depth(normal, distance, position) - 1) < 1e-4)
        }
    }

    @Test func edgesAndUnknownPixelsHaveNoDepth() {
        var metres = plane(Vector3d(0, 0, 1), 2)
        for y in 0..<Self.size.y { for x in 40..<Self.size.x { metres[x, y] = 2.14 } }
        metres[20, 20] = 0
        metres[20, 50] = .nan
        for x in 0..<8 { for y in 0..<8 { metres[x, y] = 9 } }
        let depth = FrameDepth(metres, image: Self.size)
        #expect(depth.depth(at: Vector2d(30.5, 30.5))?.metres == 2)
        #expect(abs((depth.depth(at: Vector2d(60.5, 30.5))?.metres ?? 0) - 2.14) < 1e-5)
        for position in [
            Vector2d(39.5, 30.5), Vector2d(40.5, 30.5), Vector2d(21.5, 20.5), Vector2d(20.5, 49.5), Vector2d(4.5, 4.5), Vector2d(0.5, 30.5),
            Vector2d(95.9, 30), Vector2d(-5, 300),
        ] { #expect(depth.depth(at: position) == nil, "\(position)") }
        // A silhouette is a step in known depths: unknown pixels are no evidence.
        for (position, isSilhouette) in [
            (Vector2d(39.5, 30.5), true), (Vector2d(40.5, 30.5), true), (Vector2d(30.5, 30.5), false), (Vector2d(60.5, 30.5), false),
            (Vector2d(21.5, 20.5), false), (Vector2d(20.5, 49.5), false), (Vector2d(4.5, 4.5), false), (Vector2d(-5, 300), false),
        ] { #expect(depth.isSilhouette(at: position) == isSilhouette, "\(position)") }
    }

    /// The noise of a sensor and slanted surfaces are no silhouettes.
    @Test func noiseIsNoSilhouette() {
        var metres = plane(normalize(Vector3d(0.1, 0.6, 0.8)), 1.3)
        for index in metres.values.indices { metres.values[index] *= index % 3 == 0 ? 1.004 : index % 3 == 1 ? 0.996 : 1.001 }
        let depth = FrameDepth(metres, image: Self.size)
        for x in stride(from: 2.5, to: 94, by: 4) { #expect(!depth.isSilhouette(at: Vector2d(x, 40.5))) }
    }
}
