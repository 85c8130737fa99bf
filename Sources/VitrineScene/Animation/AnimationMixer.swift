import VitrineMath

/// Plays clips together: cross-fades, weights, layers, and clips that are added to what the others make.
///
/// ```swift
/// scene.mixer.play(walk)
/// scene.mixer.play(run, fadeDuration: 0.3)                          // walk fades out meanwhile
/// scene.mixer.play(wave, fadeDuration: 0.2, layer: 1)               // over the others, where it moves something
/// scene.mixer.play(breathe, layer: 2, isAdditive: true)
/// scene.advance(by: 1 / 60)                                         // a `SceneView` does this itself
/// ```
///
/// **One step.** Each pose is computed from the rest pose (the nodes' values when the first clip started) and all
/// playing clips, without state from the frame before. Within a layer the clips are mixed by their shares; where these
/// sum up to less than 1, the rest is what the layers below make, and below all layers the rest pose; where they sum up to more, they are
/// scaled down. Rotations are mixed one after the other along the shorter arc, morph weights number by number. A clip has no share in what
/// it doesn't move.
///
/// **Interruptible.** A cross-fade that begins during another one begins at the blend that is shown: every clip fades from the share it has.
///
/// When no clip moves something any more, it is back in its rest pose, and belongs to the program again.
public final class AnimationMixer {
    /// A clip that plays, and its share.
    struct Voice {
        let player: AnimationPlayer
        let layer: Int
        let isAdditive: Bool
        var fade: Fade
        /// 0…1, the player's weight included.
        var share: Float { fade.share * clamp(player.weight, 0, 1) }
    }

    /// A share on its way.
    struct Fade {
        var from: Float
        var to: Float
        var duration: Double
        var elapsed = 0.0
        var isOver: Bool { elapsed >= duration }
        var share: Float { isOver ? to : mix(from, to, Float(elapsed / duration)) }
    }

    /// Whether playback is paused. Default false.
    public var isPaused = false {
        didSet { if !isPaused { onStart?() } }
    }
    /// Seconds of the clips for each second that passes; fades take their own time.
    public var speed = 1.0

    /// Lower layers first, within a layer in the order in which they were started.
    private(set) var voices: [Voice] = []
    var channels: [AnimationChannel] = []
    /// The clips that play changed: channels are out of date.
    private var channelsAreStale = false
    /// The pose is not that of the voices.
    private var needsPose = false
    /// Called when playback starts.
    var onStart: (() -> Void)?

    /// Makes a mixer without clips.
    public init() {}

    /// The players in use, also those that fade out; lower layers first.
    public var players: [AnimationPlayer] { voices.map { $0.player } }

    /// What a player contributes now, 0…1.
    public func share(of player: AnimationPlayer) -> Float { voices.first { $0.player === player }?.share ?? 0 }

    /// Whether the next step changes the pose.
    public var isMoving: Bool {
        guard !isPaused else { return false }
        return needsPose || voices.contains { !$0.fade.isOver || (speed != 0 && $0.player.isMoving) }
    }

    /// Plays `clip` from its start in place of what plays in the same layer.
    ///
    /// - Parameters:
    ///   - fadeDuration: Seconds in which it comes, and the others go.
    ///   - layer: Higher layers are laid over lower ones. Additive clips and others of one layer don't take each other's place.
    ///   - isAdditive: Whether how far the clip is from its own first moment is added to what the others make.
    /// - Returns: Its player, whose `speed`, `weight`, `loop` and `time` may be changed.
    @discardableResult
    public func play(
        _ clip: AnimationClip, loop: AnimationPlayer.Loop = .repeat, fadeDuration: Double = 0, layer: Int = 0, isAdditive: Bool = false
    ) -> AnimationPlayer {
        fadeOut(fadeDuration) { $0.layer == layer && $0.isAdditive == isAdditive }
        return add(clip, loop: loop, fadeDuration: fadeDuration, layer: layer, isAdditive: isAdditive)
    }

    /// Plays `clip` from its start beside what plays in the same layer. Shares are set by the players' `weight`.
    @discardableResult
    public func add(
        _ clip: AnimationClip, weight: Float = 1, loop: AnimationPlayer.Loop = .repeat, fadeDuration: Double = 0, layer: Int = 0,
        isAdditive: Bool = false
    ) -> AnimationPlayer {
        let player = AnimationPlayer(clip, loop: loop)
        player.weight = weight
        let voice = Voice(player: player, layer: layer, isAdditive: isAdditive, fade: Fade(from: 0, to: 1, duration: max(fadeDuration, 0)))
        voices.insert(voice, at: voices.firstIndex { $0.layer > layer } ?? voices.count)
        voicesChanged()
        return player
    }

    /// Fades a player out; at once by default.
    public func stop(_ player: AnimationPlayer, fadeDuration: Double = 0) { fadeOut(fadeDuration) { $0.player === player } }

    /// Fades everything out, to the rest pose; at once by default.
    public func stopAll(fadeDuration: Double = 0) { fadeOut(fadeDuration) { _ in true } }

    private func fadeOut(_ duration: Double, where isMeant: (Voice) -> Bool) {
        for index in voices.indices where isMeant(voices[index]) {
            voices[index].fade = Fade(from: voices[index].fade.share, to: 0, duration: max(duration, 0))
        }
        voicesChanged()
    }

    private func voicesChanged() {
        voices.removeAll { $0.fade.isOver && $0.fade.to == 0 }
        (channelsAreStale, needsPose) = (true, true)
        if !isPaused { onStart?() }
    }

    /// Lets `seconds` pass and poses the nodes, where something moves.
    public func advance(by seconds: Double) {
        guard isMoving else { return }
        for index in voices.indices {
            voices[index].fade.elapsed += max(seconds, 0)
            voices[index].player.pass(seconds * speed)
        }
        let count = voices.count
        voices.removeAll { $0.fade.isOver && $0.fade.to == 0 }
        if voices.count != count { channelsAreStale = true }
        apply()
    }

    /// Poses the nodes as the clips have them now: call it after changing a player's time or weight while nothing moves.
    public func apply() {
        if channelsAreStale { findChannels() }
        needsPose = false
        let moments = voices.map { (share: $0.share, time: $0.player.clipTime) }
        for index in channels.indices { channels[index].apply(voices, moments) }
    }

    private func findChannels() {
        channelsAreStale = false
        let old = channels
        channels = AnimationChannel.all(of: voices, keeping: old)
        // What nothing moves any more goes back.
        var kept: Set<AnimationChannel.Key> = []
        for channel in channels { kept.insert(channel.key) }
        for channel in old where !kept.contains(channel.key) { channel.restore() }
    }
}
