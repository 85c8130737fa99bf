import Testing

@testable import VitrineMath

/// The published values of FNV-1a for short texts: identifiers and fingerprints of files depend on them.
struct FNVHashTests {
    @Test(arguments: [
        ("", UInt64(0xCBF2_9CE4_8422_2325)), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ])
    func textsHaveThePublishedValues(text: String, expected: UInt64) {
        var hash = FNVHash()
        hash.combine(text)
        #expect(hash.value == expected)
    }

    @Test func textsAndBytesAreCombinedAlike() {
        var (whole, parts) = (FNVHash(), FNVHash())
        whole.combine("foobar")
        parts.combine("foo")
        for byte in "bar".utf8 { parts.combine(UInt64(byte)) }
        #expect(whole.value == parts.value)
    }
}
