import VitrineMath

extension AnimationTrack {
    /// The value at `time`, held before the first key and after the last.
    public func value(at time: Float) -> [Float] {
        let last = times.count - 1
        if time <= times[0] { return key(0) }
        if time >= times[last] { return key(last) }
        let next = firstKey(after: time)
        let span = times[next] - times[next - 1]
        let t = (time - times[next - 1]) / span
        switch interpolation {
        case .step: return key(next - 1)
        case .linear: return linear(from: next - 1, t)
        case .cubic: return cubic(from: next - 1, t, span)
        }
    }

    /// The first key whose time lies after `time`, which lies inside the track.
    private func firstKey(after time: Float) -> Int {
        var (low, high) = (0, times.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func key(_ index: Int) -> [Float] {
        let start = (interpolation == .cubic ? index * 3 + 1 : index) * componentCount
        return Array(values[start..<start + componentCount])
    }

    private func linear(from index: Int, _ t: Float) -> [Float] {
        let (a, b) = (key(index), key(index + 1))
        if target == .rotation {
            let q = Quaternion(x: a[0], y: a[1], z: a[2], w: a[3]).slerp(to: Quaternion(x: b[0], y: b[1], z: b[2], w: b[3]), t)
            return [q.vector.x, q.vector.y, q.vector.z, q.vector.w]
        }
        return a.indices.map { mix(a[$0], b[$0], t) }
    }

    private func cubic(from index: Int, _ t: Float, _ span: Float) -> [Float] {
        let n = componentCount
        let (t2, t3) = (t * t, t * t * t)
        var result: [Float] = []
        result.reserveCapacity(n)
        for c in 0..<n {
            let a = values[(index * 3 + 1) * n + c]
            let outTangent = values[(index * 3 + 2) * n + c] * span
            let inTangent = values[(index + 1) * 3 * n + c] * span
            let b = values[((index + 1) * 3 + 1) * n + c]
            let fromA = (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * outTangent
            result.append(fromA + (3 * t2 - 2 * t3) * b + (t3 - t2) * inTangent)
        }
        return result
    }
}

extension AnimationClip {
    /// Puts every node where the clip has it at `time`, seconds.
    public func apply(at time: Float) {
        for track in tracks {
            let v = track.value(at: time)
            switch track.target {
            case .translation: track.node.position = Vector3(v[0], v[1], v[2])
            case .scale: track.node.scale = Vector3(v[0], v[1], v[2])
            case .rotation: track.node.orientation = Quaternion(x: v[0], y: v[1], z: v[2], w: v[3]).normalized
            case .morphWeights: track.node.morphWeights = v
            }
        }
    }
}
