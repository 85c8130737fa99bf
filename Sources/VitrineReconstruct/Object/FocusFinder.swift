import VitrineMath
import VitrineVision

/// Finds the point that the cameras are aimed at.
struct FocusFinder {
    struct Result {
        /// The point nearest to the optical axes.
        var point: Vector3d
        /// The median distance of the cameras from it: the length by which everything else is measured.
        var distance: Double
    }

    /// nil without photos, or if no points are in front of them.
    func find(_ evidence: ObjectEvidence) -> Result? {
        let eyes = evidence.photos.map(\.camera.centerInWorld)
        let axes = evidence.photos.map { $0.camera.cameraFromWorld.rotation.transpose * Vector3d(0, 0, 1) }
        guard !eyes.isEmpty, let anchor = middleOfPoints(evidence) else { return nil }
        var point = anchor
        let reach = quantile(eyes.map { distance($0, anchor) }, 0.5)
        guard reach > 0, reach.isFinite else { return nil }
        // Parallel axes do not intersect: the centre of the points that most photos observe is a weak prior.
        for _ in 0..<20 {
            var matrix = Matrix3d.identity * (0.02 * Double(eyes.count))
            var right = anchor * (0.02 * Double(eyes.count))
            for (eye, axis) in zip(eyes, axes) {
                let across = Matrix3d.identity - Matrix3d.scatter(of: [axis])
                let off = length(across * (point - eye)) / reach
                let weight = 1 / (1 + off * off / 0.01)
                matrix = matrix + across * weight
                right += across * eye * weight
            }
            let next = matrix.inverse * right
            guard next.x.isFinite, next.y.isFinite, next.z.isFinite else { break }
            point = next
        }
        let before = zip(eyes, axes).count { dot(point - $0, $1) > 0 }
        if 2 * before < eyes.count { point = anchor }
        let result = quantile(eyes.map { distance($0, point) }, 0.5)
        return result > 0 && result.isFinite ? Result(point: point, distance: result) : nil
    }

    /// The coordinate-wise median of points, weighted towards those that many photos observe.
    private func middleOfPoints(_ evidence: ObjectEvidence) -> Vector3d? {
        let counts = (0..<evidence.points.count).map { evidence.viewOffsets[$0 + 1] - evidence.viewOffsets[$0] }
        let limit = counts.sorted()[safe: counts.count / 2] ?? 0
        let chosen = zip(evidence.points, counts).filter { $0.1 >= limit && $0.0.isFinite }.map(\.0)
        guard !chosen.isEmpty else { return nil }
        return Vector3d(quantile(chosen.map(\.x), 0.5), quantile(chosen.map(\.y), 0.5), quantile(chosen.map(\.z), 0.5))
    }
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
