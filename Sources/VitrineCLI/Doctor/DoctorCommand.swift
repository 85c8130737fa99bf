import Foundation
import Vitrine

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "Reports what this machine has, what is missing, and how to install it.",
        help: { DoctorSettings.table.help(command: "doctor", summary: DoctorSettings.summary) },
        run: { arguments in
            var settings = DoctorSettings()
            _ = try DoctorSettings.table.parse(arguments, into: &settings)
            let findings = Finding.all()
            print(settings.isJSON ? try findings.json() : findings.map(\.line).joined(separator: "\n"))
            let missing = findings.filter { $0.state == .missing }
            guard missing.isEmpty else { throw DoctorError(missing: missing.map(\.subject)) }
        }, relatedWords: ["check", "diagnose"])
}

struct DoctorSettings {
    var isJSON = false

    static let summary =
        "Looks at Swift, the GPU and its driver, wgpu, SDL, the codecs and the processor. Exit code 1 when something needed is missing."
    static let table = ArgumentTable<DoctorSettings>(
        operands: [],
        options: [CommandOption("--json", help: "Prints what was found as JSON.") { $0.isJSON = true }])
}

struct DoctorError: LocalizedError {
    let missing: [String]
    var errorDescription: String? { "missing: " + missing.joined(separator: ", ") }
}

/// One thing that was looked for.
struct Finding: Codable {
    enum State: String, Codable {
        case ok
        /// Works without, but less well.
        case warning
        case missing
    }

    let subject: String
    let state: State
    /// What was found.
    let detail: String
    /// The command that mends it.
    let remedy: String?

    var line: String {
        let mark =
            switch state {
            case .ok: "ok     "
            case .warning: "warning"
            case .missing: "missing"
            }
        return "\(mark)  \(subject.padding(toLength: 13, withPad: " ", startingAt: 0))  \(detail)"
            + (remedy.map { "\n                        mend: \($0)" } ?? "")
    }
}

extension [Finding] {
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
