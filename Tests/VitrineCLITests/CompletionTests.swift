import Foundation
import Testing

@testable import VitrineCLI

@MainActor
struct CompletionTests {
    private static var leaves: [Command] { Command.all.flatMap { $0.subcommands.isEmpty ? [$0] : $0.subcommands } }

    @Test(arguments: CompletionScript.Shell.allCases)
    func scriptsNameEveryCommandAndOption(_ shell: CompletionScript.Shell) {
        let script = CompletionScript(commands: Command.all).text(for: shell)
        for command in Self.leaves {
            #expect(script.contains(command.word), "\(command.name)")
            for name in command.help().sections.flatMap(\.entries).flatMap(\.names) {
                let expected = shell == .fish ? (name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())") : name
                #expect(script.contains(expected), "\(command.name) \(name)")
            }
        }
    }

    /// Runs the completion function for `words`, of which the last is incomplete.
    private func complete(_ words: String...) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("vitrine-completions-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = """
            COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _vitrine; printf '%s\\n' "${COMPREPLY[@]}"
            """
        try (CompletionScript(commands: Command.all).text(for: .bash) + run).write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [file.path] + words
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
    func bashCompletesCommandsOptionsAndValues() throws {
        #expect(try complete("vitrine", "rec") == ["reconstruct"])
        #expect(try complete("vitrine", "ar", "tr") == ["track"])
        #expect(try complete("vitrine", "render", "model.glb", "--tone") == ["--tonemap"])
        #expect(try complete("vitrine", "reconstruct", "photos", "--order", "seq") == ["sequential"])
        #expect(try complete("vitrine", "render", "/bin/bas").contains("/bin/bash"))
        #expect(try complete("vitrine", "render", "--exposure", "") == [])
    }

    @Test func manualPagesAreValidRequests() {
        let pages = ManualPage.all
        #expect(Set(pages.map(\.fileName)).count == pages.count)
        #expect(pages.count == 1 + Command.all.reduce(0) { $0 + 1 + $1.subcommands.count })
        let requests: Set = [".TH", ".SH", ".PP", ".TP", ".B", ".nf", ".fi"]
        for page in pages {
            #expect(page.text.utf8.allSatisfy { $0 < 128 }, "\(page.name)")
            for line in page.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
                #expect(requests.contains(String(line.prefix { $0 != " " })), "\(page.name): \(line)")
            }
        }
    }
}
