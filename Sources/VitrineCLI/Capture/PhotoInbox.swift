import VitrineCaptureView
import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder that receives photos, for example from a tethered camera: checks and copies each photo when its file is complete.
@MainActor
struct PhotoInbox {
    let input: URL
    let folder: URL
    let settings: CaptureSettings

    /// Seconds between two listings of the folder.
    private static let interval = 0.2
    /// Seconds without a change after which a file counts as complete.
    private static let settlingTime = 0.6

    private struct Waiting: Equatable {
        var bytes: Int
        var changed: Int
    }

    func run() async throws {
        guard input.standardizedFileURL.path != folder.standardizedFileURL.path else {
            throw CommandError(file: settings.output, reason: "is the input folder: choose another one")
        }
        let check: PhotoCheck
        do {
            check = try PhotoCheck(folder: folder, continues: settings.continues)
        } catch let error as ObjectCaptureSession.Error {
            throw settings.failure(error, source: input.relativePath, kept: 0)
        }
        let line = ProgressLine(isShown: !settings.isJSON, quietSeconds: 0)
        let isStopped = StopFlag()
        let interrupt = InterruptSource { isStopped.set() }
        defer {
            interrupt.cancel()
            line.finish()
        }
        var done: Set<String> = []
        var waiting: [String: (state: Waiting, since: ContinuousClock.Instant)] = [:]
        var lastNews = ContinuousClock.now
        event("state", ["state": .text("capturing")])
        while !isStopped.isSet {
            let now = ContinuousClock.now
            for (name, state) in try files() where !done.contains(name) {
                guard let known = waiting[name], known.state == state else {
                    waiting[name] = (state, now)
                    lastNews = now
                    continue
                }
                guard (now - known.since) / .seconds(1) >= Self.settlingTime else { continue }
                done.insert(name)
                waiting[name] = nil
                take(name, check, line)
                if isStopped.isSet || isFull(check) { break }
            }
            if isFull(check) { break }
            if waiting.isEmpty, (now - lastNews) / .seconds(1) > settings.idle { break }
            line.report("waiting for photos", fraction: nil, detail: "\(check.count) so far")
            try await Task.sleep(for: .seconds(Self.interval))
        }
        line.finish()
        guard check.taken > 0 else {
            throw CommandError(file: input.relativePath, reason: "no photo arrived\(isStopped.isSet ? "" : " in \(settings.idle) s")")
        }
        event("state", ["state": .text("completed")])
        let separate = check.separateNames
        if !separate.isEmpty {
            let names = separate.prefix(5).joined(separator: ", ") + (separate.count > 5 ? " and \(separate.count - 5) more" : "")
            printError("warning: \(settings.output): \(names): do not overlap with most of the photos")
        }
        if settings.isJSON {
            event(
                "result",
                [
                    "folder": .text(settings.output), "shots": .number(Double(check.count)), "new_shots": .number(Double(check.taken)),
                    "skipped": .number(Double(check.skipped)), "separate": .list(check.separateNames.map { .text($0) }),
                ])
        } else {
            print("\(settings.output)  \(check.count) photos\(check.skipped > 0 ? ", \(check.skipped) skipped" : "")")
        }
    }

    private func isFull(_ check: PhotoCheck) -> Bool { settings.shotLimit.map { check.taken >= $0 } ?? false }

    /// The visible files by name: other programs write under hidden names, or names with another extension.
    private func files() throws -> [(name: String, state: Waiting)] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: input.path)
        } catch {
            throw CommandError(file: input.relativePath, reason: "the folder can no longer be read")
        }
        return names.filter { !$0.hasPrefix(".") }.compactMap { name in
            let url = input.appendingPathComponent(name)
            guard PhotoCheck.isPhotoName(url), let status = FileStatus(path: url.path), status.kind == .file, status.size > 0
            else { return nil }
            return (name, Waiting(bytes: status.size, changed: status.modified))
        }.sorted { $0.name < $1.name }
    }

    private func take(_ name: String, _ check: PhotoCheck, _ line: ProgressLine) {
        switch check.take(input.appendingPathComponent(name)) {
        case .taken(let file, let advice):
            event(
                "shot",
                [
                    "number": .number(Double(check.count)), "file": .text(file),
                    "feedback": .list(advice.map { .text($0.rawValue) }),
                ])
            for problem in advice {
                line.finish()
                if !settings.isJSON { printError("warning: \(name): \(problem.advice.lowercased())") }
            }
        case .skipped(let reason):
            event("skipped", ["file": .text(name), "reason": .text(reason)])
            line.finish()
            printError("warning: \(name): \(reason)")
        }
    }

    private func event(_ name: String, _ fields: [String: JSONField]) {
        guard settings.isJSON else { return }
        var fields = fields
        fields["event"] = .text(name)
        ReconstructFeed.printLine(fields)
    }
}
