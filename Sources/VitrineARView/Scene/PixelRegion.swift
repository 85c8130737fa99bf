import VitrineMath

/// A part of a picture, in whole pixels.
struct PixelRegion: Equatable {
    var x, y, width, height: Int

    /// The part of a picture that has something to show of `points`, or all of it.
    ///
    /// Rounded outwards to multiples of 32 pixels, so that what is drawn into keeps its size for a while.
    ///
    /// - Parameters:
    ///   - low, high: Around what is to be shown, in pixels.
    /// - Returns: nil where it lies beside the picture.
    init?(from low: Vector2, to high: Vector2, in size: (width: Int, height: Int)) {
        func range(_ low: Float, _ high: Float, _ size: Int) -> Range<Int>? {
            // A pixel more on each side: edges are smoothed.
            let (low, high) = (max(low - 1, 0), min(high + 1, Float(size)))
            guard low < high else { return nil }
            let length = min((Int(high.rounded(.up)) - Int(low) + 31) / 32 * 32, size)
            let start = min(Int(low), size - length)
            return start..<start + length
        }
        guard let across = range(low.x, high.x, size.width), let down = range(low.y, high.y, size.height) else { return nil }
        (x, y, width, height) = (across.lowerBound, down.lowerBound, across.count, down.count)
    }

    init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }
}
