import Foundation
import Vitrine
import VitrineReconstruct

/// The `vitrine` command: exit code 0 when it did what was asked, 1 when that failed, 2 when the command line was wrong.
@main
enum VitrineCommandLine {
    @MainActor static func main() async {
        StandardStreams.fillClosedDescriptors()
        // Before anything that could need what isn't there: that would end us with a signal and no word.
        guard ProcessorCheck.missingInstructions.isEmpty else {
            printError("error: vitrine: \(ProcessorCheck.missingInstructions)")
            exit(1)
        }
        // A reader that closes its pipe (`vitrine … | head`) must not kill the command: `StandardOutput` decides.
        signal(SIGPIPE, SIG_IGN)
        // So must a file that may not grow: it is an error of writing.
        signal(SIGXFSZ, SIG_IGN)
        // Mesa's Wayland code complains on standard error, once for each adapter, where a server has no such directory.
        setenv("XDG_RUNTIME_DIR", NSTemporaryDirectory(), 0)
        exit(StandardOutput.finish(await run(Array(CommandLine.arguments.dropFirst()))))
    }

    /// Runs one command line and returns its exit code.
    @MainActor static func run(_ arguments: [String]) async -> Int32 {
        guard let name = arguments.first else {
            printError(help)
            return 2
        }
        if name == "--help" || name == "-h" || name == "help" { return showHelp(Array(arguments.dropFirst())) }
        if name == "--version" {
            print("vitrine \(vitrineVersion)")
            return 0
        }
        guard let command = Command.all.first(where: { $0.name == name }) else {
            printError("error: unknown command '\(name)': see vitrine --help")
            return 2
        }
        let (resolved, rest) = command.resolved(Array(arguments.dropFirst()))
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            print(resolved.help())
            return 0
        }
        return await run(resolved, rest)
    }

    @MainActor private static func run(_ command: Command, _ arguments: [String]) async -> Int32 {
        do {
            try await command.run(arguments)
            return 0
        } catch let error as UsageError {
            printError("error: \(oneLine(error.message)) (vitrine \(command.name) --help shows what there is)")
            return 2
        } catch {
            printError("error: \(describe(error))")
            return 1
        }
    }

    @MainActor private static func showHelp(_ names: [String]) -> Int32 {
        guard let name = names.first else {
            print(help)
            return 0
        }
        guard let command = Command.all.first(where: { $0.name == name }) else {
            printError("error: unknown command '\(name)': see vitrine --help")
            return 2
        }
        print(command.resolved(Array(names.dropFirst())).command.help())
        return 0
    }

    @MainActor private static var help: String {
        let width = Command.all.map(\.name.count).max() ?? 0
        let list = Command.all.map { "  " + $0.name.padding(toLength: width + 3, withPad: " ", startingAt: 0) + $0.summary }
        return """
            usage: vitrine COMMAND [options]

            Shows, renders and inspects 3D models.

            commands:
            \(list.joined(separator: "\n"))

            vitrine COMMAND --help tells about one of them. vitrine --version prints the version.
            """
    }
}

/// The one line that an error is to a person.
func describe(_ error: any Error) -> String {
    if let error = error as? LocalizedError, let text = error.errorDescription { return oneLine(text) }
    if let error = error as? CocoaError {
        let path = error.userInfo[NSFilePathErrorKey] as? String ?? error.url?.path
        return oneLine((path.map { $0 + ": " } ?? "") + error.localizedDescription)
    }
    return oneLine(String(describing: error))
}

private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
}
