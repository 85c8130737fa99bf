import VitrineARView
import VitrineMapping
import VitrineMath
import VitrineSimulation
import VitrineVision

/// One run of `vitrine ar relocalize`.
struct ARRelocalizeJob {
    let input: String
    let settings: ARRelocalizeSettings

    /// The outcome of one start.
    private struct Attempt {
        /// Seconds from the first image.
        var start: Double
        /// Seconds until relocalization; nil if it failed.
        var delay: Double?
        /// Seconds until the state is normal; nil if it never was.
        var normalDelay: Double?
        /// The errors at relocalization, and of the first second with a normal state, in metres and degrees, where a reference is known.
        var error: PoseError?
        var normalErrors: [PoseError] = []
    }

    private struct PoseError {
        var position, angle: Double

        init(_ pose: RigidTransform, _ known: RigidTransform) {
            position = length(pose.translation - known.translation)
            angle = length((known.rotation.transpose * pose.rotation).rotationVector) * 180 / .pi
        }

        var isWrong: Bool { position > 0.1 || angle > 5 }
    }

    /// Results of the starts within the mapped part, or of the others.
    private struct Group: Encodable {
        let starts, relocalized, relocalizedWithinOneSecond: Int
        let medianDelay, largestDelay: Double?
        /// The number of starts with an error above 10 cm or 5° at relocalization, and within a second of the first normal state.
        let wrong, wrongWhileNormal: Int
        let medianNormalDelay, largestNormalDelay: Double?
        let medianNormalError, largestNormalError: Double?
        let medianError, largestError, largestAngle: Double?
        /// The start times without relocalization, in seconds from the first image.
        let failures: [Double]

        init(_ attempts: [Attempt], limit: Double) {
            let delays = attempts.compactMap(\.delay).filter { $0 <= limit }.sorted()
            let errors = attempts.compactMap(\.error)
            let positions = errors.map(\.position).sorted()
            (starts, relocalized) = (attempts.count, delays.count)
            relocalizedWithinOneSecond = delays.count { $0 <= 1 }
            (medianDelay, largestDelay) = (delays.isEmpty ? nil : delays[delays.count / 2], delays.last)
            wrong = errors.count(where: \.isWrong)
            wrongWhileNormal = attempts.count { $0.normalErrors.contains(where: \.isWrong) }
            let normalDelays = attempts.compactMap(\.normalDelay).sorted()
            (medianNormalDelay, largestNormalDelay) = (
                normalDelays.isEmpty ? nil : normalDelays[normalDelays.count / 2], normalDelays.last
            )
            let normalErrors = attempts.flatMap { $0.normalErrors.map(\.position) }.sorted()
            (medianNormalError, largestNormalError) = (
                normalErrors.isEmpty ? nil : normalErrors[normalErrors.count / 2], normalErrors.last
            )
            (medianError, largestError) = (positions.isEmpty ? nil : positions[positions.count / 2], positions.last)
            largestAngle = errors.map(\.angle).max()
            failures = attempts.filter { !($0.delay ?? .infinity <= limit) }.map { ($0.start * 100).rounded() / 100 }
        }

        var text: String {
            func number(_ value: Double?, _ digits: Int) -> String { value?.fixed(digits) ?? "–" }
            return
                "\(relocalizedWithinOneSecond) of \(starts) within 1 s, \(relocalized) in all; median \(number(medianDelay, 2)) s, at most "
                + "\(number(largestDelay, 2)) s; error median \(number(medianError, 3)) m, at most \(number(largestError, 3)) m and "
                + "\(number(largestAngle, 2))°; wrong: \(wrong)"
                + "\n           normal after median \(number(medianNormalDelay, 2)) s, at most \(number(largestNormalDelay, 2)) s; error median "
                + "\(number(medianNormalError, 3)) m, at most \(number(largestNormalError, 3)) m; wrong: \(wrongWhileNormal)"
                + (failures.isEmpty ? "" : "\n           not from \(failures.map { $0.fixed(2) }.joined(separator: ", ")) s")
        }
    }

    private struct Report: Encodable {
        let recording: String
        let keyframes, landmarks, bytes: Int
        /// The number of the images with a normal state in the mapped part.
        let mapped: Int
        let hasTruth: Bool
        /// Starts within the mapped part, and elsewhere.
        let own, others: Group
        let stages: [StageSamples.Stage]
    }

