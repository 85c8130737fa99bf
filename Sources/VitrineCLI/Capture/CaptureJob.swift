import VitrineCaptureView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Captures with a session, in a window or without.
@MainActor
struct CaptureJob {
    let source: CaptureSource
    let folder: URL
    let settings: CaptureSettings

    func run() async throws {
        let isStepped = !source.source.isLive && !settings.showsWindow
        let session = ObjectCaptureSession(source: source.source, pace: isStepped ? .stepped : .realTime, tracking: source.tracking)
        let feed = CaptureFeed(session, isJSON: settings.isJSON)
        let configuration = ObjectCaptureSession.Configuration(
            checkpointDirectory: settings.reconstruction.checkpoint.map { URL(fileURLWithPath: $0) },
            isOverCaptureEnabled: settings.overCaptures, continuesCapture: settings.continues)
        try session.start(imagesDirectory: folder, configuration: configuration)
        let earlier = session.numberOfShotsTaken
        let interrupt = InterruptSource { Task { @MainActor in Self.end(session) } }
        defer { interrupt.cancel() }
        do {
            if settings.showsWindow {
                try await showWindow(session, feed)
            } else {
                try await capture(session, feed, isStepped: isStepped)
            }
            // The last shot is written.
            for await _ in session.stateUpdates {}
        } catch {
            feed.finish()
            throw error
        }
        feed.update()
        feed.finish()
        warn(about: source.source.problems)
        try report(session, feed, earlier: earlier)
    }

    /// Finishes, or cancels if the capture has not started.
    private static func end(_ session: ObjectCaptureSession) {
        do throws(ObjectCaptureSession.InvalidCall) {
            switch session.state {
            case .capturing: try session.finish()
            case .initializing, .ready, .detecting: try session.cancel()
            case .finishing, .completed, .failed: break
            }
        } catch {
            // The session ended in the meantime.
        }
    }

    // MARK: Without a window

    private func capture(_ session: ObjectCaptureSession, _ feed: CaptureFeed, isStepped: Bool) async throws {
        var director = CaptureDirector(session, settings, isLive: !isStepped) { feed.warn("\(source.name): \($0)") }
        while session.isGoing {
            feed.update()
            do throws(ObjectCaptureSession.InvalidCall) {
                try director.advance()
            } catch {
                // The state has changed since; the next frame decides again.
                feed.warn("\(error)")
            }
            if isStepped {
                if await !session.step(), session.isGoing {
                    Self.end(session)
                    break
                }
                source.person?.follow(session)
                // Lets the interrupt's task run.
                await Task.yield()
            } else {
                if session.isSourceAtEnd { Self.end(session) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    // MARK: With a window

    private func showWindow(_ session: ObjectCaptureSession, _ feed: CaptureFeed) async throws {
        let view = ObjectCaptureView(session)
        var options = Window.Options()
        (options.width, options.height) = settings.size
        let window = Window("Capture: \(URL(fileURLWithPath: source.name).lastPathComponent)", showing: view, options: options)
        view.onCommand = { command, refusal in
            if let refusal { feed.warn("\(refusal)") } else { feed.event("command", ["command": .text(command.rawValue.snakeCase)]) }
        }
        view.onEnd = { [weak window] in
            Task { @MainActor in
                // Long enough to be read.
                try? await Task.sleep(for: .seconds(1.5))
                window?.close()
            }
        }
        let watching = Task {
            while !Task.isCancelled {
                feed.update()
                source.person?.follow(session)
                if let limit = settings.shotLimit, session.state == .capturing, session.numberOfShotsTaken >= limit { Self.end(session) }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { watching.cancel() }
        try await window.run()
        // Closing the window ends the capture.
        Self.end(session)
    }

    // MARK: The result

    private func report(_ session: ObjectCaptureSession, _ feed: CaptureFeed, earlier: Int) throws {
        let taken = session.numberOfShotsTaken - earlier
        let kept = session.numberOfShotsTaken
        let problems = (try? CaptureFolder(opening: folder))?.problems ?? []
        for problem in problems { feed.warn(problem) }
        switch session.state {
        case .failed(let error) where error != .cancelled: throw settings.failure(error, source: source.name, kept: kept)
        default: break
        }
        guard taken > 0 else { throw CommandError(file: source.name, reason: reasonForNothing(session)) }
        let share = session.dial.fraction
        if settings.isJSON {
            ReconstructFeed.printLine([
                "event": .text("result"), "folder": .text(settings.output), "shots": .number(Double(kept)),
                "new_shots": .number(Double(taken)),
                "passes": .number(Double(feed.passes)), "coverage": .number((share * 1000).rounded() / 1000),
            ])
        } else {
            let directions = session.boundingBox == nil ? "" : ", \(Int((share * 100).rounded())) % of the directions"
            print("\(settings.output)  \(kept) shots\(earlier > 0 ? ", \(taken) of them new" : "")\(directions)")
        }
    }

    private func reasonForNothing(_ session: ObjectCaptureSession) -> String {
        guard let frame = session.currentFrame else { return "no image arrived, and no shot was taken" }
        if frame.camera.trackingState != .normal {
            return "no shot was taken: the camera could not be tracked; vitrine reconstruct needs no tracking"
        }
        return "no shot was taken: no object was found; keep it in the middle, or capture an area with --area"
    }
}

extension ObjectCaptureSession {
    /// Whether frames are still needed.
    fileprivate var isGoing: Bool {
        switch state {
        case .initializing, .ready, .detecting, .capturing: true
        case .finishing, .completed, .failed: false
        }
    }
}

extension CaptureSettings {
    /// The error of a session as the command's.
    func failure(_ error: ObjectCaptureSession.Error, source: String, kept: Int) -> CommandError {
        switch error {
        case .directoryNotEmpty:
            CommandError(file: output, reason: "the folder is not empty: name another one, or add to its shots with --continue")
        case .directoryUnavailable(_, let reason): CommandError(file: output, reason: reason)
        case .insufficientStorage, .cancelled, .sensorFailed, .trackingFailed:
            CommandError(file: source, reason: "\(error)" + (kept > 0 ? " (\(kept) shots are kept in \(output))" : ""))
        }
    }
}
