import Foundation
import Vitrine

/// `vitrine-measure WHAT [FILE]` prints one line of JSON: times in milliseconds.
@main
enum VitrineMeasure {
    static let usage =
        "usage: vitrine-measure load FILE | parse FILE | environment FILE | nodes | cull | floor | lights | particles COUNT RADIUS | effects | layers COUNT | button [ROW]"

    @MainActor static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            print(try await run(words))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    @MainActor static func run(_ words: [String]) async throws -> String {
        switch (words.first, words.count) {
        case ("load", 2): return try await load(URL(filePath: words[1]), decoding: true).json
        case ("parse", 2): return try await load(URL(filePath: words[1]), decoding: false).json
        case ("environment", 2): return try prepareEnvironment(URL(filePath: words[1]))
        case ("nodes", 1): return try moveNodes(count: 100_000).json
        case ("cull", 1): return try cullNodes(count: 100_000).json
        case ("floor", 1): return try Floor().measure()
        case ("lights", 1): return try LightMeasurement().measure()
        case ("effects", 1): return try EffectMeasurement().measure()
        case ("layers", 2):
            guard let count = Int(words[1]), count > 0 else { throw Usage() }
            return try LayerMeasurement(count: count).measure()
        case ("button", 1...2): return try ButtonMeasurement(only: words.dropFirst().first).measure()
        case ("particles", 3):
            guard let count = Int(words[1]), let radius = Float(words[2]) else { throw Usage() }
            return try ParticleMeasurement(count: count, radius: radius).measure()
        default: throw Usage()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        var description: String { usage }
    }
}
