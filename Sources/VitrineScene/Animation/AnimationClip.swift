import VitrineMath

/// Interpolation between two keys.
public enum Interpolation: Equatable, Hashable, Sendable {
    /// Keeps the value of the earlier key.
    case step
    /// Interpolates linearly, rotations spherically.
    case linear
    /// Interpolates with a cubic Hermite curve: each key has in-tangent, value and out-tangent, with tangents in units per second.
    case cubic
}

/// The property of a node that a track animates.
public enum AnimationTarget: Equatable, Hashable, Sendable {
    /// The translation in metres, with 3 components.
    case translation
    /// The rotation as a quaternion x, y, z, w, with 4 components.
    case rotation
    /// The scale, with 3 components.
    case scale
    /// The weights of the morph targets, with one component for each.
    case morphWeights
}

/// The values of one property of one node over time.
public struct AnimationTrack {
    /// The animated node.
    public let node: Node
    /// The animated property.
    public let target: AnimationTarget
    /// The interpolation between keys.
    public let interpolation: Interpolation
    /// The times of the keys in seconds, strictly increasing; at least one.
    public let times: [Float]
    /// The values of the keys: `times.count * componentCount` numbers, three times as many for `.cubic`.
    public let values: [Float]
    /// The number of components of a value.
    public let componentCount: Int

    /// Creates a track; returns nil if the counts do not match, or the times do not increase.
    public init?(node: Node, target: AnimationTarget, interpolation: Interpolation, times: [Float], values: [Float]) {
        let perKey = interpolation == .cubic ? 3 : 1
        guard !times.isEmpty, !values.isEmpty, values.count % (times.count * perKey) == 0 else { return nil }
        let components = values.count / (times.count * perKey)
        switch target {
        case .translation, .scale: guard components == 3 else { return nil }
        case .rotation: guard components == 4 else { return nil }
        case .morphWeights: break
        }
        for index in times.indices.dropFirst() where !(times[index] > times[index - 1]) { return nil }
        guard times.allSatisfy({ $0.isFinite }) else { return nil }
        (self.node, self.target, self.interpolation) = (node, target, interpolation)
        (self.times, self.values, self.componentCount) = (times, values, components)
    }

    private init(_ other: AnimationTrack, node: Node) {
        (self.node, target, interpolation) = (node, other.target, other.interpolation)
        (times, values, componentCount) = (other.times, other.values, other.componentCount)
    }

    /// Returns the same track for another node.
    public func retargeted(to node: Node) -> AnimationTrack { AnimationTrack(self, node: node) }
}

/// A named animation: tracks that play together.
public final class AnimationClip {
    /// The name for `Scene.animation(named:)`.
    public var name: String
    /// The animated properties.
    public let tracks: [AnimationTrack]
    /// The time of the last key in seconds.
    public let duration: Float

    /// Creates a clip from tracks.
    public init(name: String = "", tracks: [AnimationTrack]) {
        self.name = name
        self.tracks = tracks
        duration = tracks.reduce(0) { max($0, $1.times.last ?? 0) }
    }
}

extension AnimationTrack {
    /// The position of a time between two keys.
    private struct Moment {
        var key: Int
        /// The fraction of the interval: 0 at `key`, 1 at the next key; 0 where the value is constant.
        var fraction: Float
        /// The seconds between the two keys.
        var span: Float
    }

    private func moment(at time: Float) -> Moment {
        let last = times.count - 1
        // NaN also gives the first key.
        guard time > times[0] else { return Moment(key: 0, fraction: 0, span: 0) }
        guard time < times[last] else { return Moment(key: last, fraction: 0, span: 0) }
        var (low, high) = (0, last)
        while high - low > 1 {
            let middle = (low + high) / 2
            if times[middle] > time { high = middle } else { low = middle }
        }
        let span = times[high] - times[low]
        return Moment(key: low, fraction: interpolation == .step ? 0 : (time - times[low]) / span, span: span)
    }

