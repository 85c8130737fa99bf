import VitrineGeometry

extension MapState {
    struct BundleChoice {
        /// The photos whose poses are adjusted; nil: all.
        var photos: [Int]?
        /// Whether the lenses are adjusted.
        var refinesLenses = true
        var loss = RobustLoss.cauchy(threshold: 2)
        var iterations = 20
        var tolerance = 1e-5
    }

    /// Bundle adjustment of cameras, lenses and points. With `choice.photos` only of these and the points that they observe; other observing cameras are
    /// fixed.
    @discardableResult mutating func adjust(_ choice: BundleChoice, _ parallel: Parallel, _ isCancelled: () -> Bool)
        -> BundleAdjuster.Summary
    {
        var (problem, photos, points) = problem(choice)
        var adjuster = BundleAdjuster()
        adjuster.options.loss = choice.loss
        adjuster.options.maximumIterations = choice.iterations
        adjuster.options.costTolerance = choice.tolerance
        let summary = adjuster.adjust(&problem, parallel: parallel, isCancelled: isCancelled)
        for (index, photo) in photos.enumerated() where !problem.cameras[index].isFixed {
            poses[photo] = problem.cameras[index].cameraFromWorld
            poses[photo]!.rotation = poses[photo]!.rotation.orthonormalized
        }
        for index in lenses.indices where problem.lenses[index].freeParameters > 0 {
            lenses[index].intrinsics = problem.lenses[index].intrinsics
        }
        for (index, point) in points.enumerated() { positions[point] = problem.points[index] }
        return summary
    }

    /// Returns the bundle adjustment problem of a part of the map.
    ///
    /// - Returns: The problem, and the photo and the point of each of its cameras and points.
    func problem(_ choice: BundleChoice) -> (BundleProblem, photos: [Int], points: [Int]) {
        var problem = BundleProblem()
        var cameraOfPhoto = [Int](repeating: -1, count: poses.count)
        var moves = [Bool](repeating: choice.photos == nil, count: poses.count)
        for photo in choice.photos ?? [] { moves[photo] = true }

        let points = choice.photos.map { self.points(seenBy: $0) } ?? tracks.indices.filter { !tracks[$0].isEmpty }
        var isUsed = [Bool](repeating: false, count: poses.count)
        for point in points {
            for feature in tracks[point] { isUsed[graph.photo(of: Int(feature))] = true }
        }
        var photos: [Int] = []
        for photo in poses.indices where poses[photo] != nil && isUsed[photo] {
            cameraOfPhoto[photo] = photos.count
            photos.append(photo)
            var camera = BundleProblem.Camera(
                cameraFromWorld: poses[photo]!, lens: lensOfPhoto[photo], isFixed: !moves[photo] || isPoseHeld[photo])
            camera.prior = posePriors[photo]
            problem.cameras.append(camera)
        }
        problem.lenses = lenses.indices.map { lens(at: $0, choice) }
        for point in points {
            problem.appendPoint(positions[point])
            for feature in tracks[point] {
                let photo = graph.photo(of: Int(feature))
                problem.appendObservation(
                    camera: cameraOfPhoto[photo], pixel: graph.pixels[Int(feature)],
                    information: 1 / (pixelScale[photo] * pixelScale[photo]))
            }
        }
        return (problem, photos, points)
    }

    private func lens(at index: Int, _ choice: BundleChoice) -> BundleProblem.Lens {
        let state = lenses[index]
        var lens = BundleProblem.Lens(intrinsics: state.intrinsics, freeParameters: 0)
        guard choice.refinesLenses, !state.isHeld else { return lens }
        lens.freeParameters = freeParameters(index)
        let guess = state.guess
        lens.expected = guess.parameters
        // Weak priors that keep poorly determined parameters bounded.
        func information(_ deviation: Double) -> Double { 1 / (deviation * deviation) }
        lens.expectedInformation[0] = information((state.isFocalKnown ? 0.05 : 1) * guess.focal.x)
        lens.expectedInformation[1] = information(0.5)
        lens.expectedInformation[2] = information(1)
        lens.expectedInformation[3] = information(0.05 * Double(guess.width))
        lens.expectedInformation[4] = information(0.05 * Double(guess.height))
        lens.expectedInformation[5] = information(0.02 * guess.focal.x)
        lens.expectedInformation[6] = information(0.02)
        lens.expectedInformation[7] = information(0.02)
        lens.expectedInformation[8] = information(2)
        if let deviation = state.deviation {
            // A calibration determines the distortion at the corners, about one focal length off the axis, as well as the focal length.
            let deviations = [
                deviation * guess.focal.x, deviation, deviation, 0.3 * deviation * Double(guess.width),
                0.3 * deviation * Double(guess.height),
                0.2 * deviation * guess.focal.x, 0.2 * deviation, 0.2 * deviation, deviation,
            ]
            for (index, deviation) in deviations.enumerated() { lens.expectedInformation[index] = information(deviation) }
        }
        return lens
    }

    /// The number of free parameters of a lens: fewer while there are few photos.
    private func freeParameters(_ lens: Int) -> Int {
        let placed = poses.indices.filter { poses[$0] != nil && lensOfPhoto[$0] == lens }.count
        let all = registeredCount
        guard all > 2, placed > 0 else { return 0 }
        // Few photos cannot separate distortion from shape.
        return min(lenses[lens].fitted, all > 6 ? lenses[lens].intrinsics.parameterCount : all > 4 ? 3 : 2)
    }
}
