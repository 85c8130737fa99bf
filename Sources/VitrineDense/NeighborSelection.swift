import VitrineMath
import VitrineVision

/// Selects the source photos of each photo: enough parallax to measure depth, not so much that the patches differ.
package struct NeighborSelection: Sendable {
    /// The largest number of sources of a photo, 1…16; default 6.
    package var maximumSources = 6
    /// The best angles between the rays to a point, degrees; default 6…22.
    package var bestAngles: ClosedRange<Double> = 6...22
    /// The smallest score of a source as a fraction of the best score, 0…1; sources below it are dropped. Default 0.1.
    package var smallestShare = 0.1

    package init() {}

    /// Selects sources by the points that photos share.
    ///
    /// - Parameters:
    ///   - points: The sparse points. World frame.
    ///   - observations: The indices of the points that each camera observes, ascending.
    /// - Returns: For each camera the indices of its sources, the best first; empty for a camera without shared points.
    package func sources(cameras: [PosedCamera], points: [Vector3d], observations: [[Int]]) -> [[Int]] {
        var observers = [[Int]](repeating: [], count: points.count)
        for (camera, observed) in observations.prefix(cameras.count).enumerated() {
            for point in observed where points.indices.contains(point) { observers[point].append(camera) }
        }
        let centers = cameras.map(\.centerInWorld)
        var scores = [Double](repeating: 0, count: cameras.count * cameras.count)
        for (point, position) in points.enumerated() where position.isFinite {
            for a in observers[point] {
                for b in observers[point] where b != a {
                    scores[a * cameras.count + b] += score(position, from: centers[a], and: centers[b])
                }
            }
        }
        return cameras.indices.map { best(of: Array(scores[$0 * cameras.count..<($0 + 1) * cameras.count])) }
    }

    /// Selects sources by the cameras only: points distributed over each camera's frustum approximate its observations.
    ///
    /// - Parameter depthRanges: The depth range of the object for each camera.
    /// - Returns: For each camera the indices of its sources, the best first.
    package func sources(cameras: [PosedCamera], depthRanges: [ClosedRange<Float>]) -> [[Int]] {
        let centers = cameras.map(\.centerInWorld)
        return cameras.indices.map { reference in
            let samples = NeighborSelection.samples(cameras[reference], depths: depthRanges[reference])
            let scores = cameras.indices.map { other -> Double in
                guard other != reference else { return 0 }
                return samples.reduce(into: 0) { sum, sample in
                    guard NeighborSelection.isInView(cameras[other], sample) else { return }
                    sum += score(sample, from: centers[reference], and: centers[other])
                }
            }
            return best(of: scores)
        }
    }

    private func best(of scores: [Double]) -> [Int] {
        let order = scores.indices.sorted { (scores[$0], $1) > (scores[$1], $0) }
        guard let first = order.first, scores[first] > 0 else { return [] }
        return order.prefix(max(1, maximumSources)).filter { scores[$0] > smallestShare * scores[first] }
    }

    /// The weight of a point: 1 at the best angles and equal distances, decreasing to 0.
    private func score(_ point: Vector3d, from a: Vector3d, and b: Vector3d) -> Double {
        let (toA, toB) = (a - point, b - point)
        let (farA, farB) = (length(toA), length(toB))
        guard farA > 0, farB > 0 else { return 0 }
        let angle = acos(min(1, max(-1, dot(toA, toB) / (farA * farB)))) * 180 / .pi
        let shortfall = min(1, angle / bestAngles.lowerBound)
        let excess = max(0, angle - bestAngles.upperBound) / 15
        let scale = min(farA, farB) / max(farA, farB)
        return shortfall * shortfall * exp(-excess * excess) * scale * scale
    }

    private static func isInView(_ camera: PosedCamera, _ point: Vector3d) -> Bool {
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 0 else { return false }
        let pixel = camera.intrinsics.project(inCamera)
        return pixel.x > 0 && pixel.y > 0 && pixel.x < Double(camera.intrinsics.width) && pixel.y < Double(camera.intrinsics.height)
    }

    /// Points over the central part of the image, where the object usually is, at depths evenly spaced over the range.
    private static func samples(_ camera: PosedCamera, depths: ClosedRange<Float>) -> [Vector3d] {
        let worldFromCamera = camera.cameraFromWorld.inverse
        let intrinsics = camera.intrinsics
        var result: [Vector3d] = []
        for step in 0..<3 {
            let depth = Double(depths.lowerBound) + (Double(step) + 1) / 4 * Double(depths.upperBound - depths.lowerBound)
            for y in 1..<6 {
                for x in 1..<6 {
                    let pixel = Vector2d(Double(intrinsics.width) * Double(x) / 6, Double(intrinsics.height) * Double(y) / 6)
                    let ray = intrinsics.normalized(pixel)
                    result.append(worldFromCamera * Vector3d(ray.x * depth, ray.y * depth, depth))
                }
            }
        }
        return result
    }
}
