import VitrineFiles
import VitrineScene
import VitrineStage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Loads files in the background, in the order in which a viewer receives them. Of several files of the same kind, the last one is shown, in any
/// order of completion.
@MainActor
final class FileLoader {
    /// The content of a file.
    enum Content {
        case model(LoadedScene)
        case environment(Image)
    }

    private var tasks: [Int: Task<Void, Never>] = [:]
    private var count = 0
    private var shownModel = 0
    private var shownEnvironment = 0

    /// Starts a task with the number of its file.
    func start(_ operation: @escaping @MainActor (_ number: Int) async -> Void) {
        count += 1
        let number = count
        tasks[number] = Task { @MainActor [weak self] in
            await operation(number)
            self?.tasks[number] = nil
        }
    }

    func cancelAll() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    /// Returns whether no later model is shown, and then records this one as shown.
    func mayShowModel(_ number: Int) -> Bool {
        guard number > shownModel else { return false }
        shownModel = number
        return true
    }

    /// Returns whether no later environment is shown, and then records this one as shown.
    func mayShowEnvironment(_ number: Int) -> Bool {
        guard number > shownEnvironment else { return false }
        shownEnvironment = number
        return true
    }

    /// Returns the URL of a dropped path or `file:` URL.
    static func url(of text: String) -> URL {
        if text.hasPrefix("file://"), let url = URL(string: text) { return url }
        return URL(fileURLWithPath: text)
    }

    /// Reads a file: a model, or an image as an environment, determined by its first bytes.
    nonisolated static func read(
        _ url: URL, options: ModelLoadOptions, bakesOcclusion: Bool, progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws -> sending Content {
        do {
            let loaded = try await SceneFile.load(url, options: options, progress: progress)
            if bakesOcclusion { try await loaded.scene.bakeOcclusion { progress(LoadingProgress($0, stage: "shading")) } }
            return .model(loaded)
        } catch let error as ModelFileError {
            guard case .isImage = error.reason else { throw error }
            return .environment(try Image.environment(contentsOf: url))
        }
    }
}
