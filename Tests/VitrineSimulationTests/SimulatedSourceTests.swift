import Foundation
import Testing
import VitrineAR
import VitrineTestSupport
import VitrineVision

@testable import VitrineSimulation

@Suite struct SimulatedSourceTests {
    private static func rig() -> SensorRig {
        var rig = SimulatedDevice.phone.rig
        rig.camera = CameraIntrinsics(width: 160, height: 120, verticalFieldOfView: 0.9)
        return rig
    }

    /// - Parameter path: The camera's path. Default: a walk.
    private static func source(path: [TimedPose]? = nil, _ change: (inout SimulationSettings) -> Void) throws -> SimulatedSource {
        var settings = SimulationSettings()
        settings.duration = 1
        settings.frameRate = 10
        change(&settings)
        let rig = rig()
        let poses = (path ?? SimulatedPath.around.cameraPoses(duration: 4, rest: 0.2)).map {
            TimedPose(time: $0.time, pose: $0.pose * rig.cameraFromBody)
        }
        return try SimulatedSource(.bare, along: TrajectorySpline(through: poses), rig: rig, settings: settings)
    }

    private static func events(_ source: SimulatedSource) async throws -> [SensorEvent] {
        var events: [SensorEvent] = []
        while let event = try await source.next() { events.append(event) }
        return events
    }

    private static func images(_ events: [SensorEvent]) -> [CameraSample] {
        events.compactMap { event in if case .image(let sample) = event { sample } else { nil } }
    }

    @Test func samplesAreDeterministic() async throws {
        let change = { (settings: inout SimulationSettings) in
            settings.exposure = 0.02
            settings.exposureDrift = 0.5
            settings.depthSize = SIMD2(16, 12)
        }
        let source = try Self.source(change)
        let first = try await Self.events(source)
        await source.rewind()
        #expect(first.count == 212)
        #expect(try await Self.events(source) == first)
        #expect(try await Self.events(try Self.source(change)) == first)
        let other = try await Self.events(
            try Self.source {
                change(&$0)
                $0.seed = 2
            })
        #expect(Self.images(other)[3].image != Self.images(first)[3].image && other[0] != first[0])
        let sample = Self.images(first)[7]
        #expect(sample.image.chroma != nil && sample.depth?.metres.values.allSatisfy { $0 > 0.2 && $0 < 8 } == true)
        #expect(sample.exposureDuration == 0.02 && sample.gain.map { $0 > 1 } == true)
    }

