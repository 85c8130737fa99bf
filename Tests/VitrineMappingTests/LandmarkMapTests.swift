import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping

@Suite struct LandmarkMapTests {
    /// A map of random keyframes.
    private static func map(keyframes count: Int, seed: UInt64) -> LandmarkMap {
        var random = SplitMix64(seed: seed)
        func number() -> Double { Double(random.next() >> 11) * 0x1p-53 * 2 - 1 }
        func vector() -> Vector3d { Vector3d(number(), number(), number()) }
        let landmarks = (0..<60).map { _ in
            Landmark(
                position: SIMD3<Float>(vector() * 4), diagonal: SIMD3<Float>(vector() * vector() + 2), offDiagonal: SIMD3<Float>(vector()))
        }
        let keyframes = (0..<count).map { _ in
            let corners = 20 + random.below(20)
            let owners = (0..<corners + 5).map { Int32(min($0, corners - 1)) }
            return Keyframe(
                worldFromCamera: RigidTransform(rotation: Matrix3d.rotation(vector() * 3), translation: vector() * 2), submap: 0,
                corners: (0..<corners).map { _ in SIMD2(Float(number()), Float(number())) }, noise: Array(repeating: 0.002, count: corners),
                landmarks: (0..<corners).map { _ in Int32(random.below(landmarks.count + 1) - 1) },
                descriptors: CornerDescriptors(
                    owners: owners, set: DescriptorSet((0..<128 * owners.count).map { _ in UInt8(random.below(256)) })),
                depth: 1 + abs(number()))
        }
        return LandmarkMap(keyframes: keyframes, landmarks: landmarks)
    }

    @Test func decodesWhatItEncoded() throws {
        let map = Self.map(keyframes: 6, seed: 1)
        let bytes = map.encoded()
        #expect(try LandmarkMap(encoded: bytes) == map)
        #expect(try LandmarkMap(encoded: bytes).encoded() == bytes)
        #expect(map.keyframeCount == 6 && map.landmarkCount == 60)
        #expect(try LandmarkMap(encoded: LandmarkMap().encoded()).isEmpty)
    }

    @Test func rejectsMapsOfAnOlderVersion() {
        var bytes = Self.map(keyframes: 1, seed: 5).encoded()
        bytes[4] = 2
        let error = #expect(throws: LandmarkMapError.self) { try LandmarkMap(encoded: bytes) }
        #expect(error?.byte == 4)
        #expect(error?.reason.contains("record the map again") == true)
    }

    @Test func transformsOneSubmap() {
        var map = Self.map(keyframes: 2, seed: 6).filtered { _ in true }
        let before = map
        let turn = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.4, 0)), translation: Vector3d(1, 2, 3))
        map.transform(submap: 1, by: turn)
        #expect(map == before)
        map.transform(submap: 0, by: turn)
        for (moved, old) in zip(map.keyframes, before.keyframes) {
            #expect(length(moved.worldFromCamera.translation - (turn * old.worldFromCamera).translation) < 1e-9)
        }
        for (moved, old) in zip(map.landmarks, before.landmarks) {
            #expect(length(Vector3d(moved.position) - turn * Vector3d(old.position)) < 1e-5)
            #expect(
                length(moved.uncertainty) / length(old.uncertainty) > 0.99 && length(moved.uncertainty) / length(old.uncertainty) < 1.01)
        }
    }

    /// A correction moves keyframes by their identifiers, and landmarks with the first keyframe that observes them.
    @Test func movesKeyframesWithTheirLandmarks() {
        let start = Self.map(keyframes: 3, seed: 8)
        var keyframes = start.keyframes
        for number in keyframes.indices { keyframes[number].id = [5, 6, -1][number] }
        var map = LandmarkMap(keyframes: keyframes, landmarks: start.landmarks)
        let before = map
        let turn = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.1, 0)), translation: Vector3d(0.2, 0, -0.1))
        map.move(keyframes: [6: turn, 7: turn], submap: 0)
        #expect(map.keyframes[0] == before.keyframes[0] && map.keyframes[2] == before.keyframes[2])
        #expect(map.keyframes[1].worldFromCamera == turn * before.keyframes[1].worldFromCamera)
        let first = Set(before.keyframes[0].landmarks)
        var (moved, kept) = (0, 0)
        for landmark in Set(before.keyframes[1].landmarks) where landmark >= 0 {
            let (new, old) = (map.landmarks[Int(landmark)].position, before.landmarks[Int(landmark)].position)
            if first.contains(landmark) {
                #expect(new == old)
                kept += 1
            } else {
                #expect(length(Vector3d(new) - turn * Vector3d(old)) < 1e-5)
                moved += 1
            }
        }
        #expect(moved > 3 && kept > 3)
    }

    @Test func filteredKeepsTheLandmarksOfItsKeyframes() {
        let map = Self.map(keyframes: 4, seed: 7)
        var count = 0
        let half = map.filtered { _ in
            count += 1
            return count <= 2
        }
        #expect(half.keyframeCount == 2)
        for (kept, old) in zip(half.keyframes, map.keyframes) {
            for (a, b) in zip(kept.landmarks, old.landmarks) {
                #expect((a < 0) == (b < 0))
                if a >= 0 { #expect(half.landmarks[Int(a)] == map.landmarks[Int(b)]) }
            }
        }
        #expect(Set(half.keyframes.flatMap(\.landmarks)).subtracting([-1]).count == half.landmarkCount)
    }

    @Test func rejectsTruncatedData() {
        let bytes = Self.map(keyframes: 3, seed: 2).encoded()
        for end in [0, 3, 15, 16, 100, bytes.count / 2, bytes.count - 1] {
            #expect(throws: LandmarkMapError.self) { try LandmarkMap(encoded: Array(bytes[..<end])) }
        }
    }

    @Test func rejectsDamagedData() {
        let bytes = Self.map(keyframes: 3, seed: 3).encoded()
        var random = SplitMix64(seed: 1)
        for _ in 0..<40 {
            var damaged = bytes
            damaged[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            #expect(throws: LandmarkMapError.self) { try LandmarkMap(encoded: damaged) }
        }
    }

    /// Data with a correct checksum but wrong contents gives an error or a valid map.
    @Test func validatesContentsBehindTheChecksum() {
        let bytes = Self.map(keyframes: 3, seed: 4).encoded()
        var random = SplitMix64(seed: 2)
        for _ in 0..<300 {
            var damaged = Array(bytes.dropLast(4))
            let offset = random.below(random.below(2) == 0 ? 300 : damaged.count)
            damaged[offset] = UInt8(truncatingIfNeeded: random.next())
            if random.below(3) == 0 { damaged.removeLast(random.below(damaged.count - 20)) }
            let checksum = LandmarkMapBytes.checksum(damaged[...])
            damaged += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
            guard let map = try? LandmarkMap(encoded: damaged) else { continue }
            for keyframe in map.keyframes {
                #expect(keyframe.worldFromCamera.translation.isFinite)
                #expect(keyframe.landmarks.allSatisfy { $0 >= -1 && $0 < map.landmarks.count })
                #expect(keyframe.depth > 0)
            }
            #expect(map.landmarks.allSatisfy { $0.position.isFinite && $0.uncertainty.isFinite })
        }
    }
}
