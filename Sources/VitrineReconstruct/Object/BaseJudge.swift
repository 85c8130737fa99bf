import VitrineMath
import VitrineVision

/// Decides whether a level plane under the object is a table, or the top of a base that belongs to the object: a plinth, a pedestal, a disc.
///
/// A table continues to the edge of the region that the cameras show around the object, or no points are observed below it. A base ends within the
/// photos, is hardly larger than the figure on it, and its sides or its surroundings are observed below it.
struct BaseJudge {
    private let evidence: ObjectEvidence
    private let focus: FocusFinder.Result
    private let support: SupportPlaneFinder.Result

    /// Directions about the centre of the plane's points.
    private static let sectors = 24
    /// The plane ends in a direction if its points reach less than this fraction of its visible extent.
    private static let reach = 0.75
    /// The largest radius of a base, relative to the longest extent of the points above it.
    private static let largestRadius = 0.9
    /// The smallest fraction of the points near a base that lie below it.
    private static let leastBelow = 0.05

    private let near: [Vector3d]
    /// Unit, along the plane.
    private let u, v: Vector3d
    /// The plane's points along u and v, and their centre.
    private let places: [Vector2d]
    private let center: Vector2d
    /// The distance from the centre within which the plane's points lie.
    let radius: Double

    init(evidence: ObjectEvidence, focus: FocusFinder.Result, support: SupportPlaneFinder.Result) {
        (self.evidence, self.focus, self.support) = (evidence, focus, support)
        let plane = support.plane
        let near = evidence.points.filter { $0.isFinite && distance($0, focus.point) < 0.9 * focus.distance }
        let u = normalize(anyPerpendicular(plane.normal))
        let v = cross(plane.normal, u)
        let places = near.filter { abs(plane.signedDistance(to: $0)) < support.thickness }.map { Vector2d(dot($0, u), dot($0, v)) }
        let center = places.isEmpty ? .zero : Vector2d(quantile(places.map(\.x), 0.5), quantile(places.map(\.y), 0.5))
        radius = places.isEmpty ? 0 : quantile(places.map { length($0 - center) }, 0.95)
        (self.near, self.u, self.v, self.places, self.center) = (near, u, v, places, center)
    }

    var isBase: Bool {
        let plane = support.plane
        guard places.count >= 20 else { return false }
        // The points above and below it, within its own radius.
        let around = near.filter { length(Vector2d(dot($0, u), dot($0, v)) - center) < 1.15 * radius }
        let heights = around.map { plane.signedDistance(to: $0) }
        let below = heights.count { $0 < -3 * support.thickness }
        guard below >= 20, Double(below) > Self.leastBelow * Double(around.count) else { return false }
        let tall = quantile(heights, 0.99) - quantile(heights, 0.01)
        guard radius < Self.largestRadius * tall else { return false }
        return isBounded { u * $0.x + v * $0.y + plane.normal * plane.offset }
    }

    /// Whether the plane's points end within the photos in most directions.
    private func isBounded(_ point: (Vector2d) -> Vector3d) -> Bool {
        var distances = [[Double]](repeating: [], count: Self.sectors)
        for place in places {
            let off = place - center
            let turn = (VitrineMath.atan2(off.y, off.x) / (2 * .pi) + 1) * Double(Self.sectors)
            distances[Int(turn) % Self.sectors].append(length(off))
        }
        var (ending, judged) = (0, 0)
        for sector in 0..<Self.sectors where !distances[sector].isEmpty {
            let angle = 2 * Double.pi * (Double(sector) + 0.5) / Double(Self.sectors)
            let direction = Vector2d(VitrineMath.cos(angle), VitrineMath.sin(angle))
            judged += 1
            let visible = visibleRadius { point(center + direction * $0) }
            if quantile(distances[sector], 0.95) < Self.reach * visible { ending += 1 }
        }
        return judged >= Self.sectors / 3 && 5 * ending >= 4 * judged
    }

    /// The distance up to which an eighth of the photos, and two of them, show the plane along a direction.
    private func visibleRadius(_ point: (Double) -> Vector3d) -> Double {
        let steps = 48
        var result = 0.0
        for step in 1...steps {
            let radius = 0.9 * focus.distance * Double(step) / Double(steps)
            let target = point(radius)
            let count = evidence.photos.count { $0.camera.shows(target) }
            guard count >= 2, 8 * count >= evidence.photos.count else { break }
            result = radius
        }
        return result
    }
}

extension PosedCamera {
    /// Whether a point lies within the photo.
    fileprivate func shows(_ point: Vector3d) -> Bool {
        let inCamera = cameraFromWorld * point
        guard inCamera.z > 0 else { return false }
        let pixel = intrinsics.project(inCamera)
        return pixel.x > 0 && pixel.y > 0 && pixel.x < Double(intrinsics.width) && pixel.y < Double(intrinsics.height)
    }
}
