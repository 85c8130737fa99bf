import CVersion
import Vitrine
import VitrineGLTF
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The `vitrine` command. Exit codes: 0 on success, 1 on failure, 2 for an invalid command line.
@main
enum VitrineCommandLine {
    @MainActor static func main() async {
        StandardStreams.fillClosedDescriptors()
        // Check first: an instruction that the processor lacks would end the process with a signal and no message.
        guard ProcessorCheck.missingInstructions.isEmpty else {
            printError("error: vitrine: \(ProcessorCheck.missingInstructions)")
            exit(1)
        }
        // A reader that closes its pipe (`vitrine … | head`) must not kill the command: `StandardOutput` decides.
        signal(SIGPIPE, SIG_IGN)
        // Nor must a file size limit: it is a write error.
        signal(SIGXFSZ, SIG_IGN)
        exit(StandardOutput.finish(await run(Array(arguments.dropFirst()))))
    }

    /// The arguments of the command line. File names may contain invalid UTF-8: see `FileNameText`.
    private static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let word = CommandLine.unsafeArgv[index] else { return nil }
            return FileNameText.text(UnsafeRawBufferPointer(start: word, count: strlen(word)))
        }
    }

    /// Runs one command line and returns its exit code.
    @MainActor static func run(_ arguments: [String]) async -> Int32 {
        guard let name = arguments.first else {
            printError(help.firstScreen)
            return 2
        }
        let rest = Array(arguments.dropFirst())
        switch name {
        case "--help", "-h", "help": return showHelp(rest)
        case "--version", "-V", "version":
            let commit = String(cString: vitrine_commit())
            print("vitrine \(vitrineVersion) (\(commit.isEmpty ? "built from source" : "commit \(commit)"))")
            return 0
        default: break
        }
        guard let command = Command.all.first(where: { $0.name == name }) else { return unknownCommand(name) }
        let (resolved, own) = command.resolved(rest)
        if let index = own.prefix(while: { $0 != "--" }).firstIndex(where: { $0 == "--help" || $0 == "-h" }) {
            // `vitrine render --help camera`.
            return showHelp(of: resolved, section: index == 0 && own.count == 2 ? own[1] : nil)
        }
        if own.isEmpty, resolved.help().needsArguments {
            printError(resolved.help().firstScreen)
            return 2
        }
        return await run(resolved, own)
    }

    @MainActor private static func run(_ command: Command, _ arguments: [String]) async -> Int32 {
        do {
            try await command.run(arguments)
            return 0
        } catch let error as UsageError {
            printError("error: \(oneLine(error.message)) (run 'vitrine \(command.name) --help' for the options)")
            return 2
        } catch {
            printError("error: \(describe(error))")
            return 1
        }
    }

    // MARK: Help

    /// `vitrine help`, `vitrine help ar track`, `vitrine help render camera`.
    @MainActor private static func showHelp(_ names: [String]) -> Int32 {
        guard let name = names.first else {
            print(help.text)
            return 0
        }
        guard let command = Command.all.first(where: { $0.name == name }) else { return unknownCommand(name) }
        let (resolved, rest) = command.resolved(Array(names.dropFirst()))
        return showHelp(of: resolved, section: rest.isEmpty ? nil : rest.joined(separator: " "))
    }

    @MainActor private static func showHelp(of command: Command, section: String?) -> Int32 {
        guard let section else {
            print(command.help().text)
            return 0
        }
        if let text = command.help().section(section) {
            print(text)
            return 0
        }
        let titles = command.help().sections.map(\.title).joined(separator: ", ")
        printError("error: the help of vitrine \(command.name) has no section '\(oneLine(section))': use one of \(titles)")
        return 2
    }

    @MainActor private static func unknownCommand(_ name: String) -> Int32 {
        printError("error: unknown command '\(oneLine(name))'\(oneLine(Command.suggestion(for: name, among: Command.all)))")
        return 2
    }

    @MainActor static var help: CommandHelp {
        CommandHelp(
            usage: "vitrine COMMAND [options]",
            summary: "Renders, shows, converts and inspects 3D models; makes models from photos; tracks cameras.",
            examples: [
                "vitrine show helmet.glb", "vitrine render helmet.glb -o helmet.png", "vitrine convert helmet.glb helmet.usdz",
                "vitrine reconstruct photos -o vase.glb",
            ],
            sections: [
                Command.list(Command.all),
                CommandHelp.Section(
                    terms: [
                        ("VITRINE_ADAPTER", "The GPU: auto (default), hardware, software, or a part of its name."),
                        ("VITRINE_REDUCE_MOTION", "Set to 1 to reduce animation in windows."),
                    ], title: "environment", spacing: 2),
                CommandHelp.Section(
                    terms: [
                        ("0", "success"), ("1", "failure: one line 'error: FILE: reason' on standard error"), ("2", "invalid command line"),
                    ], title: "exit codes", spacing: 2),
            ],
            notes: "Run 'vitrine COMMAND --help' for the options of a command, and 'vitrine --version' for the version.")
    }
}

/// The message of an error, on one line.
func describe(_ error: any Error) -> String {
    if let error = error as? LocalizedError, let text = error.errorDescription { return oneLine(text) }
    if let error = error as? CocoaError {
        let path = error.filePath ?? error.url?.path
        let reason = (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)).lowercased() }
        return oneLine((path.map { $0 + ": " } ?? "") + (reason ?? "\(error)"))
    }
    return oneLine(String(describing: error))
}

private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.trimmed }.joined(separator: " ")
}
