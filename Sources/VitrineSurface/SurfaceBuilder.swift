import VitrineMath
import VitrineVision

/// Makes a closed, tidy triangle mesh of a point cloud.
///
/// The points are filtered (outliers, points that float in front of what other photos see), joined by screened Poisson reconstruction
/// (Kazhdan & Hoppe 2013), trimmed where no photo supports the surface, closed where holes are small or underneath, freed of debris, and
/// reduced to the wanted number of triangles. The same input gives the same bytes, on any number of threads.
///
/// ```swift
/// let builder = SurfaceBuilder(options: .init(maximumTriangles: 50_000))
/// let result = try builder.build(points: cloud, cameras: cameras, supportPlane: ground)
/// result.mesh.triangles.count   // below 50,000
/// ```
package struct SurfaceBuilder: Sendable {
    package var options: Options

    package init(options: Options = Options()) { self.options = options }
}
