import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct CameraIntrinsicsTests {
    @Test(arguments: [Vector3d(-0.25, 0.05, 0), Vector3d(0.6, 0, 0), Vector3d(-0.3, 0, 0), Vector3d(0.05, -0.4, 0.3)])
    func normalizedUndoesDistortion(radial: Vector3d) {
        let lens = CameraIntrinsics(
            width: 1000, height: 800, focal: Vector2d(700, 710), center: Vector2d(510, 390), radial: radial,
            tangential: Vector2d(0.003, -0.002))
        for x in stride(from: -0.7, through: 0.7, by: 0.1) {
            for y in stride(from: -0.5, through: 0.5, by: 0.1) {
                let place = Vector2d(x, y)
                let found = lens.normalized(lens.distort(place) * lens.focal + lens.center)
                #expect(length(found - place) < 1e-9)
            }
        }
    }

    @Test func whatNoDirectionFallsOnGivesTheNearest() {
        // u (1 − u²) never exceeds 0.385.
        let lens = CameraIntrinsics(
            width: 1000, height: 1000, focal: Vector2d(1000, 1000), center: Vector2d(500, 500), radial: Vector3d(-1, 0, 0))
        let found = lens.normalized(Vector2d(1000, 500))
        #expect(found.x.isFinite && found.y == 0 && abs(lens.distort(found).x - 0.385) < 0.01)
    }

    @Test func mediansAndQuantiles() {
        #expect(median([3.0, 1, 2]) == 2 && median([4.0, 1, 2, 3]) == 2.5 && median([Double]()) == 0)
        #expect(quantile([0.0, 10], 0.25) == 2.5 && quantile(sorted: [Float(1), 2, 3], 1) == 3)
    }
}
