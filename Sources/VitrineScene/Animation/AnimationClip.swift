import VitrineMath

/// Interpolation between two keys.
public enum Interpolation: Equatable, Hashable, Sendable {
    /// The value of the earlier key.
    case step
    /// Straight; spherical for rotations.
    case linear
    /// Cubic Hermite: each key has in-tangent, value and out-tangent, tangents in units per second.
    case cubic
}

/// The property of a node that a track animates.
public enum AnimationTarget: Equatable, Hashable, Sendable {
    /// 3 components, metres.
    case translation
    /// 4 components, a quaternion x, y, z, w.
    case rotation
    /// 3 components.
    case scale
    /// One component for each morph target.
    case morphWeights
}

/// One property of one node over time.
public struct AnimationTrack {
    /// The animated node.
    public let node: Node
    /// The animated property.
    public let target: AnimationTarget
    /// Interpolation between keys.
    public let interpolation: Interpolation
    /// Seconds, strictly rising, at least one.
    public let times: [Float]
    /// `times.count * componentCount` numbers, three times as many for `.cubic`.
    public let values: [Float]
    /// Number of components of a value.
    public let componentCount: Int

    /// Makes a track; returns nil if the counts do not match, or the times do not rise.
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

    /// Returns the same motion for another node.
    public func retargeted(to node: Node) -> AnimationTrack { AnimationTrack(self, node: node) }
}

/// A named animation: tracks that run together.
public final class AnimationClip {
    /// For lookups with `Scene.animation(named:)`.
    public var name: String
    /// The animated properties.
    public let tracks: [AnimationTrack]
    /// The last key's time, seconds.
    public let duration: Float

    /// Makes a clip of tracks.
    public init(name: String = "", tracks: [AnimationTrack]) {
        self.name = name
        self.tracks = tracks
        duration = tracks.reduce(0) { max($0, $1.times.last ?? 0) }
    }
}
