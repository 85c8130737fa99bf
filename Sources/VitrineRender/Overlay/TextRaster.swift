import VitrineMath

/// Lines of text rasterized on a dark rectangle: white, for blending over a frame.
package struct TextRaster {
    /// The size of the raster in pixels.
    package let width, height: Int
    /// The pixels in rows from the top: red, green, blue and alpha, premultiplied.
    package private(set) var pixels: [UInt8]

    private let unit: Float
    private let margin: Int
    private static let darkness: Float = 0.6

    /// Rasterizes lines of text.
    ///
    /// - Parameter unit: Pixels per unit of the font's grid: capitals are six units high.
    package init(_ lines: [String], unit: Float) {
        self.unit = unit
        margin = Self.margin(unit)
        (width, height) = Self.size(lines, unit: unit)
        pixels = [UInt8](repeating: 0, count: width * height * 4)
        for index in stride(from: 3, to: pixels.count, by: 4) { pixels[index] = UInt8(Self.darkness * 255) }
        for (row, line) in lines.enumerated() {
            for (column, character) in line.unicodeScalars.enumerated() { draw(character, column: column, row: row) }
        }
    }

    /// Calls `body` with the address of the pixels.
    package mutating func withPixels<Result>(_ body: (UnsafeMutableRawPointer?) -> Result) -> Result {
        pixels.withUnsafeMutableBytes { body($0.baseAddress) }
    }

    private static func margin(_ unit: Float) -> Int { Int((4 * unit).rounded()) }

    /// Pixels of the rectangle for `lines`.
    static func size(_ lines: [String], unit: Float) -> (width: Int, height: Int) {
        let longest = lines.reduce(0) { max($0, $1.unicodeScalars.count) }
        let (width, height) = (Float(longest) * StrokeFont.advance * unit, Float(lines.count) * StrokeFont.lineHeight * unit)
        return (Int(width.rounded(.up)) + 2 * margin(unit), Int(height.rounded(.up)) + 2 * margin(unit))
    }

    private mutating func draw(_ character: Unicode.Scalar, column: Int, row: Int) {
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

    /// Coverages of strokes that touch are not added: the greater one counts.
    private mutating func cover(_ x: Int, _ y: Int, _ coverage: Float) {
        let index = (y * width + x) * 4
        let level = UInt8((coverage * 255).rounded())
        guard level > pixels[index] else { return }
        for channel in 0..<3 { pixels[index + channel] = level }
        pixels[index + 3] = UInt8(((coverage + Self.darkness * (1 - coverage)) * 255).rounded())
    }

    /// Returns the distance from a point to the segment between `a` and `b`.
    private static func distance(_ point: Vector2, _ a: Vector2, _ b: Vector2) -> Float {
        let along = b - a
        let squared = dot(along, along)
        let t = squared > 0 ? clamp(dot(point - a, along) / squared, 0, 1) : 0
        return length(point - a - along * t)
    }
}
