import Testing
import Vitrine
import VitrineTestSupport

@testable import Card

/// The example that people copy, as small as on a watch: inspect it before updating with VITRINE_UPDATE_GOLDENS=1.
@MainActor @Suite struct CardGoldenTests {
    @Test func aCardOnAWatch() throws {
        let image = try makeView(in: .studio()).snapshot(width: 240, height: 240)
        #expect(try makeView(in: .studio()).snapshot(width: 240, height: 240).bytes == image.bytes, "not the same again")
        // Letters depend on the font that is there; foil and sparkle are fine and bright: a few pixels may fall otherwise.
        try GoldenImage.check(image, named: "card-240", tolerance: .init(levels: 4, outliers: 0.01, rootMeanSquare: 1.5))
    }
}
