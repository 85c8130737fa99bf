import VitrineScene

/// Plays the clips of a scene against a clock, one at a time, over and over.
///
/// Time is taken from the frames' clock, not counted in frames, so slow drawing drops pictures and does not slow the motion.
struct Playback {
    let clips: [AnimationClip]
    /// The clip that plays.
    private(set) var index = 0
    var isPlaying: Bool {
        didSet { if clips.isEmpty { isPlaying = false } }
    }
    private var player: AnimationPlayer?
    private var lastClock: Double?
    /// The clip was changed, and no picture shows it yet.
    private var needsPose = true

    /// A gap in the clock longer than this (the window was hidden, the machine slept) is no time for the animation.
    private static let longestGap = 1.0

    init(_ clips: [AnimationClip], isPlaying: Bool = true) {
        self.clips = clips
        self.isPlaying = isPlaying && !clips.isEmpty
        player = clips.first.map { AnimationPlayer($0) }
    }

    var clip: AnimationClip? { player?.clip }
    /// Seconds into the clip.
    var time: Float { player?.clipTime ?? 0 }
    /// Whether the next frame will look different by itself. A clip without length is a pose.
    var isMoving: Bool { isPlaying && (needsPose || (clip?.duration ?? 0) > 0) }

    mutating func select(_ index: Int) {
        guard clips.indices.contains(index) else { return }
        self.index = index
        player = AnimationPlayer(clips[index])
        (lastClock, needsPose) = (nil, true)
    }

    /// Poses the scene for a moment of the clip, playing or not.
    func seek(to time: Float) {
        player?.time = time.isFinite ? max(0, Double(time)) : 0
        player?.apply()
    }

    /// Poses the scene for the moment `clock`, seconds.
    mutating func advance(to clock: Double) {
        defer { lastClock = clock }
        guard isPlaying, let player else { return }
        let step = clock - (lastClock ?? clock)
        player.advance(by: step > 0 && step <= Self.longestGap ? step : 0)
        needsPose = false
    }
}
