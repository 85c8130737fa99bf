import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct ResectionTests {
    static let intrinsics = CameraIntrinsics(
        width: 1200, height: 900, focal: Vector2d(1300, 1300), center: Vector2d(600, 450), radial: Vector3d(-0.05, 0, 0))

    @Test func threePointsGiveThePose() {
        var numbers = SeededNumbers(seed: 3)
        var found = 0
        for _ in 0..<500 {
            let truth = RigidTransform(
                rotation: .rotation(numbers.direction() * numbers.uniform(0...3)), translation: numbers.direction() * 3)
            let inCamera = (0..<3).map { _ in Vector3d(numbers.uniform(-2...2), numbers.uniform(-2...2), numbers.uniform(2...7)) }
            let world = inCamera.map { truth.inverse * $0 }
            let rays = inCamera.map { normalize($0) }
            let poses = P3P.solve(rays: (rays[0], rays[1], rays[2]), points: (world[0], world[1], world[2]))
            #expect(poses.count <= 4)
            // Each solution projects the points to their pixels.
            for pose in poses {
                for i in 0..<3 { #expect(length(normalize(pose * world[i]) - rays[i]) < 1e-5) }
            }
            if poses.contains(where: { length($0.translation - truth.translation) < 1e-5 }) { found += 1 }
        }
        #expect(found >= 495)
    }

    @Test func degenerateTriplesAreRejected() {
        let ray = Vector3d(0, 0, 1)
        #expect(P3P.solve(rays: (ray, ray, ray), points: (.zero, .zero, .zero)).isEmpty)
        let line = [0.0, 1, 2].map { Vector3d($0, 0, 0) }
        for pose in P3P.solve(
            rays: (ray, normalize(Vector3d(0.1, 0, 1)), normalize(Vector3d(0.2, 0, 1))), points: (line[0], line[1], line[2]))
        {
            #expect(pose.translation.x.isFinite)
        }
    }

    /// Returns points in front of a camera with a known pose; the observations of `outliers` of them are wrong.
    static func view(outliers: Double, count: Int = 200, seed: UInt64 = 1) -> (pose: RigidTransform, pixels: [Vector2d], points: [Vector3d])
    {
        var numbers = SeededNumbers(seed: seed)
        let pose = SyntheticScene.looking(from: Vector3d(3, 1, 2), to: .zero, roll: 0.4)
        let points = (0..<count).map { _ in numbers.direction() * numbers.uniform(0.5...1) }
        let pixels = points.map { point in
            numbers.uniform() < outliers
                ? Vector2d(numbers.uniform(0...1200), numbers.uniform(0...900))
                : intrinsics.project(pose * point) + Vector2d(numbers.normal(), numbers.normal()) * 0.5
        }
        return (pose, pixels, points)
    }

    @Test(arguments: [0.0, 0.3, 0.7]) func findsTheCameraAmongOutliers(share: Double) {
        let (pose, pixels, points) = Self.view(outliers: share)
        let result = Resection().solve(pixels: pixels, points: points, intrinsics: Self.intrinsics)
        #expect((result?.inliers.count ?? 0) >= Int(0.9 * (1 - share) * 200))
        let difference = result.map { $0.cameraFromWorld.rotation * pose.rotation.transpose }
        #expect((difference?.trace ?? 0) > 2.9999)
        #expect(length((result?.cameraFromWorld.translation ?? .zero) - pose.translation) < 0.02)
    }

    @Test func estimatesTheFocalLength() {
        let (_, pixels, points) = Self.view(outliers: 0.3)
        var guess = Self.intrinsics
        guess.focal *= 1.2
        var resection = Resection()
        resection.options.maximumError = 15
        let result = resection.solve(pixels: pixels, points: points, intrinsics: guess, focalDeviation: 0.5)
        #expect(abs((result?.intrinsics.focal.x ?? 0) / 1300 - 1) < 0.02)
    }

    @Test func rejectsTooFewPoints() {
        #expect(Resection().solve(pixels: [.zero], points: [.zero], intrinsics: Self.intrinsics) == nil)
    }
}

@Suite struct TriangulationTests {
    let scene = SyntheticScene()

    func observations(_ point: Vector3d, _ photos: [Int]) -> [PixelObservation] {
        photos.map { PixelObservation(camera: scene.cameras[$0], pixel: scene.cameras[$0].project(point)) }
    }

    @Test func triangulatesThePoint() {
        let point = Vector3d(0.2, 0.4, 0.9)
        let seen = observations(point, [0, 1, 15])
        let found = Triangulation.midpoint(seen)
        #expect(found.map { length($0 - point) < 1e-9 } == true)
        #expect(length(Triangulation.refined(point + Vector3d(0.05, 0, -0.05), seen) - point) < 1e-6)
    }

    @Test func wrongObservationsAreRejected() {
        let point = Vector3d(0.2, 0.4, 0.9)
        var seen = observations(point, [0, 1, 2, 15, 14])
        seen[1] = PixelObservation(camera: seen[1].camera, pixel: seen[1].pixel + Vector2d(60, -40))
        let found = Triangulation.robust(seen, maximumError: 4, largestCosine: 0.999)
        #expect(found?.inliers == [0, 2, 3, 4])
        #expect(found.map { length($0.point - point) < 1e-6 } == true)
    }

    @Test func parallelRaysHaveNoMidpoint() {
        let same = observations(Vector3d(0, 0, 1), [0, 0])
        #expect(Triangulation.midpoint(same) == nil)
        #expect(Triangulation.robust(same, maximumError: 4, largestCosine: 0.999) == nil)
        // Two cameras, but an angle below the required one.
        #expect(Triangulation.robust(observations(Vector3d(0, 0, 1), [0, 1]), maximumError: 4, largestCosine: cos(1.5)) == nil)
    }
}
