import VitrineReconstruct
import VitrineVision

/// A small aligned model for the tests of files.
enum ExportScenes {
    /// Four photos of two lenses, the third without a camera, and points that the others observe.
    static func model() -> (model: SparseModel, names: [String], positions: [[Vector2d]]) {
        let lenses = [
            CameraIntrinsics(
                width: 800, height: 600, focal: Vector2d(700, 710), center: Vector2d(401.5, 298.25), radial: Vector3d(0.05, -0.02, 0.01),
                tangential: Vector2d(0.001, -0.002)),
            CameraIntrinsics(width: 640, height: 480, focal: Vector2d(500, 500), center: Vector2d(320, 240), radial: Vector3d(-0.1, 0, 0)),
        ]
        let rotations = [Vector3d(0.1, -0.2, 0.05), Vector3d(-0.3, 0.4, 3), Vector3d(0, 0, 0), Vector3d(0.2, 2.5, -0.1)]
        // Each looks at the world's origin from 4 units away.
        let cameras = rotations.enumerated().map { index, rotation -> PosedCamera? in
            if index == 2 { return nil }
            let pose = RigidTransform(rotation: .rotation(rotation), translation: Vector3d(0.1 * Double(index), -0.05, 4))
            return PosedCamera(intrinsics: lenses[index == 3 ? 1 : 0], cameraFromWorld: pose)
        }
        var positions: [[Vector2d]] = Array(repeating: [], count: 4)
        var points: [SparsePoint] = []
        for index in 0..<20 {
            let step = Double(index)
            let position = Vector3d(0.7 * .init(index % 5) / 5 - 0.3, 0.04 * step - 0.4, 0.03 * step - 0.2)
            var observations: [SIMD2<UInt32>] = []
            for photo in [0, 1, 3] where (index + photo) % 4 != 0 {
                guard let camera = cameras[photo] else { continue }
                observations.append(SIMD2(UInt32(photo), UInt32(positions[photo].count)))
                positions[photo].append(camera.project(position))
            }
            points.append(SparsePoint(position: position, color: SIMD3(UInt8(index), 100, 200), observations: observations, error: 0.25))
        }
        let model = SparseModel(
            cameras: cameras,
            groups: [
                CameraGroup(intrinsics: lenses[0], lens: .brownConrady, photos: [0, 1]),
                CameraGroup(intrinsics: lenses[1], lens: .simpleRadial, photos: [2, 3]),
            ],
            points: points,
            fits: [0, 1, 2, 3].map { PhotoFit(observationCount: positions[$0].count, meanError: 0.5, medianError: 0.25) },
            leftOut: [LeftOutPhoto(photo: 2, reason: .tooFewPoints)])
        return (model, ["a/1.jpg", "a/2.jpg", "a/three 3.jpg", "b/1.png"], positions)
    }

    /// Whether two cameras map points to the same pixels.
    static func agree(_ a: PosedCamera, _ b: PosedCamera, within tolerance: Double = 1e-6) -> Bool {
        guard a.intrinsics.width == b.intrinsics.width, a.intrinsics.height == b.intrinsics.height else { return false }
        return (0..<8).allSatisfy { corner in
            let point = Vector3d(corner & 1 == 0 ? -0.3 : 0.3, corner & 2 == 0 ? -0.3 : 0.3, corner & 4 == 0 ? -0.3 : 0.3)
            // In front of the camera.
            let inFront = a.cameraFromWorld.inverse * (point + Vector3d(0, 0, 3))
            let difference = a.project(inFront) - b.project(inFront)
            return abs(difference.x) < tolerance && abs(difference.y) < tolerance
        }
    }
}
