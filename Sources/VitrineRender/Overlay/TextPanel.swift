import VitrineMath

/// Lines of text on a dark rectangle, as pixels: white with straight coverage, for blending over a picture.
struct TextPanel {
    /// Pixels.
    let width, height: Int
    /// Red, green, blue, alpha, premultiplied; rows from the top.
    private(set) var pixels: [UInt8]

    private let unit: Float
    private let margin: Int
    private static let darkness: Float = 0.6

    /// - Parameter unit: Pixels of one unit of the typeface's grid: capitals are six high.
    init(_ lines: [String], unit: Float) {
        self.unit = unit
        margin = Int((4 * unit).rounded())
        let longest = lines.reduce(0) { max($0, $1.utf8.count) }
        width = Int((Float(longest) * StrokeFont.advance * unit).rounded(.up)) + 2 * margin
        height = Int((Float(lines.count) * StrokeFont.lineHeight * unit).rounded(.up)) + 2 * margin
        pixels = [UInt8](repeating: 0, count: width * height * 4)
        for index in stride(from: 3, to: pixels.count, by: 4) { pixels[index] = UInt8(Self.darkness * 255) }
        for (row, line) in lines.enumerated() {
            for (column, byte) in line.utf8.enumerated() where byte != 32 { draw(byte, column: column, row: row) }
        }
    }

    private mutating func draw(_ character: UInt8, column: Int, row: Int) {
        let left = Float(margin) + Float(column) * StrokeFont.advance * unit
        let bottom = Float(margin) + (Float(row + 1) * StrokeFont.lineHeight - StrokeFont.descent) * unit
        let radius = max(0.5 * unit, 0.55)
        let reach = Int((radius + 1).rounded(.up))
        for segment in StrokeFont.segments(character) {
            let a = Vector2(left + (segment.from.x + 1) * unit, bottom - segment.from.y * unit)
            let b = Vector2(left + (segment.to.x + 1) * unit, bottom - segment.to.y * unit)
            let low = pointwiseMin(a, b)
            let high = pointwiseMax(a, b)
            for y in max(0, Int(low.y) - reach)..<min(height, Int(high.y) + reach + 1) {
                for x in max(0, Int(low.x) - reach)..<min(width, Int(high.x) + reach + 1) {
                    let away = Self.distance(Vector2(Float(x) + 0.5, Float(y) + 0.5), a, b)
                    cover(x, y, clamp(radius + 0.5 - away, 0, 1))
                }
            }
        }
    }

    /// Strokes that meet don't add up: the greater coverage counts.
    private mutating func cover(_ x: Int, _ y: Int, _ coverage: Float) {
        let index = (y * width + x) * 4
        let level = UInt8((coverage * 255).rounded())
        guard level > pixels[index] else { return }
        for channel in 0..<3 { pixels[index + channel] = level }
        pixels[index + 3] = UInt8(((coverage + Self.darkness * (1 - coverage)) * 255).rounded())
    }

    /// From a point to the segment between `a` and `b`.
    private static func distance(_ point: Vector2, _ a: Vector2, _ b: Vector2) -> Float {
        let along = b - a
        let squared = dot(along, along)
        let t = squared > 0 ? clamp(dot(point - a, along) / squared, 0, 1) : 0
        return length(point - a - along * t)
    }
}
