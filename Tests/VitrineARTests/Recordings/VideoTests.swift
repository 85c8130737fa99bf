import Foundation
import Testing
import VitrineFiles
import VitrineTracking
import VitrineVideo
import VitrineVision

@testable import VitrineAR

/// Whether ffmpeg and ffprobe are installed.
private let hasPrograms = ["ffmpeg", "ffprobe"].allSatisfy {
    (try? ChildProcess($0, ["-version"], package: "ffmpeg").readToEnd(limit: 1 << 20)) != nil
}

@Suite(.enabled(if: hasPrograms, "ffmpeg is not installed: sudo apt-get install -y ffmpeg")) struct VideoTests {
    static let (width, height) = (64, 48)

    /// Each frame has one colour of its own.
    private static func pixels(_ frame: Int) -> [UInt8] {
        let color: [UInt8] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [128, 128, 128, 255]][frame % 4]
        return (0..<width * height).flatMap { _ in color }
    }

    private func write(_ url: URL, frames: Int = 4) throws {
        let writer = try VideoWriter(url, width: Self.width, height: Self.height, framesPerSecond: 25, quality: 1)
        for frame in 0..<frames { try writer.write(Self.pixels(frame)) }
        try writer.finish()
    }

    @Test func videosPreserveColours() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a video.mp4")
        try write(url)
        let options = SensorSourceOptions(camera: .focalLength(60))
        let source = try SensorSourceFile.open(url, options: options)
        #expect(source.rig.camera.center == Vector2d(32, 24) && !source.rig.hasInertialUnit)
        let images = try await source.all().images
        #expect(images.map(\.time) == [0, 0.04, 0.08, 0.12])
        // BT.709, video range: red, green, blue, grey.
        let expected = [(63, 102, 240), (173, 42, 26), (32, 240, 118), (126, 128, 128)]
        for (sample, (y, cb, cr)) in zip(images, expected) {
            #expect(sample.image.matrix == .bt709 && sample.image.range == .video)
            let chroma = try #require(sample.image.chroma)
            let middle = 2 * (12 * 32 + 16)
            #expect(abs(Int(sample.image.luma[32, 24]) - y) <= 2)
            #expect(abs(Int(chroma[middle]) - cb) <= 2 && abs(Int(chroma[middle + 1]) - cr) <= 2)
        }
        try await source.rewind()
        #expect(try await source.all().images == images)
    }

    @Test func theSameFramesGiveTheSameBytes() throws {
        let folder = try TemporaryFolder()
        let urls = ["a.mp4", "b.mp4"].map { folder.url.appendingPathComponent($0) }
        for url in urls { try write(url) }
        #expect(try FileBytes.read(urls[0]) == FileBytes.read(urls[1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a.mp4", "b.mp4"])
    }

    @Test func unfinishedVideosAreNotWritten() throws {
        let folder = try TemporaryFolder()
        do {
            let writer = try VideoWriter(
                folder.url.appendingPathComponent("a.mp4"), width: Self.width, height: Self.height, framesPerSecond: 25)
            try writer.write(Self.pixels(0))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        let nowhere = folder.url.appendingPathComponent("none/a.mp4")
        let said = message { try self.write(nowhere, frames: 40) }
        #expect(said?.hasSuffix("/none: no such file or directory") == true, "\(said ?? "none")")
        #expect(message { _ = try VideoWriter(nowhere, width: 63, height: 48, framesPerSecond: 25) }?.contains("even sides") == true)
        #expect(
            message { _ = try VideoWriter(folder.url.appendingPathComponent("a.avi"), width: 2, height: 2, framesPerSecond: 25) }?
                .contains("must end in one of .mp4") == true)
    }

    /// The frames of a file, decoded by ffmpeg.
    private func decoded(_ url: URL, frames: Int) throws -> [[UInt8]] {
        let program = try ChildProcess(
            "ffmpeg", ["-v", "error", "-i", "file:" + url.path, "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"], package: "ffmpeg")
        let bytes = try program.readToEnd(limit: 1 << 26)
        let size = Self.width * Self.height * 4
        #expect(bytes.count == frames * size)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<($0 + size)]) }
    }

    @Test func gifsHaveColoursAndTransparency() throws {
        let folder = try TemporaryFolder()
        let urls = ["a.gif", "b.gif"].map { folder.url.appendingPathComponent($0) }
        for url in urls {
            let writer = try VideoWriter(url, width: Self.width, height: Self.height, framesPerSecond: 25)
            for frame in 0..<4 {
                var pixels = Self.pixels(frame)
                // The upper half is transparent.
                for index in 0..<Self.width * Self.height / 2 { pixels[index * 4 + 3] = 0 }
                try writer.write(pixels)
            }
            try writer.finish()
        }
        #expect(try FileBytes.read(urls[0]) == FileBytes.read(urls[1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a.gif", "b.gif"])
        let bytes = try FileBytes.read(urls[0])
        #expect(bytes.starts(with: "GIF89a".utf8))
        // NETSCAPE2.0 with 0: loops forever.
        let loop = Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0]
        #expect(bytes.indices.contains { bytes[$0...].starts(with: loop) })
        for (frame, pixels) in try decoded(urls[0], frames: 4).enumerated() {
            let (top, bottom) = (4 * (Self.width * 5 + 10), 4 * (Self.width * 40 + 10))
            #expect(pixels[top + 3] == 0 && pixels[bottom + 3] == 255, "frame \(frame)")
            let expected = Self.pixels(frame)
            for channel in 0..<3 { #expect(abs(Int(pixels[bottom + channel]) - Int(expected[bottom + channel])) <= 8, "frame \(frame)") }
        }
    }

    @Test func animatedWebPHasFramesAndAlpha() throws {
        let folder = try TemporaryFolder()
        let urls = ["a.webp", "b.webp"].map { folder.url.appendingPathComponent($0) }
        for url in urls {
            let writer = try VideoWriter(url, width: 33, height: 21, framesPerSecond: 20, plays: 3)
            for frame in 0..<5 {
                let alpha = UInt8(frame * 50)
                try writer.write((0..<33 * 21).flatMap { _ in [200, 40, 90, alpha] })
            }
            try writer.finish()
        }
        let bytes = try FileBytes.read(urls[0])
        #expect(try bytes == FileBytes.read(urls[1]))
        func chunk(_ name: String) -> Int? { bytes.indices.first { bytes[$0...].starts(with: name.utf8) } }
        let (extended, animation) = (try #require(chunk("VP8X")), try #require(chunk("ANIM")))
        // The flags of animation and alpha; width and height minus one.
        #expect(bytes[extended + 8] & 0x12 == 0x12 && bytes[extended + 12] == 32 && bytes[extended + 15] == 20)
        #expect(bytes[animation + 12] == 3)
        var frames = 0
        for index in bytes.indices where bytes[index...].starts(with: "ANMF".utf8) { frames += 1 }
        #expect(frames == 5)
    }

    @Test func unfinishedAnimationsAreDiscarded() throws {
        let folder = try TemporaryFolder()
        do {
            let writer = try VideoWriter(
                folder.url.appendingPathComponent("a.gif"), width: Self.width, height: Self.height, framesPerSecond: 25)
            for frame in 0..<8 { try writer.write(Self.pixels(frame)) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        #expect(
            message { _ = try VideoWriter(folder.url.appendingPathComponent("b.gif"), width: 4, height: 4, framesPerSecond: 60) }?
                .contains("at most 50") == true)
    }

    @Test func damagedVideosAreErrorsOrProblems() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a.mkv")
        try write(url, frames: 40)
        let whole = try FileBytes.read(url)
        let options = SensorSourceOptions(camera: .focalLength(60))
        for share in [0.1, 0.5, 0.9] {
            try folder.write(Array(whole[0..<Int(Double(whole.count) * share)]), to: "cut.mkv")
            do {
                let source = try SensorSourceFile.open(folder.url.appendingPathComponent("cut.mkv"), options: options)
                let images = try await source.all().images
                #expect(images.count < 40)
            } catch let error as SourceError {
                #expect(error.description.contains("cut.mkv"))
            }
        }
        for (name, text) in [("text.mp4", "no video"), ("list.m3u8", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"), ("empty.mp4", "")] {
            try folder.write(text, to: name)
            let said = message { _ = try SensorSourceFile.open(folder.url.appendingPathComponent(name), options: options) }
            #expect(said?.contains(name) == true && said?.contains("ffprobe") == true, "\(said ?? "none")")
        }
        #expect(message { _ = try SensorSourceFile.open(url) }?.contains("focal length") == true)
    }

    @Test func videosWithAnIMUFile() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a.mp4")
        try write(url)
        try folder.write((0..<30).map { "\(5.0 + Double($0) * 0.005) 0 0 0.1 0 9.8 0" }.joined(separator: "\n"), to: "imu.txt")
        var options = SensorSourceOptions(camera: .focalLength(60), inertial: folder.url.appendingPathComponent("imu.txt"), videoStart: 5)
        let events = try await SensorSourceFile.open(url, options: options).all()
        #expect(events.inertial.count == 30 && events.images.count == 4)
        let order = events.map { if case .image = $0 { "p" } else { "i" } }.joined()
        #expect(order.hasPrefix("ipiiiiiiiip"), "\(order)")
        options.videoStart = 0
        #expect(message { _ = try SensorSourceFile.open(url, options: options) }?.contains("video's start on the IMU's clock") == true)
    }

    @Test func strayScanner() async throws {
        let folder = try TemporaryFolder()
        try write(folder.url.appendingPathComponent("rgb.mp4"))
        try folder.write("60.0, 0, 31.5\n0, 61.0, 23.5\n0,0,1\n", to: "camera_matrix.csv")
        // One row more than the video has frames: a truncated recording.
        let rows = (0..<5).map { "\(100.0 + Double($0) * 0.04), 00000\($0), \($0), 1, 2, 0, 0, 0, 1, 60.5, 60.5, 31.5, 23.5, , " }
        try folder.write("timestamp, frame, x, y, z, qx, qy, qz, qw\n" + rows.joined(separator: "\n"), to: "odometry.csv")
        // The camera is level and the phone's x axis points down: iOS reports −1 along the vertical.
        let body = StrayScannerImporter.cameraFromBody.rotation.transpose * Vector3d(0, 1, 0)
        let imu = (0..<40).map { "\(100.0 + Double($0) * 0.005),\(-body.x),\(-body.y),\(-body.z),0.1,0.2,0.3" }
        try folder.write("timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n" + imu.joined(separator: "\n"), to: "imu.csv")
        try folder.write(try ImageFile.encodeGray16([1000, 0, 65535, 2500], width: 2, height: 2), to: "depth/000001.png")
        try folder.write(try ImageFile.encodeGray([0, 1, 2, 2], width: 2, height: 2), to: "confidence/000001.png")
        let opened = try SensorSourceFile.opened(folder.url)
        #expect(opened.layout == "Stray Scanner")
        let events = try await opened.source.all()
        #expect(events.images.count == 4)
        #expect(opened.source.problems.messages == ["rgb.mp4: ends 1 frames early"])
        #expect(
            events.images[1].depth
                == DepthImage(
                    metres: Plane(width: 2, height: 2, values: [1, 0, 0, 2.5]),
                    confidence: Plane(width: 2, height: 2, values: [0, 1, 2, 2])))
        #expect(events.images[2].worldFromCamera?.translation == Vector3d(2, 1, 2))
        #expect(events.images[2].camera?.focal == Vector2d(60.5, 60.5) && events.images[2].camera?.center == Vector2d(32, 24))
        let sample = try #require(events.inertial.first)
        #expect(sample.angularVelocity == Vector3d(0.1, 0.2, 0.3))
        // The specific force points up.
        #expect((StrayScannerImporter.cameraFromBody.rotation * sample.acceleration).y > 9.8)
    }

    /// The app stores the first frame before the start of the video and hides it; the poses belong to all stored frames.
    @Test func strayScannersFirstFrameIsHidden() async throws {
        let folder = try TemporaryFolder()
        try write(folder.url.appendingPathComponent("whole.mp4"), frames: 5)
        // Cut after the first frame without re-encoding: the frame stays in the file, hidden.
        let cut = try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-ss", "0.039", "-i", folder.url.appendingPathComponent("whole.mp4").path, "-c", "copy",
                folder.url.appendingPathComponent("rgb.mp4").path,
            ], package: "ffmpeg")
        try cut.finish()
        let plain = try SensorSourceFile.open(
            folder.url.appendingPathComponent("rgb.mp4"), options: SensorSourceOptions(camera: .focalLength(60)))
        #expect(try await plain.all().images.count == 4)
        try folder.write("60.0, 0.0, 31.5\n0.0, 60.0, 23.5\n0.0, 0.0, 1.0", to: "camera_matrix.csv")
        // The third row is damaged; the others keep their frames.
        let rows = (0..<5).map { row in
            row == 2
                ? "170340.58"
                : "\(170340.5 + Double(row) * 0.04), 00000\(row), \(row).0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 60.5, 60.5, 31.5, 23.5, , "
        }
        let heading = "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy, distortion_center_x, distortion_center_y\n"
        try folder.write(heading + rows.joined(separator: "\n") + "\n", to: "odometry.csv")
        try folder.write([1, 2, 3], to: "depth/000003.png")
        let source = try SensorSourceFile.open(folder.url)
        let images = try await source.all().images
        #expect(images.map(\.worldFromCamera?.translation.x) == [0, 1, 3, 4])
        // Red, green, grey and red, in the order in which they were written.
        let expected = [63, 173, 126, 63]
        #expect(images.count == 4 && zip(images, expected).allSatisfy { abs(Int($0.image.luma[32, 24]) - $1) <= 3 })
        // Damaged depth does not affect the image.
        #expect(source.problems.count == 2 && source.problems.messages[0].hasPrefix("odometry.csv:4: 1 values instead of 9"))
        #expect(source.problems.messages[1].contains("depth/000003.png"))
    }

    @Test func missingProgramsAreNamed() {
        let said = message { _ = try ChildProcess("vitrine-no-such-program", [], package: "ffmpeg") }
        #expect(said == "vitrine-no-such-program is not installed: sudo apt-get install -y ffmpeg")
    }
}
