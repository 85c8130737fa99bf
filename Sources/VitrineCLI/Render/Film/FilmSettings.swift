import Foundation
import Vitrine
import VitrineARView

/// What `vitrine render` was asked to do for a film.
struct FilmSettings {
    /// nil: 30, or 25 for GIF.
    var framesPerSecond: Double?
    /// The range of the animation, seconds; nil: its start and its end.
    var from, to: Float?
    /// Seconds that the turntable takes; nil: see `RenderSettings.turntable`.
    var turntableSeconds: Float?
    /// Turns of the turntable, below 0 clockwise.
    var turns: Float = 1
    var isPingPong = false
    /// How often the range is played; nil: once, or as long as the turntable turns.
    var repeats: Int?
    /// Seconds of the animation per second of the film.
    var speed: Float = 1
    /// How often viewers play a GIF or WebP; 0: without end.
    var loop = 0
    /// 0…100.
    var quality: Float = 75
    /// Those of the options that were given, for messages.
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
                option("--from", value: "S", help: "Where the animation starts, seconds. Default: 0.") {
                    (settings, text) throws(UsageError) in settings.from = try parseNumber(text, in: 0...1e6)
                },
                option("--to", value: "S", help: "Where the animation ends, seconds. Default: its end.") {
                    (settings, text) throws(UsageError) in settings.to = try parseNumber(text, in: 0...1e6)
                },
                option("--speed", value: "X", help: "Seconds of the animation per second of the film. Default: 1.") {
                    (settings, text) throws(UsageError) in settings.speed = try parseNumber(text, in: 0.001...1000)
                },
                option("--ping-pong", help: "Plays the animation forwards, then backwards.") { $0.isPingPong = true },
                option("--repeat", value: "N", help: "Plays the animation N times. Default: 1, or as long as the turntable turns.") {
                    (settings, text) throws(UsageError) in settings.repeats = try parseCount(text, in: 1...10_000)
                },
                option("--turns", value: "X", help: "Turns of the turntable; below 0 the other way. Default: 1.") {
                    (settings, text) throws(UsageError) in settings.turns = try parseNumber(text, in: -1000...1000)
                },
                option("--loop", value: "N", help: "How often viewers play a GIF or WebP; 0, the default: without end.") {
                    (settings, text) throws(UsageError) in settings.loop = try parseCount(text, in: 0...60_000)
                },
                option("--quality", value: "Q", help: "0 (smallest) to 100 of video and WebP; WebP is lossless at 100. Default: 75.") {
                    (settings, text) throws(UsageError) in settings.quality = try parseNumber(text, in: 0...100)
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
    /// Whether `output` is a film: always by the names of videos and GIF; a WebP where an option of films is given, or an animation without
    /// a moment of it.
    var isFilm: Bool {
        let kind = outputExtension
        guard VideoWriter.extensions.contains(kind), benchmark == nil, photoset == nil else { return false }
        if kind != "webp" { return true }
        return !film.given.isEmpty || film.turntableSeconds != nil || look.animation != nil && look.time == nil
    }

    /// Lower case, without the dot; empty without an output.
    var outputExtension: String { ((output ?? "") as NSString).pathExtension.lowercased() }

    func validateFilm() throws(UsageError) {
        guard isFilm else {
            if let first = film.given.first {
                throw UsageError("\(first) belongs to films: -o must end in \(Self.filmNames)")
            }
            if film.turntableSeconds != nil {
                throw UsageError("--turntable takes a number of images here; seconds belong to films: \(Self.filmNames)")
            }
            return
        }
        if outputExtension == "gif", let rate = film.framesPerSecond, rate > 50 {
            throw UsageError("--fps: a GIF shows 50 frames per second at most")
        }
        if look.background == .transparent, !VideoWriter.holdsAlpha(outputExtension) {
            throw UsageError("a .\(outputExtension) holds no transparency: write a .webp or a .gif, or give another --background")
        }
        if look.time != nil, let first = film.given.first(where: { ["--from", "--to", "--speed", "--ping-pong", "--repeat"].contains($0) })
        {
            throw UsageError("--time holds the model at one moment: \(first) excludes it")
        }
        if film.given.contains("--turns"), turntable == nil, film.turntableSeconds == nil {
            throw UsageError("--turns goes with --turntable, as --turntable 6s")
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
        guard (0.1...3600).contains(seconds) else { throw UsageError("\(text) lies outside 0.1s to 3600s") }
        (settings.film.turntableSeconds, settings.turntable) = (seconds, nil)
    } else {
        guard Int(text) != nil else { throw UsageError("'\(text)' is neither a number of images, as 36, nor seconds of a film, as 6s") }
        (settings.turntable, settings.film.turntableSeconds) = (try parseCount(text, in: 1...3600), nil)
    }
}
