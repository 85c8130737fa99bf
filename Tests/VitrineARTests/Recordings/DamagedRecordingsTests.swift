import Foundation
import Testing
import VitrineFiles
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Damaged recordings of every layout give valid events or errors, never a crash. `VITRINE_DAMAGE_SECONDS=60` tests each kind of file for a
/// minute.
@Suite struct DamagedRecordingsTests {
    enum Kind: String, CaseIterable {
        case header, events, yaml, imageList, inertial, camera, list, poses, keyframe
    }

    private static let seconds = ProcessInfo.processInfo.environment["VITRINE_DAMAGE_SECONDS"].flatMap { Double($0) }

    @Test(arguments: Kind.allCases)
    func damageIsEventsOrAnError(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let (file, sound) = try prepare(kind, folder)
        #expect(try await SensorSourceFile.open(folder.url).all().images.isEmpty == false)
        var damage = RecordingDamage(seed: UInt64(kind.rawValue.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
        let end = Self.seconds.map { Date().addingTimeInterval($0) }
        var (round, read, reported) = (0, 0, 0)
        while end.map({ Date() < $0 }) ?? (round < 150) {
            round += 1
            try folder.write(damage.damaged(sound), to: file)
            do {
                let source = try SensorSourceFile.open(folder.url)
                try check(try await source.all(), source.rig)
                read += 1
                if source.problems.count > 0 { reported += 1 }
            } catch let error as SourceError {
                #expect(!error.description.isEmpty)
                reported += 1
            }
        }
        // A changed digit gives another valid number; most other changes are damage.
        #expect(read > 0 && reported > round / 4, "\(read) of \(round) read, \(reported) reported")
        if Self.seconds != nil { print("damage \(kind): \(round) files, \(read) of them read") }
    }

    /// The guarantees for trackers.
    private func check(_ events: [SensorEvent], _ rig: SensorRig) throws {
        #expect(rig.camera.isPossible && rig.cameraFromBody.isPossible)
        let inertial = events.inertial
        #expect(inertial.allSatisfy(\.isFinite) && zip(inertial, inertial.dropFirst()).allSatisfy { $0.time < $1.time })
        let samples = events.images
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time })
        for sample in samples {
            let camera = sample.camera ?? rig.camera
            #expect(sample.image.width == camera.width && sample.image.height == camera.height)
        }
    }

    private func prepare(_ kind: Kind, _ folder: TemporaryFolder) throws -> (file: String, bytes: [UInt8]) {
        let file: String
        switch kind {
        case .header, .events:
            try Fixtures.write(Fixtures.events, to: folder.url)
            file = kind == .header ? "recording.json" : "events.jsonl"
        case .yaml, .imageList, .inertial:
            try ImportFixtures.euroc(folder)
            file = kind == .yaml ? "mav0/cam0/sensor.yaml" : kind == .imageList ? "mav0/cam0/data.csv" : "mav0/imu0/data.csv"
        case .keyframe:
            for stem in [824_048_931_094, 824_049_264_427] {
                try folder.write(
                    """
                    {"blur_score":132.5,"cx":4.1,"cy":3.2,"fx":8.0,"fy":8.0,"height":7,"manual_keyframe":false,"t_00":0,"t_01":1,"t_02":0,"t_03":0.5,
                    "t_10":0,"t_11":0,"t_12":1,"t_13":0,"t_20":1,"t_21":0,"t_22":0,"t_23":-0.25,"width":9}
                    """, to: "keyframes/cameras/\(stem).json")
                try folder.write(try ImportFixtures.frame(1), to: "keyframes/images/\(stem).jpg")
            }
            file = "keyframes/cameras/824049264427.json"
        case .camera, .list, .poses:
            try folder.write("0.99 0 0 0 0 0 0 1\n1.02 1 2 3 0 0.7 0 0.7\n1.05 1 2 4 0 0 0 1\n", to: "groundtruth.txt")
            try folder.write("1.000000 rgb/a.png\n1.033 rgb/a.png\n", to: "rgb.txt")
            try folder.write("RadTan 525 525 4.0 3.0 0.1 0.2 0.3 0.4\n9 7\n", to: "camera.txt")
            try folder.write(try ImportFixtures.frame(1), to: "rgb/a.png")
            file = kind == .camera ? "camera.txt" : kind == .list ? "rgb.txt" : "groundtruth.txt"
        }
        return (file, try FileBytes.read(folder.url.appendingPathComponent(file)))
    }
}

/// Deterministic damage.
struct RecordingDamage {
    private var state: UInt64
    private static let words = [
        "nan", "-", "1e999", "99999999999999999999", "../", "\n", "\0", "[", "]", "{", "\"", ":", ",", "  ", "#", "\u{FF}", "null",
    ]

    init(seed: UInt64) { state = seed }

    /// The xorshift generator (Marsaglia 2003).
    private mutating func next(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, limit)))
    }

    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...next(4) where !bytes.isEmpty {
            let offset = next(bytes.count)
            switch next(6) {
            case 0: bytes[offset] = UInt8(next(256))
            case 1: bytes.removeSubrange(offset...)
            case 2: bytes.removeSubrange(offset..<min(bytes.count, offset + 1 + next(8)))
            case 3: bytes.insert(contentsOf: Self.words[next(Self.words.count)].utf8, at: offset)
            case 4: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + 1 + next(60))], at: next(bytes.count))
            default: bytes[offset] ^= 1 << UInt8(next(8))
            }
        }
        return bytes
    }
}
