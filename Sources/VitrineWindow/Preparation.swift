import VitrineGPU
import VitrineMotion

/// A content getting ready, while the window still listens.
@MainActor
final class Preparation {
    private let name: String
    private let showsBar: Bool
    private let began = SDLVideo.now
    private var task: Task<Void, Never>?
    private var result: Result<Void, any Error>?
    private var progress = LoadingProgress(0, stage: "loading")
    private var bar: ProgressWindow?

    /// Seconds that a person waits without wondering.
    private static let patience = 0.3

    init(name: String, showsBar: Bool) { (self.name, self.showsBar) = (name, showsBar) }

    /// - Parameter whenDone: Called once, whatever the end.
    func start(_ window: Window, device: GPUDevice, format: GPUTextureFormat, whenDone: @escaping @MainActor () -> Void) {
        task = Task { @MainActor in
            do {
                try await window.content.prepare(in: window, device: device, format: format) { [weak self] in self?.advance(to: $0) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            whenDone()
        }
    }

    private func advance(to next: LoadingProgress) {
        progress.fraction = max(progress.fraction, min(next.fraction, 1))
        progress.stage = next.stage
    }

    /// - Throws: what getting ready threw.
    func isDone() throws -> Bool {
        guard let result else { return false }
        closeBar()
        try result.get()
        return true
    }

    /// Shows the progress once it takes long.
    ///
    /// - Returns: Whether the user closed the progress window, which cancels loading, and the keys pressed in it.
    func showBar() -> (isClosed: Bool, keys: [InputEvent]) {
        guard showsBar, SDLVideo.now - began > Self.patience else { return (false, []) }
        // Loading goes on if the progress window cannot be opened.
        if bar == nil { bar = try? ProgressWindow(name: name) }
        return bar?.update(progress.fraction, stage: progress.stage) ?? (false, [])
    }

    func cancel() {
        task?.cancel()
        closeBar()
    }

    private func closeBar() {
        bar?.close()
        bar = nil
    }
}
