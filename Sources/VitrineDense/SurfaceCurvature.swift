import VitrineMath
import VitrineVision

extension PatchMatch {
    /// The offsets of the neighbours from which a pixel's curvature is estimated, pixels. Adjacent pixels often share a plane.
    private static let curvatureOffsets = [-8, -4, 0, 4, 8]
    /// The fewest neighbours on the same surface.
    private static let fewestNeighbors = 9
    /// The largest cost of a plane that counts.
    private static let largestCurvatureCost: Float = 0.8
    /// The largest distance of a patch's outermost sample from the plane, in pixels of a source.
    private static let largestBend: Float = 1.5

    /// Estimates `curvatures` from the planes.
    ///
    /// A plane that fits a patch of a convex surface best lies behind the surface: by half the curvature times the mean square distance of the
    /// patch's samples. With the curvature, a patch fits the surface itself.
    func estimateCurvatures(in context: StageContext) throws(CancellationError) {
        try context.forEachChunk(of: height, size: 8) { rows in
            for y in rows {
                for x in 0..<width { curvatures[y &* width &+ x] = active[y &* width &+ x] != 0 ? curvature(x, y) : .zero }
            }
        }
    }

    /// Moves planes that a level of half the size estimated onto the surface: its patches were bent by other curvatures.
    ///
    /// - Parameter curvature: The curvature with which the level estimated the plane of a pixel, per pixel of that level squared.
    func removeBias(in context: StageContext, curvature: (_ x: Int, _ y: Int) -> SIMD4<Float>) throws(CancellationError) {
        // Pixels of the other level are twice as large.
        let moment = 4 * ReferencePatch.secondMoment
        try context.forEachChunk(of: height, size: 8) { rows in
            for y in rows {
                for x in 0..<width {
                    let bent = curvatures[y &* width &+ x]
                    guard bent.x != 0 || bent.z != 0 else { continue }
                    let used = 0.25 * curvature(x, y)
                    let bias = 0.5 * moment * (bent.x - used.x + bent.z - used.z)
                    planes[y &* width &+ x].x = clamp(planes[y &* width &+ x].x - bias, inverseDepths.lowerBound, inverseDepths.upperBound)
                }
            }
        }
    }

    /// The second derivatives (xx, xy, yy, 0) of the inverse depth at a pixel, by linear regression of the neighbours' slopes; 0 if too few
    /// neighbours belong to the same surface.
    private func curvature(_ x: Int, _ y: Int) -> SIMD4<Float> {
        let own = planes[y &* width &+ x]
        guard own.x > 0, own.w < Self.largestCurvatureCost else { return .zero }
        let step = inverseDepthOfPixel(x, y, w: own.x)
        var count: Float = 0
        // Sums of dx, dy, of the slopes along x and y, and of their products.
        var (sumX, sumY, sumU, sumV) = (Float(0), Float(0), Float(0), Float(0))
        var (xx, xy, yy) = (Float(0), Float(0), Float(0))
        var (xu, yu, xv, yv) = (Float(0), Float(0), Float(0), Float(0))
        for offsetY in Self.curvatureOffsets {
            for offsetX in Self.curvatureOffsets {
                let (nx, ny) = (x &+ offsetX, y &+ offsetY)
                guard nx >= 0, ny >= 0, nx < width, ny < height, active[ny &* width &+ nx] != 0 else { continue }
                let plane = planes[ny &* width &+ nx]
                guard plane.x > 0, plane.w < Self.largestCurvatureCost else { continue }
                let (dx, dy) = (Float(offsetX), Float(offsetY))
                // The mean slope is exact for a quadratic function: a larger difference is another surface.
                let expected = own.x + 0.5 * ((own.y + plane.y) * dx + (own.z + plane.z) * dy)
                guard abs(plane.x - expected) < step else { continue }
                count += 1
                sumX += dx
                sumY += dy
                sumU += plane.y
                sumV += plane.z
                xx += dx * dx
                xy += dx * dy
                yy += dy * dy
                xu += dx * plane.y
                yu += dy * plane.y
                xv += dx * plane.z
                yv += dy * plane.z
            }
        }
        guard count >= Float(Self.fewestNeighbors) else { return .zero }
        xx -= sumX * sumX / count
        xy -= sumX * sumY / count
        yy -= sumY * sumY / count
        let determinant = xx * yy - xy * xy
        // The neighbours must spread in both directions.
        guard determinant > 0.05 * (xx + yy) * (xx + yy) else { return .zero }
        (xu, yu) = (xu - sumX * sumU / count, yu - sumY * sumU / count)
        (xv, yv) = (xv - sumX * sumV / count, yv - sumY * sumV / count)
        let hxx = (xu * yy - yu * xy) / determinant
        let hyy = (yv * xx - xv * xy) / determinant
        let hxy = 0.5 * ((yu * xx - xu * xy) + (xv * yy - yv * xy)) / determinant
        let curvature = SIMD4(hxx, hxy, hyy, 0)
        let (bend, limit) = (ReferencePatch.largestBend(curvature), Self.largestBend * step)
        return curvature * (bend > limit ? limit / bend : 1)
    }

    /// The difference of inverse depths that moves a pixel's point by one pixel of the first source.
    private func inverseDepthOfPixel(_ x: Int, _ y: Int, w: Float) -> Float {
        inverseDepthOfPixel(sources[0].fromReference.atInfinity(Float(x), Float(y)), sources[0].fromReference.b, w: w)
    }
}
