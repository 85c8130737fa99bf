import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineText

private let hasDejaVu = (try? Font.system(named: "DejaVuSans")) != nil

/// Numbers of DejaVu Sans (2.37) are those that fontTools reads in the file.
@Suite(.enabled(if: hasDejaVu, "fonts-dejavu-core is missing"))
struct TextTests {
    let font: Font

    init() throws { font = try Font.system(named: "DejaVu Sans") }

    /// The width that letters take, in ems; from where the next letter's outline begins.
    private func width(_ text: String, style: TextStyle = TextStyle()) throws -> Float {
        let box = try #require(try font.path(for: text, style: style).controlBounds)
        return box.maximum.x - box.minimum.x
    }

    @Test func fontsHaveMetricsAndAName() throws {
        #expect(font.name == "DejaVu Sans" && font.unitsPerEm == 2048)
        #expect(font.ascender == 1901 && font.descender == -483 && font.lineGap == 0)
        #expect(try Font.system().name == "DejaVu Sans")
        #expect(try Font.system(named: "dejavusans-bold").name == "DejaVu Sans Bold")
    }

    /// H is 1493 units high, from 201 to 1339 across.
    @Test func glyphsHaveSizeAndPosition() throws {
        let style = TextStyle(size: 2.048, alignment: .left, anchor: .baseline)
        let box = try #require(try font.path(for: "H", style: style).controlBounds)
        #expect(distance(box.minimum, [0.201, 0]) < 1e-5 && distance(box.maximum, [1.339, 1.493]) < 1e-5)
        let centered = try #require(try font.path(for: "H").controlBounds)
        #expect(distance(centered.minimum + centered.maximum, .zero) < 1e-6)
        // Advance 1540.
        let right = TextStyle(size: 2.048, alignment: .right, anchor: .baseline)
        #expect(abs(try #require(try font.path(for: "H", style: right).controlBounds).maximum.x - (1.339 - 1.540)) < 1e-5)
    }

    @Test func kerningAndLigaturesAreSet() throws {
        #expect(try width("AV") < width("AV", style: TextStyle(features: ["kern=0"])) - 0.01)
        let outlines = { (style: TextStyle) in try self.font.path(for: "fi", style: style).elements.count }
        #expect(try outlines(TextStyle()) != outlines(TextStyle(features: ["liga=0"])))
        #expect(try abs(width("HH", style: TextStyle(letterSpacing: 0.5)) - width("HH") - 0.5) < 1e-5)
        #expect(throws: TextError.feature("=1")) { try font.path(for: "a", style: TextStyle(features: ["=1"])) }
    }

    @Test func linesLieBelowEachOther() throws {
        let style = TextStyle(alignment: .left, anchor: .baseline)
        let box = try #require(try font.path(for: "H\nH", style: style).controlBounds)
        #expect(abs(box.minimum.y + Float(1901 + 483) / 2048) < 1e-5)
        let wide = TextStyle(alignment: .left, anchor: .baseline, lineSpacing: 2)
        #expect(abs(try #require(try font.path(for: "H\nH", style: wide).controlBounds).minimum.y + 2 * Float(2384) / 2048) < 1e-5)
        let broken = TextStyle(alignment: .left, anchor: .baseline, maximumWidth: 3)
        let text = try #require(try font.path(for: "one two three four", style: broken).controlBounds)
        #expect(text.maximum.x <= 3 && text.minimum.y < -2)
        // A word that is too long stays whole.
        #expect(try #require(try font.path(for: "internationalization", style: broken).controlBounds).maximum.x > 3)
    }

