import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

/// A real recording, held in a hand: 39 s through a room from rest. Nobody knows the truth, but it isn't to get lost.
@Suite(.serialized) struct HandheldRoomTests {
    private struct Recording {
        var times: [Double] = []
        var pictures: [URL] = []
        var samples: [InertialSample] = []
        let rig: SensorRig

        init() throws {
            let folder = try SharedData.url("ar/handheld-room")
            pictures = SharedData.files(under: "ar/handheld-room/cam0/images", extensions: ["jpg"])
            let stamps = pictures.compactMap { Int64($0.deletingPathExtension().lastPathComponent) }
            let origin = try #require(stamps.first)
            times = stamps.map { Double($0 - origin) * 1e-9 }
            let text = try String(contentsOf: folder.appendingPathComponent("imu.txt"), encoding: .utf8)
            samples = text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 7, let stamp = Int64(words[0]) else { return nil }
                let v = words.dropFirst().compactMap { Double($0) }
                return InertialSample(
                    time: Double(stamp - origin) * 1e-9, angularVelocity: Vector3d(v[0], v[1], v[2]), acceleration: Vector3d(v[3], v[4], v[5]))
            }
            // `camera.txt` and `camchain.yaml`; pixel centres are at +0.5 here. The noise is what such sensors have, with room for the hand.
            let camera = TrackingCamera(
                width: 640, height: 360, focal: Vector2d(453.129883, 453.275482), center: Vector2d(321.948181, 177.071121))
            let rotation = Matrix3d(
                rows: Vector3d(0.99994214, 0.00945273, -0.0050503), Vector3d(-0.00932683, 0.99965867, 0.02439719),
                Vector3d(0.00527919, -0.02434868, 0.99968917))
            rig = SensorRig(
                camera: camera,
                cameraFromBody: RigidTransform(rotation: rotation, translation: Vector3d(0.01205559, -0.00234671, -0.00226012)),
                noise: InertialNoise(gyroscope: 5e-4, accelerometer: 1e-2, gyroscopeWalk: 2e-5, accelerometerWalk: 2e-3))
        }

        func picture(_ index: Int) throws -> TrackingImage {
            let image = try ImageFile.decode([UInt8](Data(contentsOf: pictures[index])))
            let step = image.format.bytesPerPixel
            return TrackingImage(
                width: image.width, height: image.height, values: stride(from: 0, to: image.bytes.count, by: step).map { image.bytes[$0] })
        }

        /// - Parameter covered: black pictures, in seconds.
        func run(_ range: Range<Int>, covered: ClosedRange<Double>? = nil) throws -> (results: [TrackingResult], tracker: WorldTracker) {
            let tracker = WorldTracker(rig: rig)
            var results: [TrackingResult] = []
            var next = range.lowerBound == 0 ? 0 : samples.firstIndex { $0.time > times[range.lowerBound] - 0.1 } ?? 0
            for index in range {
                while next < samples.count, samples[next].time <= times[index] {
                    tracker.add(samples[next])
                    next += 1
                }
                let isCovered = covered?.contains(times[index]) ?? false
                let picture = isCovered ? TrackingImage(width: 640, height: 360, repeating: 3) : try picture(index)
                results.append(tracker.track(picture, time: times[index]))
            }
            return (results, tracker)
        }
    }

    private static let isThere = SharedData.has("ar/handheld-room/imu.txt")

    private func path(_ results: some Sequence<TrackingResult>) -> [Vector3d] { results.compactMap { $0.worldFromCamera?.translation } }

    @Test(.enabled(if: isThere, SharedData.missing)) func itIsNeverLost() throws {
        let (results, tracker) = try Recording().run(0..<700)
        let first = try #require(results.firstIndex { $0.state == .normal })
        #expect(first < 40)
        #expect(results[first...].allSatisfy { $0.state == .normal })
        #expect(tracker.diagnostics.losses == 0)
        #expect(tracker.diagnostics.startsFromRest == 1)
        // The camera's clock is about 47 ms late.
        #expect(abs(tracker.rig.timeOffset + 0.047) < 0.006)
        let places = path(results)
        let steps = zip(places, places.dropFirst()).map { length($1 - $0) }
        print("HANDHELD", "path", steps.reduce(0, +), "farthest", places.map { length($0) }.max() ?? 0, "end", places.last ?? .zero, "largest step", steps.max() ?? 0)
        // A hand in a room.
        #expect((steps.max() ?? 1) < 0.06)
        #expect((places.map { length($0) }.max() ?? 100) < 4)
        #expect((3...12).contains(steps.reduce(0, +)))
    }

    @Test(.enabled(if: isThere, SharedData.missing)) func aCoveredLensIsBridged() throws {
        let recording = try Recording()
        let (results, tracker) = try recording.run(0..<300, covered: 9...10)
        let free = try recording.run(0..<300).results
        #expect(tracker.diagnostics.losses == 0)
        #expect(results.filter { (9.1...9.9).contains($0.time) }.allSatisfy { $0.state == .limited(.insufficientFeatures) })
        #expect(results[290...].allSatisfy { $0.state == .normal })
        let gap = length(path(results).last! - path(free).last!)
        print("COVERED", gap)
        #expect(gap < 0.15)
    }

    /// The same places as when it began from rest: the scale of both is compared.
    @Test(.enabled(if: isThere, SharedData.missing), arguments: [100, 450]) func inMotionItBegins(_ start: Int) throws {
        let recording = try Recording()
        let (results, tracker) = try recording.run(start..<start + 160)
        print("MIDDLE", start, results.firstIndex { $0.state == .normal } ?? -1, tracker.diagnostics, path(results).last ?? .zero)
        let first = try #require(results.firstIndex { $0.state == .normal })
        #expect(first < 100)
        #expect(tracker.diagnostics.startsInMotion == 1)
        #expect(tracker.diagnostics.losses == 0)
    }
}
