import Foundation
import Testing
import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

@Suite struct CheckpointTests {
    private static let points = OrientedPoints(
        positions: [Vector3(1, 2, 3), Vector3(4, 5, 6)], normals: [.up, .right], colors: [SIMD4(1, 2, 3, 255), SIMD4(4, 5, 6, 255)],
        spacings: [0.5, 0.25], confidences: [1, 0], viewOffsets: [0, 2, 3], viewIndices: [0, 1, 1])

    @Test func loadReturnsTheSavedValue() throws {
        try withTemporaryDirectory { folder in
            let store = try CheckpointStore(folder: folder)
            let key = Digest(of: [1, 2, 3])
            try store.save(Self.points, as: Artifact(name: "points", key: key))
            let found: OrientedPoints = try #require(store.load(Artifact(name: "points", key: key)))
            #expect(found.positions == Self.points.positions)
            #expect(found.normals == Self.points.normals)
            #expect(found.colors == Self.points.colors)
            #expect(found.viewOffsets == Self.points.viewOffsets)
            #expect(found.viewIndices == Self.points.viewIndices)
        }
    }

    @Test func loadRejectsAnotherKey() throws {
        try withTemporaryDirectory { folder in
            let store = try CheckpointStore(folder: folder)
            try store.save(Self.points, as: Artifact(name: "points", key: Digest(of: [1])))
            let found: OrientedPoints? = store.load(Artifact(name: "points", key: Digest(of: [2])))
            #expect(found == nil)
        }
    }

    /// Rejects a file with any changed byte, and a file cut off anywhere.
    @Test func loadRejectsDamagedFiles() throws {
        try withTemporaryDirectory { folder in
            let store = try CheckpointStore(folder: folder)
            let key = Digest(of: [7])
            try store.save(Self.points, as: Artifact(name: "points", key: key))
            let file = folder.appendingPathComponent("points.bin")
            let whole = try Data(contentsOf: file)
            for offset in 0..<whole.count {
                var damaged = whole
                damaged[offset] ^= 0x40
                try damaged.write(to: file)
                let found: OrientedPoints? = store.load(Artifact(name: "points", key: key))
                #expect(found == nil, "byte \(offset)")
            }
            for length in stride(from: 0, to: whole.count, by: 7) {
                try whole.prefix(length).write(to: file)
                let found: OrientedPoints? = store.load(Artifact(name: "points", key: key))
                #expect(found == nil, "\(length) bytes")
            }
        }
    }

    @Test func readerRejectsExcessiveLengths() {
        var writer = ByteWriter()
        writer.write(Int.max)
        var reader = ByteReader(writer.bytes)
        #expect(throws: DamagedCheckpoint.self) { try reader.array(of: UInt64.self) }
        var second = ByteReader(writer.bytes)
        #expect(throws: DamagedCheckpoint.self) { try second.vectors(of: Float.self) }
        var third = ByteReader(writer.bytes)
        #expect(throws: DamagedCheckpoint.self) { try third.text() }
    }

    @Test func sparseModelRoundTrip() throws {
        let capture = CameraIntrinsics(width: 10, height: 8, focal: Vector2d(9, 9), center: Vector2d(5, 4), radial: Vector3d(0.1, 0, 0))
        let camera = PosedCamera(intrinsics: capture, cameraFromWorld: RigidTransform(rotation: .identity, translation: Vector3d(1, 2, 3)))
        let model = SparseModel(
            cameras: [camera, nil], groups: [CameraGroup(intrinsics: capture, lens: .radial, focalDeviation: 0.5, photos: [0, 1])],
            points: [
                SparsePoint(position: Vector3d(1, 2, 3), color: SIMD3(9, 8, 7), observations: [SIMD2(0, 4), SIMD2(1, 5)], error: 0.25)
            ],
            fits: [PhotoFit(observationCount: 3, meanError: 0.5, medianError: 0.4), PhotoFit()],
            leftOut: [LeftOutPhoto(photo: 1, reason: .noPose)])
        var writer = ByteWriter()
        model.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        let found = try SparseModel.read(from: &reader)
        #expect(reader.left == 0)
        #expect(found.cameras == model.cameras)
        #expect(found.groups == model.groups)
        #expect(found.points == model.points)
        #expect(found.fits == model.fits)
        #expect(found.leftOut == model.leftOut)
    }

    /// A depth map with gaps, with depth everywhere, and without depth.
    @Test func depthMapRoundTrip() throws {
        for map in [Self.depthMap { $0 % 3 == 0 }, Self.depthMap { _ in false }, Self.depthMap { _ in true }] {
            #expect(try DepthMap(decoding: map.encoded) == map)
        }
    }

    @Test func damagedDepthMapsGiveErrors() {
        let bytes = Self.depthMap { $0 % 3 == 0 }.encoded
        for length in stride(from: 0, to: bytes.count, by: 37) {
            #expect(throws: DamagedCheckpoint.self) { try DepthMap(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: DamagedCheckpoint.self) { try DepthMap(decoding: bytes + [0]) }
        // The width, after the index of the photo.
        var huge = bytes
        (huge[8], huge[9], huge[10], huge[11]) = (255, 255, 0, 0)
        #expect(throws: DamagedCheckpoint.self) { try DepthMap(decoding: huge) }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0xA5
            _ = try? DepthMap(decoding: damaged)
        }
    }

    /// - Parameter isUnknown: Whether a pixel has no depth.
    private static func depthMap(isUnknown: (Int) -> Bool) -> DepthMap {
        let intrinsics = CameraIntrinsics(width: 20, height: 15, focal: Vector2d(25, 26), center: Vector2d(10, 7.5))
        let pose = RigidTransform(rotation: .rotation(Vector3d(0.1, -0.4, 0.2)), translation: Vector3d(1, 2, 3))
        var map = DepthMap(photo: 7, camera: PosedCamera(intrinsics: intrinsics, cameraFromWorld: pose))
        for index in map.depths.indices where !isUnknown(index) {
            (map.depths[index], map.confidences[index]) = (1 + 0.01 * Float(index), UInt8(index % 256))
            map.normals[index] = DepthMap.packNormal(Vector3(0, 0, -1))
        }
        return map
    }

    @Test func temporaryStoreIsRemoved() throws {
        let store = try CheckpointStore(folder: nil)
        #expect(FileManager.default.fileExists(atPath: store.folder.path))
        store.removeIfTemporary()
        #expect(!FileManager.default.fileExists(atPath: store.folder.path))
    }

    @Test func digestsOfDifferentInputsDiffer() {
        var seen: Set<Digest> = []
        for length in 0..<40 { seen.insert(Digest(of: Array(repeating: 0, count: length))) }
        for bit in 0..<256 {
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[bit / 8] = 1 << UInt8(bit % 8)
            seen.insert(Digest(of: bytes))
        }
        #expect(seen.count == 40 + 256)
    }
}
