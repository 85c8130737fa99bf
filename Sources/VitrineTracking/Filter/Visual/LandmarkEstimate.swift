import VitrineMath
import VitrineVision

/// The position of a tracked feature, triangulated from the frames that observed it. The filter's state does not depend on it.
///
/// The observations in the window are rays. Before their clones leave the window, their information is condensed into a prior: a position with
/// an information matrix. A feature tracked for seconds is thus triangulated from the whole path of the camera. Drift of camera and feature
/// widens the prior.
struct LandmarkEstimate {
    /// A pixel's ray in the world; the direction has unit length.
    struct Ray {
        var center: Vector3d
        var direction: Vector3d
        /// The measured distance of the point along the ray, and its standard deviation, in metres.
        var range: (distance: Double, deviation: Double)?
    }

    /// Variances of the camera's motion.
    struct MotionUncertainty {
        /// The variances of the translation since the oldest ray in m², and of the rotation in rad².
        var translation = 0.0, rotation = 0.0
        /// Relative variance of distances.
        var scale = 0.0
    }

    private struct Estimate {
        var position: Vector3d
        /// The inverse covariance, 1/m².
        var information: Matrix3d

        /// Adds an isotropic variance.
        func widened(by variance: Double) -> Estimate {
            var wider = information.inverse
            wider.x.x += variance
            wider.y.y += variance
            wider.z.z += variance
            return Estimate(position: position, information: wider.inverse)
        }
    }

    /// A bit for each slot whose ray is not part of the prior.
    private(set) var pending: UInt32 = 0
    /// The position in the world, metres; nil if it is not accurate enough.
    private(set) var position: Vector3d?
    /// Standard deviation of the position in metres, given the camera's path.
    private(set) var deviation = 0.0
    /// The information of rays that left the window.
    private var prior: Estimate?
    /// Consecutive contradictions between new rays and the prior.
    private var rejections = 0

    private static let scaleForgetting = 0.06
    private static let minimumRays = 4, raysOfPrior = 6
    /// Largest relative standard deviations: of a prior, and of a reported position.
    private static let priorDeviation = 0.25, reportedDeviation = 0.06

    mutating func observe(in slot: Int) { pending |= 1 << UInt32(slot) }
    mutating func remove(_ slot: Int) { pending &= ~(1 << UInt32(slot)) }

    /// Updates the position.
    /// - Parameters:
    ///   - rays: The rays of the pending slots.
    ///   - noise: Standard deviation of a ray's direction in radians.
    ///   - uncertainty: The uncertainty of the camera's motion since the first of the rays.
    mutating func refine(_ rays: [Ray], noise: Double, uncertainty: MotionUncertainty, _ quantiles: ChiSquare) {
        guard let newest = rays.last, rays.count >= (prior == nil ? Self.minimumRays : 1) else { return }
        // An error of the scale is corrected within seconds, after which the prior is wrong: widen it by a share of that.
        let share = uncertainty.rotation + Self.scaleForgetting * uncertainty.scale
        let widened = prior.map { $0.widened(by: uncertainty.translation + share * lengthSquared($0.position - newest.center)) }
        let ranges = rays.count { $0.range != nil }
        let degrees = 2 * rays.count + ranges - (widened == nil ? 3 : 0)
        guard let (found, cost) = Self.intersection(rays, widened, noise), cost <= quantiles[degrees] else { return reject() }
        let (variance, distance) = (found.information.inverse.trace, lengthSquared(found.position - newest.center))
        guard variance >= 0, variance <= Self.priorDeviation * Self.priorDeviation * distance else {
            position = nil
            return
        }
        rejections = 0
        if rays.count >= Self.raysOfPrior { (prior, pending) = (found, 0) }
        deviation = variance.squareRoot()
        position = variance <= Self.reportedDeviation * Self.reportedDeviation * distance ? found.position : nil
    }

    /// New rays contradict the prior: they are skipped once, then replace it.
    private mutating func reject() {
        guard prior != nil else {
            position = nil
            return
        }
        rejections += 1
        pending = 0
        if rejections > 1 { self = LandmarkEstimate() }
    }

    /// The point nearest to all rays in angle, and the normalized sum of squared residuals, by Gauss–Newton.
    ///
    /// Derivatives are taken across the direction to the point, not across the noisy ray: otherwise noise adds spurious information on the
    /// distance and shortens it.
    private static func intersection(_ rays: [Ray], _ prior: Estimate?, _ noise: Double) -> (Estimate, cost: Double)? {
        guard var position = prior?.position ?? measured(rays) ?? midpoint(rays) else { return nil }
        let weight = 1 / (noise * noise)
        // The errors of one sensor's measurements of one point are alike: together they count as one.
        let rangeCount = Double(max(1, rays.count { $0.range != nil }))
        for _ in 0..<8 {
            var (information, right, cost) = (Matrix3d.zero, Vector3d.zero, 0.0)
            if let prior {
                information = prior.information
                right = prior.information * (prior.position - position)
                cost = dot(prior.position - position, right)
            }
            for ray in rays {
                let way = position - ray.center
                let distance = length(way)
                let view = way / distance
                let cosine = dot(ray.direction, view)
                guard distance > 0.05, cosine > 0.5 else { return nil }
                let residual = (ray.direction / cosine - view) * distance
                let scale = weight / (distance * distance)
                information = information + Self.across(view) * scale
                right += residual * scale
                cost += lengthSquared(residual) * scale
                guard let range = ray.range else { continue }
                let rangeWeight = 1 / (range.deviation * range.deviation * rangeCount)
                let difference = range.distance - distance
                information = information + Matrix3d.outer(view, view) * rangeWeight
                right += view * (difference * rangeWeight)
                cost += difference * difference * rangeWeight
            }
            let step = information.inverse * right
            guard step.isFinite else { return nil }
            position += step
            if lengthSquared(step) < 1e-8 * lengthSquared(position - rays[0].center) {
                return (Estimate(position: position, information: information), cost)
            }
        }
        return nil
    }

    /// The point at the newest measured distance; nil without one.
    private static func measured(_ rays: [Ray]) -> Vector3d? {
        for ray in rays.reversed() { if let range = ray.range { return ray.center + ray.direction * range.distance } }
        return nil
    }

    /// The point with the least sum of squared distances to the rays.
    private static func midpoint(_ rays: [Ray]) -> Vector3d? {
        var (normal, right) = (Matrix3d.zero, Vector3d.zero)
        for ray in rays {
            let across = Self.across(ray.direction)
            normal = normal + across
            right += across * (ray.center - rays[0].center)
        }
        let midpoint = normal.inverse * right
        return midpoint.isFinite ? rays[0].center + midpoint : nil
    }

    /// The projection across a unit direction.
    private static func across(_ d: Vector3d) -> Matrix3d { Matrix3d.identity - Matrix3d(d * d.x, d * d.y, d * d.z) }
}
