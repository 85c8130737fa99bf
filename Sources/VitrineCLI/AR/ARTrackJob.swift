import Dispatch
import VitrineARView
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine ar track`.
struct ARTrackJob {
    let input: String
    let settings: ARTrackSettings

    func run() async throws {
        ProcessMemory.limitArenas()
        let source = try settings.source.open(input).source
        var runner = try TrackerArguments.runner(settings.tracker, source.rig, of: input, scale: settings.scale.scale)
        runner.tracker.setNewWorldDelay(settings.newWorldDelay)
        let mapping = try mapping(runner)
        var report = TrackReport()
        let progress = ProgressLine(isShown: !settings.isJSON)
        let path: [TimedPose]
        do {
            defer { progress.finish() }
            path = try await track(source, &runner, &report, progress)
        }
        warn(about: source.problems)
        if report.scaleUnknown > 0 { warnAboutScale(input) }
        guard report.frames > 0 else { throw CommandError(file: input, reason: "has no readable images") }
        guard report.posed > 0 else {
            throw CommandError(file: input, reason: "no pose in \(report.frames) frames\(report.lastState)")
        }
        try write(path, clockOrigin: source.clockOrigin)
        if let file = settings.savedMap, let mapping {
            try ARWorldMap(landmarkMap: mapping.landmarkMap).write(to: URL(fileURLWithPath: file))
        }
        report.finish(
            problems: source.problems, output: settings.output, tracker: TrackerArguments.name(of: runner.method),
            notes: runner.notes)
        if settings.isJSON { try JSONReport.print(report) } else { print(report.text) }
    }

    /// The tracker with the map to relocalize in; nil without `--map` and `--save-map`.
    private func mapping(_ runner: TrackingRunner) throws -> (any MappingTracker)? {
        guard settings.map != nil || settings.savedMap != nil else { return nil }
        guard let tracker = runner.tracker.mapping else {
            throw CommandError(file: input, reason: "the tracker has no map: --map and --save-map require --tracker world")
        }
        if let file = settings.map {
            let map = try ARWorldMap(contentsOf: URL(fileURLWithPath: file))
            guard map.supportsRelocalization else { throw CommandError(file: file, reason: "has no keyframes for relocalization") }
            tracker.relocalize(in: map.landmarkMap)
        }
        return tracker
    }

    private func track(
        _ source: any SensorSource, _ runner: inout TrackingRunner, _ report: inout TrackReport, _ progress: ProgressLine
    ) async throws -> [TimedPose] {
        let began = MonotonicClock.seconds
        var path: [TimedPose] = []
        for round in 0..<settings.rounds {
            if round > 0 {
                try await source.rewind()
                runner.reset()
                runner.restartTimestamps()
            }
            let poses = try await trackOnce(source, &runner, &report, progress, began)
            if round == 0 { path = poses }
            report.endRound()
        }
        return path
    }

    private func trackOnce(
        _ source: any SensorSource, _ runner: inout TrackingRunner, _ report: inout TrackReport, _ progress: ProgressLine, _ began: Double
    ) async throws -> [TimedPose] {
        var path: [TimedPose] = []
        let before = report.duration
        var first: Double?
        while true {
            let asked = MonotonicClock.seconds
            guard let event = try await source.next() else { break }
            switch event {
            case .inertial(let sample):
                if settings.start == 0 || first.map({ sample.time >= $0 + settings.start - 0.2 }) ?? false {
                    _ = runner.process(event)
                }
            case .image(let sample):
                report.add(stage: "read", (MonotonicClock.seconds - asked) * 1000)
                let begin = first ?? sample.time
                first = begin
                let start = begin + settings.start
                if sample.time < start { continue }
                if let duration = settings.duration, sample.time - start > duration { return path }
                let result = result(event, &runner, &report)
                report.add(result, at: before + sample.time - start)
                if settings.output != nil, let pose = pose(result) { path.append(TimedPose(time: result.time, pose: pose)) }
                show(progress, source.fractionRead, before + sample.time - start, since: began)
            case .interruptionBegan: report.interruptions += 1
            case .interruptionEnded: runner.interrupt()
            }
            report.wallSeconds = MonotonicClock.seconds - began
        }
        return path
    }

    /// Tracks a camera sample and measures its stages.
    private func result(_ event: SensorEvent, _ runner: inout TrackingRunner, _ report: inout TrackReport) -> TrackingResult {
        let began = MonotonicClock.seconds
        guard let frame = runner.process(event) else { preconditionFailure("each camera sample gives a frame") }
        if runner.method != .recorded { report.add(stage: "track", (MonotonicClock.seconds - began) * 1000) }
        for stage in runner.stages { report.add(stage: stage.name, stage.milliseconds) }
        return frame.result
    }

    private func pose(_ result: TrackingResult) -> RigidTransform? {
        guard result.state.isTracking, let pose = result.worldFromCamera else { return nil }
        return settings.pose == .camera ? pose : pose * result.rig.cameraFromBody
    }

    private func show(_ progress: ProgressLine, _ read: Double?, _ time: Double, since began: Double) {
        let elapsed = MonotonicClock.seconds - began
        let fraction = settings.rounds > 1 ? nil : settings.duration.map { max(time / $0, read ?? 0) } ?? read
        let detail = "\(time.fixed(0)) s of the recording, \((time / max(elapsed, 1e-3)).fixed(1)) times real time"
        progress.report("tracking", fraction: fraction, detail: detail)
    }

    /// Writes times with the nanoseconds of the recording's clock.
    private func write(_ path: [TimedPose], clockOrigin: Int64) throws {
        guard let output = settings.output else { return }
        var text = "# time x y z qx qy qz qw: \(settings.pose.rawValue) in the world, +Y up\n"
        for pose in path {
            let (p, q) = (pose.pose.translation, pose.pose.rotation.quaternion)
            text += "\(ClockText.seconds(pose.time, after: clockOrigin)) \(p.x) \(p.y) \(p.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }
        try AtomicFile.write(Array(text.utf8), to: URL(fileURLWithPath: output))
    }
}

/// Times on the clock of a recording.
enum ClockText {
    /// Seconds with nine digits, exact where a `Double` of seconds since 1970 would not be.
    static func seconds(_ time: Double, after origin: Int64) -> String {
        let (sum, overflow) = origin.addingReportingOverflow(Int64((time * 1e9).rounded()))
        guard !overflow else { return "\(time)" }
        let (whole, rest) = sum.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(rest)
        return (sum < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 9 - digits.count) + digits
    }
}

/// Monotonic time in seconds.
enum MonotonicClock {
    static var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
