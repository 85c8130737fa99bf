import Foundation
import VitrineFiles

/// What a file in Targets defines as `target`: seeds to start from, and what to do with an input.
///
/// An input may be refused by an error; anything else (a trap, a bad access, a leak, ten seconds, two gigabytes) is a find.
struct FuzzTarget: Sendable {
    /// Small right files, so that the fuzzer need not invent the format.
    let seeds: @Sendable () throws -> [[UInt8]]
    let run: @Sendable ([UInt8]) -> Void
}

/// Called once, before libFuzzer reads the folder with the seeds.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["VITRINE_FUZZ_SEEDS"] else { return 0 }
    do {
        for (index, seed) in try target.seeds().enumerated() {
            try AtomicFile.write(seed, to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
        }
    } catch {
        fatalError("the seeds can't be written: \(error)")
    }
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
