import Foundation
import VitrineFiles

// The entry points of libFuzzer. scripts/fuzz.sh adds the targets of the program: let targets = ["png": pngTarget, …]

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["VITRINE_FUZZ_TARGET"] ?? ""
    if let target = targets[name] { return target }
    // Neither a trap nor `exit`, which libFuzzer would report as a finding.
    let known = targets.keys.sorted().joined(separator: ", ")
    FileHandle.standardError.write(Data("error: VITRINE_FUZZ_TARGET: '\(name)' is not one of \(known)\n".utf8))
    _exit(2)
}()

/// Called once, before libFuzzer reads the folder with the seeds.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["VITRINE_FUZZ_SEEDS"] else { return 0 }
    do {
        for (index, seed) in try target.seeds().enumerated() {
            try AtomicFile.write(seed, to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
        }
    } catch {
        fatalError("the seeds cannot be written: \(error)")
    }
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
