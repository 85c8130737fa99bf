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
        /// What the samples' own slope is off however many there are, because a tracker drifts: a standard deviation in radians.
        var drift = 0.0
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
        let measured = Symmetric(xx - weight * mean.x * mean.x, xz - weight * mean.x * mean.y, zz - weight * mean.y * mean.y)
        var (information, right) = (measured, Vector2d(xh - weight * mean.x * height, zh - weight * mean.y * height))
        if prior.drift > 0, let covariance = measured.inverse {
            let squared = prior.drift * prior.drift
            guard let held = Symmetric(covariance.a + squared, covariance.b, covariance.c + squared).inverse else { return false }
            (information, right) = (held, held * (covariance * right))
        }
        let precision = Vector2d(repeating: 1) / (prior.deviation * prior.deviation)
        right += precision * prior.slope
        guard let covariance = Symmetric(information.a + precision.x, information.b, information.c + precision.y).inverse else {
            return false
        }
        slope = covariance * right
        middle += mean
        offset = height
        offsetDeviation = (1 / weight).squareRoot()
        slopeDeviation = Vector2d(covariance.a.squareRoot(), covariance.c.squareRoot())
        return slope.x.isFinite && slope.y.isFinite && offset.isFinite
    }
}

/// A symmetric matrix of two rows, a b and b c.
private struct Symmetric {
    let a, b, c: Double

    init(_ a: Double, _ b: Double, _ c: Double) { (self.a, self.b, self.c) = (a, b, c) }

    var inverse: Symmetric? {
        let determinant = a * c - b * b
        return determinant > 0 ? Symmetric(c / determinant, -b / determinant, a / determinant) : nil
    }

    static func * (m: Symmetric, v: Vector2d) -> Vector2d { Vector2d(m.a * v.x + m.b * v.y, m.b * v.x + m.c * v.y) }
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
