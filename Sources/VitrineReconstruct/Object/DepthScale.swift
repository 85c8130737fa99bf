import VitrineMath
import VitrineVision

/// The metres in a unit of the reconstruction, by the photos' depth maps.
struct DepthScale: Equatable, Sendable {
    var metresPerUnit: Double
    /// The median relative difference of the photos' own scales. Above 0.05 depths or poses are wrong.
    var residual: Double
    /// The number of photos with enough points.
    var photos: Int

    /// The median over the photos of each photo's median ratio of the sensor's depth to the points' depth. Half of all points, and half of all
    /// photos, may be wrong.
    ///
    /// - Parameters:
    ///   - depthMaps: The depth maps of the photos of `evidence`: z in metres at any size, 0 or NaN where unknown; nil for photos without.
    ///   - least: The number of points that a photo needs.
    /// - Returns: nil if no photo has enough points with depth.
    static func estimate(_ evidence: ObjectEvidence, least: Int = 12, depthMaps: (Int) throws -> Plane<Float>?) rethrows
        -> DepthScale?
    {
        var observed = [[Int]](repeating: [], count: evidence.photos.count)
        for point in evidence.points.indices {
            for view in evidence.viewIndices[evidence.viewOffsets[point]..<evidence.viewOffsets[point + 1]]
            where observed.indices.contains(view) {
                observed[view].append(point)
            }
        }
        var scales: [Double] = []
        for (photo, points) in observed.enumerated() where points.count >= least {
            guard let depths = try depthMaps(photo) else { continue }
            let ratios = points.compactMap { ratio(of: evidence.points[$0], in: evidence.photos[photo].camera, depths) }
            if ratios.count >= least { scales.append(quantile(ratios, 0.5)) }
        }
        guard !scales.isEmpty else { return nil }
        let scale = quantile(scales, 0.5)
        guard scale > 0, scale.isFinite else { return nil }
        return DepthScale(metresPerUnit: scale, residual: quantile(scales.map { abs($0 / scale - 1) }, 0.5), photos: scales.count)
    }

    /// Metres per unit at a point; nil if the sensor has no depth there, or its neighbours differ (a point at an edge may be on either side).
    private static func ratio(of point: Vector3d, in camera: PosedCamera, _ depths: Plane<Float>) -> Double? {
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 0, inCamera.z.isFinite else { return nil }
        let pixel = camera.intrinsics.project(inCamera)
        let depthPixel =
            pixel
            * Vector2d(
                Double(depths.width) / Double(camera.intrinsics.width), Double(depths.height) / Double(camera.intrinsics.height))
        guard depthPixel.x >= 1, depthPixel.y >= 1, depthPixel.x < Double(depths.width - 1), depthPixel.y < Double(depths.height - 1) else {
            return nil
        }
        let (x, y) = (Int(depthPixel.x), Int(depthPixel.y))
        let depth = depths[x, y]
        guard depth > 0, depth.isFinite else { return nil }
        for near in [depths[x - 1, y], depths[x + 1, y], depths[x, y - 1], depths[x, y + 1]] {
            guard near > 0, abs(near / depth - 1) < 0.03 else { return nil }
        }
        return Double(depth) / inCamera.z
    }
}
