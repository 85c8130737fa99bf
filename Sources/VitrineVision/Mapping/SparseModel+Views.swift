import VitrineMath

/// A neighbouring photo for stereo matching.
package struct NeighbourView: Sendable, Equatable {
    package var photo: Int
    /// The number of common points, each weighted 0…1 by its triangulation angle. Comparable within one photo's list.
    package var score: Double
    /// The number of common points.
    package var sharedPoints: Int
    /// The median triangulation angle of those points, radians.
    package var medianAngle: Double

    package init(photo: Int, score: Double, sharedPoints: Int, medianAngle: Double) {
        (self.photo, self.score, self.sharedPoints, self.medianAngle) = (photo, score, sharedPoints, medianAngle)
    }
}

extension SparseModel {
    /// Returns, for each photo, the indices of its observed points in `points`, in ascending order.
    package func pointsByPhoto() -> [[Int]] {
        var result = [[Int]](repeating: [], count: cameras.count)
        for (index, point) in points.enumerated() {
            for observation in point.observations where Int(observation.x) < result.count { result[Int(observation.x)].append(index) }
        }
        return result
    }

    /// Returns, for each photo, the range of depths (z in the camera's frame) of its points; nil for a photo with fewer than
    /// `minimumPoints`.
    ///
    /// From the 2nd to the 98th percentile, widened by `margin` of the span on either side (and by 5 % of the depth, for flat scenes):
    /// wrong matches have any depth, and surfaces extend beyond the outermost points.
    package func depthRanges(margin: Double = 0.25, minimumPoints: Int = 8) -> [ClosedRange<Float>?] {
        let seen = pointsByPhoto()
        return cameras.indices.map { photo in
            guard let camera = cameras[photo] else { return nil }
            var depths = seen[photo].map { (camera.cameraFromWorld * points[$0].position).z }.filter { $0 > 0 && $0.isFinite }
            guard depths.count >= max(1, minimumPoints) else { return nil }
            depths.sort()
            let near = depths[Int(0.02 * Double(depths.count - 1))]
            let far = depths[Int((0.98 * Double(depths.count - 1)).rounded(.up))]
            let margins = margin * (far - near)
            let lower = max(near - margins - 0.05 * near, 0.2 * near)
            return Float(lower)...Float(max(far + margins + 0.05 * far, lower))
        }
    }

    /// Returns, for each photo, the photos that are suited as its stereo neighbours: those with common points, the best first, and of equal
    /// ones the first.
    ///
    /// The weight of a point follows from the angle θ between its rays: exp(−(θ − θ₀)² / 2σ²) with σ = 5° below θ₀ and 15° above, as small angles
    /// determine depth poorly and large ones change the appearance (form of Yao et al. 2018, MVSNet).
    /// - Parameter bestAngle: θ₀, radians. Default 12°.
    package func neighbours(bestAngle: Double = 12 * .pi / 180) -> [[NeighbourView]] {
        let centers = cameras.map { $0?.centerInWorld }
        var angles: [[[Float]]] = Array(repeating: Array(repeating: [], count: cameras.count), count: cameras.count)
        for point in points {
            var rays: [(photo: Int, direction: Vector3d)] = []
            for observation in point.observations {
                guard Int(observation.x) < centers.count, let center = centers[Int(observation.x)] else { continue }
                let ray = center - point.position
                if lengthSquared(ray) > 0 { rays.append((Int(observation.x), normalize(ray))) }
            }
            for a in rays.indices {
                for b in a + 1..<max(a + 1, rays.count) {
                    let sine = length(cross(rays[a].direction, rays[b].direction))
                    let angle = Float(atan2(sine, dot(rays[a].direction, rays[b].direction)))
                    angles[min(rays[a].photo, rays[b].photo)][max(rays[a].photo, rays[b].photo)].append(angle)
                }
            }
        }
        return cameras.indices.map { photo in
            var views: [NeighbourView] = []
            for other in cameras.indices where other != photo {
                let shared = angles[min(photo, other)][max(photo, other)].sorted()
                guard !shared.isEmpty else { continue }
                let score = shared.reduce(0.0) { sum, angle in
                    let away = Double(angle) - bestAngle
                    let spread = (away < 0 ? 5.0 : 15.0) * .pi / 180
                    return sum + exp(-away * away / (2 * spread * spread))
                }
                views.append(
                    NeighbourView(
                        photo: other, score: score, sharedPoints: shared.count, medianAngle: Double(shared[shared.count / 2])))
            }
            return views.sorted { ($0.score, Double(-$0.photo)) > ($1.score, Double(-$1.photo)) }
        }
    }
}
