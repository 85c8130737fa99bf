import Foundation
import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineAR

struct WorldMapTests {
    private let map = ARWorldMap(
        anchors: [
            ARAnchor(name: "a", transform: Matrix4(translation: Vector3(1, 2, 3))),
            ARPlaneAnchor(
                transform: .identity, alignment: .vertical, center: Vector3(0.1, 0, 0.2),
                planeExtent: ARPlaneExtent(width: 1, height: 2, rotationOnYAxis: 0.3),
                geometry: ARPlaneGeometry(boundaryVertices: [Vector3(0, 0, 0), Vector3(0, 0, 1), Vector3(1, 0, 0)]), classification: .wall),
        ],
        rawFeaturePoints: ARPointCloud(points: [Vector3(-1, 0, 0.1), Vector3(3, 2, 1)], identifiers: [7, 9]))

    @Test func mapsAreRestoredExactly() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("room.json")
            try map.write(to: file)
            #expect(try ARWorldMap(contentsOf: file) == map)
            #expect(try ARWorldMap(contentsOf: file).json() == map.json())
        }
        #expect(map.center == Vector3(1, 1, 0.55))
        #expect(map.extent == Vector3(4, 2, 0.9))
        #expect(ARWorldMap().extent == .zero)
    }

    @Test func invalidMapsAreRejectedWithTheirPosition() throws {
        let good = String(decoding: try map.json(), as: UTF8.self)
        let cases: [(String, String, String)] = [
            (good, "", "is not JSON"),
            ("\"version\":2", "\"version\":3", "version 3"),
            ("vitrine-world-map", "something", "is not a world map"),
            ("\"identifiers\":[7,9]", "\"identifiers\":[7]", "three numbers"),
            ("\"identifiers\":[7,9]", "\"identifiers\":[7,-9]", "out of range"),
            ("\"points\":[-1", "\"points\":[1e99", "out of range"),
            ("\"vertical\"", "\"slanted\"", "anchors[1]: plane: unknown alignment \"slanted\""),
            ("[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1]", "[1,2]", "anchors[0]: transform: not 16 numbers"),
            ("[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1]", "[1,0,0,0,0,0,0,0,0,0,1,0,1,2,3,1]", "anchors[0]: the transform has no volume"),
            ("\"extent\":[1,2,", "\"extent\":[-1,2,", "size below 0"),
            (map.anchors[1].identifier.uuidString, map.anchors[0].identifier.uuidString, "anchors[1]: has the identifier"),
        ]
        for (old, new, reason) in cases {
            let text = good.replacingOccurrences(of: old, with: new)
            #expect(text != good, "\(old) isn't in \(good)")
            let error = #expect(throws: ARError.self) { try ARWorldMap(json: [UInt8](text.utf8), name: "room.json") }
            #expect(error?.code == .invalidWorldMap)
            #expect(error?.message.hasPrefix("room.json: ") == true)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "") does not contain: \(reason)")
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: ARError.self) { try ARWorldMap(json: deep) }
        let bytes = try map.json()
        for end in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: ARError.self) { try ARWorldMap(json: Array(bytes[..<end])) }
        }
    }

    @Test func sessionsExportTheirMap() async throws {
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2]), pace: .stepped)
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    .at(
                        time, .zero, index == 0 ? .limited(.initializing) : .normal,
                        points: [TrackedPoint(id: index, position: Vector3d(Double(index), 0, 0), pixel: .zero)])
                }))
        _ = try await session.step()
        let error = await #expect(throws: ARError.self) { try await session.getCurrentWorldMap() }
        #expect(error?.code == .insufficientFeatures)
        let anchor = ARAnchor(transform: .identity)
        try session.add(anchor: anchor)
        _ = try await session.step()
        _ = try await session.step()
        let map = try await session.getCurrentWorldMap()
        #expect(map.anchors == [anchor])
        #expect(map.rawFeaturePoints.identifiers == [1, 2])
    }

    @Test func trackersWithoutRelocalizationAreRejected() async throws {
        let session = ARSession(source: ScriptedSource(times: [0]), pace: .stepped)
        session.run(ARWorldTrackingConfiguration(tracking: .walking, initialWorldMap: map))
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error?.code == .unsupported)
        // A map of points and anchors alone has no keyframes to relocalize with.
        session.run(ARWorldTrackingConfiguration(tracking: .mapping { _, time in .at(time) }, initialWorldMap: map))
        let other = await #expect(throws: ARError.self) { try await session.step() }
        #expect(other?.code == .invalidWorldMap)
    }

    /// A map with one keyframe.
    private func map(with anchor: ARAnchor) throws -> ARWorldMap {
        var map = ARWorldMap(anchors: [anchor])
        map.landmarkMap = .oneView
        return map
    }

    @Test func savedAnchorsAppearAfterRelocalization() async throws {
        let (saved, own) = (ARAnchor(name: "saved", transform: .identity), ARAnchor(name: "own", transform: .identity))
        let log = ScriptedTracker.Log()
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2, 3]), pace: .stepped)
        let move = RigidTransform(rotation: .identity, translation: Vector3d(0, 0, 5))
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .mapping(log) { index, time in
                    var result = TrackingResult.at(
                        time, index < 2 ? .zero : Vector3d(0, 0, 5), index < 2 ? .limited(.relocalizing) : .normal)
                    if index == 2 { result.relocalizationCorrection = move }
                    return result
                }, initialWorldMap: try map(with: saved)))
        let first = try #require(try await session.step())
        #expect(first.camera.trackingState == .limited(.relocalizing))
        #expect(first.anchors.isEmpty)
        #expect(first.worldMappingStatus == .limited)
        try session.add(anchor: own)
        #expect(try await session.step()?.anchors.map(\.name) == ["own"])
        let found = try #require(try await session.step())
        #expect(found.camera.trackingState == .normal)
        #expect(found.anchors.map(\.name) == ["own", "saved"])
        // Anchors added before relocalization stay in place in the world.
        #expect(found.anchors[0].transform.translation == Vector3(0, 0, 5))
        #expect(found.anchors[1].transform == .identity)
        #expect(try await session.step()?.anchors.count == 2)
        #expect(log.count("relocalize 1") == 1)
        // Running with the same map again changes nothing; a tracking reset relocalizes again.
        session.run(session.configuration!, options: .resetTracking)
        while try await session.step() != nil {}
        #expect(log.count("relocalize 1") == 2)
    }

    /// A correction after relocalization moves the anchors of this session, not those of the saved map.
    @Test func savedAnchorsStayDuringLaterCorrections() async throws {
        let (saved, own) = (ARAnchor(name: "saved", transform: .identity), ARAnchor(name: "own", transform: .identity))
        let session = ARSession(source: ScriptedSource(times: [0, 1, 2, 3]), pace: .stepped)
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .mapping { index, time in
                    var result = TrackingResult.at(time, .zero, index < 2 ? .limited(.relocalizing) : .normal)
                    if index >= 2 {
                        result.relocalizationCorrection = RigidTransform(
                            rotation: .identity, translation: Vector3d(0, 0, index == 2 ? 5 : 0.5))
                    }
                    return result
                }, initialWorldMap: try map(with: saved)))
        _ = try await session.step()
        try session.add(anchor: own)
        _ = try await session.step()
        #expect(try await session.step()?.anchors.map(\.transform.translation) == [Vector3(0, 0, 5), .zero])
        #expect(try await session.step()?.anchors.map(\.transform.translation) == [Vector3(0, 0, 5.5), .zero])
    }

    /// A small correction while tracking is not lost moves camera and recent anchors gradually; anchors from before the loss stay.
    @MainActor @Test func smallCorrectionsAreSmooth() async throws {
        let recorder = DelegateRecorder()
        let session = ARSession(source: ScriptedSource(times: (0..<40).map { Double($0) / 20 }), pace: .stepped)
        session.delegate = recorder
        let correction = RigidTransform(rotation: .rotation(Vector3d(0, 0.02, 0)), translation: Vector3d(0.04, 0, 0.01))
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .mapping { index, time in
                    var result = TrackingResult.at(time, .zero, index == 2 ? .limited(.relocalizing) : .normal)
                    if index == 3 { result.relocalizationCorrection = .identity }
                    // The tracker's pose jumps.
                    if index >= 10 { result.worldFromCamera = correction * result.worldFromCamera! }
                    if index == 10 { result.relocalizationCorrection = correction }
                    return result
                }))
        _ = try await session.step()
        try session.add(anchor: ARAnchor(name: "old", transform: Matrix4(translation: Vector3(1, 0, -1))))
        for _ in 1..<5 { _ = try await session.step() }
        let seen = Matrix4(translation: Vector3(0, 0, -2))
        try session.add(anchor: ARAnchor(name: "recent", transform: seen))
        var frames: [ARFrame] = []
        while let frame = try await session.step() { frames.append(frame) }
        func anchor(_ frame: ARFrame, _ name: String) throws -> Matrix4 { try #require(frame.anchors.first { $0.name == name }).transform }
        for (a, b) in zip(frames, frames.dropFirst()) {
            #expect(distance(a.camera.transform.translation, b.camera.transform.translation) < 0.01)
            // An anchor that was added meanwhile stays where the camera shows it.
            let inCamera = b.camera.transform.affineInverse * (try anchor(b, "recent"))
            #expect(inCamera.translation.isClose(Vector3(0, 0, -2), tolerance: 1e-4))
        }
        let last = try #require(frames.last)
        #expect(last.camera.transform.translation.isClose(Vector3(correction.translation), tolerance: 1e-6))
        #expect(try anchor(last, "recent").translation.isClose(Vector3(correction * Vector3d(0, 0, -2)), tolerance: 1e-4))
        #expect(try anchor(last, "old").translation == Vector3(1, 0, -1))
        #expect(recorder.calls.count { $0 == "update recent" } >= 8)
        #expect(!recorder.calls.contains("update old"))
    }

    @Test func mapsOfMovedOriginsFitAnchors() async throws {
        let source = ScriptedSource(times: [0, 1])
        let session = ARSession(source: source, pace: .stepped)
        let tracking = TrackingMethod.mapping { _, time in .at(time, .zero, points: [TrackedPoint(id: 1, position: .zero, pixel: .zero)]) }
        session.run(ARWorldTrackingConfiguration(tracking: tracking))
        _ = try await session.step()
        let tilt = Matrix4(Matrix3(Quaternion(angle: .radians(0.5), axis: Vector3(1, 0, 0))))
        try session.setWorldOrigin(relativeTransform: tilt)
        _ = try await session.step()
        let map = try await session.getCurrentWorldMap()
        #expect(map.supportsRelocalization)
        let again = try ARWorldMap(json: map.json())
        #expect(again == map)
        #expect(Matrix4(again.sessionFromLandmarkMap) == Matrix4(map.sessionFromLandmarkMap))
        #expect(abs(Matrix4(again.sessionFromLandmarkMap).y.z - tilt.inverse.y.z) < 1e-6)
    }

    @Test func damagedKeyframesAreRejected() throws {
        let bytes = try map(with: ARAnchor(transform: .identity)).json()
        let text = String(decoding: bytes, as: UTF8.self)
        let key = try #require(text.range(of: "\"places\":\""))
        for (old, new, reason) in [
            (String(text[key] + text[key.upperBound...].prefix(8)), "\"places\":\"AAAAAAAA", "places: byte 0: not a landmark map"),
            (String(text[key]), "\"places\":\"?", "places"),
            ("\"sessionFromPlaces\":[1,", "\"sessionFromPlaces\":[2,", "sessionFromPlaces: not a rigid transform"),
            ("\"sessionFromPlaces\":[1,", "\"sessionFromPlaces\":[", "sessionFromPlaces: not 12"),
        ] {
            let broken = text.replacingOccurrences(of: old, with: new)
            #expect(broken != text)
            let error = #expect(throws: ARError.self) { try ARWorldMap(json: [UInt8](broken.utf8)) }
            #expect(error?.code == .invalidWorldMap)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
    }
}