    /// Returns one component between two keys; not for linear rotations.
    private func component(_ index: Int, _ moment: Moment) -> Float {
        let n = componentCount
        guard interpolation == .cubic else {
            let a = values[moment.key * n + index]
            return moment.fraction == 0 ? a : mix(a, values[(moment.key + 1) * n + index], moment.fraction)
        }
        let a = values[(moment.key * 3 + 1) * n + index]
        guard moment.fraction > 0 else { return a }
        let (t, t2) = (moment.fraction, moment.fraction * moment.fraction)
        let t3 = t2 * t
        let outTangent = values[(moment.key * 3 + 2) * n + index] * moment.span
        let inTangent = values[(moment.key + 1) * 3 * n + index] * moment.span
        let b = values[((moment.key + 1) * 3 + 1) * n + index]
        let fromA = (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * outTangent
        return fromA + (3 * t2 - 2 * t3) * b + (t3 - t2) * inTangent
    }

    private func vector3(_ moment: Moment) -> Vector3 {
        Vector3(component(0, moment), component(1, moment), component(2, moment))
    }

    private func rotation(_ moment: Moment) -> Quaternion {
        guard interpolation == .linear, moment.fraction > 0 else {
            let q = Quaternion(x: component(0, moment), y: component(1, moment), z: component(2, moment), w: component(3, moment))
            return q.normalized
        }
        func key(_ index: Int) -> Quaternion {
            let base = index * 4
            return Quaternion(x: values[base], y: values[base + 1], z: values[base + 2], w: values[base + 3]).normalized
        }
        return key(moment.key).slerp(to: key(moment.key + 1), moment.fraction)
    }

    /// Returns the components of a translation, rotation or scale at `time`; w is 0 for three components.
    func vector(at time: Float) -> Vector4 {
        let moment = moment(at: time)
        return target == .rotation ? rotation(moment).vector : Vector4(vector3(moment), 0)
    }

    /// Calls `body` with the index and the value of each component at `time`; not for linear rotations.
    func forComponents(at time: Float, _ body: (_ index: Int, _ value: Float) -> Void) {
        let moment = moment(at: time)
        for index in 0..<componentCount { body(index, component(index, moment)) }
    }

    /// Returns the value at `time`, constant before the first key and after the last. `apply(at:weight:)` avoids the array.
    public func value(at time: Float) -> [Float] {
        let moment = moment(at: time)
        guard target == .rotation else { return (0..<componentCount).map { component($0, moment) } }
        let q = rotation(moment).vector
        return [q.x, q.y, q.z, q.w]
    }

    /// Sets the node's property to the value at `time`, or interpolates by `weight` from the current value to it. Allocates no memory once the
    /// node has as many morph weights as the track.
    public func apply(at time: Float, weight: Float = 1) {
        let moment = moment(at: time)
        switch target {
        case .translation:
            let value = vector3(moment)
            node.position = weight == 1 ? value : mix(node.position, value, weight)
        case .scale:
            let value = vector3(moment)
            node.scale = weight == 1 ? value : mix(node.scale, value, weight)
        case .rotation:
            let value = rotation(moment)
            node.orientation = weight == 1 ? value : node.orientation.slerp(to: value, weight)
        case .morphWeights: applyMorphWeights(moment, weight)
        }
    }

    private func applyMorphWeights(_ moment: Moment, _ weight: Float) {
        if node.morphWeights.count < componentCount {
            let known = node.effectiveMorphWeights
            node.morphWeights = (0..<componentCount).map { $0 < known.count ? known[$0] : 0 }
        }
        for index in 0..<componentCount {
            let value = component(index, moment)
            node.morphWeights[index] = weight == 1 ? value : mix(node.morphWeights[index], value, weight)
        }
    }
}

extension AnimationClip {
    /// Sets the properties of all nodes to their values at `time` in seconds, or interpolates by `weight` (0…1) from the current values to them.
    ///
    /// With a weight below 1, each call blends the clip with the current pose of the nodes. To play several clips together, use an
    /// `AnimationMixer`.
    public func apply(at time: Float, weight: Float = 1) {
        for index in tracks.indices { tracks[index].apply(at: time, weight: weight) }
    }
}
