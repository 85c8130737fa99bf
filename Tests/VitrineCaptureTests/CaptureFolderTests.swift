import Foundation
import Testing
import VitrineAR
import VitrineFiles
import VitrineReconstruct
import VitrineTestSupport
import VitrineVision

@testable import VitrineCapture

/// Folders of captures: interrupted writes, continuing, and foreign files.
@Suite struct CaptureFolderTests {
    private static let session = UUID(uuidString: "00000000-0000-4000-8000-000000000002")!

    private static func frame(_ number: Int) -> ARFrame {
        let luma = Plane<UInt8>(width: 64, height: 48, values: (0..<64 * 48).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
        let depth = DepthImage(
            metres: Plane<Float>(width: 16, height: 12, values: (0..<192).map { 0.5 + Float($0) / 1000 }),
            confidence: Plane<UInt8>(width: 16, height: 12, values: (0..<192).map { $0 < 16 ? 0 : 2 }))
        let transform = Matrix4(
            Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1)), translation: Vector3(Float(number), 1, 2))
        let camera = ARCamera(
            transform: transform, model: CameraIntrinsics(width: 64, height: 48, verticalFieldOfView: 0.8), exposureDuration: 0.01)
        return ARFrame(timestamp: Double(number), capturedImage: CapturedImage(luma: luma), camera: camera, sceneDepth: depth)
    }

    private static func write(_ count: Int, to folder: URL) throws -> [ObjectCaptureSession.Shot] {
        var writer = ShotWriter(
            try CaptureFolder(opening: folder), session: session,
            world: TrackedWorld(.recorded, rig: SensorRig(camera: frame(1).camera.model)))
        let box = OrientedBox(
            center: Vector3d(0.1, 0.2, 0.3), axes: Matrix3d.rotation(Vector3d(0, 0.4, 0)), halfExtents: Vector3d(0.1, 0.2, 0.05))
        return try (1...count).map { number in
            try writer.write(
                frame(number),
                ShotWriter.Context(
                    pass: session.derived("pass", 1), objectPose: session.derived("pose", 0), box: box, sharpness: 0.5,
                    isManual: number == 2))
        }
    }

    @Test func shotsAreReadAsTheyWereWritten() throws {
        try withTemporaryDirectory { folder in
            let shots = try Self.write(3, to: folder)
            let opened = try CaptureFolder(opening: folder)
            #expect(opened.shots == shots && opened.nextNumber == 4)
            let record = try ShotRecord.read(folder.appendingPathComponent("shot-0002.json"))
            #expect(record.isManual && record.isMetric && record.session == Self.session)
            // The camera lies on its side: gravity points to its left.
            let down = try #require(record.gravityDirection)
            #expect(length(down - Vector3(-1, 0, 0)) < 1e-6)
            #expect(length(try record.posedCamera(file: "").centerInWorld - Vector3d(2, 1, 2)) < 1e-6)
            let depth = try Image(contentsOf: folder.appendingPathComponent("shot-0002_depth.png"))
            #expect(depth.format == .rgba16 && depth.width == 16)
            // Low confidence is unknown depth; the rest is in millimetres.
            #expect(depth.bytes[0] == 0 && depth.bytes[1] == 0)
            #expect(Int(depth.bytes[8 * 16]) + 256 * Int(depth.bytes[8 * 16 + 1]) == 516)
        }
    }

    /// A process may be killed at any moment: each prefix of the files of a shot, with temporary files.
    @Test func interruptedWritesAreRemoved() throws {
        try withTemporaryDirectory { folder in
            let shots = try Self.write(3, to: folder)
            let names = ["shot-0003_depth.png", "shot-0003.json", "shot-0003.jpg"]
            for written in 0..<names.count {
                for name in names[written...] { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
                try Data([1, 2, 3]).write(to: folder.appendingPathComponent(".vitrine-12-34-0.tmp"))
                let opened = try CaptureFolder(opening: folder)
                #expect(opened.shots == Array(shots.prefix(2)) && opened.problems.isEmpty)
                #expect(opened.removedFiles.count == written + 1 && opened.nextNumber == 3)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 6)
                _ = try Self.write(1, to: folder)
            }
        }
    }

    @Test func foreignAndDamagedFilesStay() throws {
        try withTemporaryDirectory { folder in
            let shots = try Self.write(2, to: folder)
            for (name, text) in [("notes.txt", "x"), ("shot-7.json", "{}"), ("shot-0001.json", "{\"format\": 3}"), ("cover.jpg", "x")] {
                try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            }
            let opened = try CaptureFolder(opening: folder)
            #expect(opened.shots == [shots[1]] && opened.removedFiles.isEmpty)
            #expect(opened.problems.count == 1 && opened.problems[0].contains("shot-0001.json"))
            #expect(opened.nextNumber == 3, "a damaged shot keeps its number")
        }
    }

    @Test func namesOfShots() {
        #expect(ShotName(12, .depth).text == "shot-0012_depth.png" && ShotName(12_345, .image).text == "shot-12345.jpg")
        for part in ShotName.Part.allCases { #expect(ShotName(ShotName(7, part).text) == ShotName(7, part)) }
        for name in ["shot-7.jpg", "shot-0000.jpg", "shot--001.jpg", "shot-00x1.json", "shot-0001.png", "shot-99999999999999.jpg"] {
            #expect(ShotName(name) == nil, "\(name)")
        }
    }
}
