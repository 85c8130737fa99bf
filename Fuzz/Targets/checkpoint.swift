// modules: VitrineVision VitrineDense VitrineGPU VitrineDenseGPU VitrineSurface VitrineTexture VitrineVideo VitrineReconstruct
import VitrineDense
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// Outputs of stages as checkpoints store them, without their digest: the first byte selects the type. The fuzzer writes each value that it read,
/// and reads it again.
let checkpointTarget = FuzzTarget(
    seeds: {
        let camera = PosedCamera(
            intrinsics: CameraIntrinsics(width: 3, height: 2, focal: [4, 4], center: [1.5, 1]),
            cameraFromWorld: RigidTransform(rotation: .rotation(Vector3d(0.1, -0.7, 2)), translation: [0.01, -1, 3]))
        var map = DepthMap(photo: 1, camera: camera)
        (map.depths[1], map.depths[4], map.confidences[1], map.confidences[4]) = (1.5, 2, 200, 90)
        let points = OrientedPoints(
            positions: [[0, 1, 2], [3, 4, 5]], normals: [[0, 0, -1], [0, 1, 0]], colors: [SIMD4(1, 2, 3, 255), SIMD4(4, 5, 6, 255)],
            spacings: [0.1, 0.2], confidences: [1, 0.5], viewOffsets: [0, 1, 3], viewIndices: [0, 0, 1])
        let mesh = TriangleMesh(positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]])
        let values: [any ByteCodable] = [camera, map, points, SurfaceMeshes(mesh: mesh, fullMesh: mesh, warnings: [])]
        return values.enumerated().map { [UInt8($0.offset)] + $0.element.encoded }
    },
    run: { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch first % 5 {
        case 0: readAgain(PosedCamera.self, bytes)
        case 1: readAgain(DepthMap.self, bytes)
        case 2: readAgain(OrientedPoints.self, bytes)
        case 3: readAgain(SurfaceMeshes.self, bytes)
        default: readAgain(PhotoFeatures.self, bytes)
        }
    })

private func readAgain<Value: ByteCodable>(_: Value.Type, _ bytes: [UInt8]) {
    guard let value = try? Value(decoding: bytes) else { return }
    let written = value.encoded
    precondition((try? Value(decoding: written))?.encoded == written)
}
