import VitrineVision

/// Fills what lies between charts with smooth colours from their borders, so that smaller copies of a texture take up nothing foreign.
///
/// Push-pull (Gortler, Grzeszczuk, Szeliski and Cohen 1996, "The Lumigraph"): averages of the known go up a pyramid and come down to the unknown.
struct PushPull<Value: FixedWidthInteger> {
    /// One level: `channels` values a texel; whether it is known.
    private struct Level {
        var width: Int
        var values: [Value]
        var isKnown: [Bool]
    }

    /// - Parameters:
    ///   - values: `channels` values a texel of a square with a power of two for its width.
    ///   - isKnown: By texel; others are overwritten.
    static func fill(_ values: inout [Value], channels: Int, width: Int, isKnown: [Bool]) {
        var levels: [Level] = []
        var width = width
        values.withUnsafeBufferPointer { fine in
            isKnown.withUnsafeBufferPointer { known in
                if width > 1 { levels.append(pushed(fine, known, channels, width)) }
            }
        }
        width /= 2
        while width > 1, levels[levels.count - 1].isKnown.contains(false) {
            let last = levels[levels.count - 1]
            levels.append(
                last.values.withUnsafeBufferPointer { fine in last.isKnown.withUnsafeBufferPointer { pushed(fine, $0, channels, width) } })
            width /= 2
        }
        for index in levels.indices.reversed() {
            let coarse = levels[index]
            if index == 0 {
                pull(coarse, &values, isKnown, channels)
            } else {
                let known = levels[index - 1].isKnown
                pull(coarse, &levels[index - 1].values, known, channels)
            }
        }
    }

    private static func pushed(
        _ fine: UnsafeBufferPointer<Value>, _ known: UnsafeBufferPointer<Bool>, _ channels: Int, _ width: Int
    ) -> Level {
        let half = width / 2
        var level = Level(
            width: half, values: Array(repeating: 0, count: half * half * channels), isKnown: Array(repeating: false, count: half * half))
        for y in 0..<half {
            for x in 0..<half {
                let corner = 2 * y * width + 2 * x
                var count = 0
                for slot in [corner, corner + 1, corner + width, corner + width + 1] where known[slot] { count += 1 }
                guard count > 0 else { continue }
                let target = y * half + x
                level.isKnown[target] = true
                for k in 0..<channels {
                    var sum = count / 2
                    if known[corner] { sum += Int(fine[corner * channels + k]) }
                    if known[corner + 1] { sum += Int(fine[(corner + 1) * channels + k]) }
                    if known[corner + width] { sum += Int(fine[(corner + width) * channels + k]) }
                    if known[corner + width + 1] { sum += Int(fine[(corner + width + 1) * channels + k]) }
                    level.values[target * channels + k] = Value(sum / count)
                }
            }
        }
        return level
    }

    /// Unknown texels get the coarse level's bilinear value.
    private static func pull(_ coarse: Level, _ values: inout [Value], _ isKnown: [Bool], _ channels: Int) {
        let (half, width) = (coarse.width, coarse.width * 2)
        values.withUnsafeMutableBufferPointer { values in
            for y in 0..<width {
                let (y0, y1) = (y / 2, max(0, min(half - 1, y / 2 + (y % 2 == 0 ? -1 : 1))))
                for x in 0..<width where !isKnown[y * width + x] {
                    let (x0, x1) = (x / 2, max(0, min(half - 1, x / 2 + (x % 2 == 0 ? -1 : 1))))
                    for k in 0..<channels {
                        let near =
                            9 * Int(coarse.values[(y0 * half + x0) * channels + k]) + 3
                            * Int(coarse.values[(y0 * half + x1) * channels + k])
                        let far =
                            3 * Int(coarse.values[(y1 * half + x0) * channels + k]) + Int(coarse.values[(y1 * half + x1) * channels + k])
                        values[(y * width + x) * channels + k] = Value((near + far + 8) / 16)
                    }
                }
            }
        }
    }
}
