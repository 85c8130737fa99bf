// modules: VitrineVision VitrineMapping VitrineTracking VitrineAR
import VitrineMath
import VitrineVision

@testable import VitrineAR
@testable import VitrineMapping

/// World maps: the landmark map in binary form if the text starts with a V, else JSON. The fuzzer writes each map that it read, and reads it again.
let mapTarget = FuzzTarget(
    seeds: {
        func descriptors(_ owners: [Int32]) -> LandmarkDescriptors {
            LandmarkDescriptors(owners: owners, set: DescriptorSet((0..<128 * owners.count).map { UInt8(truncatingIfNeeded: $0 * 31) }))
        }
        let keyframe = Keyframe(
            worldFromCamera: RigidTransform(rotation: .rotation(Vector3d(0.1, -0.7, 2)), translation: Vector3d(0.01, -1, 3)),
            landmarks: [Landmark(position: [1, 2, 3], deviation: 0.1), Landmark(position: [-1, 0, 4], deviation: 0.2)],
            small: descriptors([0, 1, 1]), large: descriptors([1]))
        let map = LandmarkMap(keyframes: [keyframe, keyframe])
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
        var bytes = Array("VPLC".utf8) + [2, 0, 0, 0] + input[8..<(input.count - 4)]
        let sum = LandmarkMapBytes.checksum(bytes[...])
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt32($0))) }
        guard let map = try? LandmarkMap(encoded: bytes) else { return }
        precondition(map.encoded() == bytes)
    })
