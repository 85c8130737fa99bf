import Foundation
import Testing

/// The documented list of C functions equals the functions that the module calls; ports to other WebGPU implementations rely on it.
@Test func listOfFunctionsIsUpToDate() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let script = Process()
    script.executableURL = root.appendingPathComponent("scripts/gpu-audit.sh")
    script.arguments = ["--check"]
    let output = Pipe()
    script.standardOutput = output
    script.standardError = output
    try script.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    script.waitUntilExit()
    #expect(script.terminationStatus == 0, "\(text)")
}
