import VitrineARView
import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The report of `vitrine ar track`: tracking quality, times, memory.
struct TrackReport: Encodable {
    /// A time span with the same tracking state.
    struct Span: Encodable {
        let state: String
        /// Seconds from the first frame.
        let from: Double
        fileprivate(set) var to: Double
        fileprivate(set) var frames: Int
        /// The most frequent advice for the user; nil without any.
        var advice: String? { commonAdvice?.rawValue }
        /// The number of frames with each advice.
        fileprivate var advices: [TrackingAdvice: Int] = [:]

        fileprivate var commonAdvice: TrackingAdvice? {
            TrackingAdvice.allCases.filter { advices[$0] != nil }.max { advices[$0]! < advices[$1]! }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(state, forKey: .state)
            try container.encode(from, forKey: .from)
            try container.encode(to, forKey: .to)
            try container.encode(frames, forKey: .frames)
            try container.encodeIfPresent(advice, forKey: .advice)
        }

        private enum CodingKeys: String, CodingKey { case state, from, to, frames, advice }
    }

    private(set) var tracker = ""
    private(set) var output: String?
    private(set) var frames = 0
    /// The number of frames with a pose, with state normal, and with a pose that is reliable except for its unknown scale.
    private(set) var posed = 0
    private(set) var normal = 0
    private(set) var scaleUnknown = 0
    /// The duration of the recording in seconds; and that of the run.
    private(set) var duration = 0.0
    var wallSeconds = 0.0
    /// The length of the path of tracked frames, in metres if the scale is known.
    private(set) var pathLength = 0.0
    /// Seconds from the first frame to the first with state normal.
    private(set) var secondsToNormal: Double?
    /// The number of tracking losses: changes of the state to relocalizing.
    private(set) var timesLost = 0
    /// The time of each start of a new world after a loss, in seconds.
    private(set) var secondsToNewWorld: [Double] = []
    /// The time of each relocalization in seconds.
    private(set) var secondsToRelocalized: [Double] = []
    private(set) var timeline: [Span] = []
    private(set) var stages: [StageSamples.Stage] = []
    var interruptions = 0
    private(set) var peakMegabytes = 0.0
    /// The resident memory after each round.
    private(set) var residentMegabytes: [Double] = []
    private(set) var problems = 0
    private(set) var messages: [String] = []
    private(set) var notes: [String] = []

    private var samples = StageSamples()
    /// Whether the newest state is relocalizing.
    private var isRelocalizing = true
    private var last: Vector3d?
    /// Whether the next state is the first of a new round.
    private var startsRound = false

    private enum CodingKeys: String, CodingKey {
        case tracker, output, frames, posed, normal, scaleUnknown, duration, wallSeconds, pathLength, secondsToNormal, timesLost
        case secondsToNewWorld, timeline, stages
        case secondsToRelocalized, interruptions, peakMegabytes, residentMegabytes, problems, messages, notes
    }

    mutating func add(stage: String, _ milliseconds: Double) { samples.add(stage, milliseconds) }

    mutating func add(_ result: TrackingResult, at time: Double) {
        frames += 1
        duration = time
        if result.worldFromCamera != nil { posed += 1 }
        // Without a loss, corrections close loops.
        if result.relocalizationCorrection != nil, isRelocalizing { secondsToRelocalized.append(time) }
        isRelocalizing = result.state == .limited(.relocalizing)
        if result.startsNewWorld { secondsToNewWorld.append(time) }
        addToTimeline(result.state, result.advice, time)
        // The path does not continue in a new world.
        if result.startsNewWorld { last = nil }
        guard result.state.isTracking, let pose = result.worldFromCamera else {
            last = nil
            return
        }
        if result.state == .normal {
            normal += 1
            if secondsToNormal == nil { secondsToNormal = time }
        } else {
            scaleUnknown += 1
        }
        if let last {
            let step = pose.translation - last
            pathLength += (step * step).sum().squareRoot()
        }
        last = pose.translation
    }

    private mutating func addToTimeline(_ state: TrackingState, _ advice: TrackingAdvice?, _ time: Double) {
        defer { startsRound = false }
        if timeline.last?.state != state.word {
            if state == .limited(.relocalizing), !startsRound, !timeline.isEmpty { timesLost += 1 }
            timeline.append(Span(state: state.word, from: time, to: time, frames: 0))
        }
        let index = timeline.count - 1
        timeline[index].to = time
        timeline[index].frames += 1
        if let advice { timeline[index].advices[advice, default: 0] += 1 }
    }

    /// Ends a round.
    mutating func endRound() {
        (last, startsRound) = (nil, true)
        if let megabytes = ProcessMemory.residentMegabytes() { residentMegabytes.append(megabytes) }
    }

    /// The end of a message: ": the last state was …".
    var lastState: String { timeline.last.map { ": the last state was \($0.state)" } ?? "" }

    mutating func finish(problems: SourceProblems, output: String?, tracker: String, notes: [String]) {
        (self.problems, messages, self.output, self.tracker, self.notes) = (problems.count, problems.messages, output, tracker, notes)
        stages = samples.stages
        peakMegabytes = ProcessMemory.peakMegabytes
    }

    var text: String {
        func number(_ value: Double, _ digits: Int) -> String { value.fixed(digits) }
        var lines = [
            "frames     \(frames), \(normal) with state normal" + (secondsToNormal.map { ", the first after \(number($0, 2)) s" } ?? "")
                + (scaleUnknown > 0 ? ", \(scaleUnknown) with unknown scale" : ""),
            "path       \(number(pathLength, 2)) \(scaleUnknown > 0 ? "units of a guessed scale" : "m") in \(number(duration, 1)) s",
            "speed      \(number(wallSeconds, 2)) s: \(number(duration / max(wallSeconds, 1e-9), 1)) times real time",
            "memory     \(number(peakMegabytes, 0)) MB peak",
        ]
        if let rounds = ProcessMemory.text(afterEach: residentMegabytes) { lines.append(rounds) }
        lines += stages.map(\.text)
        lines += timeline.prefix(30).map {
            "state      \(number($0.from, 2)) s … \(number($0.to, 2)) s  \($0.state), \($0.frames) frames"
                + ($0.commonAdvice.map { ". \($0.text)" } ?? "")
        }
        if timeline.count > 30 { lines.append("state      … and \(timeline.count - 30) more changes") }
        lines.append("lost       \(timesLost) times")
        if !secondsToNewWorld.isEmpty {
            lines.append("new world  after \(secondsToNewWorld.map { number($0, 2) }.joined(separator: ", ")) s")
        }
        if !secondsToRelocalized.isEmpty {
            lines.append("relocalized after \(secondsToRelocalized.map { number($0, 2) }.joined(separator: ", ")) s")
        }
        if interruptions > 0 { lines.append("interrupted \(interruptions) times") }
        lines.append("problems   \(problems)")
        lines += notes.map { "           \($0)" }
        if let output { lines.append("written    \(output)") }
        return lines.joined(separator: "\n")
    }
}

extension TrackingState {
    /// The name of the state in reports.
    var word: String {
        switch self {
        case .notAvailable: "not available"
        case .limited(let reason): "limited: \(reason.rawValue)"
        case .normal: "normal"
        }
    }
}
