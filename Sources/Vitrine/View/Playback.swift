import VitrineScene

/// The clip of a scene that plays in a view, one at a time, over and over.
struct Playback {
    let clips: [AnimationClip]
    private let mixer: AnimationMixer
    private var player: AnimationPlayer?
    var isPlaying: Bool {
        didSet {
            if clips.isEmpty { isPlaying = false }
            mixer.isPaused = !clips.isEmpty && !isPlaying
        }
    }

    /// Plays the first clip, unless the program has begun to play something.
    init(_ clips: [AnimationClip], mixer: AnimationMixer, isPlaying: Bool = true) {
        (self.clips, self.mixer) = (clips, mixer)
        self.isPlaying = isPlaying && !clips.isEmpty
        player = mixer.players.last ?? clips.first.map { mixer.play($0) }
        mixer.isPaused = !clips.isEmpty && !isPlaying
    }

    var clip: AnimationClip? { player?.clip }
    /// The number of the clip that plays; 0 where it is none of the scene's.
    var index: Int { clips.firstIndex { $0 === clip } ?? 0 }
    /// Seconds into the clip.
    var time: Float { player?.clipTime ?? 0 }

    mutating func play(_ clip: AnimationClip, fadeDuration: Double) { player = mixer.play(clip, fadeDuration: fadeDuration) }

    /// Poses the scene for a moment of the clip, playing or not.
    func seek(to time: Float) {
        player?.time = time.isFinite ? max(0, Double(time)) : 0
        mixer.apply()
    }
}
