import VitrineScene

/// Runs the clips of a scene against a clock.
///
/// One clip plays at a time, over and over. Time is taken from the frames' clock, not counted in frames, so slow drawing drops pictures and
/// does not slow the motion.
struct AnimationPlayer {
    private(set) var clips: [AnimationClip]
    /// The clip that plays.
    private(set) var index = 0
    var isPlaying: Bool
    /// Seconds into the clip.
    private(set) var time: Float = 0
    private var lastClock: Double?
    private var needsPose = true

    /// A gap in the clock longer than this (the window was hidden, the machine slept) is no time for the animation.
    private static let longestGap = 1.0

    init(_ clips: [AnimationClip], isPlaying: Bool = true) {
        self.clips = clips
        self.isPlaying = isPlaying && !clips.isEmpty
    }

    var clip: AnimationClip? { clips.indices.contains(index) ? clips[index] : nil }
    /// Whether the next frame will look different by itself. A pose is a clip without length.
    var isMoving: Bool { isPlaying && (clip?.duration ?? 0) > 0 || needsPose && isPlaying }

    mutating func select(_ index: Int) {
        guard clips.indices.contains(index) else { return }
        (self.index, time, lastClock, needsPose) = (index, 0, nil, true)
    }

    mutating func seek(to time: Float) {
        self.time = max(0, time.isFinite ? time : 0)
        needsPose = true
        clip?.apply(at: wrapped(self.time))
    }

    /// Poses the scene for the moment `clock`, seconds.
    mutating func advance(to clock: Double) {
        defer { lastClock = clock }
        guard isPlaying, let clip else { return }
        if let lastClock, clip.duration > 0 {
            let step = clock - lastClock
            if step > 0, step <= Self.longestGap { time = wrapped(time + Float(step)) }
        }
        needsPose = false
        clip.apply(at: time)
    }

    private func wrapped(_ time: Float) -> Float {
        guard let duration = clip?.duration, duration > 0 else { return 0 }
        return time < duration ? time : time.truncatingRemainder(dividingBy: duration)
    }
}
