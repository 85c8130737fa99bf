import VitrineMath

/// Runs one clip: turns time that passes into a place in the clip.
///
/// It owns no clock; the render loop passes in the elapsed time:
/// ```swift
/// let player = AnimationPlayer(clip, loop: .pingPong)
/// player.advance(by: 1 / 60)     // moves the nodes
/// ```
/// For several at once, and to go over from one to the next, use the scene's `mixer`.
public final class AnimationPlayer {
    /// What happens at the end of the clip.
    public enum Loop: Equatable, Hashable, Sendable {
        /// Holds the last moment.
        case once
        /// Begins again.
        case `repeat`
        /// Runs back and forth.
        case pingPong
    }

    /// The clip to play.
    public let clip: AnimationClip
    /// Default `.repeat`.
    public var loop: Loop
    /// Clip seconds for each second that passes; below 0 it runs backwards.
    public var speed: Float
    /// 0…1: how far the nodes are taken from where they are to where the clip has them; in a mixer, the clip's share.
    public var weight: Float = 1
    /// Seconds played, times speed: not folded into the clip. Double, so that hours of playing stay smooth.
    public var time: Double = 0

    /// Makes a player at the start of a clip.
    public init(_ clip: AnimationClip, loop: Loop = .repeat, speed: Float = 1) {
        (self.clip, self.loop, self.speed) = (clip, loop, speed)
    }

    /// Where in the clip `time` is, 0…`clip.duration`, seconds.
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

    /// Whether a clip that plays once has come to its end (its beginning, when it runs backwards).
    public var isFinished: Bool { loop == .once && (speed >= 0 ? time >= Double(clip.duration) : time <= 0) }

    /// Whether time changes something.
    var isMoving: Bool { speed != 0 && clip.duration > 0 && !isFinished }

    /// Lets `seconds` pass without moving the nodes.
    func pass(_ seconds: Double) { time += seconds * Double(speed) }

    /// Lets `seconds` pass and moves the nodes.
    public func advance(by seconds: Double) {
        pass(seconds)
        apply()
    }

    /// Puts the nodes where the clip has them now.
    public func apply() { clip.apply(at: clipTime, weight: weight) }
}