    func run() async throws {
        let source = try settings.source.open(input).source
        guard source.rig.hasInertialUnit else { throw CommandError(file: input, reason: "has no IMU, which landmark maps require") }
        var events: [SensorEvent] = []
        while let event = try await source.next() { events.append(event) }
        warn(about: source.problems)
        let times = events.compactMap { $0.imageTime }
        guard let first = times.first else { throw CommandError(file: input, reason: "has no readable images") }
        let (begin, end) = (first + settings.start, first + settings.start + settings.duration)
        var runner = try runner(source.rig)
        let (encoded, reference) = try mapped(events, from: begin, to: end, &runner)
        let map = try LandmarkMap(encoded: encoded)
        guard !map.isEmpty else { throw CommandError(file: input, reason: "the mapped part has no keyframes") }
        let truth = truth(events, aligned: reference.filter { $0.time <= end })
        var samples = StageSamples()
        var attempts: [Attempt] = []
        let starts = times.filter { $0 >= begin && $0 <= (times.last ?? 0) - min(1, settings.limit) }
        var next = starts.first ?? 0
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        for (index, start) in starts.enumerated() where start >= next {
            progress.report("relocalizing", fraction: Double(index) / Double(starts.count), detail: "")
            next += settings.interval
            runner = try self.runner(source.rig)
            runner.tracker.mapping?.relocalize(in: map)
            attempts.append(attempt(events, from: start, first, truth ?? reference, &runner, &samples))
        }
        progress.finish()
        let own = Group(attempts.filter { first + $0.start <= end }, limit: settings.limit)
        let report = Report(
            recording: input, keyframes: map.keyframeCount, landmarks: map.landmarkCount, bytes: encoded.count,
            mapped: reference.count { $0.time <= end }, hasTruth: truth != nil, own: own,
            others: Group(attempts.filter { first + $0.start > end }, limit: settings.limit), stages: samples.stages)
        if settings.isJSON { try JSONReport.print(report) } else { print(text(report)) }
    }

    private func runner(_ rig: SensorRig) throws -> TrackingRunner {
        try TrackerArguments.runner(.visualInertial, rig, of: input, scale: nil)
    }

    /// Tracks the recording from `begin` to its end.
    /// - Returns: The encoded map at `end`, and the poses with a normal state.
    private func mapped(
        _ events: [SensorEvent], from begin: Double, to end: Double, _ runner: inout TrackingRunner
    ) throws -> (map: [UInt8], path: [TimedPose]) {
        var (map, path): ([UInt8]?, [TimedPose]) = (nil, [])
        for event in events where event.time ?? begin >= begin - 0.2 {
            if let time = event.imageTime {
                if time < begin { continue }
                if time > end, map == nil { map = runner.tracker.mapping?.landmarkMap.encoded() }
            }
            guard let frame = runner.process(event), frame.result.state == .normal, let pose = frame.result.worldFromCamera else {
                continue
            }
            path.append(TimedPose(time: frame.sample.time, pose: pose))
        }
        return (map ?? runner.tracker.mapping?.landmarkMap.encoded() ?? [], path)
    }

    /// The ground truth in the world of `path`, by heading and position; nil without ground truth.
    private func truth(_ events: [SensorEvent], aligned path: [TimedPose]) -> [TimedPose]? {
        let truth = events.compactMap { event -> TimedPose? in
            guard case .image(let sample) = event, let pose = sample.worldFromCamera else { return nil }
            return TimedPose(time: sample.time, pose: pose)
        }
        guard let comparison = try? TrajectoryComparison(estimate: path, truth: truth, alignment: .yaw) else { return nil }
        let transform = comparison.truthFromEstimate
        let back = RigidTransform(rotation: transform.rotation, translation: transform.translation).inverse
        return truth.map { TimedPose(time: $0.time, pose: back * $0.pose) }
    }

    private func attempt(
        _ events: [SensorEvent], from start: Double, _ first: Double, _ reference: [TimedPose], _ runner: inout TrackingRunner,
        _ samples: inout StageSamples
    ) -> Attempt {
        var attempt = Attempt(start: start - first)
        for event in events where event.time ?? start >= start - 0.2 {
            if let time = event.imageTime {
                if time < start { continue }
                if time > start + settings.limit + 1 { break }
            }
            guard let frame = runner.process(event) else { continue }
            for stage in runner.stages { samples.add(stage.name, stage.milliseconds) }
            guard let pose = frame.result.worldFromCamera else { continue }
            let isNormal = frame.result.state == .normal
            let delay = frame.sample.time - start
            let known = reference.first { abs($0.time - frame.sample.time) < 1e-4 }?.pose
            if attempt.delay == nil, frame.result.relocalizationCorrection != nil || isNormal {
                attempt.delay = delay
                attempt.error = known.map { PoseError(pose, $0) }
            }
            guard isNormal else { continue }
            attempt.normalDelay = attempt.normalDelay ?? delay
            if let known { attempt.normalErrors.append(PoseError(pose, known)) }
            if delay > (attempt.normalDelay ?? 0) + 1 { break }
        }
        return attempt
    }

    private func text(_ report: Report) -> String {
        var lines = [
            "map        \(report.keyframes) keyframes, \(report.landmarks) landmarks, \(report.bytes / 1024) KB; \(report.mapped) images",
            "reference  " + (report.hasTruth ? "ground truth" : "the tracked path"), "mapped     " + report.own.text,
            "others     " + report.others.text,
        ]
        lines += report.stages.map(\.text)
        return lines.joined(separator: "\n")
    }
}

extension SensorEvent {
    /// The time of an image; nil for other events.
    fileprivate var imageTime: Double? {
        if case .image(let sample) = self { sample.time } else { nil }
    }
}
