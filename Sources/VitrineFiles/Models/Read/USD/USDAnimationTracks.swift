import VitrineScene

/// Collects the animation of a stage: one clip for nodes, joints and blend weights.
final class USDAnimationTracks {
    private(set) var tracks: [AnimationTrack] = []

    /// Adds a track, unless its value is constant: the node already has the value at the start.
    func add(_ node: Node, _ target: AnimationTarget, _ times: [Float], _ values: [Float]) {
        guard !times.isEmpty, values.count % times.count == 0 else { return }
        let width = values.count / times.count
        let isConstant = values.indices.allSatisfy { values[$0] == values[$0 % width] }
        guard !isConstant,
            let track = AnimationTrack(node: node, target: target, interpolation: .linear, times: times, values: values)
        else { return }
        tracks.append(track)
    }
}
