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

    @Test func mapsComeBackAsTheyWere() throws {
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

    @Test func brokenMapsAreRefusedWithTheirPlace() throws {
        let good = String(decoding: try map.json(), as: UTF8.self)
        let cases: [(String, String, String)] = [
            (good, "", "isn't JSON"),
            ("\"version\":1", "\"version\":2", "version 2"),
            ("vitrine-world-map", "something", "isn't a world map"),
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
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "") should tell: \(reason)")
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: ARError.self) { try ARWorldMap(json: deep) }
        let bytes = try map.json()
        for end in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: ARError.self) { try ARWorldMap(json: Array(bytes[..<end])) }
        }
    }

    @Test func sessionsTellWhatTheyKnow() async throws {
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

    @Test func aSavedWorldIsNotFoundAgainAndSaysSo() async throws {
        let session = ARSession(source: ScriptedSource(times: [0]), pace: .stepped)
        session.run(ARWorldTrackingConfiguration(tracking: .walking, initialWorldMap: map))
        let error = await #expect(throws: ARError.self) { try await session.step() }
        #expect(error?.code == .unsupported)
    }
}
