// modules: VitrineVision VitrineVideo VitrineMapping VitrineTracking VitrineAR
import VitrineMath
import VitrineVision

@testable import VitrineAR
@testable import VitrineMapping

/// World maps: the landmark map in binary form if the text starts with a V, else JSON. The fuzzer writes each map that it read, and reads it again.
let mapTarget = FuzzTarget(
    seeds: {
        let owners: [Int32] = [0, 1, 1]
        let keyframe = Keyframe(
            worldFromCamera: RigidTransform(rotation: .rotation(Vector3d(0.1, -0.7, 2)), translation: Vector3d(0.01, -1, 3)), submap: 0,
            corners: [[0.1, 0.2], [-0.3, 0.1]], noise: [0.002, 0.004], landmarks: [1, -1],
            descriptors: CornerDescriptors(
                owners: owners, set: DescriptorSet((0..<128 * owners.count).map { UInt8(truncatingIfNeeded: $0 * 31) })),
            depth: 2)
        let landmarks = [SIMD3<Float>(1, 2, 3), [-1, 0, 4]].map { Landmark(position: $0, diagonal: [3, 4, 5], offDiagonal: [0.1, 0, 1]) }
        let map = LandmarkMap(keyframes: [keyframe, keyframe], landmarks: landmarks)
        let world = ARWorldMap(
            anchors: [ARAnchor(name: "a", transform: .identity)], rawFeaturePoints: ARPointCloud(points: [[1, 2, 3]], identifiers: [7]))
        return [map.encoded(), try world.json(), try ARWorldMap(landmarkMap: map).json()]
    },
    run: { input in
        guard input.first == UInt8(ascii: "V"), input.count >= 16 else {
            guard let map = try? ARWorldMap(json: input), let text = try? map.json() else { return }
            precondition((try? ARWorldMap(json: text))?.anchors.count == map.anchors.count)
            return
        }
        // The magic, the version and the checksum of every input are right.
        var bytes = Array("VPLC".utf8) + [3, 0, 0, 0] + input[8..<(input.count - 4)]
        let sum = LandmarkMapBytes.checksum(bytes[...])
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt32($0))) }
        guard let map = try? LandmarkMap(encoded: bytes) else { return }
        precondition(map.encoded() == bytes)
    })
