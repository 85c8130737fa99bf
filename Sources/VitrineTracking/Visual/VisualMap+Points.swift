import VitrineMath
import VitrineVision

extension VisualMap {
    /// What a new point has to show.
    struct PointDemands: Sendable {
        /// Between two of its rays, in radians.
        var leastAngle = 1.2 * Double.pi / 180
        /// From its places, in flat pixels.
        var largestError = 2.0
    }

    /// Gives features of the newest keyframe that have no point yet one, where several keyframes show them at an angle.
    /// - Returns: which got one, rising.
    @discardableResult
    mutating func triangulate(_ demands: PointDemands = PointDemands(), time: Double) -> [Int] {
        guard let newest = keyframes.last else { return [] }
        var found: [Int] = []
        for id in newest.sights.keys.sorted() where points[id] == nil {
            guard let position = place(of: id, demands) else { continue }
            put(id, at: position, time: time)
            found.append(id)
        }
        return found
    }

    /// Where a feature's rays meet; nil where they don't, or at too small an angle.
    func place(of id: Int, _ demands: PointDemands) -> Vector3d? {
        var (sightings, weights): ([PixelObservation], [Double]) = ([], [])
        for keyframe in keyframes.suffix(12) {
            guard let sight = keyframe.sights[id] else { continue }
            let posed = PosedCamera(intrinsics: camera.intrinsics, cameraFromWorld: keyframe.cameraFromWorld)
            sightings.append(PixelObservation(camera: posed, pixel: sight.place))
            weights.append(sight.information)
        }
        guard sightings.count >= 2, let first = sightings.first else { return nil }
        // The widest angle is usually to the first sight.
        let cosine = sightings.dropFirst().map { dot(first.ray, $0.ray) }.min() ?? 1
        guard cosine < cos(demands.leastAngle), let start = Triangulation.midpoint(sightings) else { return nil }
        let point = Triangulation.refined(start, sightings)
        let limit = demands.largestError * demands.largestError
        for (sighting, weight) in zip(sightings, weights) {
            guard sighting.squaredError(point) * weight <= limit else { return nil }
        }
        return point
    }
}
