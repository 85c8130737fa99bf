import Foundation
import Vitrine

/// Does a second model appear in a running view without a hitch?
///
///     vitrine-hitch SHOWN.glb NEXT.glb [NEXT.glb ...]
///
/// Shows the first model in a window that draws without pause, loads the next ones into it one after the other, and prints how much longer frames
/// took than usual: the time between the starts of two frames, and the longest time that the main actor was blocked. The reference is the median of
/// 50 frames of the slower of both models: a model that takes longer to draw is not a hitch. Under Xvfb the software GPU draws on the same processors
/// as everything else, so run it on a quiet machine.
@main @MainActor
struct VitrineHitch {
    static func main() async throws {
        let paths = Array(CommandLine.arguments.dropFirst())
        guard paths.count >= 2 else {
            FileHandle.standardError.write(Data("usage: vitrine-hitch SHOWN NEXT [NEXT ...]\n".utf8))
            exit(2)
        }
        let log = FrameLog()
        let view = SceneView(try await Scene(contentsOf: URL(fileURLWithPath: paths[0])))
        view.rendersContinuously = true
        var options = Window.Options()
        (options.width, options.height) = (480, 360)
        let viewer = Viewer(view)
        let window = Window("hitch", showing: viewer, options: options)
        view.onUpdate = { log.frame(at: $0) }
        viewer.onEvent = { event in
            switch event {
            case .loading(_, _, let stage): log.stage = stage
            case .loaded(let file, _): log.loaded(file)
            case .failed(let message): print("failed: \(message)")
            default: break
            }
        }
        let heartbeat = Task { await log.watch() }
        let script = Task {
            while log.count < 60 { try await Task.sleep(for: .milliseconds(50)) }
            for path in paths.dropFirst() {
                log.begin()
                viewer.open([path])
                while !log.isLoaded { try await Task.sleep(for: .milliseconds(50)) }
                // The first frames of the new model count too; then its usual frame time.
                try await Task.sleep(for: .seconds(2))
                log.end()
                while log.count < 60 { try await Task.sleep(for: .milliseconds(50)) }
                log.report()
            }
            window.close()
        }
        try await window.run()
        heartbeat.cancel()
        script.cancel()
    }
}

/// Start times of frames, and times when the main actor was blocked.
@MainActor
final class FrameLog {
    var stage = ""
    private(set) var isLoaded = false
    private var loadedFile = ""
    private var times: [Double] = []
    private var stages: [String] = []
    private var ordinary: [Double] = []
    private var held: [(seconds: Double, stage: String)] = []
    private var (started, ended) = (0.0, 0.0)
    private var meanwhile: [(gap: Double, stage: String)] = []

    func frame(at time: Double) {
        times.append(time)
        stages.append(stage)
    }

    var count: Int { times.count }

    func begin() {
        ordinary = Array(gaps().suffix(50))
        (times, stages, held, isLoaded, stage) = (times.suffix(1), stages.suffix(1), [], false, "reading")
        started = Self.now
    }

    /// The following frames have the usual duration of the new model.
    func end() {
        meanwhile = Array(zip(gaps(), stages.dropFirst()))
        (times, stages, ended) = ([], [], Self.now - 2)
    }

    func loaded(_ file: String) { (loadedFile, isLoaded, stage) = (file, true, "shown") }

    /// Notes how late the main actor answers.
    func watch() async {
        while !Task.isCancelled {
            let before = Self.now
            try? await Task.sleep(for: .milliseconds(1))
            held.append((Self.now - before - 0.001, stage))
        }
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    private func gaps() -> [Double] { zip(times, times.dropFirst()).map { $1 - $0 } }

    func report() {
        func milliseconds(_ value: Double) -> String { String(format: "%.1f ms", value * 1000) }
        func percentile(_ values: [Double], _ share: Double) -> Double {
            let sorted = values.sorted()
            return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }
        let (all, after) = (meanwhile.map(\.gap), gaps())
        let usual = max(percentile(ordinary, 0.5), percentile(after, 0.5))
        print("\(loadedFile): \(all.count) frames, shown after \(String(format: "%.2f s", ended - started))")
        print("  before: median \(milliseconds(percentile(ordinary, 0.5))), longest \(milliseconds(ordinary.max() ?? 0))")
        print("  after: median \(milliseconds(percentile(after, 0.5))), longest \(milliseconds(after.max() ?? 0))")
        print("  meanwhile: median \(milliseconds(percentile(all, 0.5))), 99th \(milliseconds(percentile(all, 0.99))),", terminator: " ")
        print("longest \(milliseconds(all.max() ?? 0)), beyond the usual \(milliseconds((all.max() ?? 0) - usual))")
        for stage in ["reading", "parsing", "decoding", "shading", "uploading", "shown"] {
            let spans = meanwhile.filter { $0.stage == stage }.map(\.gap)
            guard let longest = spans.max() else { continue }
            let longestHeld = held.filter { $0.stage == stage }.map(\.seconds).max() ?? 0
            print("  \(stage): longest \(milliseconds(longest)), main actor held at most \(milliseconds(longestHeld))")
        }
    }
}
