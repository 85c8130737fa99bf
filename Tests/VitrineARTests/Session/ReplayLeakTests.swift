import Foundation
import Testing
import VitrineTestSupport
import VitrineVision

@testable import VitrineAR

/// A suite of its own: other tests in the process allocate memory too.
@Suite(.serialized) struct ReplayLeakTests {
    /// The resident memory in bytes; nil if the system does not report it.
    private var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    @Test func loopingDoesNotRetainFrames() async throws {
        let rig = SensorRig(camera: CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 1))
        let source = ImageGenerator(rig: rig, count: 300)
        let session = ARSession(source: source, pace: .stepped)
        let configuration = ARWorldTrackingConfiguration(
            tracking: .scripted { index, time in
                // New points in every frame, as on a long path.
                .at(time, points: (0..<50).map { TrackedPoint(id: 50 * index + $0, position: .zero, pixel: .zero) })
            })
        var sizes: [Int] = []
        for _ in 0..<8 {
            session.run(configuration)
            var count = 0
            for try await _ in session.frames { count += 1 }
            #expect(count == 300)
            if let size = residentBytes { sizes.append(size) }
        }
        // The frames of one round would take 92 MB.
        let (first, last) = (try #require(sizes.first), try #require(sizes.last))
        #expect(last - first < 60_000_000, "grew from \(first) to \(last) bytes")
    }
}

extension ReplayLeakTests {
    /// Loops a real recording with tracking, planes and light. `VITRINE_ROUNDS=92` takes an hour.
    @Test(.enabled(if: SharedData.has("ar/handheld-room/imu.txt"), SharedData.missing)) func memoryDoesNotGrowWithTime() async throws {
        let rounds = ProcessInfo.processInfo.environment["VITRINE_ROUNDS"].flatMap { Int($0) }
        let source = try SensorSourceFile.open(try SharedData.url("ar/handheld-room"))
        let session = ARSession(source: source, pace: .stepped)
        var sizes: [Int] = []
        for round in 0..<(rounds ?? 3) {
            session.run(
                ARWorldTrackingConfiguration(planeDetection: [.horizontal, .vertical]), options: [.resetTracking, .removeExistingAnchors])
            var (count, last) = (0, ARFrame?.none)
            for try await frame in session.frames { (count, last) = (count + 1, frame) }
            #expect(count == 700 && last?.camera.trackingState == .normal && last?.anchors.isEmpty == false)
            guard let size = residentBytes else { continue }
            sizes.append(size)
            if rounds != nil { print("round \(round): \(size / 1024) KB") }
        }
        // The images of the recording take 161 MB.
        let (first, last) = (try #require(sizes.first), try #require(sizes.last))
        #expect(last - first < 40_000_000, "grew: \(sizes)")
    }
}

/// Makes images on demand.
private actor ImageGenerator: SensorSource {
    nonisolated let rig: SensorRig
    nonisolated let isLive = false
    nonisolated var problems: SourceProblems { SourceProblems() }
    private let count: Int
    private var next = 0

    init(rig: SensorRig, count: Int) { (self.rig, self.count) = (rig, count) }

    func next() async throws -> SensorEvent? {
        guard next < count else { return nil }
        next += 1
        let luma = Plane<UInt8>(width: rig.camera.width, height: rig.camera.height, repeating: UInt8(next & 255))
        return .image(CameraSample(time: Double(next) / 30, image: CapturedImage(luma: luma)))
    }

    func rewind() async throws { next = 0 }
}
