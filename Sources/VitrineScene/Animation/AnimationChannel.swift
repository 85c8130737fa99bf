import VitrineMath

/// One property of one node that playing clips animate.
struct AnimationChannel {
    struct Key: Hashable {
        let node: ObjectIdentifier
        let target: AnimationTarget
    }

    /// A track with a weight in the channel.
    private struct Source {
        let activePlayer: Int
        let track: AnimationTrack
    }

    let node: Node
    let target: AnimationTarget
    /// The value when the first clip started. Rotations as x, y, z, w; vectors with w = 0.
    private let rest: Vector4
    /// The morph weights when the first clip started.
    private let restWeights: [Float]
    private var sources: [Source] = []

    var key: Key { Key(node: ObjectIdentifier(node), target: target) }

    private init(_ track: AnimationTrack) {
        (node, target) = (track.node, track.target)
        switch target {
        case .translation: rest = Vector4(node.position, 0)
        case .rotation: rest = node.orientation.vector
        case .scale: rest = Vector4(node.scale, 0)
        case .morphWeights: rest = .zero
        }
        restWeights = target == .morphWeights ? node.effectiveMorphWeights : []
    }

    /// Returns the channels of all playing clips, in the order of their tracks. Existing channels keep their rest values.
    static func all(of activePlayers: [AnimationMixer.ActivePlayer], keeping known: [AnimationChannel]) -> [AnimationChannel] {
        var rests: [Key: AnimationChannel] = [:]
        for channel in known { rests[channel.key] = channel }
        var indices: [Key: Int] = [:]
        var channels: [AnimationChannel] = []
        for (activePlayer, playing) in activePlayers.enumerated() {
            for track in playing.player.clip.tracks {
                let key = Key(node: ObjectIdentifier(track.node), target: track.target)
                let index = indices[key] ?? channels.count
                if index == channels.count {
                    indices[key] = index
                    var channel = rests[key] ?? AnimationChannel(track)
                    channel.sources = []
                    channels.append(channel)
                }
                // If a clip has two tracks for the same property, the last one is used.
                channels[index].sources.removeAll { $0.activePlayer == activePlayer }
                channels[index].sources.append(Source(activePlayer: activePlayer, track: track))
            }
        }
        return channels
    }

    /// Restores the rest value of the property.
    func restore() {
        if target == .morphWeights { node.morphWeights = restWeights } else { show(rest) }
    }

    private func show(_ value: Vector4) {
        switch target {
        case .translation: node.position = value.xyz
        case .rotation: node.orientation = Quaternion(vector: value)
        case .scale: node.scale = value.xyz
        case .morphWeights: break
        }
    }

    /// Sets the property to the blend of the playing clips.
    func apply(_ activePlayers: [AnimationMixer.ActivePlayer], _ moments: [(share: Float, time: Float)]) {
        if target == .morphWeights { applyMorphWeights(activePlayers, moments) } else { show(blended(activePlayers, moments)) }
    }

    /// Calls `body` for each source with a weight: first with the sum of the weights of its layer, at the start of a layer.
    private func forSources(
        _ activePlayers: [AnimationMixer.ActivePlayer], _ moments: [(share: Float, time: Float)], beginLayer: (_ total: Float) -> Void,
        mixIn: (_ track: AnimationTrack, _ time: Float, _ share: Float) -> Void,
        add: (_ track: AnimationTrack, _ time: Float, _ share: Float) -> Void
    ) {
        var start = 0
        while start < sources.count {
            let layer = activePlayers[sources[start].activePlayer].layer
            var end = start
            var total: Float = 0
            while end < sources.count, activePlayers[sources[end].activePlayer].layer == layer {
                if !activePlayers[sources[end].activePlayer].isAdditive { total += moments[sources[end].activePlayer].share }
                end += 1
            }
            beginLayer(total)
            for isAdditive in [false, true] {
                for source in sources[start..<end] where activePlayers[source.activePlayer].isAdditive == isAdditive {
                    let moment = moments[source.activePlayer]
                    guard moment.share > 0 else { continue }
                    if isAdditive { add(source.track, moment.time, moment.share) } else { mixIn(source.track, moment.time, moment.share) }
                }
            }
            start = end
        }
    }

    private func blended(_ activePlayers: [AnimationMixer.ActivePlayer], _ moments: [(share: Float, time: Float)]) -> Vector4 {
        var value = rest
        // The sum of the weights in `value` so far: lower layers get the remaining weight.
        var sum: Float = 0
        forSources(activePlayers, moments) { total in
            sum = max(0, 1 - total)
        } mixIn: { track, time, share in
            sum += share
            value = between(value, track.vector(at: time), share / sum)
        } add: { track, time, share in
            value = added(value, track.vector(at: time), track.vector(at: track.times[0]), share)
        }
        return value
    }

    private func between(_ a: Vector4, _ b: Vector4, _ share: Float) -> Vector4 {
        guard share < 1 else { return b }
        return target == .rotation ? Quaternion(vector: a).slerp(to: Quaternion(vector: b), share).vector : mix(a, b, share)
    }

    /// Returns `value` with the fraction `share` of the change from `first` to `now` added.
    private func added(_ value: Vector4, _ now: Vector4, _ first: Vector4, _ share: Float) -> Vector4 {
        switch target {
        case .rotation:
            let turn = Quaternion(vector: first).inverse * Quaternion(vector: now)
            return (Quaternion(vector: value) * Quaternion.identity.slerp(to: turn, share)).normalized.vector
        case .scale:
            // Scales multiply. A first scale of 0 has no ratio to others.
            let ratio = now / first.replacing(with: 1, where: first .== 0)
            return value * mix(Vector4(repeating: 1), ratio.replacing(with: 1, where: first .== 0), share)
        default: return value + (now - first) * share
        }
    }

    private func applyMorphWeights(_ activePlayers: [AnimationMixer.ActivePlayer], _ moments: [(share: Float, time: Float)]) {
        var values = restWeights
        for source in sources where source.track.componentCount > values.count {
            values.append(contentsOf: repeatElement(0, count: source.track.componentCount - values.count))
        }
        var sum: Float = 0
        forSources(activePlayers, moments) { total in
            sum = max(0, 1 - total)
        } mixIn: { track, time, share in
            sum += share
            let part = share / sum
            track.forComponents(at: time) { values[$0] = part < 1 ? mix(values[$0], $1, part) : $1 }
        } add: { track, time, share in
            let first = track.value(at: track.times[0])
            track.forComponents(at: time) { values[$0] += ($1 - first[$0]) * share }
        }
        node.morphWeights = values
    }
}
