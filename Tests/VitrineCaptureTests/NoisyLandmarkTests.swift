import Foundation
import Testing
import VitrineAR
import VitrineMath
import VitrineSensorSimulation
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineCapture

/// Boxes by the landmarks of a tracker, without depth images: few of them, most in the room behind the object, and uncertain along the view.
@MainActor @Suite struct NoisyLandmarkTests {
    /// Sways before the object, then walks around it.
    nonisolated private static func path(around target: Vector3d, sway: Double, elevation: Double) -> OrbitPath {
        func key(_ time: Double, _ azimuth: Double, _ lift: Double, _ radius: Double) -> OrbitPath.Key {
            OrbitPath.Key(time: time, azimuth: azimuth * .pi / 180, elevation: (elevation + lift) * .pi / 180, radius: radius)
        }
        return OrbitPath(
            target: target,
            keys: [
                key(0, 0, 0, 0.6), key(1.5, sway, 4, 0.58), key(3, -sway / 2, -2, 0.52), key(4, 0, 0, 0.5), key(20, 385, 0, 0.5),
            ])
    }

    struct Case: Sendable {
        let halfExtents: Vector3d
        let sway, elevation: Double
        let seed: UInt64
    }

    @Test(arguments: [
        Case(halfExtents: Vector3d(0.06, 0.09, 0.04), sway: 14, elevation: 28, seed: 1),
        Case(halfExtents: Vector3d(0.06, 0.09, 0.04), sway: 25, elevation: 40, seed: 2),
        Case(halfExtents: Vector3d(0.1, 0.05, 0.08), sway: 14, elevation: 28, seed: 3),
        Case(halfExtents: Vector3d(0.1, 0.05, 0.08), sway: 25, elevation: 40, seed: 4),
    ]) func theBoxIsThatOfTheObject(_ given: Case) async throws {
        try await withTemporaryDirectory { folder in
            let (source, target) = try Self.source(given)
            let tracker = CustomTracker(name: "noisy") { _ in NoisyLandmarkTracker(source, seed: given.seed) }
            let session = ObjectCaptureSession(source: source, pace: .stepped, tracking: .custom(tracker))
            try session.start(imagesDirectory: folder)
            while session.state != .ready, await session.step() {}
            try session.startDetecting()
            while session.currentFrame!.timestamp < 4, await session.step() {}
            // The front and the top are visible so far.
            let first = try #require(session.boundingBox).oriented
            #expect(length(first.center - target) < 0.07 && abs(first.size.y - source.object.size.y) < 0.03, "\(first)")
            try session.startCapturing()
            while await session.step() {}
            let box = try #require(session.boundingBox).oriented
            #expect(length(box.center - target) < 0.01, "\(box.center - target)")
            #expect(abs(box.size.y - source.object.size.y) < 0.012, "\(box.size)")
            Self.expectSides(of: box, around: source.object, target)
            #expect(session.dial.fraction(at: .middle) > 0.9)
        }
    }

    /// A function of its own: in one async function with the rest of the test, Swift 6.3.1 reserves too small a frame, and the test overwrites the heap.
    private static func source(_ given: Case) throws -> (source: TableTopSource, target: Vector3d) {
        var settings = TableTopSource.Settings()
        (settings.hasDepth, settings.frameRate, settings.halfExtents) = (false, 8, given.halfExtents)
        let target = Vector3d(0.02, 0.74 + given.halfExtents.y, -0.01)
        let path = Self.path(around: target, sway: given.sway, elevation: given.elevation)
        return (try TableTopSource(path, settings: settings, seed: given.seed), target)
    }

    /// Compares width and depth of a box with those of the exact box with its axes.
    private static func expectSides(of box: OrientedBox, around object: OrientedBox, _ target: Vector3d) {
        let corners = object.corners.map { box.boxFromWorld.rotation * ($0 - target) }
        for axis in [0, 2] {
            let wanted = 2 * corners.map { abs($0[axis]) }.max()!
            #expect(abs(box.size[axis] - wanted) < 0.02, "axis \(axis): \(box.size[axis]), not \(wanted)")
        }
    }
}

