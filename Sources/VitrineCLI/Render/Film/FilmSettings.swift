import Vitrine
import VitrineARView
import VitrineVideo

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of films.
struct FilmSettings {
    /// nil for 30, or 25 for GIF.
    var framesPerSecond: Double?
    /// The range of the animation in seconds; nil for its start and its end.
    var from, to: Float?
    /// The duration of the turntable in seconds; nil to use `RenderSettings.turntable`.
    var turntableSeconds: Float?
    /// Turns of the turntable, below 0 clockwise.
    var turns: Float = 1
    var isPingPong = false
    /// The number of times to play the range; nil for once, or for the duration of the turntable.
    var repeats: Int?
    /// Seconds of the animation per second of the film.
    var speed: Float = 1
    /// The number of times that viewers play a GIF or WebP; 0 for endlessly.
    var loop = 0
    /// The quality of video and WebP, 0…100.
    var quality: Float = 75
    /// The options that were given, for messages.
    var given: [String] = []
}

extension FilmSettings {
    static var section: OptionSection<FilmSettings> {
        OptionSection(
            "film",
            [
                option("--fps", value: "N", help: "Frames per second, 1 to 120 (GIF: to 50). Default: 30, GIF 25.") {
                    (settings, text) throws(UsageError) in settings.framesPerSecond = Double(try parseNumber(text, in: 1...120))
                },
                option("--from", value: "S", help: "Start time in the animation, in seconds. Default: 0.") {
                    (settings, text) throws(UsageError) in settings.from = try parseNumber(text, in: 0...1e6)
                },
                option("--to", value: "S", help: "End time in the animation, in seconds. Default: its end.") {
                    (settings, text) throws(UsageError) in settings.to = try parseNumber(text, in: 0...1e6)
                },
                option("--speed", value: "X", help: "Speed of the animation. Default: 1.") {
                    (settings, text) throws(UsageError) in settings.speed = try parseNumber(text, in: 0.001...1000)
                },
                option("--ping-pong", help: "Plays the animation forwards, then backwards.") { $0.isPingPong = true },
                option("--repeat", value: "N", help: "Plays the animation N times. Default: 1, or for the duration of the turntable.") {
                    (settings, text) throws(UsageError) in settings.repeats = try parseCount(text, in: 1...10_000)
                },
                option("--turns", value: "X", help: "Turns of the turntable; negative values turn clockwise. Default: 1.") {
                    (settings, text) throws(UsageError) in settings.turns = try parseNumber(text, in: -1000...1000)
                },
                option("--loop", value: "N", help: "How often viewers play a GIF or WebP; 0 for endlessly. Default: 0.") {
                    (settings, text) throws(UsageError) in settings.loop = try parseCount(text, in: 0...60_000)
                },
            ])
    }

    private static func option(
        _ name: String, value: String, help: String, apply: @escaping @Sendable (inout FilmSettings, String) throws(UsageError) -> Void
    ) -> CommandOption<FilmSettings> {
        CommandOption(name, value: value, help: help) { (settings, text) throws(UsageError) in
            settings.given.append(name)
            try apply(&settings, text)
        }
    }

    private static func option(_ name: String, help: String, apply: @escaping @Sendable (inout FilmSettings) -> Void)
        -> CommandOption<FilmSettings>
    {
        CommandOption(name, help: help) {
            $0.given.append(name)
            apply(&$0)
        }
    }
}

extension RenderSettings {
    /// Whether `output` is a film: always for videos and GIF; for WebP if an option of films is given, or `--animation` without `--time`.
    var isFilm: Bool {
        let kind = outputExtension
        guard VideoWriter.extensions.contains(kind), benchmark == nil, photoset == nil else { return false }
        if kind != "webp" { return true }
        return !film.given.isEmpty || film.turntableSeconds != nil || look.animation != nil && look.time == nil
    }

    /// Lower case, without the dot; empty without an output.
    var outputExtension: String { (output ?? "").pathExtension.lowercased() }

    func validateFilm() throws(UsageError) {
        guard isFilm else {
            if let first = film.given.first {
                throw UsageError("\(first) requires a film: OUT must end in one of \(Self.filmNames)")
            }
            if film.turntableSeconds != nil {
                throw UsageError("--turntable in seconds requires a film: OUT must end in one of \(Self.filmNames)")
            }
            return
        }
        if outputExtension == "gif", let rate = film.framesPerSecond, rate > 50 {
            throw UsageError("--fps: a GIF has at most 50 frames per second")
        }
        if look.background == .transparent, !VideoWriter.holdsAlpha(outputExtension) {
            throw UsageError("a .\(outputExtension) file stores no transparency: write a .webp or .gif, or choose another --background")
        }
        if look.time != nil, let first = film.given.first(where: { ["--from", "--to", "--speed", "--ping-pong", "--repeat"].contains($0) })
        {
            throw UsageError("--time and \(first) exclude each other: --time shows one moment")
        }
        if film.given.contains("--turns"), turntable == nil, film.turntableSeconds == nil {
            throw UsageError("--turns requires --turntable, for example --turntable 6s")
        }
        guard look.camera == nil || film.turntableSeconds == nil && turntable == nil else {
            throw UsageError("--camera and --turntable exclude each other")
        }
    }

    static var filmNames: String { VideoWriter.extensions.map { "." + $0 }.joined(separator: ", ") }
}

/// `36` images or `6s`.
func parseTurntable(_ text: String, into settings: inout RenderSettings) throws(UsageError) {
    if text.hasSuffix("s"), let seconds = Float(text.dropLast()) {
        guard (0.1...3600).contains(seconds) else { throw UsageError("\(text) is out of range: use 0.1s to 3600s") }
        (settings.film.turntableSeconds, settings.turntable) = (seconds, nil)
    } else {
        guard Int(text) != nil else { throw UsageError("'\(text)' is not a number of images, such as 36, or a duration, such as 6s") }
        (settings.turntable, settings.film.turntableSeconds) = (try parseCount(text, in: 1...3600), nil)
    }
}
