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
        func descriptors(_ landmarks: Int) -> LandmarkDescriptors {
            let owners = (0..<landmarks + 5).map { Int32($0 % landmarks) }
            return LandmarkDescriptors(owners: owners, set: DescriptorSet((0..<128 * owners.count).map { _ in UInt8(random.below(256)) }))
        }
        let keyframes = (0..<count).map { _ in
            let landmarks = (0..<20 + random.below(20)).map { _ in
                Landmark(position: SIMD3<Float>(vector() * 4), deviation: Float(abs(number())))
            }
            return Keyframe(
                worldFromCamera: RigidTransform(rotation: Matrix3d.rotation(vector() * 3), translation: vector() * 2), landmarks: landmarks,
                small: descriptors(landmarks.count), large: descriptors(landmarks.count))
        }
        return LandmarkMap(keyframes: keyframes)
    }

    @Test func decodesWhatItEncoded() throws {
        let map = Self.map(keyframes: 6, seed: 1)
        let bytes = map.encoded()
        #expect(try LandmarkMap(encoded: bytes) == map)
        #expect(try LandmarkMap(encoded: bytes).encoded() == bytes)
        #expect(map.keyframeCount == 6 && map.landmarkCount >= 120)
        #expect(try LandmarkMap(encoded: LandmarkMap().encoded()).isEmpty)
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
                #expect(keyframe.landmarks.allSatisfy { $0.position.isFinite && $0.deviation >= 0 })
            }
        }
    }
}