extension NoisyLandmarkTests {
    @Test func theBoxFollowsACorrectionOfTheWorld() async throws {
        try await withTemporaryDirectory { folder in
            var settings = TableTopSource.Settings()
            (settings.hasDepth, settings.frameRate) = (false, 8)
            let target = Vector3d(0.02, 0.83, -0.01)
            var path = Self.path(around: target, sway: 14, elevation: 28)
            path.keys[path.keys.count - 1] = OrbitPath.Key(time: 12, azimuth: 3.3, elevation: 0.49, radius: 0.5)
            let source = try TableTopSource(path, settings: settings, seed: 1)
            // As after a scale that was wrong.
            let shift = Vector3d(0.25, 0.03, -0.1)
            let tracker = CustomTracker(name: "corrected") { _ in
                NoisyLandmarkTracker(source, seed: 1, correction: (time: 6, shift: shift))
            }
            let session = ObjectCaptureSession(source: source, pace: .stepped, tracking: .custom(tracker))
            try session.start(imagesDirectory: folder)
            while session.state != .ready, await session.step() {}
            try session.startDetecting()
            while session.currentFrame!.timestamp < 4, await session.step() {}
            try session.startCapturing()
            while session.currentFrame!.timestamp < 5.9, await session.step() {}
            #expect(length(try #require(session.boundingBox).oriented.center - target) < 0.07)
            while await session.step() {}
            let box = try #require(session.boundingBox).oriented
            #expect(length(box.center - target - shift) < 0.04, "\(box.center - target)")
        }
    }
}

/// Boxes whose plane was detected wrongly, because gravity is unknown.
@Suite struct LeaningBoxTests {
    /// Landmarks of the four sides and the top of an object on a table around the origin, and of the table where `isTable` is true.
    private static func landmarks(isTable: (Vector3d) -> Bool) -> [ObjectDetector.Landmark] {
        var random = GaussianGenerator(seed: 3)
        func landmark(_ position: Vector3d) -> ObjectDetector.Landmark {
            let noise = Vector3d(random.next(), random.next(), random.next()) * 0.002
            return ObjectDetector.Landmark(
                position: position + noise, color: SIMD4(repeating: 255), observations: 5, relativeDeviation: 0.008)
        }
        var result: [ObjectDetector.Landmark] = []
        for _ in 0..<400 {
            let (angle, height) = (random.uniform() * 2 * .pi, 0.16 * random.uniform())
            result.append(landmark(Vector3d(0.05 * VitrineMath.cos(angle), height, 0.05 * VitrineMath.sin(angle))))
            let flat = Vector3d(0.8 * (random.uniform() - 0.5), 0, 0.8 * (random.uniform() - 0.5))
            if length(flat) > 0.06, isTable(flat) { result.append(landmark(flat)) }
        }
        return result
    }

    private static let leaning = OrientedBox(
        center: Vector3d(0.01, 0.08, 0), axes: .rotation(Vector3d(0.4, 0, 0.25)), halfExtents: Vector3d(0.05, 0.08, 0.05))

    @Test func aLeaningBoxTurnsUpright() throws {
        var detector = ObjectDetector()
        detector.isGravityKnown = false
        let landmarks = Self.landmarks { _ in true }
        let motion = try #require(detector.uprightFromLeaning(Self.leaning, by: landmarks))
        let box = Self.leaning.moved(by: motion)
        #expect(box.axes.y.y > VitrineMath.cos(0.03))
        #expect(abs(box.center.y - 0.08) < 0.006)
        let refined = detector.refined(box, from: box, by: landmarks)
        #expect(length(refined.center - Vector3d(0, 0.08, 0)) < 0.012 && abs(refined.size.y - 0.16) < 0.02, "\(refined)")
        // Upright already.
        #expect(detector.uprightFromLeaning(box, by: landmarks) == nil)
    }

    @Test func anUndeterminedPlaneTurnsNoBox() {
        var detector = ObjectDetector()
        let everywhere = Self.landmarks { _ in true }
        #expect(detector.uprightFromLeaning(Self.leaning, by: everywhere) == nil, "gravity is known")
        detector.isGravityKnown = false
        #expect(detector.uprightFromLeaning(Self.leaning, by: Self.landmarks { _ in false }) == nil, "no landmark of the table")
        #expect(detector.uprightFromLeaning(Self.leaning, by: Self.landmarks { abs($0.z - 0.1) < 0.02 }) == nil, "a strip of the table")
    }
}

