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
    private let planePoints: [Vector2d]
    private let center: Vector2d
    /// The distance from the centre within which the plane's points lie.
    let radius: Double

    init(evidence: ObjectEvidence, focus: FocusFinder.Result, support: SupportPlaneFinder.Result) {
        (self.evidence, self.focus, self.support) = (evidence, focus, support)
        let plane = support.plane
        let near = evidence.points.filter { $0.isFinite && distance($0, focus.point) < 0.9 * focus.distance }
        let u = normalize(anyPerpendicular(plane.normal))
        let v = cross(plane.normal, u)
        let planePoints = near.filter { abs(plane.signedDistance(to: $0)) < support.thickness }.map { Vector2d(dot($0, u), dot($0, v)) }
        let center = planePoints.isEmpty ? .zero : Vector2d(quantile(planePoints.map(\.x), 0.5), quantile(planePoints.map(\.y), 0.5))
        radius = planePoints.isEmpty ? 0 : quantile(planePoints.map { length($0 - center) }, 0.95)
        (self.near, self.u, self.v, self.planePoints, self.center) = (near, u, v, planePoints, center)
    }

    var isBase: Bool {
        let plane = support.plane
        guard planePoints.count >= 20 else { return false }
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
        let reaches = sectorReaches()
        let ending = reaches.count { direction, reach in reach < Self.reach * visibleRadius { point(center + direction * $0) } }
        return reaches.count >= Self.sectors / 3 && 5 * ending >= 4 * reaches.count
    }

    /// The directions in which the plane has points, unit, and the distances from the centre that they reach.
    private func sectorReaches() -> [(direction: Vector2d, reach: Double)] {
        var distances = [[Double]](repeating: [], count: Self.sectors)
        for point in planePoints {
            let off = point - center
            let turn = (VitrineMath.atan2(off.y, off.x) / (2 * .pi) + 1) * Double(Self.sectors)
            distances[Int(turn) % Self.sectors].append(length(off))
        }
        return distances.indices.compactMap { sector in
            guard !distances[sector].isEmpty else { return nil }
            let angle = 2 * Double.pi * (Double(sector) + 0.5) / Double(Self.sectors)
            return (Vector2d(VitrineMath.cos(angle), VitrineMath.sin(angle)), quantile(distances[sector], 0.95))
        }
    }

    /// Whether a plane whose points lie in the region before a static background is visible beyond that region in most directions.
    ///
    /// A plain disc does not change while it turns, so that only the part of it near the object is in the region. Its colour is the same on both sides
    /// of the region's outline; that of a base which ends there is not. In a direction away from the camera the object itself moves across the
    /// background, so that only photos from the direction's side count.
    func continues(into backgrounds: [StaticBackground?]) -> Bool {
        guard backgrounds.count == evidence.photos.count, planePoints.count >= 20 else { return false }
        var (judged, continuing) = (0, 0)
        for (direction, reach) in sectorReaches() {
            var (same, seen) = (0, 0)
            for (photo, background) in zip(evidence.photos, backgrounds) {
                guard let background, isTowards(photo.camera.centerInWorld, direction),
                    let alike = continues(along: direction, reach: reach, in: photo.camera, background)
                else { continue }
                seen += 1
                if alike { same += 1 }
            }
            guard seen > 0 else { continue }
            judged += 1
            if 2 * same > seen { continuing += 1 }
        }
        return judged >= Self.sectors / 3 && 3 * continuing >= 2 * judged
    }

    /// Whether a direction in the plane is within 60° of that to an eye.
    private func isTowards(_ eye: Vector3d, _ direction: Vector2d) -> Bool {
        let off = Vector2d(dot(eye, u), dot(eye, v)) - center
        return dot(off, direction) > 0.5 * length(off)
    }

    /// Compares the outermost pixel of the region along a direction in the plane with the background just beyond it; nil if the photo does not show both.
    private func continues(along direction: Vector2d, reach: Double, in camera: PosedCamera, _ background: StaticBackground) -> Bool? {
        func position(_ distance: Double) -> Vector2d? {
            let flat = center + direction * distance
            let inCamera = camera.cameraFromWorld * (u * flat.x + v * flat.y + support.plane.normal * support.plane.offset)
            guard inCamera.z > 0 else { return nil }
            let pixel = camera.intrinsics.project(inCamera)
            return Vector2d(pixel.x / Double(camera.intrinsics.width), pixel.y / Double(camera.intrinsics.height))
        }
        // The region is a little larger than the points' extent.
        let steps = 40
        let positions = (0...steps).map { position(reach * (0.8 + 1.2 * Double($0) / Double(steps))) }
        for step in 2..<positions.count {
            guard let inside = positions[step - 2], let outside = positions[step] else { continue }
            if let alike = background.continues(from: inside, to: outside) { return alike }
        }
        return nil
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
