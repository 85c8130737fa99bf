import VitrineScene

/// Plays the animation clips of a scene, one at a time, in a loop.
package struct AnimationPlayback {
    package let clips: [AnimationClip]
    private let mixer: AnimationMixer
    private var player: AnimationPlayer?
    private var plays: Bool

    /// Plays the first clip, unless the mixer already plays one.
    package init(_ clips: [AnimationClip], mixer: AnimationMixer, isPlaying: Bool = true) {
        (self.clips, self.mixer) = (clips, mixer)
        plays = isPlaying && !clips.isEmpty
        player = mixer.players.last ?? clips.first.map { mixer.play($0) }
        mixer.isPaused = !clips.isEmpty && !isPlaying
    }

    /// Whether a clip is playing. Always false without clips.
    package var isPlaying: Bool {
        get { plays }
        set {
            plays = newValue && !clips.isEmpty
            mixer.isPaused = !clips.isEmpty && !plays
        }
    }

    /// The current clip.
    package var clip: AnimationClip? { player?.clip }
    /// The index of the current clip; 0 if it is not one of `clips`.
    package var index: Int { clips.firstIndex { $0 === clip } ?? 0 }
    /// The time in the clip in seconds.
    package var time: Float { player?.clipTime ?? 0 }

    /// Plays a clip from its start, blending from the current one over `fadeDuration` seconds.
    package mutating func play(_ clip: AnimationClip, fadeDuration: Double) { player = mixer.play(clip, fadeDuration: fadeDuration) }

    /// Plays the clip after the current one; has no effect without clips.
    package mutating func playNext(fadeDuration: Double) {
        guard !clips.isEmpty else { return }
        play(clips[(index + 1) % clips.count], fadeDuration: fadeDuration)
        isPlaying = true
    }

    /// Poses the scene at a time of the clip in seconds, even while playback is paused.
    package func seek(to time: Float) {
        player?.time = time.isFinite ? max(0, Double(time)) : 0
        mixer.apply()
    }
}
