import VitrineFiles
import VitrineMotion
import VitrineWindow

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Window {
    /// Plays the content without a display, as `playHeadless(_:frames:framesPerSecond:scale:onFrame:)`, and writes each frame to a file:
    /// `FOLDER/frame-0000.png` …, starting with time 0.
    ///
    /// - Parameters:
    ///   - script: The user's input.
    ///   - folder: The folder, created if it does not exist; files with the same names are replaced.
    public func playHeadless(
        _ script: EventScript, frames: Int, framesPerSecond: Double = 60, scale: Float = 1, writingTo folder: URL
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await playHeadless(script.events, frames: frames, framesPerSecond: framesPerSecond, scale: scale) { frame, image in
            let number = String(repeating: "0", count: max(0, 4 - String(frame).count)) + String(frame)
            try image.write(to: folder.appendingPathComponent("frame-\(number).png"))
        }
    }
}
