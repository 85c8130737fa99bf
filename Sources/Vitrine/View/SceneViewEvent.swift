#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a `SceneView` has to tell.
public enum SceneViewEvent: Sendable {
    /// Reading a dropped file has come so far, 0…1.
    case loading(file: String, fraction: Double, stage: String)
    /// A dropped file is shown now. Warnings: what of it was bent or left out.
    case loaded(file: String, warnings: [String])
    /// A file could not be shown, or a picture not be written; what was shown before is still there.
    case failed(String)
    case screenshotWritten(URL)
    /// The result of a command, in one line: "tone mapping: agx". Shown over the view too.
    case changed(String)
}
