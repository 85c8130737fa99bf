// modules: VitrineText
import VitrineText

/// TrueType fonts: their metrics, and the outlines of a text. HarfBuzz reads the tables, and is not instrumented.
// swift-format-ignore: OnlyOneTrailingClosureArgument
let fontTarget = FuzzTarget(seeds: { [smallFont()] }) { input in
    guard let font = try? Font(bytes: input) else { return }
    precondition(font.unitsPerEm > 0)
    _ = try? font.path(for: "A\u{301}b\nfi")
}

/// A font with two glyphs: an empty one, and a triangle for A.
private func smallFont() -> [UInt8] {
    func words(_ values: Int...) -> [UInt8] { values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] } }
    // One contour of three points on the curve: flags, then the steps of x and of y.
    let triangle = words(1, 0, 0, 500, 700, 2, 0) + [1, 1, 1] + words(0, 500, -250, 0, 0, 700) + [0]
    let tables: [(String, [UInt8])] = [
        ("cmap", words(0, 1, 3, 1, 0, 12, 4, 32, 0, 4, 4, 1, 0, 65, 0xFFFF, 0, 65, 0xFFFF, -64, 1, 0, 0)),
        ("glyf", triangle),
        ("head", words(1, 0, 1, 0, 0, 0, 0x5F0F, 0x3CF5, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 700, 0, 8, 2, 0, 0)),
        ("hhea", words(1, 0, 800, -200, 90, 600, 0, 0, 500, 1, 0, 0, 0, 0, 0, 0, 0, 2)), ("hmtx", words(500, 0, 600, 0)),
        ("loca", words(0, 0, triangle.count / 2)), ("maxp", words(0, 0x5000, 2)),
    ]
    var (directory, data): ([UInt8], [UInt8]) = (words(1, 0, tables.count, 64, 2, 48), [])
    for (name, bytes) in tables {
        let offset = 12 + 16 * tables.count + data.count
        directory += Array(name.utf8) + words(0, 0, offset >> 16, offset, bytes.count >> 16, bytes.count)
        data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    return directory + data
}
