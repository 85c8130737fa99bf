import Testing
import VitrineMath

@testable import VitrineCLI

struct ArgumentTests {
    struct Settings: Equatable {
        var size = 0
        var isLoud = false
        var name: String?
    }

    static let table = ArgumentTable<Settings>(
        operands: ["FILE"],
        options: [
            CommandOption("-s", "--size", value: "N", help: "How large.") { (settings, text) throws(UsageError) in
                settings.size = try parseCount(text, in: 1...9)
            },
            CommandOption("--name", value: "NAME", help: "The name.") { (settings, text) throws(UsageError) in settings.name = text
            },
            CommandOption("--loud", help: "Louder.") { $0.isLoud = true },
        ])

    func parse(_ arguments: String...) throws -> (Settings, [String]) {
        var settings = Settings()
        let operands = try Self.table.parse(arguments, into: &settings)
        return (settings, operands)
    }

    func message(_ arguments: String...) -> String? {
        var settings = Settings()
        do {
            _ = try Self.table.parse(arguments, into: &settings)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func optionsAndOperandsMixInAnyOrder() throws {
        #expect(try parse("--loud", "a.glb", "-s", "3") == (Settings(size: 3, isLoud: true), ["a.glb"]))
        #expect(try parse("--size=4", "--name=x=y", "a.glb") == (Settings(size: 4, name: "x=y"), ["a.glb"]))
    }

    @Test func everythingAfterTwoDashesIsAnOperand() throws {
        #expect(try parse("--", "--loud") == (Settings(), ["--loud"]))
    }

    @Test func aValueMayBeginWithOneDash() throws {
        #expect(try parse("--name", "-5,1,2", "a").0.name == "-5,1,2")
    }

    @Test func mistakesAreNamed() {
        #expect(message() == "FILE is missing")
        #expect(message("a", "b") == "unexpected argument 'b'")
        #expect(message("a", "--lowd") == "unknown option '--lowd': did you mean '--loud'?")
        #expect(message("a", "--quiet-please") == "unknown option '--quiet-please'")
        #expect(message("a", "--size") == "--size needs a value: --size N")
        #expect(message("a", "--name", "--loud") == "--name needs a value: --name NAME")
        #expect(message("a", "--loud=yes") == "--loud takes no value")
        #expect(message("a", "-s", "ten") == "-s: 'ten' is not a whole number")
        #expect(message("a", "-s", "10") == "-s: 10 is out of range: use 1 to 9")
    }

    @Test func helpShowsEveryOption() {
        let help = Self.table.help(command: "try", summary: "Tries.").text
        for wanted in ["usage: vitrine try FILE [options]", "-s, --size N", "--name NAME", "--loud", "--help"] {
            #expect(help.contains(wanted), "help lacks \(wanted)")
        }
    }

    @Test func sectionsOfOneTitleBecomeOne() throws {
        let loud = CommandOption<Settings>("--loud", help: "Louder.") { $0.isLoud = true }
        let quiet = CommandOption<Settings>("--quiet", help: "Not louder.") { $0.isLoud = false }
        let name = CommandOption<Settings>("--name", value: "NAME", help: "Its name.") { (settings, text) throws(UsageError) in
            settings.name = text
        }
        let table = ArgumentTable(
            operands: ["FILE"], sections: [OptionSection("sound", [loud]), OptionSection("input", [name]), OptionSection("sound", [quiet])])
        let help = table.help(command: "try", summary: "Tries.", examples: ["vitrine try a"])
        #expect(help.sections.map(\.title) == ["sound", "input"])
        #expect(help.section("sound") == "sound:\n  --loud                          Louder.\n  --quiet                         Not louder.")
        #expect(help.section("in")?.contains("--name NAME") == true)
        #expect(help.section("light") == nil)
        #expect(help.firstScreen.contains("\n  sound   --loud --quiet\n  input   --name\n"))
        let outer = OptionSection("input", [name]).within(\Outer.inner)
        var settings = Outer()
        _ = try ArgumentTable(operands: [], sections: [outer]).parse(["--name", "x"], into: &settings)
        #expect(settings.inner.name == "x")
    }

    struct Outer { var inner = Settings() }

    @Test func theNearestNameIsNearEnough() {
        #expect(nearestName(to: "rendre", in: ["show", "render"]) == "render")
        #expect(nearestName(to: "ra", in: ["ar", "render"]) == nil)
        #expect(nearestName(to: "dance", in: ["ar", "render"]) == nil)
    }

    @Test func editDistanceCountsSingleChanges() {
        #expect(editDistance("size", "size") == 0)
        #expect(editDistance("size", "sise") == 1)
        #expect(editDistance("", "abc") == 3)
        #expect(editDistance("kitten", "sitting") == 3)
    }
}
