import VitrineMath

/// A part of a picture, in whole pixels.
struct PixelRegion: Equatable {
    var x, y, width, height: Int

    init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

    /// The part of a picture around something that is to be shown.
    ///
    /// Rounded up to multiples of 32 pixels; a size that was drawn into before is kept while it is neither too small nor much too large.
    ///
    /// - Parameters:
    ///   - low, high: Around what is to be shown, in pixels.
    /// - Returns: nil where it lies beside the picture.
    init?(from low: Vector2, to high: Vector2, in size: (width: Int, height: Int), keeping last: (width: Int, height: Int)? = nil) {
        func range(_ low: Float, _ high: Float, _ size: Int, _ last: Int?) -> Range<Int>? {
            // A pixel more on each side: edges are smoothed.
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
        (x, y, width, height) = (across.lowerBound, down.lowerBound, across.count, down.count)
    }
}
