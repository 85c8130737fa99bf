import Foundation
import Testing
import VitrineFiles
import VitrineScene
import VitrineTestSupport

/// Files of other programs: every one loads, or is refused with a reason.
@Suite struct USDDataTests {
    /// Files in folders of files that must be refused, which break no rule, or one that OpenUSD does not check.
    private static let harmless: Set<String> = [
        // A list of schemas that is written whole.
        "apishcmema-000.usda",
        // `add double a.connect = </b>`
        "listop-attribute-001.usda",
        // A reference to a prim of the same layer.
        "references-empty-layerpath-000.usda",
        // `custom float a.timeSamples = { … }`
        "timesamples-custom-prefix-000.usda",
        // A skeleton for a mesh without SkelBindingAPI.
        "usdskel-002.usda", "usdskel-002.usdc",
    ]

    @Test(.enabled(if: SharedData.has("usd"), SharedData.missing))
    func everyFileLoadsOrIsRefusedWithAReason() async throws {
        var (loaded, refused, shown, problems): (Int, Int, Int, [String]) = (0, 0, 0, [])
        var options = ModelLoadOptions()
        options.decodesTextures = false
        var strict = options
        strict.isStrict = true
        for url in SharedData.files(under: "usd", extensions: ["usd", "usda", "usdc", "usdz"]) {
            let name = url.lastPathComponent
            let mustFail = url.path.contains("fail-case") || url.path.contains("failure-case")
            do {
                let file = try await SceneFile.load(url, options: options)
                loaded += 1
                if !file.scene.bounds.isEmpty { shown += 1 }
                // Some are repaired: then reading strictly refuses them.
                if mustFail, !Self.harmless.contains(name), (try? await SceneFile.load(url, options: strict)) != nil {
                    problems.append("\(name) is not refused")
                }
            } catch let error as ModelFileError {
                refused += 1
                let isKnown = mustFail || name == "xform-resetxformstack-000.usda"
                if !isKnown || "\(error.reason)".isEmpty { problems.append("\(error)") }
            }
        }
        print("USD files: \(loaded) load, \(shown) of them show something, \(refused) are refused")
        #expect(problems == [])
        #expect(loaded > 400 && shown > 150)
    }
}
