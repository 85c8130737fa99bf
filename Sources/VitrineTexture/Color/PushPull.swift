import VitrineVision

/// Fills the space between charts with smooth colours from their borders, so that the mip levels of a texture contain no other colours.
///
/// Push-pull (Gortler, Grzeszczuk, Szeliski and Cohen 1996, "The Lumigraph"): averages known texels up a pyramid, and fills unknown texels on the way down.
struct PushPull<Value: FixedWidthInteger & Sendable> {
    /// A level of the pyramid: `channels` values per texel, and whether each is known.
    private struct Level {
        var width: Int
        var values: [Value]
        var isKnown: [Bool]
    }

    /// Fills unknown texels smoothly from the known ones.
    ///
    /// - Parameters:
    ///   - values: `channels` values per texel of a square whose width is a power of two.
    ///   - isKnown: Whether the value of each texel is known; others are overwritten.
    static func fill(_ values: inout [Value], channels: Int, width: Int, isKnown: [Bool], _ parallel: Parallel) {
        var levels: [Level] = []
        var width = width
        values.withUnsafeBufferPointer { fine in
            isKnown.withUnsafeBufferPointer { known in
                if width > 1 { levels.append(pushed(fine, known, channels, width, parallel)) }
            }
        }
        width /= 2
        while width > 1, levels[levels.count - 1].isKnown.contains(false) {
            let last = levels[levels.count - 1]
            let next = last.values.withUnsafeBufferPointer { fine in
                last.isKnown.withUnsafeBufferPointer { pushed(fine, $0, channels, width, parallel) }
            }
            levels.append(next)
            width /= 2
        }
        for index in levels.indices.reversed() {
            let coarse = levels[index]
            if index == 0 {
                pull(coarse, &values, isKnown, channels, parallel)
            } else {
                let known = levels[index - 1].isKnown
                pull(coarse, &levels[index - 1].values, known, channels, parallel)
            }
        }
    }

    /// The number of rows in a piece of work.
    private static var chunk: Int { 32 }

    private static func pushed(
        _ fine: UnsafeBufferPointer<Value>, _ known: UnsafeBufferPointer<Bool>, _ channels: Int, _ width: Int, _ parallel: Parallel
    ) -> Level {
        let half = width / 2
        var level = Level(
            width: half, values: Array(repeating: 0, count: half * half * channels), isKnown: Array(repeating: false, count: half * half))
        level.values.withUnsafeMutableBufferPointer { values in
            level.isKnown.withUnsafeMutableBufferPointer { isKnown in
                // Each row of the level is written by one piece of work.
                nonisolated(unsafe) let (values, isKnown, fine, known) = (values, isKnown, fine, known)
                parallel.forEachChunk(of: half, size: chunk) { rows in
                    for y in rows {
                        for x in 0..<half {
                            let corner = 2 * y * width + 2 * x
                            let corners = SIMD4(corner, corner + 1, corner + width, corner + width + 1)
                            var count = 0
                            for k in 0..<4 where known[corners[k]] { count += 1 }
                            guard count > 0 else { continue }
                            let target = y * half + x
                            isKnown[target] = true
                            for channel in 0..<channels {
                                var sum = count / 2
                                for k in 0..<4 where known[corners[k]] { sum += Int(fine[corners[k] * channels + channel]) }
                                values[target * channels + channel] = Value(sum / count)
                            }
                        }
                    }
                }
            }
        }
        return level
    }

    /// Unknown texels get the coarse level's bilinear value.
    private static func pull(_ coarse: Level, _ values: inout [Value], _ isKnown: [Bool], _ channels: Int, _ parallel: Parallel) {
        let (half, width) = (coarse.width, coarse.width * 2)
        values.withUnsafeMutableBufferPointer { values in
            coarse.values.withUnsafeBufferPointer { coarse in
                isKnown.withUnsafeBufferPointer { isKnown in
                    // Each row is written by one piece of work.
                    nonisolated(unsafe) let (values, coarse, isKnown) = (values, coarse, isKnown)
                    parallel.forEachChunk(of: width, size: chunk) { rows in
                        for y in rows {
                            let (y0, y1) = (y / 2, max(0, min(half - 1, y / 2 + (y % 2 == 0 ? -1 : 1))))
                            for x in 0..<width where !isKnown[y * width + x] {
                                let (x0, x1) = (x / 2, max(0, min(half - 1, x / 2 + (x % 2 == 0 ? -1 : 1))))
                                for k in 0..<channels {
                                    func at(_ y: Int, _ x: Int) -> Int { Int(coarse[(y * half + x) * channels + k]) }
                                    let sum = 9 * at(y0, x0) + 3 * at(y0, x1) + 3 * at(y1, x0) + at(y1, x1)
                                    values[(y * width + x) * channels + k] = Value((sum + 8) / 16)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
