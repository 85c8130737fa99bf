import VitrineMath

/// Plays one clip: maps elapsed time to a time in the clip.
///
/// It owns no clock; the render loop passes in the elapsed time:
/// ```swift
/// let player = AnimationPlayer(clip, loop: .pingPong)
/// player.advance(by: 1 / 60)     // moves the nodes
/// ```
/// To play several clips at once, or to cross-fade, use the scene's `mixer`.
public final class AnimationPlayer {
    /// The behaviour at the end of the clip.
    public enum Loop: Equatable, Hashable, Sendable {
        /// Keeps the last pose.
        case once
        /// The clip starts again.
        case `repeat`
        /// Plays forwards and backwards in turn.
        case pingPong
    }

    /// The clip to play.
    public let clip: AnimationClip
    /// The behaviour at the end of the clip. Default `.repeat`.
    public var loop: Loop
    /// The speed of playback as a factor; negative values play backwards.
    public var speed: Float
    /// The weight with which the clip's pose replaces the current pose of the nodes, 0…1; in a mixer, the clip's weight.
    public var weight: Float = 1
    /// The elapsed time in seconds times speed, not reduced to the clip. In double precision, so that long playback stays smooth.
    public var time: Double = 0

    /// Creates a player at the start of a clip.
    public init(_ clip: AnimationClip, loop: Loop = .repeat, speed: Float = 1) {
        (self.clip, self.loop, self.speed) = (clip, loop, speed)
    }

    /// The time in the clip in seconds, 0…`clip.duration`.
    public var clipTime: Float {
        let duration = Double(clip.duration)
        guard duration > 0, time.isFinite else { return 0 }
        switch loop {
        case .once: return Float(clamp(time, 0, duration))
        case .repeat: return Float(time - (time / duration).rounded(.down) * duration)
        case .pingPong:
            let there = time - (time / (2 * duration)).rounded(.down) * 2 * duration
            return Float(there <= duration ? there : 2 * duration - there)
        }
    }

    /// Whether a clip that plays once has reached its end, or its start if it plays backwards.
    public var isFinished: Bool { loop == .once && (speed >= 0 ? time >= Double(clip.duration) : time <= 0) }

    /// Whether advancing the time changes the pose.
    var isMoving: Bool { speed != 0 && clip.duration > 0 && !isFinished }

    /// Advances the time by `seconds` without changing the nodes.
    func pass(_ seconds: Double) { time += seconds * Double(speed) }

    /// Advances the time by `seconds` and poses the nodes.
    public func advance(by seconds: Double) {
        pass(seconds)
        apply()
    }

    /// Poses the nodes at the current time.
    public func apply() { clip.apply(at: clipTime, weight: weight) }
}
