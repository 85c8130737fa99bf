import VitrineGeometry
import VitrineMath

extension PixelRectangle {
    /// The region around some bounds, clamped to an image.
    ///
    /// Rounds sizes up to multiples of 32 pixels; keeps the previous size if it is large enough and not much too large.
    ///
    /// - Parameters:
    ///   - low, high: The bounds in pixels.
    /// - Returns: nil if the bounds are outside of the image.
    init?(from low: Vector2, to high: Vector2, in size: (width: Int, height: Int), keeping last: (width: Int, height: Int)? = nil) {
        func range(_ low: Float, _ high: Float, _ size: Int, _ last: Int?) -> Range<Int>? {
            // A margin of one pixel for antialiased edges.
            let (low, high) = (max(low - 1, 0), min(high + 1, Float(size)))
            guard low < high else { return nil }
            let needed = Int(high.rounded(.up)) - Int(low)
            var length = min((needed + 31) / 32 * 32, size)
            if let last, last >= needed, last <= min(length + 64, size) { length = last }
            let start = min(Int(low), size - length)
            return start..<start + length
        }
        guard let across = range(low.x, high.x, size.width, last?.width), let down = range(low.y, high.y, size.height, last?.height) else {
            return nil
        }
        self.init(x: across.lowerBound, y: down.lowerBound, width: across.count, height: down.count)
    }
}
