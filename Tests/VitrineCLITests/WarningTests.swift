import Testing

@testable import VitrineCLI

struct WarningTests {
    @Test func manyOfAKindAreOneLine() {
        let many = (10..<50).map { "/meshes/\($0)/primitives/0: the accessor has \($0) elements, but the Draco data have \($0 + 1)" }
        let other = ["/images/0: 'a.png' does not exist", "/images/1: 'b.png' does not exist"]
        #expect(merged([other[0]] + many + [other[1]]) == [other[0], "\(many[0]) (39 more like this)", other[1]])
    }

    @Test func threeOfAKindAreAllPrinted() {
        let lines = (1...3).map { "line \($0): ignored" }
        #expect(merged(lines) == lines)
        #expect(merged(lines + ["line 4: ignored"]) == ["line 1: ignored (3 more like this)"])
        #expect(merged([]) == [])
    }

    /// A text without a place keeps all of its words.
    @Test func otherWordsAreAnotherKind() {
        let texts = ["a: 1", "b: 1", "c: 1", "d: 1"]
        #expect(merged(texts) == texts)
    }
}
