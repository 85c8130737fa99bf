import VitrineMath
import VitrineVision

/// Finds the up direction by gravity, or by the roll of the cameras.
///
/// People turn and pitch a camera but seldom roll it: at any pitch, the image's horizontal edges stay level. Up is the direction
/// that most of them are perpendicular to, on the side of the images' upper edges.
struct UpFinder {
    struct Result {
        /// The up direction, a unit vector.
        var up: Vector3d
        var source: ObjectPlacement.UpSource
        /// Root mean square of the photos' disagreement, radians.
        var spread: Double
        /// The photos lie on their side, although their metadata do not include it.
        var isSideways = false
    }

    /// Level edges this far off, as a sine, count as rolled photos: they do not count.
    private static let rollLimit = 0.25

    /// Estimates the up direction of a scene.
    ///
    /// - Parameter focus: The point that the cameras are aimed at.
    func find(_ photos: [ObjectEvidence.Photo], focus: Vector3d?) -> Result {
        if let gravity = byGravity(photos) { return gravity }
        return byRoll(photos, focus: focus)
    }

    /// The axis of a turntable before a camera at rest: relative to the object, the camera moves along a circle about it.
    ///
    /// - Parameters:
    ///   - eyes: The positions of the camera relative to the object.
    ///   - up: The direction by other means, which decides the axis' sign.
    /// - Returns: nil unless the positions lie on a level arc of 90° or more.
    static func turntableAxis(_ eyes: [Vector3d], near up: Vector3d) -> Vector3d? {
        guard eyes.count >= 6 else { return nil }
        let mean = eyes.reduce(.zero, +) / Double(eyes.count)
        let (values, vectors) = Matrix3d.scatter(of: eyes.map { $0 - mean }).symmetricEigen()
        // The second largest extent of an arc of 90° is a fifth of the largest; the noise of the alignment is below 1 % of it.
        guard values.y > 0.02 * values.x, values.z < 1e-4 * values.y else { return nil }
        let axis = dot(vectors.z, up) < 0 ? -vectors.z : vectors.z
        return dot(axis, up) > cos(40 * Double.pi / 180) ? axis : nil
    }

    private func byGravity(_ photos: [ObjectEvidence.Photo]) -> Result? {
        let ups = photos.compactMap { photo in
            photo.upInCamera.flatMap { up in
                let isUsable = length(up).isFinite && length(up) > 1e-9
                return isUsable ? photo.camera.cameraFromWorld.rotation.transpose * normalize(up) : nil
            }
        }
        // A single reading may be from a sudden movement.
        guard ups.count >= min(3, photos.count), !ups.isEmpty else { return nil }
        var up = ups.reduce(.zero, +)
        guard length(up) > 0.3 * Double(ups.count) else { return nil }
        up = normalize(up)
        for _ in 0..<10 {
            let sum = ups.reduce(Vector3d.zero) { $0 + $1 / (0.02 + length($1 - up)) }
            up = normalize(sum)
        }
        let squares = ups.reduce(0) { $0 + lengthSquared($1 - up) }
        return Result(up: up, source: .gravity, spread: (squares / Double(ups.count)).squareRoot())
    }

    private func byRoll(_ photos: [ObjectEvidence.Photo], focus: Vector3d?) -> Result {
        let upright = photos.map { $0.camera.cameraFromWorld.rotation.transpose * $0.imageUp }
        let forwards = photos.map { $0.camera.cameraFromWorld.rotation.transpose * Vector3d(0, 0, 1) }
        // Once around an object, the images' up stays the same if the photos were held upright, and goes around with the camera where
        // they lie on their side: their right edge stays then.
        let right = zip(forwards, upright).map { normalize(cross($0, $1)) }
        guard agreement(right) > agreement(upright) + 0.25 else { return byLevelEdges(forwards: forwards, ups: upright) }
        var result = byLevelEdges(forwards: forwards, ups: right)
        // The edges do not show which side is up; people photograph objects from above.
        if let focus {
            let heights = photos.map { dot(result.up, $0.camera.centerInWorld - focus) }
            if quantile(heights, 0.5) < 0 { result.up = -result.up }
        }
        result.isSideways = true
        return result
    }

    /// The agreement of directions with one line, in either direction: 1 all, 1/3 random.
    private func agreement(_ directions: [Vector3d]) -> Double {
        Matrix3d.scatter(of: directions).symmetricEigen().values.x / Double(max(1, directions.count))
    }

    private func byLevelEdges(forwards: [Vector3d], ups: [Vector3d]) -> Result {
        let levels = zip(forwards, ups).map { normalize(cross($0, $1)) }
        guard let start = bestCandidate(levels: levels, ups: ups) else {
            return Result(up: Vector3d(0, 1, 0), source: .unknown, spread: .pi)
        }
        var up = start
        // If the level edges are all parallel, they do not determine the pitch: the images' up is added with a small weight.
        for _ in 0..<20 {
            let weights = levels.map { level in 1 / (1 + pow(dot(level, up) / 0.08, 2)) }
            var matrix = Matrix3d.scatter(of: levels, weights: weights)
            let mean = ups.reduce(Vector3d.zero) { $0 + $1 * (dot($1, up) < 0 ? -1 : 1) }
            if length(mean) > 1e-9 {
                let direction = normalize(mean)
                let weak = 0.005 * Double(levels.count)
                matrix = matrix + (Matrix3d.identity - Matrix3d.scatter(of: [direction])) * weak
            }
            let next = matrix.symmetricEigen().vectors.z
            up = dot(next, up) < 0 ? -next : next
        }
        let offs = levels.map { min(abs(dot($0, up)), UpFinder.rollLimit) }
        let spread = (offs.reduce(0) { $0 + $1 * $1 } / Double(offs.count)).squareRoot()
        let agreeing = levels.count { abs(dot($0, up)) < UpFinder.rollLimit }
        let isSure = 2 * agreeing > levels.count
        return Result(up: up, source: isSure ? .cameraRoll : .unknown, spread: spread)
    }

    /// The best of the directions perpendicular to two level edges, and the mean of the images' up.
    private func bestCandidate(levels: [Vector3d], ups: [Vector3d]) -> Vector3d? {
        var candidates: [Vector3d] = []
        let mean = ups.reduce(.zero, +)
        if length(mean) > 1e-6 * Double(ups.count) { candidates.append(normalize(mean)) }
        let step = max(1, levels.count / 40)
        for i in stride(from: 0, to: levels.count, by: step) {
            for j in stride(from: i + step, to: levels.count, by: step) {
                let normal = cross(levels[i], levels[j])
                if length(normal) > 0.2 { candidates.append(normalize(normal)) }
            }
        }
        var best: (cost: Double, up: Vector3d)?
        for var candidate in candidates {
            if ups.count(where: { dot($0, candidate) < 0 }) * 2 > ups.count { candidate = -candidate }
            var cost = 0.0
            for (level, up) in zip(levels, ups) {
                let off = min(abs(dot(level, candidate)), UpFinder.rollLimit)
                cost += off * off + 0.02 * (1 - dot(up, candidate))
            }
            if best.map({ cost < $0.cost }) ?? true { best = (cost, candidate) }
        }
        return best?.up
    }
}
