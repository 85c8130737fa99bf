import Foundation
import Testing
import VitrineFiles
import VitrineTestSupport

/// The test files of the Khronos validator, most of them broken on purpose, each with the validator's expected report.
@Suite(.enabled(if: SharedData.has("gltf/validator"), SharedData.missing)) struct ValidatorSuiteTests {
    enum Outcome: String, CaseIterable { case refused, warned, loaded }

    /// The worst severity in the validator's report.
    enum Verdict: String, CaseIterable { case error, warning, clean }

    struct Report: Decodable {
        struct Issues: Decodable {
            let messages: [Message]
        }
        struct Message: Decodable {
            let code: String
            let severity: Int
        }
        let issues: Issues

        var verdict: Verdict {
            switch issues.messages.map(\.severity).min() {
            case 0: .error
            case 1: .warning
            default: .clean
            }
        }
    }

    static func outcome(of url: URL) async -> (Outcome, [String]) {
        do {
            let loaded = try await SceneFile.load(url)
            let warnings = loaded.warnings.filter { !$0.message.hasPrefix("has no scenes and no nodes") }
            return (warnings.isEmpty ? .loaded : .warned, warnings.map(\.description))
        } catch { return (.refused, ["\(error)"]) }
    }

    /// Files of empty scenes have a warning.
    static func isReadStrictly(_ url: URL) async -> Bool {
        var options = ModelLoadOptions()
        options.isStrict = true
        do {
            _ = try await SceneFile.load(url, options: options)
            return true
        } catch let error as ModelFileError {
            if case .strict(let message, 0) = error.reason { return message.hasPrefix("has no scenes and no nodes") }
            return false
        } catch { return false }
    }

    /// Files whose only errors are in elements without references, which this reader does not read, or in the bounds of a morph target, which are not
    /// used here.
    static let unseen: Set<String> = [
        "invalid_elements_float.gltf", "out_of_range_elements_float.gltf", "out_of_range_elements_sint16.gltf",
        "out_of_range_elements_sint8.gltf", "out_of_range_elements_uint16.gltf", "out_of_range_elements_uint32.gltf",
        "out_of_range_elements_uint8.gltf", "invalid_image_data.gltf", "png_eos.gltf", "morph_position_accessor_no_bounds.gltf",
    ]

    @Test func everyFileIsLoadedOrRefused() async throws {
        var counts: [Verdict: [Outcome: Int]] = [:]
        var lines: [String] = []
        for report in SharedData.files(under: "gltf/validator", extensions: ["json"]) where report.path.hasSuffix(".report.json") {
            let model = URL(fileURLWithPath: String(report.path.dropLast(".report.json".count)))
            let expected = try JSONDecoder().decode(Report.self, from: Data(contentsOf: report))
            let (outcome, messages) = await ValidatorSuiteTests.outcome(of: model)
            counts[expected.verdict, default: [:]][outcome, default: 0] += 1
            // Strict reading refuses exactly the files that do not load without a warning.
            #expect(await ValidatorSuiteTests.isReadStrictly(model) == (outcome == .loaded), "\(model.path)")
            if expected.verdict == .error, !ValidatorSuiteTests.unseen.contains(model.lastPathComponent) {
                #expect(outcome != .loaded, "\(model.path) is invalid and was loaded without a warning")
            }
            lines.append("\(expected.verdict) → \(outcome)\t\(model.lastPathComponent)\t\(messages)")
        }
        if let path = ProcessInfo.processInfo.environment["VITRINE_VALIDATOR_TABLE"] {
            try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        // The table of docs/measurements/files.md.
        #expect(counts[.error] == [.refused: 81, .warned: 75, .loaded: 10])
        #expect(counts[.warning] == [.warned: 32, .loaded: 4])
        #expect(counts[.clean] == [.warned: 13, .loaded: 21])
    }

    /// A refusal names a byte, a line, or a JSON pointer, unless it concerns the first bytes or the whole file.
    @Test func refusalsNameTheLocation() async throws {
        for model in SharedData.files(under: "gltf/validator", extensions: ["gltf", "glb"]) {
            do {
                _ = try await SceneFile.load(model)
            } catch let error as ModelFileError {
                #expect(error.file == model.path)
                switch error.reason {
                case .unrecognized, .isImage, .unsupportedFormat, .file, .malformed("the file is empty"): break
                default: #expect(!error.location.isEmpty, "\(error)")
                }
            }
        }
    }
}
