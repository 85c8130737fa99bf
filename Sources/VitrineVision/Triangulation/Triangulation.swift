import VitrineGeometry

/// The observation of a point in an image.
package struct PixelObservation {
    package var camera: PosedCamera
    package var pixel: Vector2d
    /// The camera's centre and the unit direction of the pixel's ray. World frame.
    package let center, ray: Vector3d

    package init(camera: PosedCamera, pixel: Vector2d) {
        (self.camera, self.pixel) = (camera, pixel)
        center = camera.centerInWorld
        ray = normalize(camera.cameraFromWorld.rotation.transpose * camera.intrinsics.direction(pixel))
    }

    /// The squared distance in pixels between the feature and the point's projection; infinite behind the camera.
    @inline(__always) package func squaredError(_ point: Vector3d) -> Double {
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 1e-9 else { return .infinity }
        let error = camera.intrinsics.project(inCamera) - pixel
        return error.x * error.x + error.y * error.y
    }
}

/// Triangulation of points from several observations.
package enum Triangulation {
    /// The point with the least sum of squared distances to the rays; nil if they are parallel.
    package static func midpoint(_ observations: some Sequence<PixelObservation>) -> Vector3d? {
        var midpoint = RayMidpoint()
        for observation in observations { midpoint.add(origin: observation.center, direction: observation.ray) }
        return midpoint.point
    }

    /// Minimizes the sum of squared reprojection errors by Gauss–Newton; returns the start if no step improves it.
    package static func refined(_ start: Vector3d, _ observations: [PixelObservation], iterations: Int = 5) -> Vector3d {
        var (point, cost) = (start, observations.reduce(0) { $0 + $1.squaredError(start) })
        guard cost.isFinite else { return start }
        for _ in 0..<iterations {
            var (matrix, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
            for observation in observations {
                let pose = observation.camera.cameraFromWorld
                let jacobian = observation.camera.intrinsics.derivatives(pose * point)
                let error = observation.pixel - jacobian.pixel
                let (x, y) = (pose.rotation.transpose * jacobian.xByPoint, pose.rotation.transpose * jacobian.yByPoint)
                matrix = matrix + Matrix3d(x * x.x + y * y.x, x * x.y + y * y.y, x * x.z + y * y.z)
                right += x * error.x + y * error.y
            }
            let next = point + matrix.inverse * right
            let nextCost = observations.reduce(0) { $0 + $1.squaredError(next) }
            guard nextCost < cost else { break }
            let settled = cost - nextCost < 1e-6 * cost
            (point, cost) = (next, nextCost)
            if settled { break }
        }
        return point
    }

    /// The largest angle between two of the rays from the point, as its cosine.
    package static func smallestCosine(_ centers: [Vector3d], _ point: Vector3d) -> Double {
        var smallest = 1.0
        for a in centers.indices {
            let first = normalize(centers[a] - point)
            for b in a + 1..<max(a + 1, centers.count) { smallest = min(smallest, dot(first, normalize(centers[b] - point))) }
        }
        return smallest
    }

    /// Triangulates a point robustly. Pairs of rays with a sufficient angle (widest first, at most `maximumPairs`) propose points; the one
    /// with the largest support is refined on its inliers.
    ///
    /// - Returns: The point, and the observations within `maximumError` pixels; nil if there are fewer than two, or the angle is too small.
    package static func robust(
        _ observations: [PixelObservation], maximumError: Double, largestCosine: Double, maximumPairs: Int = 30
    ) -> (point: Vector3d, inliers: [Int])? {
        var pairs: [(cosine: Double, a: Int, b: Int)] = []
        for a in observations.indices {
            for b in a + 1..<max(a + 1, observations.count) where observations[a].center != observations[b].center {
                pairs.append((dot(observations[a].ray, observations[b].ray), a, b))
            }
        }
        pairs = pairs.filter { $0.cosine < largestCosine }
        if pairs.count > maximumPairs {
            // An even selection of wide and narrow angles.
            pairs.sort { ($0.cosine, $0.a, $0.b) < ($1.cosine, $1.a, $1.b) }
            pairs = (0..<maximumPairs).map { pairs[$0 * pairs.count / maximumPairs] }
        }
        let limit = maximumError * maximumError
        var best: (cost: Double, point: Vector3d)?
        for pair in pairs {
            guard let point = midpoint([observations[pair.a], observations[pair.b]]) else { continue }
            var cost = 0.0
            for observation in observations { cost += min(limit, observation.squaredError(point)) }
            if cost < best?.cost ?? .infinity { best = (cost, point) }
            if cost < 0.1 * limit { break }
        }
        guard var point = best?.point else { return nil }
        var inliers = observations.indices.filter { observations[$0].squaredError(point) <= limit }
        guard inliers.count > 1 else { return nil }
        point = refined(point, inliers.map { observations[$0] })
        inliers = observations.indices.filter { observations[$0].squaredError(point) <= limit }
        guard inliers.count > 1, smallestCosine(inliers.map { observations[$0].center }, point) < largestCosine else { return nil }
        return (point, inliers)
    }
}
