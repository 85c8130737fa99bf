import Foundation
import Testing
import VitrineMath

/// Runs every fuzz target for a second, or for 300 mutants, until the first of both: its seeds, then mutants of them. `VITRINE_FUZZ_SECONDS` sets
/// another time, without a limit on mutants. scripts/fuzz.sh does the same with libFuzzer.
@Suite struct FuzzTests {
    @Test(arguments: targets.keys.sorted()) func survivesMutants(name: String) throws {
        let target = try #require(targets[name])
        let seeds = try target.seeds()
        try #require(!seeds.isEmpty)
        // A trap ends the process: the input that caused it stays in this file.
        let kept = FileManager.default.temporaryDirectory.appendingPathComponent(
            "vitrine-fuzz-\(name)-\(ProcessInfo.processInfo.processIdentifier)")
        let descriptor = open(kept.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            try? FileManager.default.removeItem(at: kept)
        }
        func run(_ input: [UInt8]) -> Duration {
            _ = input.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            ftruncate(descriptor, off_t(input.count))
            return ContinuousClock().measure { target.run(input) }
        }
        for seed in seeds { #expect(run(seed) < .seconds(10)) }
        let asked = ProcessInfo.processInfo.environment["VITRINE_FUZZ_SECONDS"].flatMap { Double($0) }
        let end = ContinuousClock.now + .seconds(asked ?? 1)
        var mutator = Mutator(seeds: seeds)
        var count = 0
        while ContinuousClock.now < end, asked != nil || count < 300 {
            let mutant = mutator.next()
            let took = run(mutant)
            if took >= .seconds(10) {
                Issue.record("mutant \(count) takes \(took): \(Data(mutant.prefix(65_536)).base64EncodedString())")
                return
            }
            count += 1
        }
        #expect(count > 0)
    }

    @Test func everyTargetIsListed() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "Targets")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(files.map { String($0.dropLast(6)) }.sorted() == targets.keys.sorted())
    }
}

private let targets: [String: FuzzTarget] = [
    "calibration": calibrationTarget, "checkpoint": checkpointTarget, "dae": daeTarget, "draco": dracoTarget, "events": eventsTarget,
    "exif": exifTarget, "exr": exrTarget, "font": fontTarget, "glb": glbTarget, "hdr": hdrTarget, "heif": heifTarget, "jpeg": jpegTarget,
    "json": jsonTarget, "ktx2": ktx2Target, "map": mapTarget, "meshopt": meshoptTarget, "mtl": mtlTarget, "obj": objTarget,
    "off": offTarget,
    "path": pathTarget, "ply": plyTarget, "png": pngTarget, "recording": recordingTarget, "shader": shaderTarget, "stl": stlTarget,
    "tables": tablesTarget, "tga": tgaTarget, "usda": usdaTarget, "usdc": usdcTarget, "usdz": usdzTarget, "webp": webpTarget,
]

/// Makes inputs from seeds: changed, inserted, removed and repeated bytes, and pieces of other seeds. The same seeds give the same inputs.
private struct Mutator {
    let seeds: [[UInt8]]
    private var random = SplitMix64(seed: 16)

    init(seeds: [[UInt8]]) { self.seeds = seeds }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(limit, 1))) }

    mutating func next() -> [UInt8] {
        var bytes = seeds[below(seeds.count)]
        for _ in 0...below(4) { mutate(&bytes) }
        return Array(bytes.prefix(65_536))
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let offset = below(bytes.count + 1)
        let end = min(bytes.count, offset + 1 + below(16))
        switch below(7) {
        case 0 where offset < bytes.count: bytes[offset] = UInt8(below(256))
        case 1 where offset < bytes.count: bytes[offset] ^= 1 << UInt8(below(8))
        case 2: bytes.insert(UInt8(below(256)), at: offset)
        case 3: bytes.removeSubrange(offset..<end)
        case 4: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
        case 5:
            let other = seeds[below(seeds.count)]
            let start = below(other.count + 1)
            bytes.replaceSubrange(offset..<end, with: other[start..<min(other.count, start + 1 + below(64))])
        default:
            // Numbers at the edges of their ranges, four bytes in either order.
            let value = [UInt32.max, 0x7FFF_FFFF, 0x8000_0000, 0, 1, 0x7F80_0000][below(6)]
            let word = below(2) == 0 ? value.bigEndian : value.littleEndian
            withUnsafeBytes(of: word) { raw in
                for (index, byte) in raw.enumerated() where offset + index < bytes.count { bytes[offset + index] = byte }
            }
        }
    }
}
