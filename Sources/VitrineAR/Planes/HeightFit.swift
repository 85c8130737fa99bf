import VitrineMath
import VitrineVision

/// The plane h = offset + slope · (x, z) through heights above another plane: weighted least squares with a normal prior on the slope, made
/// robust by Tukey's weights (Beaton & Tukey 1974).
struct HeightFit: Equatable {
    struct Sample: Equatable {
        var x, z: Double
        /// Metres above the plane that is being corrected.
        var height: Double
        /// 1 / variance, 1/m².
        var weight: Double
    }

    /// What is believed of the slope before anything is measured, per axis.
    struct Prior: Equatable {
        var slope: Vector2d
        /// Standard deviations in radians.
        var deviation: Vector2d
    }

    /// At `middle`, in metres.
    var offset: Double
    var slope: Vector2d
    /// Where the samples are on average: there the offset and the slope don't depend on each other.
    var middle: Vector2d
    /// Standard deviations of offset (metres) and slope (radians), were the samples independent.
    var offsetDeviation: Double
    var slopeDeviation: Vector2d
    /// The spread of the samples about the plane: 1.4826 × their median distance.
    var spread: Double

    /// Metres above the old plane.
    func height(at place: Vector2d) -> Double { offset + (slope * (place - middle)).sum() }

    /// nil for fewer than three samples.
    init?(_ samples: [Sample], prior: Prior, iterations: Int = 5) {
        guard samples.count >= 3 else { return nil }
        var middle = Vector2d.zero
        for sample in samples { middle += Vector2d(sample.x, sample.z) }
        self.middle = middle / Double(samples.count)
        (offset, slope) = (median(samples.map(\.height)), prior.slope)
        (offsetDeviation, slopeDeviation, spread) = (.infinity, prior.deviation, .infinity)
        var distances = [Double](repeating: 0, count: samples.count)
        for _ in 0..<iterations {
            for (i, sample) in samples.enumerated() { distances[i] = abs(sample.height - height(at: Vector2d(sample.x, sample.z))) }
            spread = 1.4826 * median(distances)
            let cut = 4.685 * max(spread, 0.003)
            guard step(samples, distances, cut: cut, prior) else { return nil }
        }
    }

    /// One round of weighted least squares.
    private mutating func step(_ samples: [Sample], _ distances: [Double], cut: Double, _ prior: Prior) -> Bool {
        var (weight, mean, height) = (0.0, Vector2d.zero, 0.0)
        var (xx, xz, zz, xh, zh) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (i, sample) in samples.enumerated() where distances[i] < cut {
            let share = 1 - (distances[i] / cut) * (distances[i] / cut)
            let w = sample.weight * share * share
            let place = Vector2d(sample.x, sample.z) - middle
            weight += w
            mean += place * w
            height += sample.height * w
            xx += w * place.x * place.x
            xz += w * place.x * place.y
            zz += w * place.y * place.y
            xh += w * place.x * sample.height
            zh += w * place.y * sample.height
        }
        guard weight > 0 else { return false }
        mean /= weight
        height /= weight
        let precision = Vector2d(repeating: 1) / (prior.deviation * prior.deviation)
        let (a, b, c) = (
            xx - weight * mean.x * mean.x + precision.x, xz - weight * mean.x * mean.y, zz - weight * mean.y * mean.y + precision.y
        )
        let right = Vector2d(xh - weight * mean.x * height, zh - weight * mean.y * height) + precision * prior.slope
        let determinant = a * c - b * b
        guard determinant > 0 else { return false }
        slope = Vector2d(c * right.x - b * right.y, a * right.y - b * right.x) / determinant
        middle += mean
        offset = height
        offsetDeviation = (1 / weight).squareRoot()
        slopeDeviation = Vector2d((c / determinant).squareRoot(), (a / determinant).squareRoot())
        return slope.x.isFinite && slope.y.isFinite && offset.isFinite
    }
}

/// The middle one of some values, the upper of two; 0 of none (Hoare's quickselect).
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    var rest = values
    let target = rest.count / 2
    var (low, high) = (0, rest.count - 1)
    while low < high {
        let pivot = rest[(low + high) / 2]
        var (i, j) = (low, high)
        while i <= j {
            while rest[i] < pivot { i += 1 }
            while rest[j] > pivot { j -= 1 }
            if i <= j {
                rest.swapAt(i, j)
                (i, j) = (i + 1, j - 1)
            }
        }
        if target <= j { high = j } else if target >= i { low = i } else { break }
    }
    return rest[target]
}
