/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a): the same in every run and on every machine, unlike `Hasher`.
package struct FNVHash: Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Adds a byte, or a larger number in one step.
    package mutating func combine(_ word: UInt64) { value = (value ^ word) &* 0x100_0000_01B3 }

    /// Adds the bytes of the text in UTF-8. Texts are not separated: "a" and "b" give the hash of "ab".
    package mutating func combine(_ text: String) { for byte in text.utf8 { combine(UInt64(byte)) } }
}
