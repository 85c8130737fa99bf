import VitrineMath
import VitrineVision

/// Fits a plane h = offset + slope · (x, z) to heights above another plane: weighted least squares with a normal prior on the slope and Tukey's
/// biweight (Beaton & Tukey 1974).
struct HeightFit: Equatable {
    struct Sample: Equatable {
        var x, z: Double
        /// Metres above the plane that is being corrected.
        var height: Double
        /// 1 / variance, 1/m².
        var weight: Double
    }

    /// The prior on the slope, per axis.
    struct Prior: Equatable {
        var slope: Vector2d
        /// Standard deviations in radians.
        var deviation: Vector2d
        /// The standard deviation of the measured slope due to tracker drift, in radians: it does not decrease with the number of samples.
        var drift = 0.0
    }

    /// The height at `center` in metres.
    var offset: Double
    var slope: Vector2d
    /// The weighted centre of the samples, where offset and slope are uncorrelated.
    var center: Vector2d
    /// Standard deviations of offset (metres) and slope (radians) for independent samples.
    var offsetDeviation: Double
    var slopeDeviation: Vector2d
    /// The robust standard deviation of the samples: 1.4826 × their median distance from the plane.
    var spread: Double

    /// The height above the reference plane in metres.
    func height(at point: Vector2d) -> Double { offset + (slope * (point - center)).sum() }

    /// Returns nil for fewer than three samples or a singular system.
    init?(_ samples: [Sample], prior: Prior, iterations: Int = 5) {
        guard samples.count >= 3 else { return nil }
        var center = Vector2d.zero
        for sample in samples { center += Vector2d(sample.x, sample.z) }
        self.center = center / Double(samples.count)
        (offset, slope) = (upperMedian(samples.map(\.height)), prior.slope)
        (offsetDeviation, slopeDeviation, spread) = (.infinity, prior.deviation, .infinity)
        var distances = [Double](repeating: 0, count: samples.count)
        for _ in 0..<iterations {
            for (i, sample) in samples.enumerated() { distances[i] = abs(sample.height - height(at: Vector2d(sample.x, sample.z))) }
            spread = 1.4826 * upperMedian(distances)
            let cut = 4.685 * max(spread, 0.003)
            guard step(samples, distances, cut: cut, prior) else { return nil }
        }
    }

    /// Performs one iteration of weighted least squares; returns false for a singular system.
    private mutating func step(_ samples: [Sample], _ distances: [Double], cut: Double, _ prior: Prior) -> Bool {
        var (weight, mean, height) = (0.0, Vector2d.zero, 0.0)
        var (xx, xz, zz, xh, zh) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (i, sample) in samples.enumerated() where distances[i] < cut {
            let share = 1 - (distances[i] / cut) * (distances[i] / cut)
            let w = sample.weight * share * share
            let point = Vector2d(sample.x, sample.z) - center
            weight += w
            mean += point * w
            height += sample.height * w
            xx += w * point.x * point.x
            xz += w * point.x * point.y
            zz += w * point.y * point.y
            xh += w * point.x * sample.height
            zh += w * point.y * sample.height
        }
        guard weight > 0 else { return false }
        mean /= weight
        height /= weight
        let measured = Symmetric(xx - weight * mean.x * mean.x, xz - weight * mean.x * mean.y, zz - weight * mean.y * mean.y)
        var (information, right) = (measured, Vector2d(xh - weight * mean.x * height, zh - weight * mean.y * height))
        if prior.drift > 0, let covariance = measured.inverse {
            let squared = prior.drift * prior.drift
            guard let regularized = Symmetric(covariance.a + squared, covariance.b, covariance.c + squared).inverse else { return false }
            (information, right) = (regularized, regularized * (covariance * right))
        }
        let precision = Vector2d(repeating: 1) / (prior.deviation * prior.deviation)
        right += precision * prior.slope
        guard let covariance = Symmetric(information.a + precision.x, information.b, information.c + precision.y).inverse else {
            return false
        }
        slope = covariance * right
        center += mean
        offset = height
        offsetDeviation = (1 / weight).squareRoot()
        slopeDeviation = Vector2d(covariance.a.squareRoot(), covariance.c.squareRoot())
        return slope.x.isFinite && slope.y.isFinite && offset.isFinite
    }
}

/// A symmetric 2 × 2 matrix with rows a b and b c.
private struct Symmetric {
    let a, b, c: Double

    init(_ a: Double, _ b: Double, _ c: Double) { (self.a, self.b, self.c) = (a, b, c) }

    var inverse: Symmetric? {
        let determinant = a * c - b * b
        return determinant > 0 ? Symmetric(c / determinant, -b / determinant, a / determinant) : nil
    }

    static func * (m: Symmetric, v: Vector2d) -> Vector2d { Vector2d(m.a * v.x + m.b * v.y, m.b * v.x + m.c * v.y) }
}
