import Testing
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct PlaneDetectorTests {
    typealias Run = (finder: PlaneDetector, changes: [PlaneChanges])

    static func run(_ room: SyntheticRoom, pictures: Int, points: [Vector3d] = [], noise: Double = 0.01, depth: Double? = nil) -> Run {
        var finder = PlaneDetector()
        var changes: [PlaneChanges] = []
        for (i, pose) in SyntheticRoom.walk(pictures).enumerated() {
            let tracked = room.tracked(points, pose, noise: noise, picture: i)
            let image = depth.flatMap { i % 3 == 0 ? room.depth(pose, noise: $0, seed: UInt64(i)) : nil }
            changes.append(
                finder.update(time: Double(i) / 30, worldFromCamera: pose, camera: SyntheticRoom.camera, points: tracked, depth: image))
        }
        return (finder, changes)
    }

    /// The found plane that lies on a face.
    static func match(_ face: SyntheticRoom.Face, _ planes: [DetectedPlane]) -> DetectedPlane? {
        planes.filter { $0.angle(to: face.normal) < 3 && abs($0.distance(to: face.center)) < 0.05 }.max { $0.area < $1.area }
    }

    @Test func depthShowsARoomsPlanes() throws {
        let room = SyntheticRoom.furnished
        let (finder, _) = Self.run(room, pictures: 120, depth: 0.002)
        let names: [ARPlaneAnchor.Classification] = [.floor, .wall, .wall, .table, .seat]
        for (face, name) in zip(room.faces, names) {
            let found = Self.match(face, finder.planes)
            let plane = try #require(found, "\(name)")
            #expect(plane.angle(to: face.normal) < 0.5)
            #expect(abs(plane.distance(to: plane.worldCenter - face.normal * dot(face.normal, plane.worldCenter - face.center))) < 0.01)
            #expect(plane.classification == name)
        }
        #expect(finder.planes.count == 5)
        // The table whole: 1.4 by 0.8 metres.
        let match = Self.match(room.faces[3], finder.planes)
        let table = try #require(match)
        #expect(abs(max(table.rectangle.width, table.rectangle.height) - 1.4) < 0.1)
        #expect(abs(min(table.rectangle.width, table.rectangle.height) - 0.8) < 0.1)
        #expect(length(table.worldCenter - room.faces[3].center) < 0.06)
        #expect(table.outline.count <= 64 && Outline.signedArea(table.outline) > 0)
    }

    @Test func fewPointsShowThemToo() throws {
        let room = SyntheticRoom.furnished
        let points = room.points(count: 900, strays: 100)
        let (finder, _) = Self.run(room, pictures: 120, points: points, noise: 0.012)
        for i in [0, 1, 2, 3] {
            let found = Self.match(room.faces[i], finder.planes)
            let plane = try #require(found, "face \(i)")
            #expect(plane.angle(to: room.faces[i].normal) < 1.5)
        }
        for plane in finder.planes {
            let isReal = room.faces.contains { plane.angle(to: $0.normal) < 3 && abs(plane.distance(to: $0.center)) < 0.04 }
            #expect(isReal, "\(plane.alignment) at \(plane.worldCenter)")
        }
    }

    @Test func strayPointsAloneAreNoPlane() {
        var random = TestNumbers(seed: 9)
        let room = SyntheticRoom(faces: [])
        let points = (0..<600).map { _ in Vector3d(random.uniform(-1.5...1.5), random.uniform(-0.5...1.5), random.uniform(-2.5...0)) }
        let finder = Self.run(room, pictures: 40, points: points).finder
        #expect(finder.planes.count == 0)
    }

    @Test func sameInputSameBits() {
        let room = SyntheticRoom.furnished
        let points = room.points(count: 400, strays: 50)
        let runs = (0..<2).map { _ in Self.run(room, pictures: 20, points: points, depth: 0.002) }
        let isSame = runs[0].changes == runs[1].changes && runs[0].finder.planes == runs[1].finder.planes
        #expect(isSame)
        #expect(!runs[0].finder.planes.isEmpty)
    }

    /// Two pieces of one floor are seen on their own, then what lies between them.
    @Test func piecesThatMeetBecomeOne() {
        let room = SyntheticRoom(faces: [SyntheticRoom.level(.zero, 4, 4)])
        var finder = PlaneDetector()
        var known = Set<Int>()
        var merges: [PlaneChanges.Removal] = []
        var most = 0
        for i in 0..<40 {
            let x = i < 10 ? -1.5 : i < 20 ? 1.5 : 1.5 - Double(i - 20) * 0.17
            let pose = SyntheticRoom.looking(from: Vector3d(x, 1.4, 0.01), to: Vector3d(x, 0, 0))
            let changes = finder.update(
                time: Double(i) * 0.1, worldFromCamera: pose, camera: SyntheticRoom.camera,
                depth: room.depth(pose, noise: 0.002, seed: UInt64(i)))
            for plane in changes.added { #expect(known.insert(plane.id).inserted) }
            for plane in changes.updated { #expect(known.contains(plane.id)) }
            most = max(most, finder.planes.count)
            for removal in changes.removed {
                #expect(known.remove(removal.id) != nil)
                merges.append(removal)
            }
            #expect(known == Set(finder.planes.map(\.id)))
        }
        #expect(most == 2)
        #expect(finder.planes.count == 1)
        #expect(merges.count == 1 && merges.first?.mergedInto == finder.planes.first?.id)
        #expect((finder.planes.first?.rectangle).map { max($0.width, $0.height) > 3.5 } == true)
    }

    @Test func framesStayWhereTheyWereMade() throws {
        let room = SyntheticRoom.furnished
        let (_, changes) = Self.run(room, pictures: 90, points: room.points(count: 900), depth: 0.002)
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

    /// A hundred points on a floor, as a tracker has them after `picture` pictures: all lie `height(picture)` above where they are.
    private static func floor(pictures: Int, _ height: (Int) -> Double) -> (told: DetectedPlane?, moves: [Int], last: DetectedPlane?) {
        var finder = PlaneDetector()
        var result: (told: DetectedPlane?, moves: [Int], last: DetectedPlane?) = (nil, [], nil)
        for picture in 0..<pictures {
            let points = (0..<100).map { i in
                let place = Vector3d(Double(i % 10) * 0.15 - 0.7, 0.002 * Double(i % 7) + height(picture), -1 - Double(i / 10) * 0.15)
                return TrackedPoint(id: i, position: place, pixel: .zero)
            }
            let changes = finder.update(
                time: Double(picture) / 10, worldFromCamera: RigidTransform(rotation: .identity, translation: Vector3d(0, 1.4, 0)),
                camera: SyntheticRoom.camera, points: points)
            if let plane = changes.updated.first, plane.worldFromPlane != result.last?.worldFromPlane { result.moves.append(picture) }
            result.last = changes.added.first ?? changes.updated.first ?? result.last
            result.told = result.told ?? changes.added.first
        }
        return result
    }

    @Test func aPlaneIsToldOfWhenItHasSettled() throws {
        // The first second's points sink by 4 cm, as where the scale isn't sure yet.
        let run = Self.floor(pictures: 40) { 0.04 * max(0, 1 - Double($0) / 10) }
        let told = try #require(run.told)
        #expect(abs(told.worldCenter.y - 0.006) < 0.012)
        #expect(run.moves.isEmpty)
    }

    @Test func smallErrorsLeaveAFrameAndLargeOnesMoveItOnce() throws {
        let small = Self.floor(pictures: 80) { $0 < 30 ? 0 : 0.014 }
        #expect(small.told != nil && small.moves.isEmpty)
        #expect(small.last?.worldFromPlane == small.told?.worldFromPlane)
        let large = Self.floor(pictures: 120) { $0 < 30 ? 0 : 0.034 }
        #expect(large.moves.count == 1)
        // Not by what a moment says.
        #expect(try #require(large.moves.first) > 40)
        #expect(abs(try #require(large.last).worldCenter.y - 0.04) < 0.008)
    }

    @Test func theNewestPlaceOfAPointCounts() throws {
        var memory = FeaturePointStore()
        for (x, deviation) in [(1.0, 0.02), (1.06, 0.01)] {
            memory.add([TrackedPoint(id: 4, position: Vector3d(x, 0, 0), pixel: .zero, deviation: deviation)], camera: .zero, capacity: 9)
        }
        #expect(memory.entries[0].position.x == 1.06 && memory.entries[0].deviation == 0.01)
        #expect(memory.entries[0].isReliable(PlaneDetector.Settings()))
        // Where the tracker doesn't say how sure it is, having been seen often counts.
        memory.add([TrackedPoint(id: 4, position: Vector3d(2, 0, 0), pixel: .zero)], camera: .zero, capacity: 9)
        #expect(memory.entries[0].position.x == 2 && memory.entries[0].deviation == 0)
    }

    @Test func aTableThatIsTakenAwayGoes() throws {
        let room = SyntheticRoom.furnished
        var empty = room
        empty.faces.remove(at: 3)
        var finder = PlaneDetector()
        let pose = SyntheticRoom.looking(from: Vector3d(-0.8, 1.6, 0.3), to: Vector3d(-0.8, 0.6, -1.6))
        var removed: [PlaneChanges.Removal] = []
        for i in 0..<50 {
            let image = (i < 15 ? room : empty).depth(pose, noise: 0.003, seed: UInt64(i))
            let changes = finder.update(time: Double(i) * 0.1, worldFromCamera: pose, camera: SyntheticRoom.camera, depth: image)
            if i == 14 { #expect(finder.planes.contains { abs($0.distance(to: room.faces[3].center)) < 0.02 && $0.normal.y > 0.9 }) }
            removed += changes.removed
        }
        #expect(removed.contains { $0.mergedInto == nil })
        #expect(!finder.planes.contains { abs($0.distance(to: room.faces[3].center)) < 0.02 && $0.normal.y > 0.9 })
    }

    @Test func aCeilingIsOneFromBelow() throws {
        let room = SyntheticRoom(faces: [
            SyntheticRoom.level(.zero, 3, 3),
            SyntheticRoom.Face(center: Vector3d(0, 2.4, 0), u: Vector3d(3, 0, 0), v: Vector3d(0, 0, 3)),
        ])
        var finder = PlaneDetector()
        for i in 0..<24 {
            let pose = SyntheticRoom.looking(from: Vector3d(0, 1.4, 0.5), to: Vector3d(0, i < 12 ? 0 : 2.4, -1))
            let depth = room.depth(pose, noise: 0.002, seed: UInt64(i))
            _ = finder.update(time: Double(i) / 10, worldFromCamera: pose, camera: SyntheticRoom.camera, depth: depth)
        }
        let names = finder.planes.map(\.classification)
        #expect(names == [.floor, .ceiling])
        #expect(finder.planes.allSatisfy { $0.distance(to: Vector3d(0, 1.4, 0.5)) > 0 })
    }

    @Test func onlyWhatIsAskedForIsFound() {
        let room = SyntheticRoom.furnished
        for alignment in ARPlaneAnchor.Alignment.allCases {
            var finder = PlaneDetector()
            finder.settings.alignments = [alignment]
            for (i, pose) in SyntheticRoom.walk(12).enumerated() {
                _ = finder.update(
                    time: Double(i) / 10, worldFromCamera: pose, camera: SyntheticRoom.camera,
                    depth: room.depth(pose, noise: 0.002, seed: UInt64(i)))
            }
            #expect(!finder.planes.isEmpty)
            #expect(finder.planes.allSatisfy { $0.alignment == alignment })
        }
    }

    @Test func brokenInputChangesNothing() {
        var finder = PlaneDetector()
        let nan = RigidTransform(rotation: .identity, translation: Vector3d(.nan, 0, 0))
        var plane = Plane<Float>(width: 64, height: 48, repeating: .nan)
        plane[3, 3] = .infinity
        plane[4, 3] = -1
        for i in 0..<10 {
            let time = [0.0, 1, 0.5, .nan, .infinity, -3, 2, 3, 4, 5][i]
            let point = TrackedPoint(id: i, position: Vector3d(0, .nan, .infinity), pixel: .zero)
            #expect(
                finder.update(
                    time: time, worldFromCamera: i % 2 == 0 ? nan : .identity, camera: SyntheticRoom.camera, points: [point],
                    depth: DepthImage(metres: plane)
                ).isEmpty)
        }
        #expect(
            finder.update(
                time: 9, worldFromCamera: .identity, camera: SyntheticRoom.camera,
                depth: DepthImage(metres: Plane(width: 1, height: 1, values: [2]))
            ).isEmpty)
    }
}
