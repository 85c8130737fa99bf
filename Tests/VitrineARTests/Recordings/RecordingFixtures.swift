import Foundation
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// A temporary folder, removed at the end of the test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-ar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    func text(_ name: String) throws -> String { try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8) }
}

/// Events whose numbers need every bit, with different images.
enum Fixtures {
    static let camera = CameraIntrinsics(
        width: 9, height: 7, focal: Vector2d(7.1, 7.2), center: Vector2d(4.6, 3.4),
        distortion: .kannalaBrandt(SIMD4(0.1, -0.02, 1e-3, 1.0 / 3)))
    static let rig = SensorRig(
        camera: camera,
        cameraFromBody: RigidTransform(rotation: Matrix3d.rotation(Vector3d(0.1, -0.7, 2)), translation: Vector3d(0.01, -1.0 / 7, 3e-5)),
        timeOffset: -0.047, noise: InertialNoise(gyroscope: 1e-4, accelerometer: 2e-3, gyroscopeWalk: 3e-5, accelerometerWalk: 4e-4))

    static func image(_ seed: Int, isGray: Bool = false) -> CapturedImage {
        let luma = Plane(width: 9, height: 7, values: (0..<63).map { UInt8(truncatingIfNeeded: $0 * 37 + seed * 11) })
        let chroma = (0..<40).map { UInt8(truncatingIfNeeded: $0 * 91 + seed * 5) }
        return CapturedImage(luma: luma, chroma: isGray ? nil : chroma, matrix: isGray ? .bt601 : .bt709, range: .video)
    }

    static func sample(_ time: Double) -> InertialSample {
        InertialSample(time: time, angularVelocity: Vector3d(time / 3, -1e-7, 5), acceleration: Vector3d(0.1 + time, 9.81, -0.0))
    }

    /// Events with every optional value.
    static var events: [SensorEvent] {
        let depth = DepthImage(
            metres: Plane(width: 4, height: 3, values: (0..<12).map { Float($0) * 0.125 }),
            confidence: Plane(width: 4, height: 3, values: (0..<12).map { UInt8($0 % 3) }))
        return [
            .inertial(sample(0.1)), .inertial(sample(0.105)), .image(CameraSample(time: 1.0 / 7, image: image(1))),
            .interruptionBegan, .interruptionEnded, .inertial(sample(0.3)),
            .image(CameraSample(time: 0.3, image: image(2, isGray: true), exposureDuration: 0.01, gain: 1.0 / 3)),
            .image(
                CameraSample(
                    time: 0.4, image: image(3), depth: depth, camera: camera, worldFromCamera: rig.cameraFromBody.inverse)),
        ]
    }

    static func write(_ events: [SensorEvent], to url: URL) throws {
        let writer = try RecordingWriter(directory: url, rig: rig, clockOrigin: 1_403_715_273_262_142_976, device: "a \"test\"\n")
        for event in events { try writer.write(event) }
        try writer.finish()
    }
}

extension SensorSource {
    func all() async throws -> [SensorEvent] {
        var events: [SensorEvent] = []
        while let event = try await next() { events.append(event) }
        return events
    }
}

extension [SensorEvent] {
    var images: [CameraSample] { compactMap { if case .image(let sample) = $0 { sample } else { nil } } }
    var inertial: [InertialSample] { compactMap { if case .inertial(let sample) = $0 { sample } else { nil } } }
}

/// The description of the error of a call; nil if it succeeds.
func message(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}