/// Tracks points of the object, its table and the room with the true poses. The depth of each point is wrong by a normal deviation that shrinks with
/// the point's parallax, and is reported with it.
private final class NoisyLandmarkTracker: Tracker {
    private struct Point {
        let position, normal: Vector3d
    }
    private struct Track {
        let point, id: Int
        let error: Double
        let first: Vector3d
        var parallax = 0.0
    }

    private let source: TableTopSource
    private var points: [Point] = []
    private var tracks: [Track] = []
    private var nextID = 0
    /// The time from which on the tracker's world is shifted, and the shift.
    private let correction: (time: Double, shift: Vector3d)?
    private var random: GaussianGenerator
    /// The points tracked at a time.
    private static let capacity = 150

    init(_ source: TableTopSource, seed: UInt64, correction: (time: Double, shift: Vector3d)? = nil) {
        (self.source, self.correction) = (source, correction)
        random = GaussianGenerator(seed: seed)
        let object = source.object
        for (axis, sign) in [(0, 1.0), (0, -1), (2, 1), (2, -1), (1, 1)] {
            var normal = Vector3d.zero
            normal[axis] = sign
            for _ in 0..<70 {
                var position = Vector3d(random.uniform(), random.uniform(), random.uniform()) * 2 - 1
                position[axis] = sign
                points.append(
                    Point(
                        position: object.boxFromWorld.inverse * (position * object.halfExtents),
                        normal: object.boxFromWorld.rotation.transpose * normal))
            }
        }
        for _ in 0..<120 {
            let position = Vector2d(random.uniform() - 0.5, random.uniform() - 0.5)
            points.append(Point(position: Vector3d(position.x * 1.2, source.tableHeight, position.y), normal: Vector3d(0, 1, 0)))
        }
        // The floor and the furniture: most are below the table.
        for _ in 0..<1200 {
            let angle = random.uniform() * 2 * .pi
            let radius = 1 + 1.5 * random.uniform()
            let position = Vector3d(VitrineMath.cos(angle) * radius, random.uniform() * 0.7, VitrineMath.sin(angle) * radius)
            points.append(Point(position: position, normal: normalize(Vector3d(-position.x, 0.3, -position.z))))
        }
    }

    func add(_ sample: InertialSample) {}
    func reset() {}

    func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult {
        let pose = source.worldFromCamera(at: time)
        let eye = pose.translation
        let cameraFromWorld = pose.inverse
        func pixel(_ point: Point) -> Vector2d? {
            let inCamera = cameraFromWorld * point.position
            guard inCamera.z > 0.1, dot(point.normal, normalize(eye - point.position)) > 0.2 else { return nil }
            let pixel = source.rig.camera.project(inCamera)
            let (width, height) = (Double(source.rig.camera.width), Double(source.rig.camera.height))
            return pixel.x > 0 && pixel.y > 0 && pixel.x < width && pixel.y < height ? pixel : nil
        }
        tracks.removeAll { pixel(points[$0.point]) == nil }
        let known = Set(tracks.map(\.point))
        var candidates = points.indices.filter { !known.contains($0) && pixel(points[$0]) != nil }
        while tracks.count < Self.capacity, !candidates.isEmpty {
            let point = candidates.remove(at: random.below(candidates.count))
            tracks.append(Track(point: point, id: nextID, error: random.next(), first: normalize(eye - points[point].position)))
            nextID += 1
        }
        let shift = correction.map { time >= $0.time ? $0.shift : .zero } ?? .zero
        var tracked: [TrackedPoint] = []
        for index in tracks.indices {
            let position = points[tracks[index].point].position
            let ray = position - eye
            let angle = VitrineMath.acos(clamp(dot(normalize(eye - position), tracks[index].first), -1, 1))
            tracks[index].parallax = max(tracks[index].parallax, angle)
            guard tracks[index].parallax > 0.02 else { continue }
            // A feature is located to two milliradians.
            let deviation = clamp(0.002 / tracks[index].parallax, 0.006, 0.04)
            tracked.append(
                TrackedPoint(
                    id: tracks[index].id, position: position + ray * (tracks[index].error * deviation) + shift,
                    pixel: pixel(points[tracks[index].point])!,
                    deviation: deviation * length(ray)))
        }
        var moved = pose
        moved.translation += shift
        return TrackingResult(time: time, state: .normal, worldFromCamera: moved, points: tracked, rig: source.rig)
    }
}
