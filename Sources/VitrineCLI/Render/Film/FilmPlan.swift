import Vitrine

/// The frames of a film: the rotation of the camera and the time of the animation in each.
struct FilmPlan: Equatable {
    /// The reason why the settings are invalid.
    struct Failure: Error, Equatable {
        let reason: String
    }

    let framesPerSecond: Double
    let frameCount: Int
    /// The number of turns in the whole film; 0: the camera stays.
    let turns: Float
    /// Seconds of the animation; nil without an animation.
    let range: ClosedRange<Float>?
    let speed: Float
    let isPingPong: Bool

    static let limit = 100_000

    /// Plans the frames of a film.
    ///
    /// - Parameters:
    ///   - clip: The name and the seconds of the animation that is played; nil: none.
    ///   - turntable: Frames of the turntable, where it is given so.
    init(_ settings: FilmSettings, framesPerSecond: Double, turntable: Int?, clip: (name: String, duration: Float)?) throws(Failure) {
        self.framesPerSecond = framesPerSecond
        (speed, isPingPong) = (settings.speed, settings.isPingPong)
        range = try clip.map { (clip) throws(Failure) in try Self.range(settings, clip.name, clip.duration) } ?? nil
        var seconds = settings.turntableSeconds.map { Double($0) } ?? turntable.map { Double($0) / framesPerSecond }
        let hasTurntable = seconds != nil || range == nil
        turns = hasTurntable ? settings.turns : 0
        if let range {
            let once = Double(range.upperBound - range.lowerBound) / Double(settings.speed) * (settings.isPingPong ? 2 : 1)
            if seconds == nil { seconds = once * Double(settings.repeats ?? 1) }
        }
        // Without animation and turntable: a turn of six seconds.
        let count = ((seconds ?? 6) * framesPerSecond).rounded()
        guard count <= Double(Self.limit) else { throw Failure(reason: "\(Int(count)) frames: a film has \(Self.limit) at most") }
        frameCount = max(1, Int(count))
    }

    private static func range(_ settings: FilmSettings, _ name: String, _ duration: Float) throws(Failure) -> ClosedRange<Float>? {
        let title = name.isEmpty ? "the animation" : "animation '\(name)'"
        let from = settings.from ?? 0
        // Times are typed with few digits.
        let to = settings.to.map { abs($0 - duration) < 0.005 ? duration : $0 } ?? duration
        guard to <= duration else { throw Failure(reason: "--to \(to): \(title) ends at \(duration) s") }
        if settings.from == nil, settings.to == nil, duration == 0 { return nil }
        guard from < to else { throw Failure(reason: "--from \(from): \(title) must start before it ends, at \(to) s") }
        return from...to
    }

    /// The camera's turn at a frame, from where the settings have it.
    func turn(at frame: Int) -> Angle { .degrees(360 * turns * Float(frame) / Float(frameCount)) }

    /// Seconds of the animation at a frame; nil without an animation. Wraps around, so that a film of whole rounds does not repeat a frame.
    func time(at frame: Int) -> Float? {
        guard let range else { return nil }
        let length = Double(range.upperBound - range.lowerBound)
        let played = Double(frame) / framesPerSecond * Double(speed)
        let cycle = isPingPong ? 2 * length : length
        // A frame that rounding moves just before the end of a round belongs to the next one.
        var offset = (played + 1e-6).truncatingRemainder(dividingBy: cycle) - 1e-6
        if offset > length { offset = cycle - offset }
        return range.lowerBound + Float(min(max(offset, 0), length))
    }

    var seconds: Double { Double(frameCount) / framesPerSecond }
}
