import VitrineMath
import VitrineScene

extension COLLADAWriter {
    /// Pieces that a curve which a matrix can't follow is cut into, a segment.
    private static var pieces: Int { 16 }

    mutating func addAnimations() {
        guard !contents.clips.isEmpty else { return }
        text.open("library_animations")
        for (number, clip) in contents.clips.enumerated() {
            text.open("animation", Self.named("animation\(number)", clip.name))
            add(clip, id: "animation\(number)")
            addSamplers()
            for channel in pendingChannels { text.leaf("channel", [("source", "#" + channel.sampler), ("target", channel.target)]) }
            pendingChannels = []
            text.close()
        }
        text.close()
        text.open("library_animation_clips")
        for (number, clip) in contents.clips.enumerated() {
            let end = clip.tracks.reduce(Float(0)) { max($0, $1.track.times.last ?? 0) }
            text.open("animation_clip", Self.named("clip\(number)", clip.name) + [("start", "0"), ("end", "\(end)")])
            text.leaf("instance_animation", [("url", "#animation\(number)")])
            text.close()
        }
        text.close()
    }

    private mutating func add(_ clip: SceneContents.ClipEntry, id: String) {
        var done: Set<Int> = []
        for (number, track) in clip.tracks.enumerated() {
            let own = "\(id)-\(number)"
            if track.track.target == .morphWeights {
                addWeights(track, id: own)
            } else if matrixNodes.contains(track.entry) {
                guard done.insert(track.entry).inserted else { continue }
                addMatrices(
                    clip.tracks.filter { $0.entry == track.entry && $0.track.target != .morphWeights }.map { $0.track }, track.entry,
                    id: own)
            } else {
                let name = track.track.target == .translation ? "translate" : "scale"
                addCurve(track.track, 0..<3, ["X", "Y", "Z"], target: "\(Self.nodeID(track.entry))/\(name)", id: own)
            }
        }
    }

    // MARK: Curves

    /// Some components of a track, unchanged: cubic ones as equivalent Bézier curves.
    private mutating func addCurve(_ track: AnimationTrack, _ components: Range<Int>, _ parameters: [String], target: String, id: String) {
        let (width, count) = (track.componentCount, track.times.count)
        let isCubic = track.interpolation == .cubic
        func value(_ key: Int, _ component: Int) -> Float { track.values[(isCubic ? key * 3 + 1 : key) * width + component] }
        addSource(id + "-input", track.times, ["TIME"])
        addSource(id + "-output", (0..<count).flatMap { key in components.map { value(key, $0) } }, parameters)
        let word = isCubic ? "BEZIER" : track.interpolation == .step ? "STEP" : "LINEAR"
        addSource(id + "-interpolation", names: Array(repeating: word, count: count), "INTERPOLATION")
        if isCubic {
            // Handles lie a third of the way in time.
            func handles(_ slot: Int, _ neighbour: Int) -> [Float] {
                (0..<count).flatMap { key -> [Float] in
                    let other = min(max(key + neighbour, 0), count - 1)
                    let third = (track.times[other] - track.times[key]) / 3
                    return components.flatMap {
                        [track.times[key] + third, value(key, $0) + third * track.values[(key * 3 + slot) * width + $0]]
                    }
                }
            }
            let names = parameters.flatMap { _ in ["X", "Y"] }
            addSource(id + "-in", handles(0, -1), names)
            addSource(id + "-out", handles(2, 1), names)
        }
        addSampler(id, isCubic: isCubic, target: target)
    }

    private mutating func addSampler(_ id: String, isCubic: Bool, target: String) {
        pendingSamplers.append((id, isCubic))
        pendingChannels.append((id, target))
    }

    mutating func addSamplers() {
        for (id, isCubic) in pendingSamplers { addSampler(id, isCubic: isCubic) }
        pendingSamplers = []
    }

    private mutating func addSampler(_ id: String, isCubic: Bool) {
        text.open("sampler", [("id", id)])
        text.leaf("input", [("semantic", "INPUT"), ("source", "#\(id)-input")])
        text.leaf("input", [("semantic", "OUTPUT"), ("source", "#\(id)-output")])
        text.leaf("input", [("semantic", "INTERPOLATION"), ("source", "#\(id)-interpolation")])
        if isCubic {
            text.leaf("input", [("semantic", "IN_TANGENT"), ("source", "#\(id)-in")])
            text.leaf("input", [("semantic", "OUT_TANGENT"), ("source", "#\(id)-out")])
        }
        text.close()
    }

    private mutating func addWeights(_ track: SceneContents.TrackEntry, id: String) {
        for index in 0..<track.track.componentCount {
            addCurve(
                track.track, index..<index + 1, ["MORPH_WEIGHT"], target: "morph\(track.entry)-weights-array(\(index))",
                id: "\(id)-\(index)")
        }
    }

    // MARK: Matrices

    /// All that moves a node in one: where it turns, no single axis would do.
    private mutating func addMatrices(_ tracks: [AnimationTrack], _ entry: Int, id: String) {
        let isStepped = tracks.allSatisfy { $0.interpolation == .step }
        let times = Self.times(tracks, isStepped: isStepped)
        let node = contents.entries[entry].node
        let inversePivot = node.pivot.inverse
        var values: [Float] = []
        for time in times {
            var local = node.localTransform
            for track in tracks {
                let v = track.value(at: time)
                switch track.target {
                case .translation: local.translation = Vector3(v[0], v[1], v[2])
                case .rotation: local.rotation = Quaternion(x: v[0], y: v[1], z: v[2], w: v[3])
                case .scale: local.scale = Vector3(v[0], v[1], v[2])
                case .morphWeights: break
                }
            }
            values += Self.rows(node.pivot == .identity ? local.matrix : local.matrix * inversePivot)
        }
        addSource(id + "-input", times, ["TIME"])
        addSource(id + "-output", values, ["TRANSFORM"], type: "float4x4")
        addSource(id + "-interpolation", names: Array(repeating: isStepped ? "STEP" : "LINEAR", count: times.count), "INTERPOLATION")
        addSampler(id, isCubic: false, target: "\(Self.nodeID(entry))/transform")
    }

    private static func times(_ tracks: [AnimationTrack], isStepped: Bool) -> [Float] {
        var times: Set<Float> = []
        for track in tracks {
            times.formUnion(track.times)
            guard !isStepped else { continue }
            for (start, end) in zip(track.times, track.times.dropFirst()) {
                switch track.interpolation {
                case .linear: break
                case .step: times.insert(end.nextDown)
                case .cubic: for piece in 1..<pieces { times.insert(start + (end - start) * Float(piece) / Float(pieces)) }
                }
            }
        }
        return times.sorted()
    }
}
