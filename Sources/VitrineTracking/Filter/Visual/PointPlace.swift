import VitrineMath
import VitrineVision

/// Where a followed point is, by the pictures that showed it. No part of the filter's state: what is found here never comes back to it.
///
/// The pictures of the present clones are rays that nearly meet. Before their clones go, what they say is summed up as a place and its
/// information, and from then on is one more measurement: so a point that was followed for seconds is known from all the way that the camera
/// went meanwhile. How far the camera itself may have drifted since, and the feature have crept, makes the sum less sure.
struct PointPlace {
    /// A pixel's ray in the world, its direction of unit length.
    struct Ray {
        var center: Vector3d
        var direction: Vector3d
    }

    /// What isn't known of the camera's way.
    struct Doubt {
        /// Variances since a place was summed up: in m², and in squared radians as the camera sees it.
        var shift = 0.0, turn = 0.0
        /// Of distances, as a share of them.
        var scale = 0.0
    }

    private struct Estimate {
        var position: Vector3d
        /// The covariance's inverse, 1/m².
        var information: Matrix3d

        /// Less sure by a variance that is the same in all directions.
        func widened(by variance: Double) -> Estimate {
            var wider = information.inverse
            wider.x.x += variance
            wider.y.y += variance
            wider.z.z += variance
            return Estimate(position: position, information: wider.inverse)
        }
    }

    /// A bit for each slot whose ray isn't summed up yet.
    private(set) var fresh: UInt32 = 0
    /// In the world, metres; nil as long as it isn't known well enough to be told.
    private(set) var position: Vector3d?
    /// The root of the mean square distance by which the place may be off, metres, were the camera's way known.
    private(set) var deviation = 0.0
    /// What rays said that are gone.
    private var sum: Estimate?
    /// How often running what is new contradicted that.
    private var misses = 0

    private static let scaleForgetting = 0.06
    private static let fewestRays = 4, raysOfASum = 6
    /// The largest deviations as a share of the distance: of what is summed up, and of what is told.
    private static let sure = 0.25, told = 0.06

    mutating func see(in slot: Int) { fresh |= 1 << UInt32(slot) }
    mutating func forget(_ slot: Int) { fresh &= ~(1 << UInt32(slot)) }

    /// Finds the place anew.
    /// - Parameters:
    ///   - rays: of the fresh slots.
    ///   - noise: of a ray's direction, radians.
    ///   - doubt: of the way since the first of the rays.
    mutating func refine(_ rays: [Ray], noise: Double, doubt: Doubt, _ quantiles: ChiSquare) {
        guard let newest = rays.last, rays.count >= (sum == nil ? Self.fewestRays : 1) else { return }
        // A wrong length of the way is found out within seconds, and the sum is then of another world: a little of that with each.
        let share = doubt.turn + Self.scaleForgetting * doubt.scale
        let prior = sum.map { $0.widened(by: doubt.shift + share * lengthSquared($0.position - newest.center)) }
        let degrees = 2 * rays.count - (prior == nil ? 3 : 0)
        guard let (found, cost) = Self.meeting(rays, prior, noise), cost <= quantiles[degrees] else { return miss() }
        let (variance, distance) = (found.information.inverse.trace, lengthSquared(found.position - newest.center))
        guard variance >= 0, variance <= Self.sure * Self.sure * distance else {
            position = nil
            return
        }
        misses = 0
        if rays.count >= Self.raysOfASum { (sum, fresh) = (found, 0) }
        deviation = variance.squareRoot()
        position = variance <= Self.told * Self.told * distance ? found.position : nil
    }

    /// What is new contradicts what was known: it is passed over once, then believed.
    private mutating func miss() {
        guard sum != nil else {
            position = nil
            return
        }
        misses += 1
        fresh = 0
        if misses > 1 { self = PointPlace() }
    }

    /// The point nearest to all rays in angle, and the squares of what they miss it by, over the noise: Gauss and Newton's method.
    ///
    /// A ray tells where the point lies across the view of it, and nothing along: slopes are taken across the way to the point itself, not
    /// across the ray, whose noise would pretend to know distances, and make all of them shorter.
    private static func meeting(_ rays: [Ray], _ prior: Estimate?, _ noise: Double) -> (Estimate, cost: Double)? {
        guard var place = prior?.position ?? middle(rays) else { return nil }
        let weight = 1 / (noise * noise)
        for _ in 0..<8 {
            var (information, right, cost) = (Matrix3d.zero, Vector3d.zero, 0.0)
            if let prior {
                information = prior.information
                right = prior.information * (prior.position - place)
                cost = dot(prior.position - place, right)
            }
            for ray in rays {
                let way = place - ray.center
                let distance = length(way)
                let view = way / distance
                let cosine = dot(ray.direction, view)
                guard distance > 0.05, cosine > 0.5 else { return nil }
                let miss = (ray.direction / cosine - view) * distance
                let scale = weight / (distance * distance)
                information = information + Self.across(view) * scale
                right += miss * scale
                cost += lengthSquared(miss) * scale
            }
            let step = information.inverse * right
            guard step.isFinite else { return nil }
            place += step
            if lengthSquared(step) < 1e-8 * lengthSquared(place - rays[0].center) {
                return (Estimate(position: place, information: information), cost)
            }
        }
        return nil
    }

    /// The point nearest to all rays in metres.
    private static func middle(_ rays: [Ray]) -> Vector3d? {
        var (normal, right) = (Matrix3d.zero, Vector3d.zero)
        for ray in rays {
            let across = Self.across(ray.direction)
            normal = normal + across
            right += across * (ray.center - rays[0].center)
        }
        let middle = normal.inverse * right
        return middle.isFinite ? rays[0].center + middle : nil
    }

    /// What is left of a vector across a direction of unit length.
    private static func across(_ d: Vector3d) -> Matrix3d { Matrix3d.identity - Matrix3d(d * d.x, d * d.y, d * d.z) }
}