    /// The second camera sees the room from its own place: its image is that of one camera which is there.
    @Test func theSecondCameraOfAPairHasItsOwnView() async throws {
        let poses = SimulatedPath.around.cameraPoses(duration: 4, rest: 0.2)
        var settings = SimulationSettings()
        (settings.duration, settings.frameRate, settings.pixelNoise, settings.isGray) = (0.3, 10, 0, true)
        var rig = Self.rig()
        rig.secondCamera = CameraIntrinsics(width: 140, height: 100, verticalFieldOfView: 0.8)
        rig.secondFromCamera = RigidTransform(rotation: .rotation(Vector3d(0, 0.05, 0)), translation: Vector3d(-0.12, 0.01, 0))
        func images(_ rig: SensorRig) async throws -> [CameraSample] {
            let spline = try TrajectorySpline(through: poses.map { TimedPose(time: $0.time, pose: $0.pose * Self.rig().cameraFromBody) })
            let room = SimulatedRoom(.bare, around: poses.map(\.pose.translation), seed: 1)
            return Self.images(try await Self.events(try SimulatedSource(in: room, along: spline, rig: rig, settings: settings)))
        }
        let pair = try await images(rig)
        var alone = Self.rig()
        (alone.camera, alone.cameraFromBody) = (rig.secondCamera!, rig.secondFromCamera * rig.cameraFromBody)
        let second = try await images(alone)
        #expect(pair.count == 4 && second.count == 4)
        for (pair, second) in zip(pair, second) {
            let (own, expected) = (try #require(pair.secondLuma).values, second.image.luma.values)
            // The poses differ by rounding errors, which move edges of triangles.
            let differing = zip(own, expected).count { abs(Int($0) - Int($1)) > 2 }
            #expect(own.count == 14_000 && differing < 30)
            #expect(zip(own, pair.image.luma.values).count { abs(Int($0) - Int($1)) > 2 } > 3000)
        }
        #expect(try await images(Self.rig()).map(\.image) == pair.map(\.image))
    }

    /// A pair tracks a turn in metres, soon after a rest.
    @Test func aPairTracksATurn() async throws {
        var rig = SimulatedDevice.phone.rig
        rig.camera = rig.camera.resized(width: 320, height: 240)
        (rig.secondCamera, rig.secondFromCamera.translation.x) = (rig.camera, -0.1)
        var settings = SimulationSettings()
        // A calibration that is wrong by 0.06 degrees.
        settings.secondCameraTurn = 0.001
        (settings.duration, settings.frameRate, settings.isGray) = (4, 15, true)
        let source = try SimulatedSource(
            .study, along: SimulatedPath.turn.cameraPoses(duration: 5, rest: 1), rig: rig, settings: settings)
        #expect(source.rig.secondFromCamera.rotation != rig.secondFromCamera.rotation)
        var runner = try TrackingRunner(.automatic, rig: source.rig)
        var poses: [(time: Double, estimate: RigidTransform, truth: RigidTransform)] = []
        while let event = try await source.next() {
            guard let frame = runner.process(event), frame.result.state == .normal, let estimate = frame.worldFromCamera else { continue }
            poses.append((frame.timestamp, estimate, source.worldFromCamera(at: frame.timestamp)))
        }
        let first = try #require(poses.first)
        #expect(first.time < 2.5)
        let worldFromTruth = first.estimate * first.truth.inverse
        let errors = poses.map { length($0.estimate.translation - (worldFromTruth * $0.truth).translation) }
        #expect(try #require(errors.max()) < 0.03)
    }

    @Test func eventsAreOrderedAndHaveGroundTruth() async throws {
        let source = try Self.source {
            $0.delay = 0.047
            $0.gaps = [0.35..<0.65]
            $0.covered = [0.75..<0.85]
            $0.isGray = true
        }
        let events = try await Self.events(source)
        var last = -1.0
        for event in events {
            switch event {
            case .inertial(let sample):
                #expect(sample.time >= last)
                last = sample.time
            case .image(let sample):
                #expect(sample.time - 0.047 >= last - 1e-9 && sample.image.chroma == nil)
                let truth = source.worldFromCamera(at: sample.time - 0.047)
                #expect(length(sample.worldFromCamera!.translation - truth.translation) < 1e-9)
            default: Issue.record("nothing interrupts a simulated room")
            }
        }
        let images = Self.images(events)
        #expect(images.map { Int((($0.time - 0.047) * 10).rounded()) } == [0, 1, 2, 3, 7, 8, 9, 10])
        let means = images.map { $0.image.luma.values.reduce(0) { $0 + Int($1) } / $0.image.luma.values.count }
        #expect(means.enumerated().allSatisfy { ($1 < 20) == ($0 == 5) }, "\(means)")
        #expect(source.rig.timeOffset == 0 && events.count == 201 + 8)
    }

    /// Each row of a rolling shutter is the row of a global shutter's image at the time of that row.
    @Test func rowsOfARollingShutterHaveTheirOwnTimes() async throws {
        // Pans by 1.5 rad/s.
        let eye = Vector3d(0.3, 1.5, 0.2)
        var pan: [TimedPose] = []
        for index in 0...40 {
            let time = Double(index) / 10
            let turn = Matrix3d.rotation(Vector3d(0, 1.5 * time, 0))
            let ahead: Vector3d = turn * Vector3d(0, -0.4, 1)
            pan.append(TimedPose(time: time, pose: SimulatedPath.looking(from: eye, to: eye + ahead)))
        }
        let rollingSource = try Self.source(path: pan) { settings in
            settings.readoutTime = 0.04
            settings.pixelNoise = 0
            settings.isGray = true
        }
        let stillSource = try Self.source(path: pan) { settings in
            settings.frameRate = 50
            settings.pixelNoise = 0
            settings.isGray = true
        }
        let rolling: [CameraSample] = Self.images(try await Self.events(rollingSource))
        let still: [CameraSample] = Self.images(try await Self.events(stillSource))
        let frame: CameraSample = rolling[8]
        let (width, height): (Int, Int) = (160, 120)
        #expect(abs(frame.time - still[40].time) < 1e-9)
        func difference(_ sample: CameraSample, _ rows: Range<Int>) -> Double {
            let (first, last): (Int, Int) = (rows.lowerBound * width, rows.upperBound * width)
            var sum = 0
            for pixel in first..<last {
                let (a, b) = (Int(frame.image.luma.values[pixel]), Int(sample.image.luma.values[pixel]))
                sum += abs(a - b)
            }
            return Double(sum) / Double(last - first)
        }
        // 0.02 s before, at, and 0.02 s after the frame's time.
        let (early, middle, late) = (still[39], still[40], still[41])
        let middleRows: Range<Int> = (height / 2 - 2)..<(height / 2 + 2)
        let lastRows: Range<Int> = (height - 4)..<height
        let pairs: [(Range<Int>, CameraSample)] = [(0..<4, early), (middleRows, middle), (lastRows, late)]
        for (rows, same) in pairs {
            let own = difference(same, rows)
            for other in [early, middle, late] where other.time != same.time {
                #expect(own < 0.6 * difference(other, rows), "rows \(rows): \(own), \(difference(other, rows))")
            }
        }
    }

    @Test func exposureVariesFromFrameToFrame() async throws {
        let images = Self.images(
            try await Self.events(
                Self.source {
                    ($0.exposure, $0.exposureVariation, $0.isGray) = (0.02, 0.5, true)
                }))
        let durations = images.compactMap(\.exposureDuration)
        #expect(durations.count == images.count && Set(durations).count == durations.count)
        #expect(durations.allSatisfy { $0 >= 0.01 && $0 <= 0.02 })
    }

    @Test func samplesOfTheIMUMayBeMissing() async throws {
        let events = try await Self.events(Self.source { $0.inertialGaps = [0.3..<0.6] })
        let times = events.compactMap { event -> Double? in if case .inertial(let sample) = event { sample.time } else { nil } }
        #expect(zip(times, times.dropFirst()).contains { $1 - $0 > 0.29 })
        #expect(times.count < 201 - 55)
    }

    /// A spline through the published ground truth of a flight agrees with the readings of its IMU.
    @Test(.enabled(if: SharedData.has("ar/trajectories/euroc/V101.txt"), SharedData.missing)) func groundTruthAgreesWithARealIMU() throws {
        let poses = try TrajectoryText.poses(Data(contentsOf: SharedData.url("ar/trajectories/euroc/V1_01_easy.txt"))).map(\.fromZUp)
        let spline = try TrajectorySpline(through: poses, knotSpacing: 0.025, smoothing: 0.01)
        var samples = try InertialText.samples(Data(contentsOf: SharedData.url("ar/trajectories/euroc/V101.txt")))
        samples = samples.filter { $0.time > spline.start + 1 && $0.time < spline.end - 1 }
        #expect(samples.count > 28_000)
        // Means over 0.1 s: the ground truth does not contain the vibration of the rotors.
        var differences: [(turn: Vector3d, push: Vector3d)] = []
        for first in stride(from: 0, to: samples.count - 20, by: 20) {
            var mean = (turn: Vector3d.zero, push: Vector3d.zero)
            for sample in samples[first..<first + 20] {
                let reading = InertialSimulator.reading(spline.motion(at: sample.time))
                mean.turn += (sample.angularVelocity - reading.angularVelocity) / 20
                mean.push += (sample.acceleration - reading.acceleration) / 20
            }
            differences.append(mean)
        }
        let bias = differences.reduce((turn: Vector3d.zero, push: Vector3d.zero)) { ($0.turn + $1.turn, $0.push + $1.push) }
        let count = Double(differences.count)
        let (turn, push) = (bias.turn / count, bias.push / count)
        // The biases of the data set.
        #expect(length(turn - Vector3d(-0.0022, 0.0211, 0.0765)) < 1e-3, "\(turn)")
        #expect(length(push) < 0.25, "\(push)")
        let turnError = (differences.reduce(0) { $0 + lengthSquared($1.turn - turn) } / count).squareRoot()
        let pushError = (differences.reduce(0) { $0 + lengthSquared($1.push - push) } / count).squareRoot()
        #expect(turnError < 0.005 && pushError < 0.13, "\(turnError) rad/s, \(pushError) m/s²")
    }
}
