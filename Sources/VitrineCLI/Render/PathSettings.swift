import Vitrine

/// The options of `vitrine render --quality path`.
struct PathSettings {
    var isPathTraced = false
    /// The time limit in seconds.
    var timeLimit: Double?
    /// The standard error of a pixel as a share of its brightness.
    var noiseLimit: Float?
    var threads: Int?
    var isDenoised = false
    /// The file of samples, which the next run continues.
    var resumeFile: String?
    /// The options of path tracing that were given.
    var given: [String] = []
}

extension PathSettings {
    static var section: OptionSection<PathSettings> {
        OptionSection(
            "path tracing",
            [
                CommandOption(
                    "--time-limit", value: "S", help: "Seconds of path tracing for an image, such as 30s or 2min. Default: no limit."
                ) {
                    (settings, text) throws(UsageError) in
                    settings.timeLimit = try parseSeconds(text)
                    settings.given.append("--time-limit")
                },
                CommandOption(
                    "--noise-limit", value: "X",
                    help:
                        "Finishes each part of a path traced image when its noise is below this share of the brightness, such as 0.02. Default: no limit."
                ) { (settings, text) throws(UsageError) in
                    settings.noiseLimit = try parseNumber(text, in: 1e-4...1)
                    settings.given.append("--noise-limit")
                },
                CommandOption(
                    "--resume", value: "FILE",
                    help:
                        "Continues a path traced image: starts with the samples in FILE, if it exists, and stores all samples there every minute and at the end, also after Ctrl-C. Model, view, light and size must be the same."
                ) { (settings, text) throws(UsageError) in
                    settings.resumeFile = text
                    settings.given.append("--resume")
                },
                CommandOption(
                    "--denoise",
                    help:
                        "Removes noise from a path traced image, guided by normals and colours. Blurs fine reflections and shadows if there are few samples."
                ) {
                    $0.isDenoised = true
                    $0.given.append("--denoise")
                },
                CommandOption(
                    "--threads", value: "N",
                    help: "Threads for path tracing; the image does not depend on it. Default: one per processor core."
                ) { (settings, text) throws(UsageError) in
                    settings.threads = try parseCount(text, in: 1...1024)
                    settings.given.append("--threads")
                },
            ])
    }
}

/// `path`, `realtime`, or the quality of a film.
func parseQuality(_ text: String, into settings: inout RenderSettings) throws(UsageError) {
    if Float(text) != nil {
        settings.film.quality = try parseNumber(text, in: 0...100)
        settings.film.given.append("--quality")
    } else {
        settings.path.isPathTraced = try parseWord(text, [("realtime", false), ("path", true)])
    }
}

/// Seconds from `30`, `30s`, `2min` or `1h`.
func parseSeconds(_ text: String) throws(UsageError) -> Double {
    for (suffix, factor) in [("min", 60.0), ("h", 3600.0), ("s", 1.0)] where text.hasSuffix(suffix) {
        return Double(try parseNumber(String(text.dropLast(suffix.count)), in: 0.01...1e6)) * factor
    }
    return Double(try parseNumber(text, in: 0.01...1e6))
}

extension RenderSettings {
    /// Refuses options that path tracing does not have, and options that only path tracing has.
    func validatePath() throws(UsageError) {
        guard path.isPathTraced else {
            if let first = path.given.first { throw UsageError("\(first) requires --quality path") }
            if let samples, samples > 256 { throw UsageError("--samples: \(samples) is more than 256: more require --quality path") }
            return
        }
        guard path.resumeFile == nil || turntable == nil else { throw UsageError("--resume continues one image: it excludes --turntable") }
        guard !isFilm else { throw UsageError("--quality path renders images, not films: use .png with --turntable") }
        let refused: [(isGiven: Bool, name: String)] = [
            (photoset != nil, "--photoset"), (benchmark != nil, "--benchmark"), (look.sampleCount != nil, "--msaa"),
            (look.occlusion != nil, "--occlusion"), (look.debugView != nil, "--debug"), (look.bloom != nil, "--bloom"),
            (look.vignette != nil, "--vignette"), (look.showsStatistics, "--stats"), (look.adapter != nil, "--adapter"),
        ]
        for (isGiven, name) in refused where isGiven { throw UsageError("--quality path does not support \(name)") }
    }
}
