import VitrineMotion
import VitrineScene
import VitrineStage

/// Prepares the content of a window in a task, and shows the progress if that takes long.
@MainActor
final class Preparation {
    private let name: String
    private let showsBar: Bool
    private let began = SDLVideo.now
    private var task: Task<Void, Never>?
    private var result: Result<Void, any Error>?
    private var progress = LoadingProgress(0, stage: "loading")
    private var bar: ProgressWindow?

    /// The time in seconds before the progress bar appears.
    private static let barDelay = 0.3

    init(name: String, showsBar: Bool) { (self.name, self.showsBar) = (name, showsBar) }

    /// Starts to prepare the content.
    ///
    /// - Parameter completion: Called once, after success or failure.
    func start(_ window: Window, completion: @escaping @MainActor () -> Void) {
        task = Task { @MainActor in
            do {
                try await window.content.prepare(in: window) { [weak self] in self?.advance(to: $0) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            completion()
        }
    }

    private func advance(to next: LoadingProgress) {
        progress.fraction = max(progress.fraction, min(next.fraction, 1))
        progress.stage = next.stage
    }

    /// Returns whether the preparation has ended, and closes the progress bar then.
    ///
    /// - Throws: The error of the content.
    func isDone() throws -> Bool {
        guard let result else { return false }
        closeBar()
        try result.get()
        return true
    }

    /// Shows the progress bar after `barDelay`.
    ///
    /// - Returns: Whether the user closed the progress window, which cancels loading, and the keys pressed in it.
    func showBar() -> (isClosed: Bool, keys: [InputEvent]) {
        guard showsBar, SDLVideo.now - began > Self.barDelay else { return (false, []) }
        // Loading continues if the progress window cannot be opened.
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
