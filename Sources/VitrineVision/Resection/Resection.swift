import VitrineGeometry

/// Robust absolute pose estimation: the pose of a camera from matches with known points, by LO-RANSAC over P3P (Chum, Matas & Kittler 2003).
package struct Resection {
    package struct Options: Sendable {
        /// The inlier threshold in pixels.
        package var maximumError = 6.0
        package var maximumIterations = 2000
        /// The probability of having drawn an outlier-free sample at early termination.
        package var confidence = 0.9999
        package var seed: UInt64 = 1

        package init() {}
    }

    package struct Result: Sendable {
        package var cameraFromWorld: RigidTransform
        package var intrinsics: CameraIntrinsics
        /// The indices of the inliers in ascending order.
        package var inliers: [Int]
        /// The sum of squared errors, each truncated at the threshold: lower is better.
        package var cost: Double
    }

    package var options: Options

    package init(options: Options = Options()) { self.options = options }

    /// - Parameter focalDeviation: The standard deviation of the given focal length relative to it; 0 keeps it fixed.
    package func solve(
        pixels: [Vector2d], points: [Vector3d], intrinsics: CameraIntrinsics, focalDeviation: Double = 0
    ) -> Result? {
        guard points.count >= 4 else { return nil }
        let rays = pixels.map { intrinsics.unproject($0) }
        var random = SplitMix64(seed: options.seed)
        var best: Result?
        var needed = Double(options.maximumIterations)
        var iteration = 0
        while Double(iteration) < needed {
            iteration += 1
            let (a, b, c) = random.triple(below: points.count)
            let poses = P3P.solve(rays: (rays[a], rays[b], rays[c]), points: (points[a], points[b], points[c]))
            for pose in poses {
                guard let cost = cost(pose, intrinsics, pixels, points, below: best?.cost ?? .infinity) else { continue }
                let candidate = scored(pose, intrinsics, pixels, points, cost)
                guard candidate.inliers.count >= 4 else { continue }
                best = locallyOptimized(candidate, pixels, points, focalDeviation, iterations: 4)
                let share = Double(best!.inliers.count) / Double(points.count)
                let miss = 1 - share * share * share
                if miss < 1 { needed = min(needed, miss <= 0 ? 1 : log(1 - options.confidence) / log(miss)) }
                needed = max(needed, 10)
            }
        }
        return best.map { locallyOptimized($0, pixels, points, focalDeviation, iterations: 15) }
    }

    private func cost(
        _ pose: RigidTransform, _ intrinsics: CameraIntrinsics, _ pixels: [Vector2d], _ points: [Vector3d], below limit: Double
    ) -> Double? {
        let most = options.maximumError * options.maximumError
        var sum = 0.0
        for i in points.indices {
            let inCamera = pose * points[i]
            var squared = most
            if inCamera.z > 1e-9 {
                let error = intrinsics.project(inCamera) - pixels[i]
                squared = min(most, error.x * error.x + error.y * error.y)
            }
            sum += squared
            if sum >= limit { return nil }
        }
        return sum
    }

    private func scored(
        _ pose: RigidTransform, _ intrinsics: CameraIntrinsics, _ pixels: [Vector2d], _ points: [Vector3d], _ cost: Double
    ) -> Result {
        let camera = PosedCamera(intrinsics: intrinsics, cameraFromWorld: pose)
        let most = options.maximumError * options.maximumError
        let inliers = points.indices.filter { i in
            let inCamera = pose * points[i]
            guard inCamera.z > 1e-9 else { return false }
            let error = camera.intrinsics.project(inCamera) - pixels[i]
            return error.x * error.x + error.y * error.y < most
        }
        return Result(cameraFromWorld: pose, intrinsics: intrinsics, inliers: inliers, cost: cost)
    }

    /// The candidate refined on its inliers, if that is better.
    private func locallyOptimized(
        _ candidate: Result, _ pixels: [Vector2d], _ points: [Vector3d], _ focalDeviation: Double, iterations: Int
    ) -> Result {
        var problem = BundleProblem()
        problem.pointsAreFixed = true
        problem.cameras = [.init(cameraFromWorld: candidate.cameraFromWorld, lens: 0)]
        var lens = BundleProblem.Lens(intrinsics: candidate.intrinsics, freeParameters: focalDeviation > 0 ? 1 : 0)
        if focalDeviation > 0 {
            let deviation = focalDeviation * candidate.intrinsics.focal.x
            lens.expected = candidate.intrinsics.parameters
            lens.expectedInformation[0] = 1 / (deviation * deviation)
        }
        problem.lenses = [lens]
        for i in candidate.inliers {
            problem.appendPoint(points[i])
            problem.appendObservation(camera: 0, pixel: pixels[i])
        }
        var adjuster = BundleAdjuster()
        adjuster.options.maximumIterations = iterations
        adjuster.options.loss = .cauchy(threshold: max(1, options.maximumError / 3))
        _ = adjuster.adjust(&problem, parallel: Parallel(threads: 1))
        let (pose, intrinsics) = (problem.cameras[0].cameraFromWorld, problem.lenses[0].intrinsics)
        guard let cost = cost(pose, intrinsics, pixels, points, below: candidate.cost) else { return candidate }
        return scored(pose, intrinsics, pixels, points, cost)
    }
}

extension SplitMix64 {
    /// Three different numbers below `count`, which is at least 3.
    mutating func triple(below count: Int) -> (Int, Int, Int) {
        let a = below(count)
        var b = below(count)
        while b == a { b = below(count) }
        var c = below(count)
        while c == a || c == b { c = below(count) }
        return (a, b, c)
    }
}