    /// Hebrew is read from the right: its first letter is on the right, also among Latin ones.
    @Test func rightToLeftTextRunsToTheLeft() throws {
        let runs = TextRun.runs(of: Array("abc \u{5D0}\u{5D1} 12 def".unicodeScalars))
        #expect(runs.map(\.isRightToLeft) == [false, true, false])
        #expect(runs.map { String(String.UnicodeScalarView($0.scalars)) } == ["abc ", "\u{5D0}\u{5D1}", " 12 def"])
        let hebrew = TextRun.runs(of: Array("\u{5D0} abc".unicodeScalars))
        #expect(hebrew.map(\.isRightToLeft) == [false, true])
        // ALEF is 1,362 wide, BET 1,180: the first drawn is the last read.
        let line = ShapedLine(Array("\u{5D0}\u{5D1}".unicodeScalars), font: font, features: [], letterSpacing: 0)
        let reversed = ShapedLine(Array("\u{5D1}\u{5D0}".unicodeScalars), font: font, features: [], letterSpacing: 0)
        #expect(
            line.glyphs.count == 2 && line.glyphs[0].number == reversed.glyphs[1].number
                && line.glyphs[0].number != reversed.glyphs[0].number)
        // Arabic letters join: in the middle of a word they look otherwise than alone.
        let (alone, joined) = (
            ShapedLine(["\u{628}"], font: font, features: [], letterSpacing: 0),
            ShapedLine(["\u{628}", "\u{628}", "\u{628}"], font: font, features: [], letterSpacing: 0)
        )
        #expect(Set(joined.glyphs.map(\.number)).count == 3 && !joined.glyphs.contains { $0.number == alone.glyphs[0].number })
    }

    @Test func missingGlyphsAreNamed() throws {
        #expect(throws: TextError.missingGlyphs(["\u{4E2D}", "\u{6587}"], font: "DejaVu Sans")) {
            try font.path(for: "a\u{4E2D}b\u{6587}\u{4E2D}")
        }
        #expect(try !font.path(for: "\u{4E2D}", style: TextStyle(drawsMissingGlyphs: true)).isEmpty)
        #expect(throws: TextError.path(.noArea)) { try Geometry.text("  ", font: font) }
        #expect(throws: TextError.path(.noArea)) { try Geometry.text("", font: font) }
        #expect(throws: TextError.tooLong(10_001)) { try font.path(for: String(repeating: "a", count: 10_001)) }
        #expect(throws: TextError.notAFont("font")) { try Font(bytes: []) }
        #expect(throws: TextError.notAFont("noise")) { try Font(bytes: (0..<5000).map { UInt8($0 * 37 & 255) }, name: "noise") }
        #expect(throws: TextError.self) { try Font(contentsOf: URL(fileURLWithPath: "/nowhere/a.ttf")) }
        guard case .noFont("No Such Font", let folders)? = (Result { try Font.system(named: "No Such Font") }.failure as? TextError) else {
            Issue.record("a font without name was found")
            return
        }
        #expect(folders.contains("/usr/share/fonts"))
    }

    /// A font with bytes changed is read or refused; nothing crashes, and outlines are finite.
    @Test func invalidFontsThrowErrors() throws {
        let file = try #require(Font.installedFiles().first { $0.lastPathComponent == "DejaVuSans.ttf" })
        let whole = try FileBytes.read(file)
        var random = SplitMix64(seed: 7)
        for round in 0..<12 {
            var bytes = round % 3 == 0 ? Array(whole[..<(random.below(whole.count))]) : whole
            for _ in 0..<200 where !bytes.isEmpty {
                bytes[random.below(round % 2 == 0 ? min(bytes.count, 4096) : bytes.count)] = UInt8(random.below(256))
            }
            guard let broken = try? Font(bytes: bytes) else { continue }
            _ = try? Geometry.text("Vitrine", font: broken, depth: 0.1)
        }
    }

    @Test func lettersBecomeSolids() throws {
        let shape = try Shape.text("Vitrine & 80%", font: font, depth: 0.2, bevel: Bevel(radius: 0.02))
        #expect(shape.sides == [.front, .back, .side, .frontBevel, .backBevel])
        let whole = try Geometry.text("Vitrine & 80%", font: font, depth: 0.2, bevel: Bevel(radius: 0.02))
        #expect(abs(whole.bounds.size.z - 0.2) < 1e-6 && whole.triangleCount > 1000)
        #expect(Solid.isClosed(whole))
        // Without a bevel a letter's volume is its area times the depth: H has 1138 × 1493 less two gaps of 735 wide.
        let letter = try Geometry.text("H", font: font, style: TextStyle(size: 2.048), depth: 1)
        #expect(abs(Solid.volume(letter) - 0.735) < 0.01, "\(Solid.volume(letter))")
    }

    @Test func theSameTextGivesTheSameBytes() throws {
        let make = { try Geometry.text("Again", font: self.font, depth: 0.1, bevel: Bevel(radius: 0.01)) }
        let (first, second) = (try make(), try make())
        #expect(first.attributes == second.attributes && first.indices == second.indices)
    }
}

/// Measures of closed meshes.
enum Solid {
    static func isClosed(_ geometry: Geometry) -> Bool {
        let positions = geometry.attribute(.position)!.values
        var balance: [[Float]: Int] = [:]
        for triangle in 0..<geometry.triangleCount {
            let (a, b, c) = geometry.corners(ofTriangle: triangle)
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (p, q) = (positions[from * 3..<from * 3 + 3].map { $0 + 0 }, positions[to * 3..<to * 3 + 3].map { $0 + 0 })
                balance[p + q, default: 0] += 1
                balance[q + p, default: 0] -= 1
            }
        }
        return balance.values.allSatisfy { $0 == 0 }
    }

    static func volume(_ geometry: Geometry) -> Float {
        let values = geometry.attribute(.position)!.values
        func position(_ vertex: Int) -> Vector3 { Vector3(values[vertex * 3], values[vertex * 3 + 1], values[vertex * 3 + 2]) }
        return (0..<geometry.triangleCount).reduce(0) { sum, triangle in
            let (a, b, c) = geometry.corners(ofTriangle: triangle)
            return sum + dot(position(a), cross(position(b), position(c))) / 6
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
