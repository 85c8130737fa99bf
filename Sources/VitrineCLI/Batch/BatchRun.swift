import Synchronization
import Vitrine
import VitrineMath
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine reconstruct --batch`: reconstructs one object after the other, each in a process of its own.
final class BatchRun {
    private let settings: ReconstructSettings
    private let objects: [BatchFolder.Object]
    private let title: String
    /// The options of each object, before `{name}` is replaced.
    private let options: [String]
    /// The options of objects without a video.
    private let photoOptions: [String]
    /// The options on which the results depend.
    private let keyOptions: [String]
    private let page: String
    private let started = ContinuousClock.now
    private let line: ProgressLine

    /// Creates a batch of the objects in a folder.
    ///
    /// - Parameter arguments: The command line that `settings` was read from.
    init(folder: String, settings: ReconstructSettings, arguments: [String]) throws {
        try settings.validateBatch()
        try settings.checkDevice()
        let content = try BatchFolder(folder)
        (self.settings, objects) = (settings, content.objects)
        title = URL(fileURLWithPath: folder).lastPathComponent
        options = ReconstructSettings.table.options(in: arguments, except: ReconstructSettings.batchOptions)
        photoOptions = ReconstructSettings.table.options(
            in: arguments, except: ReconstructSettings.batchOptions.union(ReconstructSettings.videoOptions))
        keyOptions = ReconstructSettings.table.options(in: arguments, except: ReconstructSettings.batchOptions.union(["--threads"]))
        page = settings.summaryPath
        line = ProgressLine(isShown: !settings.isJSON, quietSeconds: 0)
        if content.strayImages > 0 {
            printError("warning: \(content.strayImages) images in \(folder) are not in one of its folders and are not used")
        }
    }

    /// Reconstructs the objects and writes the summary.
    ///
    /// - Throws: `CommandError` if an object failed or the batch was stopped, after the summary is written.
    func run() throws {
        let folder = URL(fileURLWithPath: page).deletingLastPathComponent()
        try Self.createFolder(folder.path)
        let log = try BatchLog(Self.beside(page, "jsonl"))
        var results = restored(log.results())
        var estimate = BatchEstimate(photos: zip(objects, results).filter { $1.state != .complete }.map(\.0.photos))
        let (stop, child) = (StopFlag(), RunningChild())
        let interrupt = InterruptSource {
            stop.set()
            child.stop()
        }
        defer { interrupt.cancel() }
        for (index, object) in objects.enumerated() where results[index].state != .complete {
            if stop.isSet { break }
            estimate.begin(photos: object.photos)
            let begin = ContinuousClock.now
            let result = reconstruct(object, fingerprint: results[index].fingerprint, child) { fraction, remaining in
                let elapsed = (ContinuousClock.now - begin) / .seconds(1)
                line.report(
                    "\(object.name) (\(index + 1) of \(objects.count))", fraction: estimate.fraction(current: fraction),
                    remaining: estimate.remaining(elapsed: elapsed, remaining: remaining))
            }
            // A stopped object is not a failed one.
            if stop.isSet, result.state == .failed { break }
            results[index] = result
            estimate.finish(seconds: result.seconds, isComplete: result.state == .complete)
            report(result, index, left: estimate.remaining(elapsed: 0, remaining: 0))
            try log.append(result)
        }
        line.finish()
        try finish(results, wasStopped: stop.isSet)
    }

    // MARK: Objects

    /// The results of earlier runs that are still valid: complete, of the same input and options, and with all files.
    private func restored(_ earlier: [String: BatchResult]) -> [BatchResult] {
        objects.map { object in
            var hash = FNVHash()
            hash.combine(separated: "\(object.fingerprint)")
            for option in keyOptions { hash.combine(separated: option) }
            let fingerprint = String(hash.value, radix: 16)
            let waiting = BatchResult(name: object.name, state: .waiting, fingerprint: fingerprint)
            guard var result = earlier[object.name], result.state == .complete, result.fingerprint == fingerprint,
                result.files.allSatisfy({ FileStatus(path: $0) != nil })
            else { return waiting }
            result.wasRestored = true
            return result
        }
    }

    private func reconstruct(
        _ object: BatchFolder.Object, fingerprint: String, _ running: RunningChild, progress: (Double, Double?) -> Void
    ) -> BatchResult {
        let own = settings.named(object.name)
        var result = BatchResult(name: object.name, state: .failed, fingerprint: fingerprint)
        let begin = ContinuousClock.now
        progress(0, nil)
        do {
            for path in own.writtenPaths { try Self.createFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path) }
            let words = (object.isVideo ? options : photoOptions).map {
                $0.replacing(ReconstructSettings.namePlaceholder, with: object.name)
            }
            let child = try CommandProcess(["reconstruct"] + words + ["--json", "--", object.path])
            running.set(child)
            defer { running.set(nil) }
            let end = child.run { line in
                guard let event = ReconstructEvent.decode(line) else { return }
                result.take(event)
                if event.event == "progress" { progress(event.fraction ?? 0, event.remainingS) }
            }
            switch end {
            case .code(0):
                (result.state, result.files, result.reason) = (.complete, own.writtenPaths, nil)
            case .code(let code): result.reason = child.errorMessage ?? result.reason ?? "exit code \(code)"
            case .signal(let number): result.reason = "ended by signal \(number)" + (number == 9 ? ": perhaps out of memory" : "")
            }
        } catch {
            result.reason = describe(error)
        }
        result.seconds = ((ContinuousClock.now - begin) / .seconds(1) * 10).rounded() / 10
        return result
    }

    // MARK: Results

    private func report(_ result: BatchResult, _ index: Int, left: Double?) {
        if settings.isJSON {
            var fields: [String: JSONField] = [
                "event": .text("object"), "name": .text(result.name), "number": .number(Double(index + 1)),
                "of": .number(Double(objects.count)), "state": .text(result.state.rawValue), "seconds": .number(result.seconds),
            ]
            if let reason = result.reason { fields["reason"] = .text(reason) }
            if let left { fields["remaining_s"] = .number(left.rounded()) }
            ReconstructFeed.printLine(fields)
        } else if result.state == .failed {
            line.finish()
            printError("warning: \(result.name) failed: \(result.reason ?? "")")
        }
    }

    private func finish(_ results: [BatchResult], wasStopped: Bool) throws {
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let url = URL(fileURLWithPath: page)
        let summary = BatchPage(title: title, results: results, seconds: seconds, folder: url.deletingLastPathComponent())
        try AtomicFile.write(try summary.json(), to: URL(fileURLWithPath: Self.beside(page, "json")))
        try AtomicFile.write(Array(summary.html.utf8), to: url)
        let (complete, failed) = (summary.count(.complete), summary.count(.failed))
        if settings.isJSON {
            ReconstructFeed.printLine([
                "event": .text("batch_result"), "complete": .number(Double(complete)), "failed": .number(Double(failed)),
                "waiting": .number(Double(summary.count(.waiting))), "seconds": .number(seconds), "summary": .text(page),
            ])
        } else {
            print("\(page)  \(complete.grouped) of \(results.count.grouped) objects complete, \(ProgressLine.duration(seconds))")
        }
        if wasStopped {
            throw CommandError(
                file: title, reason: "stopped after \(complete) of \(results.count) objects: run the same command again to continue")
        }
        if failed > 0 { throw CommandError(file: title, reason: "\(failed) of \(results.count) objects failed: see \(page)") }
    }

    /// The path with another extension.
    private static func beside(_ path: String, _ suffix: String) -> String {
        String(path.dropLast(path.pathExtension.count)) + suffix
    }

    private static func createFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: path, reason: "the folder cannot be created: \(describe(error))")
        }
    }
}

/// The process that an interrupt ends.
private final class RunningChild: Sendable {
    private let child = Mutex<CommandProcess?>(nil)

    func set(_ process: CommandProcess?) { child.withLock { $0 = process } }
    func stop() { child.withLock { $0?.stop() } }
}
