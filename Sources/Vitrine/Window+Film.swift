import VitrineFiles
import VitrineMotion
import VitrineWindow

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Window {
    /// Runs the content without a display, as `rehearse(_:frames:framesPerSecond:scale:onFrame:)`, and writes each picture:
    /// `FOLDER/frame-0000.png` …, the moment 0 first.
    ///
    /// - Parameters:
    ///   - script: What a person does meanwhile.
    ///   - folder: Made if it isn't there; pictures of the same names are replaced.
    public func rehearse(
        _ script: EventScript, frames: Int, framesPerSecond: Double = 60, scale: Float = 1, writingTo folder: URL
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await rehearse(script.events, frames: frames, framesPerSecond: framesPerSecond, scale: scale) { frame, picture in
            let number = String(repeating: "0", count: max(0, 4 - String(frame).count)) + String(frame)
            try picture.write(to: folder.appendingPathComponent("frame-\(number).png"))
        }
    }
}
