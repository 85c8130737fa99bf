import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Every so many pictures a point is placed anew.
    private static let turns = 3

    /// Finds the places of points that the newest picture shows, each in its turn. They tell of the world; the state is as it was without them.
    func placePoints(_ slot: Int) {
        let camera = estimate.rig.camera
        let noise = settings.placeNoise / max(1, camera.focal.max())
        let creep = settings.pointDrift / max(1, camera.focal.max())
        var worldFromCamera = [RigidTransform](repeating: .identity, count: layout.slots)
        var doubts = [PointPlace.Doubt](repeating: PointPlace.Doubt(), count: layout.slots)
        followScale(slot)
        for (age, old) in estimate.order.reversed().enumerated() {
            worldFromCamera[old] = estimate.cameraFromWorld(old).inverse
            doubts[old] = doubt(from: old, to: slot)
            doubts[old].turn += Double(age) * creep * creep
        }
        var rays: [PointPlace.Ray] = []
        for index in tracks.indices where tracks[index].isShown(in: slot) && (tracks[index].id &+ picturesTaken) % Self.turns == 0 {
            let fresh = tracks[index].place.fresh
            rays.removeAll(keepingCapacity: true)
            var oldest: Int?
            for old in estimate.order where fresh & (1 << UInt32(old)) != 0 {
                let (pose, seen) = (worldFromCamera[old], tracks[index].normalized[old])
                rays.append(
                    PointPlace.Ray(center: pose.translation, direction: normalize(pose.rotation * Vector3d(seen.x, seen.y, 1))))
                oldest = oldest ?? old
            }
            guard let oldest else { continue }
            tracks[index].place.refine(rays, noise: noise, doubt: doubts[oldest], quantiles)
        }
    }

    /// How well the length of the way is known, by the longest that the clones went: a variance, as a share.
    ///
    /// A way that is next to nothing tells nothing of it. What was known before is then good for a while.
    private func followScale(_ slot: Int) {
        scaleVariance *= 1.02
        let newest = estimate.clones[slot].worldFromBody.translation
        guard let far = estimate.order.max(by: { distance($0, newest) < distance($1, newest) }), distance(far, newest) > 1e-3 else {
            return
        }
        let way = (newest - estimate.clones[far].worldFromBody.translation) / distance(far, newest)
        let (a, b) = (layout.clone(far) + 3, layout.clone(slot) + 3)
        let cross = covariance.block(a, b)
        let spread = covariance.block(a, a) + covariance.block(b, b) - cross - cross.transpose
        let variance = dot(way, spread * way) / (distance(far, newest) * distance(far, newest))
        if variance >= 0, variance < scaleVariance { scaleVariance = variance }
    }

    private func distance(_ slot: Int, _ place: Vector3d) -> Double { length(estimate.clones[slot].worldFromBody.translation - place) }

    /// How far the body's pose of one clone may be off as seen from another's, by component.
    ///
    /// The error of their difference is more than that where the newer one's error is made good again later: then it is by how much less is known of
    /// the newer pose. That in turn is more where a whole world turns about a place far away.
    private func doubt(from old: Int, to new: Int) -> PointPlace.Doubt {
        let (a, b) = (layout.clone(old), layout.clone(new))
        func spread(_ at: Int) -> Double {
            var (difference, growth) = (0.0, 0.0)
            for k in at..<at + 3 {
                let (old, new) = (covariance[a + k, a + k], covariance[b + k, b + k])
                difference += old + new - 2 * covariance[a + k, b + k]
                growth += new - old
            }
            return max(0, min(difference, growth)) / 3
        }
        return PointPlace.Doubt(shift: spread(3), turn: spread(0), scale: scaleVariance)
    }

    /// Of a point of the state, as the newest clone's camera sees it.
    private func deviation(_ index: Int) -> Double {
        let at = layout.point(index)
        guard let newest = estimate.order.last else { return covariance.block(at, at).trace.squareRoot() }
        let body = layout.clone(newest) + 3
        let spread = covariance.block(at, at) + covariance.block(body, body) - covariance.block(at, body) * 2
        return max(0, spread.trace).squareRoot()
    }

    /// The points with a place among what a picture shows, by rising id.
    func placed(_ features: [ObservedFeature]) -> [TrackedPoint] {
        var points: [TrackedPoint] = []
        for feature in features where feature.pixel.x.isFinite && feature.pixel.y.isFinite {
            if let index = pointIndex[feature.id] {
                let position = estimate.points[index].position
                points.append(TrackedPoint(id: feature.id, position: position, pixel: feature.pixel, deviation: deviation(index)))
            } else if let index = trackIndex[feature.id], let position = tracks[index].place.position {
                points.append(
                    TrackedPoint(id: feature.id, position: position, pixel: feature.pixel, deviation: tracks[index].place.deviation))
            }
        }
        points.sort { $0.id < $1.id }
        // Of the same identity the first counts.
        for index in points.indices.dropFirst().reversed() where points[index].id == points[index - 1].id { points.remove(at: index) }
        return points
    }
}
