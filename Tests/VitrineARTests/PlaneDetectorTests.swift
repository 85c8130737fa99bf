import Testing
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct PlaneDetectorTests {
    typealias Run = (detector: PlaneDetector, changes: [PlaneChanges])

    static func run(_ room: SyntheticRoom, frames: Int, points: [Vector3d] = [], noise: Double = 0.01, depth: Double? = nil) -> Run {
        var detector = PlaneDetector()
        var changes: [PlaneChanges] = []
        for (i, pose) in SyntheticRoom.walk(frames).enumerated() {
            let tracked = room.tracked(points, pose, noise: noise, frame: i)
            let image = depth.flatMap { i % 3 == 0 ? room.depth(pose, noise: $0, seed: UInt64(i)) : nil }
            changes.append(
                detector.update(time: Double(i) / 30, worldFromCamera: pose, camera: SyntheticRoom.camera, points: tracked, depth: image))
        }
        return (detector, changes)
    }

    /// The detected plane on a face.
    static func match(_ face: SyntheticRoom.Face, _ planes: [DetectedPlane]) -> DetectedPlane? {
        planes.filter { $0.angle(to: face.normal) < 3 && abs($0.distance(to: face.center)) < 0.05 }.max { $0.area < $1.area }
    }

    @Test func depthGivesThePlanesOfARoom() throws {
        let room = SyntheticRoom.furnished
        let (detector, _) = Self.run(room, frames: 120, depth: 0.002)
        let names: [ARPlaneAnchor.Classification] = [.floor, .wall, .wall, .table, .seat]
        for (face, name) in zip(room.faces, names) {
            let found = Self.match(face, detector.planes)
            let plane = try #require(found, "\(name)")
            #expect(plane.angle(to: face.normal) < 0.5)
            #expect(abs(plane.distance(to: plane.worldCenter - face.normal * dot(face.normal, plane.worldCenter - face.center))) < 0.01)
            #expect(plane.classification == name)
        }
        #expect(detector.planes.count == 5)
        // The whole table: 1.4 × 0.8 m.
        let match = Self.match(room.faces[3], detector.planes)
        let table = try #require(match)
        #expect(abs(max(table.rectangle.width, table.rectangle.height) - 1.4) < 0.1)
        #expect(abs(min(table.rectangle.width, table.rectangle.height) - 0.8) < 0.1)
        #expect(length(table.worldCenter - room.faces[3].center) < 0.06)
        #expect(table.outline.count <= 64 && Outline.signedArea(table.outline) > 0)
    }

    @Test func fewPointsGiveThePlanesToo() throws {
        let room = SyntheticRoom.furnished
        let points = room.points(count: 900, strays: 100)
        let (detector, _) = Self.run(room, frames: 120, points: points, noise: 0.012)
        for i in [0, 1, 2, 3] {
            let found = Self.match(room.faces[i], detector.planes)
            let plane = try #require(found, "face \(i)")
            #expect(plane.angle(to: room.faces[i].normal) < 1.5)
        }
        for plane in detector.planes {
            let isReal = room.faces.contains { plane.angle(to: $0.normal) < 3 && abs(plane.distance(to: $0.center)) < 0.04 }
            #expect(isReal, "\(plane.alignment) at \(plane.worldCenter)")
        }
    }

    @Test func scatteredPointsGiveNoPlane() {
        var random = TestNumbers(seed: 9)
        let room = SyntheticRoom(faces: [])
        let points = (0..<600).map { _ in Vector3d(random.uniform(-1.5...1.5), random.uniform(-0.5...1.5), random.uniform(-2.5...0)) }
        let detector = Self.run(room, frames: 40, points: points).detector
        #expect(detector.planes.count == 0)
    }

    @Test func resultsAreDeterministic() {
        let room = SyntheticRoom.furnished
        let points = room.points(count: 400, strays: 50)
        let runs = (0..<2).map { _ in Self.run(room, frames: 20, points: points, depth: 0.002) }
        let isSame = runs[0].changes == runs[1].changes && runs[0].detector.planes == runs[1].detector.planes
        #expect(isSame)
        #expect(!runs[0].detector.planes.isEmpty)
    }

    /// Two parts of a floor are visible separately, then the part between them.
    @Test func adjoiningPlanesMerge() {
        let room = SyntheticRoom(faces: [SyntheticRoom.level(.zero, 4, 4)])
        var detector = PlaneDetector()
        var known = Set<Int>()
        var merges: [PlaneChanges.Removal] = []
        var most = 0
        for i in 0..<40 {
            let x = i < 10 ? -1.5 : i < 20 ? 1.5 : 1.5 - Double(i - 20) * 0.17
            let pose = SyntheticRoom.looking(from: Vector3d(x, 1.4, 0.01), to: Vector3d(x, 0, 0))
            let changes = detector.update(
                time: Double(i) * 0.1, worldFromCamera: pose, camera: SyntheticRoom.camera,
                depth: room.depth(pose, noise: 0.002, seed: UInt64(i)))
            for plane in changes.added { #expect(known.insert(plane.id).inserted) }
            for plane in changes.updated { #expect(known.contains(plane.id)) }
            most = max(most, detector.planes.count)
            for removal in changes.removed {
                #expect(known.remove(removal.id) != nil)
                merges.append(removal)
            }
            #expect(known == Set(detector.planes.map(\.id)))
        }
        #expect(most == 2)
        #expect(detector.planes.count == 1)
        #expect(merges.count == 1 && merges.first?.mergedInto == detector.planes.first?.id)
        #expect((detector.planes.first?.rectangle).map { max($0.width, $0.height) > 3.5 } == true)
    }

    @Test func framesOfPlanesStayFixed() throws {
        let room = SyntheticRoom.furnished
        let (_, changes) = Self.run(room, frames: 90, points: room.points(count: 900), depth: 0.002)
        var frames: [Int: RigidTransform] = [:]
        var (moves, updates) = (0, 0)
        for change in changes {
            for plane in change.added + change.updated {
                updates += 1
                if let before = frames[plane.id], before != plane.worldFromPlane { moves += 1 }
                frames[plane.id] = plane.worldFromPlane
            }
        }
        #expect(updates > 50)
        #expect(moves == 0)
    }

    /// Detects a floor from a hundred tracked points with the height error `height(frame)`.
    private static func floor(frames: Int, _ height: (Int) -> Double) -> (reported: DetectedPlane?, moves: [Int], last: DetectedPlane?) {
        var detector = PlaneDetector()
        var result: (reported: DetectedPlane?, moves: [Int], last: DetectedPlane?) = (nil, [], nil)
        for frame in 0..<frames {
            let points = (0..<100).map { i in
                let position = Vector3d(Double(i % 10) * 0.15 - 0.7, 0.002 * Double(i % 7) + height(frame), -1 - Double(i / 10) * 0.15)
                return TrackedPoint(id: i, position: position, pixel: .zero)
            }
            let changes = detector.update(
                time: Double(frame) / 10, worldFromCamera: RigidTransform(rotation: .identity, translation: Vector3d(0, 1.4, 0)),
                camera: SyntheticRoom.camera, points: points)
            if let plane = changes.updated.first, plane.worldFromPlane != result.last?.worldFromPlane { result.moves.append(frame) }
            result.last = changes.added.first ?? changes.updated.first ?? result.last
            result.reported = result.reported ?? changes.added.first
        }
        return result
    }

    @Test func planesAreReportedOnceTheyAreStable() throws {
        // The points sink by 4 cm in the first second, as with a scale that has not converged.
        let run = Self.floor(frames: 40) { 0.04 * max(0, 1 - Double($0) / 10) }
        let reported = try #require(run.reported)
        #expect(abs(reported.worldCenter.y - 0.006) < 0.012)
        #expect(run.moves.isEmpty)
    }

    @Test func smallErrorsKeepAFrameAndLargeOnesCorrectItOnce() throws {
        let small = Self.floor(frames: 80) { $0 < 30 ? 0 : 0.014 }
        #expect(small.reported != nil && small.moves.isEmpty)
        #expect(small.last?.worldFromPlane == small.reported?.worldFromPlane)
        let large = Self.floor(frames: 120) { $0 < 30 ? 0 : 0.034 }
        #expect(large.moves.count == 1)
        // The correction needs consistent measurements over time.
        #expect(try #require(large.moves.first) > 40)
        #expect(abs(try #require(large.last).worldCenter.y - 0.04) < 0.008)
    }

    @Test func theNewestPositionOfAPointCounts() throws {
        var memory = FeaturePointStore()
        for (x, deviation) in [(1.0, 0.02), (1.06, 0.01)] {
            memory.add([TrackedPoint(id: 4, position: Vector3d(x, 0, 0), pixel: .zero, deviation: deviation)], camera: .zero, capacity: 9)
        }
        #expect(memory.entries[0].position.x == 1.06 && memory.entries[0].deviation == 0.01)
        #expect(memory.entries[0].isReliable(PlaneDetector.Settings()))
        // Without a covariance, points with many observations have more weight.
        memory.add([TrackedPoint(id: 4, position: Vector3d(2, 0, 0), pixel: .zero)], camera: .zero, capacity: 9)
        #expect(memory.entries[0].position.x == 2 && memory.entries[0].deviation == 0)
    }

    @Test func aPlaneWithoutSupportIsRemoved() throws {
        let room = SyntheticRoom.furnished
        var empty = room
        empty.faces.remove(at: 3)
        var detector = PlaneDetector()
        let pose = SyntheticRoom.looking(from: Vector3d(-0.8, 1.6, 0.3), to: Vector3d(-0.8, 0.6, -1.6))
        var removed: [PlaneChanges.Removal] = []
        for i in 0..<50 {
            let image = (i < 15 ? room : empty).depth(pose, noise: 0.003, seed: UInt64(i))
            let changes = detector.update(time: Double(i) * 0.1, worldFromCamera: pose, camera: SyntheticRoom.camera, depth: image)
            if i == 14 { #expect(detector.planes.contains { abs($0.distance(to: room.faces[3].center)) < 0.02 && $0.normal.y > 0.9 }) }
            removed += changes.removed
        }
        #expect(removed.contains { $0.mergedInto == nil })
        #expect(!detector.planes.contains { abs($0.distance(to: room.faces[3].center)) < 0.02 && $0.normal.y > 0.9 })
    }

    @Test func ceilingsFaceDown() throws {
        let room = SyntheticRoom(faces: [
            SyntheticRoom.level(.zero, 3, 3),
            SyntheticRoom.Face(center: Vector3d(0, 2.4, 0), u: Vector3d(3, 0, 0), v: Vector3d(0, 0, 3)),
        ])
        var detector = PlaneDetector()
        for i in 0..<24 {
            let pose = SyntheticRoom.looking(from: Vector3d(0, 1.4, 0.5), to: Vector3d(0, i < 12 ? 0 : 2.4, -1))
            let depth = room.depth(pose, noise: 0.002, seed: UInt64(i))
            _ = detector.update(time: Double(i) / 10, worldFromCamera: pose, camera: SyntheticRoom.camera, depth: depth)
        }
        let names = detector.planes.map(\.classification)
        #expect(names == [.floor, .ceiling])
        #expect(detector.planes.allSatisfy { $0.distance(to: Vector3d(0, 1.4, 0.5)) > 0 })
    }

    @Test func onlyRequestedAlignmentsAreDetected() {
        let room = SyntheticRoom.furnished
        for alignment in ARPlaneAnchor.Alignment.allCases {
            var detector = PlaneDetector()
            detector.settings.alignments = [alignment]
            for (i, pose) in SyntheticRoom.walk(12).enumerated() {
                _ = detector.update(
                    time: Double(i) / 10, worldFromCamera: pose, camera: SyntheticRoom.camera,
                    depth: room.depth(pose, noise: 0.002, seed: UInt64(i)))
            }
            #expect(!detector.planes.isEmpty)
            #expect(detector.planes.allSatisfy { $0.alignment == alignment })
        }
    }

    @Test func invalidInputIsIgnored() {
        var detector = PlaneDetector()
        let nan = RigidTransform(rotation: .identity, translation: Vector3d(.nan, 0, 0))
        var plane = Plane<Float>(width: 64, height: 48, repeating: .nan)
        plane[3, 3] = .infinity
        plane[4, 3] = -1
        for i in 0..<10 {
            let time = [0.0, 1, 0.5, .nan, .infinity, -3, 2, 3, 4, 5][i]
            let point = TrackedPoint(id: i, position: Vector3d(0, .nan, .infinity), pixel: .zero)
            #expect(
                detector.update(
                    time: time, worldFromCamera: i % 2 == 0 ? nan : .identity, camera: SyntheticRoom.camera, points: [point],
                    depth: DepthImage(metres: plane)
                ).isEmpty)
        }
        #expect(
            detector.update(
                time: 9, worldFromCamera: .identity, camera: SyntheticRoom.camera,
                depth: DepthImage(metres: Plane(width: 1, height: 1, values: [2]))
            ).isEmpty)
    }
}
