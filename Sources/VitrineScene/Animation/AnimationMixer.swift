import VitrineMath

/// Plays clips together: cross-fades, weights, layers and additive clips.
///
/// ```swift
/// scene.mixer.play(walk)
/// scene.mixer.play(run, fadeDuration: 0.3)                          // walk fades out meanwhile
/// scene.mixer.play(wave, fadeDuration: 0.2, layer: 1)               // overrides lower layers where it moves something
/// scene.mixer.play(breathe, layer: 2, isAdditive: true)
/// scene.advance(by: 1 / 60)                                         // a `SceneView` does this itself
/// ```
///
/// **Steps**: Each pose is computed from the rest pose (the nodes' values when the first clip started) and all playing clips, without state from
/// the previous frame. Within a layer, clips are blended by their weights. If the weights sum up to less than 1, the layers below contribute
/// the rest, and below all layers the rest pose; if they sum up to more, they are scaled down. Rotations are blended one after the other
/// along the shorter arc, morph weights one by one. A clip contributes only to the properties that it animates.
///
/// **Interruptions**: A cross-fade that begins during another one starts at the current blend: every clip fades from its current weight.
///
/// When no clip animates a property, the mixer restores its rest value and no longer changes it.
public final class AnimationMixer {
    /// A playing clip and its weight.
    struct ActivePlayer {
        let player: AnimationPlayer
        let layer: Int
        let isAdditive: Bool
        var fade: Fade
        /// The weight of the clip, 0…1: the product of the fade and the player's weight.
        var share: Float { fade.share * clamp(player.weight, 0, 1) }
    }

    /// A weight that changes over time.
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
    /// The speed of the clips as a factor; fades are not affected.
    public var speed = 1.0

    /// The playing clips: lower layers first, within a layer in the order in which they were started.
    private(set) var activePlayers: [ActivePlayer] = []
    private var channels: [AnimationChannel] = []
    /// Whether the set of playing clips changed since the channels were built.
    private var channelsAreStale = false
    /// Whether the pose differs from that of the playing clips.
    private var needsPose = false
    /// Called when playback starts.
    var onStart: (() -> Void)?

    /// Creates a mixer without clips.
    public init() {}

    /// The players in use, including those that fade out; lower layers first.
    public var players: [AnimationPlayer] { activePlayers.map { $0.player } }

    /// Returns the current weight of a player, 0…1.
    public func share(of player: AnimationPlayer) -> Float { activePlayers.first { $0.player === player }?.share ?? 0 }

    /// Whether the next step changes the pose.
    public var isMoving: Bool {
        guard !isPaused else { return false }
        return needsPose || activePlayers.contains { !$0.fade.isOver || (speed != 0 && $0.player.isMoving) }
    }

    /// Plays `clip` from its start and fades out the other clips of the same layer.
    ///
    /// - Parameters:
    ///   - fadeDuration: The seconds in which the clip fades in and the others fade out.
    ///   - layer: The layer; higher layers override lower ones. Additive clips do not replace other clips of their layer, and vice versa.
    ///   - isAdditive: Whether the difference between the clip and its first pose is added to the result of the other clips.
    /// - Returns: The player of the clip; its `speed`, `weight`, `loop` and `time` may be changed.
    @discardableResult
    public func play(
        _ clip: AnimationClip, loop: AnimationPlayer.Loop = .repeat, fadeDuration: Double = 0, layer: Int = 0, isAdditive: Bool = false
    ) -> AnimationPlayer {
        fadeOut(fadeDuration) { $0.layer == layer && $0.isAdditive == isAdditive }
        return add(clip, loop: loop, fadeDuration: fadeDuration, layer: layer, isAdditive: isAdditive)
    }

    /// Plays `clip` from its start together with the other clips of the same layer. The players' `weight` determines the blend.
    @discardableResult
    public func add(
        _ clip: AnimationClip, weight: Float = 1, loop: AnimationPlayer.Loop = .repeat, fadeDuration: Double = 0, layer: Int = 0,
        isAdditive: Bool = false
    ) -> AnimationPlayer {
        let player = AnimationPlayer(clip, loop: loop)
        player.weight = weight
        let activePlayer = ActivePlayer(
            player: player, layer: layer, isAdditive: isAdditive, fade: Fade(from: 0, to: 1, duration: max(fadeDuration, 0)))
        activePlayers.insert(activePlayer, at: activePlayers.firstIndex { $0.layer > layer } ?? activePlayers.count)
        activePlayersChanged()
        return player
    }

    /// Fades out a player; stops it immediately by default.
    public func stop(_ player: AnimationPlayer, fadeDuration: Double = 0) { fadeOut(fadeDuration) { $0.player === player } }

    /// Fades out all players, to the rest pose; stops them immediately by default.
    public func stopAll(fadeDuration: Double = 0) { fadeOut(fadeDuration) { _ in true } }

    private func fadeOut(_ duration: Double, where isMeant: (ActivePlayer) -> Bool) {
        for index in activePlayers.indices where isMeant(activePlayers[index]) {
            activePlayers[index].fade = Fade(from: activePlayers[index].fade.share, to: 0, duration: max(duration, 0))
        }
        activePlayersChanged()
    }

    private func activePlayersChanged() {
        activePlayers.removeAll { $0.fade.isOver && $0.fade.to == 0 }
        (channelsAreStale, needsPose) = (true, true)
        if !isPaused { onStart?() }
    }

    /// Advances all clips by `seconds` and poses the nodes if a clip is playing.
    public func advance(by seconds: Double) {
        guard isMoving else { return }
        for index in activePlayers.indices {
            activePlayers[index].fade.elapsed += max(seconds, 0)
            activePlayers[index].player.pass(seconds * speed)
        }
        let count = activePlayers.count
        activePlayers.removeAll { $0.fade.isOver && $0.fade.to == 0 }
        if activePlayers.count != count { channelsAreStale = true }
        apply()
    }

    /// Poses the nodes as the clips define: call it after changing a player's time or weight while playback is paused.
    public func apply() {
        if channelsAreStale { findChannels() }
        needsPose = false
        let moments = activePlayers.map { (share: $0.share, time: $0.player.clipTime) }
        for index in channels.indices { channels[index].apply(activePlayers, moments) }
    }

    private func findChannels() {
        channelsAreStale = false
        let old = channels
        channels = AnimationChannel.all(of: activePlayers, keeping: old)
        // Restores properties that clips no longer animate.
        var kept: Set<AnimationChannel.Key> = []
        for channel in channels { kept.insert(channel.key) }
        for channel in old where !kept.contains(channel.key) { channel.restore() }
    }
}
