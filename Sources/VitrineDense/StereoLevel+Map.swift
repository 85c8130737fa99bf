import VitrineMath
import VitrineVision

extension StereoLevel {
    /// Starts from a sensor's depths, as surfaces that face the camera.
    func start(from prior: DepthPrior) {
        for y in 0..<height {
            for x in 0..<width {
                guard solver.active[y * width + x] != 0, let known = prior.inverseDepth(x, y, of: width, height) else { continue }
                let w = min(max(known, solver.inverseDepths.lowerBound), solver.inverseDepths.upperBound)
                let ray = solver.ray(Float(x), Float(y))
                solver.planes[y * width + x] = solver.plane(w: w, direction: ray, ray: ray)
            }
        }
    }

    /// What was found, without the pixels that match badly and the islands.
    func map(photo: Int, options: DepthEstimator.Options) -> DepthMap {
        var map = DepthMap(photo: photo, camera: reference.camera)
        let solver = solver
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                let plane = solver.planes[index]
                guard solver.active[index] != 0, plane.x > 0, plane.w < options.maximumCost else { continue }
                let direction = solver.direction(plane, ray: solver.ray(Float(x), Float(y)))
                map.depths[index] = 1 / plane.x
                map.normals[index] = DepthMap.packNormal(-normalize(Vector3(direction.x, direction.y, direction.z)))
                map.confidences[index] = UInt8(clamp(255 * (1 - plane.w), 1, 255))
            }
        }
        map.removeIslands(smallerThan: options.smallestIsland)
        return map
    }
}

extension DepthPrior {
    /// 1/z at the centre of a pixel of a picture of another size; nil where unknown.
    func inverseDepth(_ x: Int, _ y: Int, of width: Int, _ height: Int) -> Float? {
        guard depths.width > 0, depths.height > 0 else { return nil }
        let column = min(depths.width - 1, (2 * x + 1) * depths.width / (2 * width))
        let row = min(depths.height - 1, (2 * y + 1) * depths.height / (2 * height))
        let depth = depths[column, row]
        return depth > 0 && depth.isFinite ? 1 / depth : nil
    }
}

extension DepthMap {
    /// Takes out the depth of connected parts of few pixels. Neighbours belong together where the depth changes by less than 2 %.
    mutating func removeIslands(smallerThan smallest: Int) {
        guard smallest > 1 else { return }
        var seen = [Bool](repeating: false, count: depths.count)
        var island: [Int] = []
        for start in depths.indices where depths[start] > 0 && !seen[start] {
            island.removeAll(keepingCapacity: true)
            island.append(start)
            seen[start] = true
            var next = 0
            while next < island.count {
                let index = island[next]
                next += 1
                let (x, depth) = (index % width, depths[index])
                func visit(_ other: Int) {
                    guard !seen[other], depths[other] > 0, abs(depths[other] - depth) < 0.02 * depth else { return }
                    seen[other] = true
                    island.append(other)
                }
                if x > 0 { visit(index - 1) }
                if x + 1 < width { visit(index + 1) }
                if index >= width { visit(index - width) }
                if index + width < depths.count { visit(index + width) }
            }
            guard island.count < smallest else { continue }
            for index in island { (depths[index], normals[index], confidences[index]) = (0, 0, 0) }
        }
    }
}
