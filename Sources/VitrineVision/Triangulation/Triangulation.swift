import VitrineGeometry

/// One sight of a point: the camera, and the feature in pixels.
package struct Sighting {
    package var camera: PosedCamera
    package var pixel: Vector2d
    /// World frame: the camera's centre, and the unit direction of the pixel's ray.
    package let center, ray: Vector3d

    package init(camera: PosedCamera, pixel: Vector2d) {
        (self.camera, self.pixel) = (camera, pixel)
        center = camera.centerInWorld
        let normalized = camera.intrinsics.normalized(pixel)
        ray = normalize(camera.cameraFromWorld.rotation.transpose * Vector3d(normalized.x, normalized.y, 1))
    }

    /// The squared distance in pixels between the feature and the point's projection; infinite behind the camera.
    @inline(__always) package func squaredError(_ point: Vector3d) -> Double {
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 1e-9 else { return .infinity }
        let error = camera.intrinsics.project(inCamera) - pixel
        return error.x * error.x + error.y * error.y
    }
}

/// Where several rays meet.
package enum Triangulation {
    /// The point with the least sum of squared distances to the rays. Nil where they are parallel.
    package static func midpoint(_ sightings: some Sequence<Sighting>) -> Vector3d? {
        var (matrix, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
        for sighting in sightings {
            let d = sighting.ray
            // The projection across the ray.
            let across = Matrix3d(Vector3d(1, 0, 0) - d * d.x, Vector3d(0, 1, 0) - d * d.y, Vector3d(0, 0, 1) - d * d.z)
            matrix = matrix + across
            right += across * sighting.center
        }
        guard matrix.determinant > 1e-9 else { return nil }
        let point = matrix.inverse * right
        return point.x.isFinite && point.y.isFinite && point.z.isFinite ? point : nil
    }

    /// Moves the point to the least sum of squared reprojection errors by Gauss–Newton; never to a worse place.
    package static func refined(_ start: Vector3d, _ sightings: [Sighting], iterations: Int = 5) -> Vector3d {
        var (point, cost) = (start, sightings.reduce(0) { $0 + $1.squaredError(start) })
        guard cost.isFinite else { return start }
        for _ in 0..<iterations {
            var (matrix, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
            for sighting in sightings {
                let pose = sighting.camera.cameraFromWorld
                let jacobian = ProjectionJacobian(LensParameters(sighting.camera.intrinsics), pose * point)
                let error = sighting.pixel - jacobian.pixel
                let (x, y) = (pose.rotation.transpose * jacobian.byPointX, pose.rotation.transpose * jacobian.byPointY)
                matrix = matrix + Matrix3d(x * x.x + y * y.x, x * x.y + y * y.y, x * x.z + y * y.z)
                right += x * error.x + y * error.y
            }
            let next = point + matrix.inverse * right
            let nextCost = sightings.reduce(0) { $0 + $1.squaredError(next) }
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

    /// The point that most sightings agree on: each pair with enough angle proposes one (the widest first, at most `maximumPairs`), the
    /// best supported is refined on those that agree.
    /// - Returns: the point and which sightings agree to within `maximumError` pixels; nil where fewer than two do, or the angle is too small.
    package static func robust(
        _ sightings: [Sighting], maximumError: Double, largestCosine: Double, maximumPairs: Int = 30
    ) -> (point: Vector3d, inliers: [Int])? {
        var pairs: [(cosine: Double, a: Int, b: Int)] = []
        for a in sightings.indices {
            for b in a + 1..<max(a + 1, sightings.count) where sightings[a].center != sightings[b].center {
                pairs.append((dot(sightings[a].ray, sightings[b].ray), a, b))
            }
        }
        pairs = pairs.filter { $0.cosine < largestCosine }
        if pairs.count > maximumPairs {
            // Spread over the wide and the narrow ones.
            pairs.sort { ($0.cosine, $0.a, $0.b) < ($1.cosine, $1.a, $1.b) }
            pairs = (0..<maximumPairs).map { pairs[$0 * pairs.count / maximumPairs] }
        }
        let limit = maximumError * maximumError
        var best: (cost: Double, point: Vector3d)?
        for pair in pairs {
            guard let point = midpoint([sightings[pair.a], sightings[pair.b]]) else { continue }
            var cost = 0.0
            for sighting in sightings { cost += min(limit, sighting.squaredError(point)) }
            if cost < best?.cost ?? .infinity { best = (cost, point) }
            if cost < 0.1 * limit { break }
        }
        guard var point = best?.point else { return nil }
        var inliers = sightings.indices.filter { sightings[$0].squaredError(point) <= limit }
        guard inliers.count > 1 else { return nil }
        point = refined(point, inliers.map { sightings[$0] })
        inliers = sightings.indices.filter { sightings[$0].squaredError(point) <= limit }
        guard inliers.count > 1, smallestCosine(inliers.map { sightings[$0].center }, point) < largestCosine else { return nil }
        return (point, inliers)
    }
}
