import VitrineMath
import VitrineScene

/// The animation of a scene for a USD stage: one timeline with linear interpolation between samples.
struct USDMotion {
    static let timeCodesPerSecond = 60.0

    private(set) var warnings: [ModelWarning] = []
    /// The metadata of the stage, if there is animation.
    private(set) var metadata: [(name: String, value: USDValue)] = []
    private var tracks: [Int: [AnimationTrack]] = [:]
    private let entries: [SceneContents.Entry]

    init(_ contents: SceneContents) {
        entries = contents.entries
        guard let clip = contents.clips.first else { return }
        if contents.clips.count > 1 {
            warnings.append(
                ModelWarning(message: "\(contents.clips.count - 1) more animations: not written, because a stage has one timeline"))
        }
        var (first, last, isBent): (Float, Float, Bool) = (0, 0, false)
        for entry in clip.tracks {
            let track = entry.track
            let isTransform = track.target != .morphWeights
            if isTransform, !Self.hasParts(entries[entry.entry]) {
                let location = entries[entry.entry].location
                warnings.append(ModelWarning(location: location, message: "a track of a node with shear or a pivot: not written"))
                continue
            }
            tracks[entry.entry, default: []].append(track)
            (first, last) = (min(first, track.times[0]), max(last, track.times[track.times.count - 1]))
            isBent = isBent || track.interpolation == .cubic
        }
        guard !tracks.isEmpty else { return }
        if isBent { warnings.append(ModelWarning(message: "cubic tracks: written as linear ones with \(Self.cubicSteps) keys per second")) }
        metadata = [
            ("endTimeCode", .double(Self.code(last))), ("startTimeCode", .double(Self.code(first))),
            ("timeCodesPerSecond", .double(Self.timeCodesPerSecond)),
        ]
    }

    static func code(_ seconds: Float) -> Double { Double(seconds) * timeCodesPerSecond }

    /// Returns whether a node's transform is translation, rotation and scale.
    static func hasParts(_ entry: SceneContents.Entry) -> Bool {
        entry.parentFromLocal == .identity || entry.node.localTransform.matrix == entry.parentFromLocal
    }

    func track(_ entry: Int, _ target: AnimationTarget) -> AnimationTrack? { tracks[entry]?.first { $0.target == target } }

    func moves(_ entry: Int) -> Bool { tracks[entry]?.contains { $0.target != .morphWeights } ?? false }

    // MARK: Times

    private static let cubicSteps = 60

    /// Returns the sample times of a track in seconds: at its keys, before the jumps of steps, and at short intervals along curves.
    static func times(_ track: AnimationTrack) -> [Float] {
        switch track.interpolation {
        case .linear: return track.times
        case .step:
            return track.times.enumerated().flatMap { index, time -> [Float] in
                guard index > 0 else { return [time] }
                let before = time - min(1e-3, (time - track.times[index - 1]) / 2)
                return before > track.times[index - 1] && before < time ? [before, time] : [time]
            }
        case .cubic:
            return track.times.enumerated().flatMap { index, time -> [Float] in
                guard index > 0 else { return [time] }
                let last = track.times[index - 1]
                let steps = max(1, min(10_000, Int(((time - last) * Float(cubicSteps)).rounded(.up))))
                return (1...steps).map { $0 == steps ? time : last + (time - last) * Float($0) / Float(steps) }
            }
        }
    }

    /// Returns the times of all transform tracks of these entries, in increasing order.
    func times(of chosen: [Int]) -> [Float] {
        var all: Set<Float> = []
        for entry in chosen {
            for track in tracks[entry] ?? [] where track.target != .morphWeights { all.formUnion(Self.times(track)) }
        }
        return all.sorted()
    }

    /// Returns the transform of an entry to its parent at a time.
    func matrix(_ entry: Int, at time: Float) -> Matrix4 {
        guard moves(entry) else { return entries[entry].parentFromLocal }
        return local(entry, at: time).matrix
    }

    func local(_ entry: Int, at time: Float) -> Transform { entries[entry].node.localTransform(at: time, tracks[entry] ?? []) }
}

extension USDWriter {
    /// Sets a node's transform, including its animation.
    mutating func place(_ entry: SceneContents.Entry, _ index: Int, at prim: Int) {
        guard motion.moves(index) else {
            guard entry.parentFromLocal != .identity else { return }
            layer.prims[prim].set("xformOp:transform", "matrix4d", Self.matrix(entry.parentFromLocal))
            layer.prims[prim].set("xformOpOrder", "token[]", .tokens(["xformOp:transform"]), isUniform: true)
            return
        }
        let local = entry.node.localTransform
        let (t, s, r) = (local.translation, local.scale, local.rotation.normalized.vector)
        operation("translate", "float3", .translation, .float3(t.x, t.y, t.z), index, prim) { .float3($0[0], $0[1], $0[2]) }
        operation("orient", "quatf", .rotation, .quaternion([r.x, r.y, r.z, r.w]), index, prim) { .quaternion($0) }
        operation("scale", "float3", .scale, .float3(s.x, s.y, s.z), index, prim) { .float3($0[0], $0[1], $0[2]) }
        let order = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
        layer.prims[prim].set("xformOpOrder", "token[]", .tokens(order), isUniform: true)
    }

    private mutating func operation(
        _ name: String, _ type: String, _ target: AnimationTarget, _ still: USDValue, _ entry: Int, _ prim: Int,
        _ value: ([Float]) -> USDValue
    ) {
        guard let track = motion.track(entry, target) else { return layer.prims[prim].set("xformOp:\(name)", type, still) }
        let times = USDMotion.times(track)
        layer.prims[prim].animate("xformOp:\(name)", type, times: times.map(USDMotion.code), times.map { value(track.value(at: $0)) })
    }
}
