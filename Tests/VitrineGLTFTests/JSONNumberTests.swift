import Testing
import VitrineMath

@testable import VitrineGLTF

/// Every number is rounded once, to the nearest, ties to even: the standard library's own parser is the oracle.
struct JSONNumberTests {
    private func check(_ text: String) {
        let ours = JSONNumber.value(of: Array(text.utf8)[...])
        #expect(ours.bitPattern == Double(text)?.bitPattern, "\(text): \(ours)")
    }

    @Test(arguments: [
        "0", "-0", "0.0", "-0e99", "1", "0.1", "0.3", "1e22", "1e23", "9007199254740993", "9007199254740992.5", "9007199254740993.0000001",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e-400", "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "2.225073858507201e-308", "5e-324", "1e999999999",
        "1e-999999999", "0.000000000000000000000000000000000000000001", "123456789012345678901234567890", "0.5000000000000000000000001",
        "1.00000000000000011102230246251565404", "1.000000000000000111022302462515654", "8.5e-46", "3.4028235e38",
        "100000000000000000000000",
        "2.2250738585072012e-308", "6.9294956446009195e15", "7.8459735791271921e65", "89255e-22", "30078505129381147446200",
    ])
    func hardCases(_ text: String) {
        check(text)
        if !text.hasPrefix("-") { check("-" + text) }
    }

    @Test func randomNumbers() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<1500 {
            // The shortest text of a random double, the same with digits appended, and random digits with a random exponent.
            let value = Double(bitPattern: random.next())
            if value.isFinite {
                check("\(value)")
                check("\(value.significand)\(random.next() % 100_000)e\(Int(random.next() % 600) - 300)")
            }
            check("\(random.next())\(random.next() % 1_000_000).\(random.next())e-\(random.next() % 340)")
            check("\(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()) & 0x7F7F_FFFF))")
        }
    }

    /// Halfway between two neighbours, and a hair beside: every digit decides.
    @Test func halfwayCases() {
        // 2⁵³ + 1 with 780 zeros behind, then a digit beyond the precision that the parser keeps.
        let zeros = String(repeating: "0", count: 1000)
        check("9007199254740993." + zeros)
        check("9007199254740993." + zeros + "1")
        check("9007199254740991.5" + zeros + "1")
        // Half of the smallest number above zero, exactly: 752 digits.
        let half = String(repeating: "0", count: 323) + "24703282292062327208"
        check("0." + half)
        check("1" + zeros + "e-1000")
        check("0." + zeros + "1e1001")
    }
}
