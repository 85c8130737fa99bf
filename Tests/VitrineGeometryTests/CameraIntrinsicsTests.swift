import Testing
import VitrineGeometry

@Suite struct CameraIntrinsicsTests {
    @Test(arguments: [Vector3d(-0.25, 0.05, 0), Vector3d(0.6, 0, 0), Vector3d(-0.3, 0, 0), Vector3d(0.05, -0.4, 0.3)])
    func normalizedUndoesDistortion(radial: Vector3d) {
        let lens = CameraIntrinsics(
            width: 1000, height: 800, focal: Vector2d(700, 710), center: Vector2d(510, 390), radial: radial,
            tangential: Vector2d(0.003, -0.002))
        for x in stride(from: -0.7, through: 0.7, by: 0.1) {
            for y in stride(from: -0.5, through: 0.5, by: 0.1) {
                let point = Vector2d(x, y)
                let found = lens.normalized(lens.distortion.distort(point) * lens.focal + lens.center)
                #expect(length(found - point) < 1e-9)
            }
        }
    }

    @Test func unprojectingUnreachablePixelsGivesTheNearestDirection() {
        // u (1 − u²) never exceeds 0.385.
        let lens = CameraIntrinsics(
            width: 1000, height: 1000, focal: Vector2d(1000, 1000), center: Vector2d(500, 500), radial: Vector3d(-1, 0, 0))
        let found = lens.normalized(Vector2d(1000, 500))
        #expect(found.x.isFinite && found.y == 0 && abs(lens.distortion.distort(found).x - 0.385) < 0.01)
    }

    static let fisheyes: [LensDistortion] = [
        .equidistant, .kannalaBrandt(SIMD4(-0.02, 0.01, -0.003, 0.001)), .kannalaBrandt(SIMD4(0.08, -0.03, 0.01, -0.002)),
    ]

    @Test(arguments: fisheyes) func fisheyesSeeBehindTheImagePlane(distortion: LensDistortion) {
        let camera = CameraIntrinsics(
            width: 1000, height: 1000, focal: Vector2d(250, 252), center: Vector2d(505, 495), distortion: distortion)
        for angle in stride(from: 0.0, through: 1.9, by: 0.1) {
            for turn in stride(from: 0.0, to: 6, by: 0.7) {
                let direction = Vector3d(sin(angle) * cos(turn), sin(angle) * sin(turn), cos(angle))
                let pixel = camera.project(direction * 3)
                #expect(length(camera.unproject(pixel) - direction) < 1e-9)
                if angle < 1.5 {
                    let normalized = camera.normalized(pixel)
                    #expect(length(normalized - Vector2d(direction.x, direction.y) / direction.z) < 1e-7)
                }
            }
        }
        #expect(camera.isDistorted && camera.distortion.isFisheye)
    }

    @Test func equidistantImagesMeasureAngles() {
        let camera = CameraIntrinsics(
            width: 800, height: 600, focal: Vector2d(200, 200), center: Vector2d(400, 300), distortion: .equidistant)
        #expect(length(camera.project(Vector3d(1, 0, 1)) - Vector2d(400 + 200 * .pi / 4, 300)) < 1e-9)
        #expect(length(camera.project(Vector3d(0, 2, 0)) - Vector2d(400, 300 + 200 * .pi / 2)) < 1e-9)
    }

    /// The derivatives agree with central differences, for every lens of the family.
    @Test(
        arguments: fisheyes + [
            .none, .radial(-0.2), .brownConrady(radial: Vector3d(-0.1, 0.05, 0.02), tangential: Vector2d(0.002, -0.003)),
        ])
    func derivativesMatchFiniteDifferences(distortion: LensDistortion) {
        let camera = CameraIntrinsics(
            width: 1000, height: 800, focal: Vector2d(400, 405), center: Vector2d(510, 390), distortion: distortion)
        var points = [Vector3d(0.4, -0.3, 1.3), Vector3d(0.01, 0, 2), Vector3d(0, 0, 2), Vector3d(-2, 1, 1.5)]
        if distortion.isFisheye { points += [Vector3d(1, 1, 0), Vector3d(1, -2, -0.5)] }
        for point in points {
            let derivatives = camera.derivatives(point)
            #expect(length(derivatives.pixel - camera.project(point)) < 1e-9)
            let h = 1e-6
            for axis in 0..<3 {
                var (more, less) = (point, point)
                more[axis] += h
                less[axis] -= h
                let slope = (camera.project(more) - camera.project(less)) / (2 * h)
                #expect(abs(slope.x - derivatives.xByPoint[axis]) < 1e-4 && abs(slope.y - derivatives.yByPoint[axis]) < 1e-4)
            }
            for parameter in 0..<camera.parameterCount {
                var step = SIMD16<Double>.zero
                step[parameter] = h
                var (more, less) = (camera, camera)
                more.add(step)
                less.add(-step)
                let slope = (more.project(point) - less.project(point)) / (2 * h)
                let scale = 1 + length(slope)
                #expect(abs(slope.x - derivatives.xByParameters[parameter]) < 1e-5 * scale)
                #expect(abs(slope.y - derivatives.yByParameters[parameter]) < 1e-5 * scale)
                #expect(abs((more.parameters - camera.parameters - step).sum()) < 1e-9)
            }
        }
    }

    @Test func modelsAreNamedBySimplestMember() {
        #expect(LensDistortion.none.model == .pinhole && LensDistortion.radial(0.1).model == .simpleRadial)
        #expect(LensDistortion.radial(0.1, 0.2).model == .radial && LensDistortion.brownConrady(SIMD4(0, 0, 0.1, 0)).model == .brownConrady)
        #expect(LensDistortion.equidistant.model == .equidistant && LensDistortion.kannalaBrandt(SIMD4(0, 0, 0, 1)).model == .openCVFisheye)
    }

    @Test func mediansAndQuantiles() {
        #expect(median([3.0, 1, 2]) == 2 && median([4.0, 1, 2, 3]) == 2.5 && median([Double]()) == 0)
        #expect(quantile([0.0, 10], 0.25) == 2.5 && quantile(sorted: [Float(1), 2, 3], 1) == 3)
    }
}
