import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

@Suite struct RecordingTests {
    @Test func recordingsAreRestoredBitForBit() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appendingPathComponent("walk")
        try Fixtures.write(Fixtures.events, to: directory)
        let source = try RecordingSource(directory: directory)
        #expect(source.rig == Fixtures.rig)
        #expect(source.clockOrigin == 1_403_715_273_262_142_976)
        #expect(source.device == "a \"test\"\n")
        #expect(try await source.all() == Fixtures.events)
        #expect(source.problems.count == 0)
        try await source.rewind()
        #expect(try await source.all() == Fixtures.events)
        #expect(source.problems.count == 0)
    }

    @Test func theSameEventsGiveTheSameBytes() throws {
        let folder = try TemporaryFolder()
        var bytes: [[UInt8]] = []
        for name in ["a", "b"] {
            let directory = folder.url.appendingPathComponent(name)
            try Fixtures.write(Fixtures.events, to: directory)
            let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted().filter { $0.contains(".") }
            bytes.append(try files.flatMap { Array($0.utf8) + (try FileBytes.read(directory.appendingPathComponent($0))) })
        }
        #expect(bytes[0] == bytes[1])
    }

    /// The second camera of a pair: calibration and images are stored; a missing or wrong image is a problem, not the loss of the frame.
    @Test func imagesOfTheSecondCameraAreStored() async throws {
        let folder = try TemporaryFolder()
        var rig = Fixtures.rig
        rig.secondCamera = Fixtures.camera
        rig.secondCamera?.focal = Vector2d(7.3, 7.4)
        rig.secondFromCamera = RigidTransform(rotation: .rotation(Vector3d(0.01, -0.02, 0)), translation: Vector3d(-0.11, 1.0 / 7, 0))
        var sample = CameraSample(time: 0.5, image: Fixtures.image(4, isGray: true))
        sample.secondLuma = Fixtures.image(5).luma
        let directory = folder.url.appendingPathComponent("pair")
        let writer = try RecordingWriter(directory: directory, rig: rig)
        try writer.write(.image(sample))
        try writer.finish()
        let source = try RecordingSource(directory: directory)
        #expect(source.rig == rig)
        #expect(try await source.all() == [.image(sample)] && source.problems.count == 0)

        try FileManager.default.removeItem(at: directory.appendingPathComponent("frames/000000-second.png"))
        let incomplete = try RecordingSource(directory: directory)
        #expect(try await incomplete.all().images.map(\.secondLuma) == [nil])
        #expect(incomplete.problems.messages.first?.contains("000000-second.png") == true)
    }

    @Test func imagesOfTheSecondCameraHaveItsSize() {
        var rig = Fixtures.rig
        rig.secondCamera = .init(width: 9, height: 8, focal: Vector2d(7, 7), center: Vector2d(4, 4))
        var sample = CameraSample(time: 0.5, image: Fixtures.image(4, isGray: true))
        sample.secondLuma = Fixtures.image(5).luma
        for (rig, expected) in [(rig, "its camera 9 × 8"), (Fixtures.rig, "its camera no calibration")] {
            var gate = SensorGate(rig: rig)
            let passes = gate.passes(sample, location: "x")
            #expect(!passes)
            #expect(gate.problems.messages.first?.hasSuffix(expected) == true)
        }
    }

    @Test func existingFilesAreNotOverwritten() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "walk/diary.txt")
        let said = message { try Fixtures.write([], to: folder.url.appendingPathComponent("walk")) }
        #expect(said?.contains("is not empty") == true)
        #expect(try folder.text("walk/diary.txt") == "mine")
    }

    /// A recording that is cut at any byte gives the events of the complete lines and a problem.
    @Test func truncatedRecordingsAreReadUpToTheirEnd() async throws {
        let folder = try TemporaryFolder()
        try Fixtures.write(Fixtures.events, to: folder.url)
        let whole = Array(try folder.text("events.jsonl").utf8)
        let ends = whole.indices.filter { whole[$0] == 10 }
        for length in stride(from: 0, to: whole.count - 1, by: 7) {
            try folder.write(Array(whole[0..<length]), to: "events.jsonl")
            let source = try RecordingSource(directory: folder.url)
            let events = try await source.all()
            let lines = ends.filter { $0 < length }.count
            // A line without its line break is complete.
            #expect(events.count == lines || events.count == lines + 1)
            #expect(events == Array(Fixtures.events.prefix(events.count)))
            #expect(source.problems.messages.last?.contains("cut short") == true)
        }
    }

    @Test func theCalibrationOfShutterAndIMUIsStored() async throws {
        let folder = try TemporaryFolder()
        var rig = Fixtures.rig
        rig.readoutTime = 0.018
        rig.gyroscopeCorrection = Matrix3d(Vector3d(1.01, 0.002, 0), Vector3d(0, 0.99, -0.003), Vector3d(0.004, 0, 1))
        rig.accelerometerCorrection = Matrix3d(Vector3d(0.98, 0, 0), Vector3d(0.01, 1, 0), Vector3d(0, 0.005, 1.02))
        let directory = folder.url.appendingPathComponent("walk")
        let writer = try RecordingWriter(directory: directory, rig: rig)
        try writer.finish()
        #expect(try RecordingSource(directory: directory).rig == rig)
        // Without them the header is that of earlier versions.
        let plain = folder.url.appendingPathComponent("plain")
        try RecordingWriter(directory: plain, rig: Fixtures.rig).finish()
        let header = try String(contentsOf: plain.appendingPathComponent("recording.json"), encoding: .utf8)
        #expect(!header.contains("readoutTime") && !header.contains("Correction"))
        let damaged = try String(contentsOf: directory.appendingPathComponent("recording.json"), encoding: .utf8)
            .replacingOccurrences(of: "1.01", with: "9.01")
        try Data(damaged.utf8).write(to: directory.appendingPathComponent("recording.json"))
        #expect(message { _ = try RecordingSource(directory: directory) }?.contains("\"rig\"") == true)
    }

    @Test func unfinishedRecordingsAreReadable() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appendingPathComponent("walk")
        do {
            let writer = try RecordingWriter(directory: directory, rig: Fixtures.rig)
            for event in Fixtures.events { try writer.write(event) }
            // `finish()` is not called.
        }
        let source = try RecordingSource(directory: directory)
        #expect(try await source.all() == Fixtures.events)
        #expect(source.problems.messages == ["events.jsonl: the recording was cut short: its last line is missing"])
    }

    @Test(arguments: [
        ("{\"imu\":[0.2,0,0,0,0,null,0]}", "not finite"), ("{\"imu\":[0.1,0,0,0,0,9.8,0]}", "not after the one before"),
        ("{\"imu\":[1e999,0,0,0,0,9.8,0]}", "too large"), ("{\"imu\":[0.2,0,0]}", "\"imu\" is not"), ("{\"imu\":", "ends early"),
        ("{\"picture\":\"frames/none.png\",\"time\":0.2}", "frames/none.png: no such file"),
        ("{\"picture\":\"../outside.png\",\"time\":0.2}", "is not a file name inside the recording"),
        ("{\"picture\":\"/etc/passwd\",\"time\":0.2}", "is not a file name inside the recording"),
        ("{\"picture\":\"frames/small.png\",\"time\":0.2}", "has 2 × 1 pixels, its camera 9 × 7"),
        ("{\"picture\":\"frames/text.png\",\"time\":0.2}", "is not a known image format"),
        ("{\"picture\":\"frames\",\"time\":0.2}", "is a directory"),
        ("{\"picture\":\"frames/000000.png\",\"chroma\":\"frames/small.png\",\"time\":0.2}", "has 2 × 1 pixels, not 10 × 4"),
        ("{\"picture\":\"frames/000000.png\"}", "without \"time\""),
        ("{\"picture\":\"frames/000000.png\",\"time\":0.2,\"pose\":[1,2,3]}", "\"pose\" has a value"),
        ("{\"picture\":\"frames/000000.png\",\"time\":0.2,\"pose\":[2,0,0,0,0,1,0,0,0,0,1,0]}", "\"pose\" has a value"),
        ("{\"picture\":\"frames/000000.png\",\"time\":0.2,\"exposure\":-1}", "\"exposure\" has a value"),
        ("{\"thermometer\":20}", "none of imu"), ("[[[[[[[[[[[[1]]]]]]]]]]]]", "nested too deep"), ("\u{1}", "expected a value"),
    ])
    func brokenLinesAreCountedAndPassedOver(_ line: String, _ reason: String) async throws {
        let folder = try TemporaryFolder()
        try Fixtures.write([.inertial(Fixtures.sample(0.1)), .image(CameraSample(time: 0.1, image: Fixtures.image(1)))], to: folder.url)
        try folder.write(try ImageFile.encodeGray([1, 2], width: 2, height: 1), to: "frames/small.png")
        try folder.write("no image", to: "frames/text.png")
        let good = try folder.text("events.jsonl").split(separator: "\n").map(String.init)
        let after = "{\"imu\":[0.5,0,0,0,0,9.8,0]}"
        try folder.write((good[0...1] + [line, after]).joined(separator: "\n") + "\n", to: "events.jsonl")
        let source = try RecordingSource(directory: folder.url)
        let events = try await source.all()
        #expect(events.count == 3)
        let said = try #require(source.problems.messages.first)
        #expect(said.hasPrefix("events.jsonl:3:") && said.contains(reason), "\(said)")
    }

    @Test func longLinesAndManyErrorsEndReading() async throws {
        let folder = try TemporaryFolder()
        try Fixtures.write([], to: folder.url)
        try folder.write([UInt8](repeating: UInt8(ascii: "["), count: 1 << 18), to: "events.jsonl")
        await #expect(throws: SourceError.self) { try await RecordingSource(directory: folder.url).all() }
        try folder.write(String(repeating: "?\n", count: 2000), to: "events.jsonl")
        await #expect(throws: SourceError.self) { try await RecordingSource(directory: folder.url).all() }
    }

    @Test(arguments: [
        ("", "the text ends early"), ("{}", "\"format\" is not"), ("{\"format\":\"vitrine recording\",\"version\":2}", "has version 2"),
        ("{\"format\":\"vitrine recording\",\"version\":1}", "\"rig\" lacks"),
    ])
    func brokenHeadersAreRefused(_ text: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "recording.json")
        try folder.write("", to: "events.jsonl")
        let said = message { _ = try SensorSourceFile.open(folder.url) }
        #expect(said?.contains(reason) == true && said?.contains("recording.json") == true, "\(said ?? "")")
    }

    @Test(arguments: [("\"width\":9", "\"width\":-9"), ("\"width\":9", "\"width\":1e9"), ("\"timeOffset\": -0.047", "\"timeOffset\": 1e5")])
    func impossibleRigsAreRefused(_ part: String, _ replacement: String) throws {
        let folder = try TemporaryFolder()
        try Fixtures.write([], to: folder.url)
        let text = try folder.text("recording.json").replacingOccurrences(of: "\"timeOffset\":-0.047", with: "\"timeOffset\": -0.047")
        #expect(text.contains(part))
        try folder.write(text.replacingOccurrences(of: part, with: replacement), to: "recording.json")
        #expect(message { _ = try RecordingSource(directory: folder.url) }?.contains("\"rig\"") == true)
    }

    @Test func unknownLayoutsListTheSupportedOnes() throws {
        let folder = try TemporaryFolder()
        let said = try #require(message { _ = try SensorSourceFile.open(folder.url) })
        for layout in SensorSourceFile.layouts { #expect(said.contains(layout.identifiedBy)) }
        try folder.write("", to: "walk/odometry.csv")
        #expect(message { _ = try SensorSourceFile.open(folder.url) }?.hasSuffix("Its folder 'walk' may be one") == true)
        #expect(message { _ = try SensorSourceFile.open(folder.url.appendingPathComponent("none")) }?.contains("no such file") == true)
    }

    @Test func optionsThatARecordingWouldIgnoreAreRefused() throws {
        let folder = try TemporaryFolder()
        try Fixtures.write([], to: folder.url)
        func said(_ url: URL? = nil, _ change: (inout SensorSourceOptions) -> Void) -> String? {
            var options = SensorSourceOptions()
            change(&options)
            return message { _ = try SensorSourceFile.open(url ?? folder.url, options: options) }
        }
        #expect(said { _ in } == nil)
        #expect(said { $0.secondDevice = "/dev/video2" }?.hasSuffix("is a recording: a second camera does not apply") == true)
        #expect(said { $0.camera = .typicalPhone }?.hasSuffix("is a recording: a calibration does not apply") == true)
        #expect(said { $0.inertialUnit = .none }?.hasSuffix(": a choice of the IMU does not apply") == true)
        #expect(said { $0.inertial = folder.url }?.hasSuffix(": a file of IMU samples does not apply") == true)
        #expect(said { $0.videoStart = 1 }?.hasSuffix(": a start on the clock of the IMU does not apply") == true)
        let (device, video) = (URL(fileURLWithPath: "/dev/null"), folder.url.appendingPathComponent("events.jsonl"))
        #expect(said(device) { $0.videoStart = 1 } == "/dev/null: is a live camera: a start on the clock of the IMU does not apply")
        #expect(said(device) { $0.inertial = folder.url }?.hasSuffix("is a live camera: a file of IMU samples does not apply") == true)
        let machine = said(video) { $0.inertialUnit = .named("iio:device0") }
        #expect(machine?.hasSuffix("is a video: an IMU of this machine does not apply") == true)
        #expect(said(video) { $0.secondDevice = "/dev/video2" }?.hasSuffix("is a video: a second camera does not apply") == true)
    }

    @Test func jsonItemsAreRestored() throws {
        let item = JSONItem.object([
            "a": .numbers([0.1, -0.0, 1e300, .leastNonzeroMagnitude, 1.0 / 3, 1_403_715_273]), "b": .text("\"\\\u{1}é😀"),
            "c": .boolean(false), "d": .null,
        ])
        #expect(try JSONItemParser.parse(Array(item.line.utf8)[...]) == item)
        #expect(try JSONItemParser.parse(Array(item.lines.utf8)[...]) == item)
        #expect(try JSONItemParser.parse(Array("\"\\u00e9\\ud83d\\ude00\\/\"".utf8)[...]) == .text("é😀/"))
        for broken in ["", "{", "[1,]", "{\"a\"}", "{a:1}", "\"\\ud800\"", "\"\\u+123\"", "1 2", "nul", "\"", "-", "[1 2]", "\"\u{1}\""] {
            #expect(throws: JSONItemParser.Failure.self) { try JSONItemParser.parse(Array(broken.utf8)[...]) }
        }
    }
}
