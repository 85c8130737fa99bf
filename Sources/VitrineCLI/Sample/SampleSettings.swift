/// The arguments of `vitrine sample`.
struct SampleSettings {
    /// A part of the output of `vitrine sample`.
    enum Part: String, CaseIterable {
        case model, environment, photos, recording, shader

        /// The name of the file or folder inside FOLDER.
        var file: String {
            switch self {
            case .model: "owl.glb"
            case .environment: "studio.hdr"
            case .photos: "photos"
            case .recording: "walk"
            case .shader: "wave.wgsl"
            }
        }
    }

    var parts = Part.allCases
    var photoCount = 24
    var isJSON = false

    static let summary = """
        Writes sample files into FOLDER: a model (owl.glb), an environment (studio.hdr), photos of the model (photos), an AR recording of a \
        simulated room (walk) and a shader effect (wave.wgsl). FOLDER must be new or empty. Vitrine makes the files itself; the same version \
        makes the same files.
        """
    static let examples = ["vitrine sample try", "vitrine sample try --only model,environment", "vitrine sample try --photos 40 --json"]
    static let notes = "All parts take about 20 seconds and 30 MB on a two-core machine without a GPU; the model alone takes 2 seconds."

    static let table = ArgumentTable<SampleSettings>(
        operands: ["FOLDER"],
        options: [
            CommandOption(
                "--only", value: "PARTS",
                help: "The parts to write, separated by commas: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Default: all."
            ) { (settings, text) throws(UsageError) in
                var parts: [Part] = []
                for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                    parts.append(try parseWord(String(word), Part.allCases.map { ($0.rawValue, $0) }))
                }
                settings.parts = Part.allCases.filter(parts.contains)
            },
            CommandOption("--photos", value: "COUNT", help: "The number of photos, 3 to 200. Default: 24.") {
                (settings, text) throws(UsageError) in
                settings.photoCount = try parseCount(text, in: 3...200)
            },
            CommandOption("--json", help: "Prints the names and sizes of the files as JSON.") { $0.isJSON = true },
        ])
}
