import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct RelocalizationTests {
    private static let room = PaintedBox(seed: 3)

    private func mapped(_ room: PaintedBox = Self.room) throws -> (map: LandmarkMap, walk: RoomWalk, results: [TrackingResult]) {
        let walk = try RoomWalk(room, .around, duration: 14)
        let tracker = VisualInertialTracker(rig: walk.rig)
        let results = walk.follow(tracker)
        return (tracker.landmarkMap, walk, results)
    }

    @Test func aSavedWorldIsFoundOnAnotherWalk() throws {
        let (map, first, seen) = try mapped()
        #expect(map.keyframeCount >= 8)
        let second = try RoomWalk(Self.room, .around, turned: 2, duration: 12, seed: 9)
        let tracker = VisualInertialTracker(rig: second.rig)
        tracker.relocalize(in: try LandmarkMap(encoded: map.encoded()))
        let results = second.follow(tracker)
        let found = try #require(results.firstIndex { $0.relocalizationCorrection != nil })
        #expect(results[..<found].allSatisfy { $0.state == .limited(.relocalizing) })
        #expect(results[found].state == .normal)
        #expect(results[found].time < 8)
        // Something in the middle of the room, as the first walk saw it, and where the second one sees it.
        let placed = try #require(seen.last { $0.time < 9 && $0.state == .normal })
        let inRoom = Vector3d(0, 0.8, 0)
        let anchor = try #require(first.worldFromRoom(placed)) * inRoom
        var misses: [Double] = []
        for result in results[found...].prefix(30) where result.state == .normal {
            let pose = try #require(result.worldFromCamera)
            misses.append(length(pose.inverse * anchor - second.worldFromCamera(result.time).inverse * inRoom))
        }
        Figures.tell("found after \(results[found].time) s, misses \(misses.first ?? 0) … \(misses.last ?? 0) m")
        // Most of it is how far the first walk had drifted where it kept the views.
        #expect(try #require(misses.first) < 0.2)
    }

    @Test func anotherRoomIsNotFound() throws {
        let (map, _, _) = try mapped()
        let second = try RoomWalk(PaintedBox(seed: 4), .around, turned: 2, duration: 10)
        let tracker = VisualInertialTracker(rig: second.rig)
        tracker.relocalize(in: map)
        let results = second.follow(tracker)
        #expect(results.allSatisfy { $0.relocalizationCorrection == nil && $0.state == .limited(.relocalizing) })
        #expect(tracker.relocalizer.counts.attempts > 3)
        #expect(tracker.relocalizer.counts.merges == 0)
        Figures.tell("another room: \(tracker.relocalizer.counts)")
    }

    @Test func aCoveredLensIsUndoneWhereThePlaceIsSeenAgain() throws {
        let walk = try RoomWalk(Self.room, .around, duration: 30)
        let tracker = VisualInertialTracker(rig: walk.rig)
        let results = walk.follow(tracker) { !(12...18).contains($0) }
        #expect(tracker.diagnostics.losses >= 1)
        let found = try #require(results.first { $0.relocalizationCorrection != nil })
        #expect(found.state == .normal)
        #expect(found.time < 26)
        #expect(results.filter { (16.5...18).contains($0.time) }.allSatisfy { $0.state == .limited(.relocalizing) })
        let index = try #require(results.firstIndex { $0.relocalizationCorrection != nil })
        let truth = try #require(results.last { $0.time < 12 && $0.state == .normal }.flatMap(walk.worldFromRoom))
        func miss(_ result: TrackingResult) throws -> Double {
            let told = try #require(walk.worldFromRoom(result))
            return length(told * Vector3d(0, 1, 0) - truth * Vector3d(0, 1, 0))
        }
        let (drifted, undone) = (try miss(results[index - 1]), try miss(found))
        Figures.tell("lost at 12 s, found after \(found.time) s: \(drifted) m off before, \(undone) m after")
        // How far the filter drifts in these small pictures within half a minute is part of it.
        #expect(undone < 0.35)
        #expect(undone < drifted / 3)
        // What is kept is one world again.
        #expect(Set(tracker.relocalizer.keyframes.map(\.submap)) == [0])
    }

    @Test func whereNothingIsFoundTheWorldGoesOn() throws {
        var walk = try RoomWalk(Self.room, .around, duration: 26)
        let elsewhere = try RoomWalk(PaintedBox(seed: 8), .around, duration: 26)
        for index in walk.pictures.indices where walk.pictures[index].time > 9 {
            walk.pictures[index].image = elsewhere.pictures[index].image
        }
        let tracker = VisualInertialTracker(rig: walk.rig)
        let results = walk.follow(tracker) { !(8...13.5).contains($0) }
        #expect(results.allSatisfy { $0.relocalizationCorrection == nil })
        let again = try #require(results.firstIndex { $0.time > 14 && $0.state == .normal })
        #expect(results[again...].allSatisfy { $0.state == .normal })
        #expect(tracker.relocalizer.counts.attempts > 3)
    }

    @Test func theSamePicturesGiveTheSameMap() throws {
        let walk = try RoomWalk(Self.room, .eight, duration: 7)
        let (a, b) = (VisualInertialTracker(rig: walk.rig), VisualInertialTracker(rig: walk.rig))
        #expect(walk.follow(a) == walk.follow(b))
        #expect(a.landmarkMap == b.landmarkMap)
        #expect(a.landmarkMap.encoded() == b.landmarkMap.encoded())
        #expect(a.landmarkMap.keyframeCount > 2)
    }

    // MARK: Maps

    @Test func mapsComeBackAndDamageIsRefused() throws {
        let walk = try RoomWalk(Self.room, .around, duration: 6)
        let tracker = VisualInertialTracker(rig: walk.rig)
        _ = walk.follow(tracker)
        let map = tracker.landmarkMap
        let bytes = map.encoded()
        #expect(try LandmarkMap(encoded: bytes) == map)
        #expect(try LandmarkMap(encoded: LandmarkMap().encoded()).isEmpty)
        #expect(bytes.count < 64_000 * max(1, map.keyframeCount))
        for end in [0, 3, 15, 16, 100, bytes.count / 2, bytes.count - 1] {
            #expect(throws: LandmarkMapError.self) { try LandmarkMap(encoded: Array(bytes[..<end])) }
        }
        var random = SplitMix64(seed: 1)
        for _ in 0..<40 {
            var broken = bytes
            broken[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            #expect(throws: LandmarkMapError.self) { try LandmarkMap(encoded: broken) }
        }
        // Also where somebody has put the checksum right.
        for _ in 0..<300 {
            var broken = Array(bytes.dropLast(4))
            let place = random.below(random.below(2) == 0 ? 300 : broken.count)
            broken[place] = UInt8(truncatingIfNeeded: random.next())
            if random.below(3) == 0 { broken.removeLast(random.below(broken.count - 20)) }
            let sum = LandmarkMapBytes.checksum(broken[...])
            broken += (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) }
            if let map = try? LandmarkMap(encoded: broken) {
                #expect(
                    map.keyframes.allSatisfy {
                        $0.landmarks.allSatisfy { $0.position.isFinite && $0.deviation >= 0 } && $0.worldFromCamera.translation.isFinite
                    })
            }
        }
    }

    // MARK: The search

    private static func looking(_ heading: Double, _ tilt: Double) -> Matrix3d {
        Matrix3d.rotation(Vector3d(0, heading, 0)) * Matrix3d.rotation(Vector3d(tilt, 0, 0))
            * Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
    }

    @Test func twoPointsAndGravityGiveThePlace() {
        var random = GaussianGenerator(seed: 2)
        for _ in 0..<200 {
            let heading = 6 * random.uniform()
            let (turn, center) = (Matrix3d.rotation(Vector3d(0, heading, 0)), random.vector())
            let points = [random.vector() * 2 + Vector3d(0, 0, 5), random.vector() * 2 - Vector3d(3, 0, 5)]
            let rays = points.map { normalize(turn.transpose * ($0 - center)) }
            guard abs(rays[0].y) + abs(rays[1].y) > 0.05 else { continue }
            let answers = TwoPointPose.solve(rays: rays[0], rays[1], points: points[0], points[1])
            #expect(answers.contains { length($0.center - center) < 1e-6 && length($0.rotation.x - turn.x) < 1e-6 })
        }
    }

    @Test func aPlaceIsFoundAmongWrongMatches() throws {
        var random = GaussianGenerator(seed: 3)
        let (turn, center) = (Matrix3d.rotation(Vector3d(0.01, 1.1, -0.008)), Vector3d(1, 1.5, -2))
        let camera = Self.looking(0.3, -0.2)
        var matches: [GravityAlignedResection.Match] = []
        for feature in 0..<100 {
            let direction = camera * normalize(Vector3d(random.next() * 0.4, random.next() * 0.3, 1))
            let point = center + turn * direction * (2 + 2 * random.uniform())
            let isWrong = feature % 10 < 7
            matches.append(
                GravityAlignedResection.Match(
                    feature: feature, direction: normalize(direction + random.vector() * 0.001),
                    point: isWrong ? random.vector() * 3 : point))
        }
        let result = try #require(GravityAlignedResection(tolerance: 0.008, tilt: 0.013, seed: 1).solve(matches))
        #expect(result.inliers.count >= 28 && result.inliers.count < 34)
        #expect(length(result.center - center) < 0.01)
        #expect(length((result.rotation.transpose * turn).rotationVector) < 0.003)
        let deviation = max(result.covariance[21], result.covariance[28], result.covariance[35]).squareRoot()
        #expect(deviation < 0.05)
        // Nothing but noise is no place: at most as many agree as chance allows.
        let wrong = matches.map { GravityAlignedResection.Match(feature: $0.feature, direction: $0.direction, point: random.vector() * 3) }
        #expect((GravityAlignedResection(tolerance: 0.008, tilt: 0.013, seed: 1).solve(wrong)?.inliers.count ?? 0) < 10)
    }
}

private enum Figures {
    static func tell(_ text: String) {
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil { print(text) }
    }
}
