import VitrineMath

extension MapState {
    /// The points visible in an unregistered photo according to its matches.
    func visiblePoints(_ photo: Int) -> [(feature: Int, point: Int)] {
        var result: [(feature: Int, point: Int)] = []
        for feature in graph.features(of: photo) {
            // Of several points the one that most matched features observe.
            var (best, bestVotes) = (-1, 0)
            let partners = graph.partnerRange(feature)
            for index in partners {
                let point = Int(pointOfFeature[Int(graph.partners[index])])
                guard point >= 0, point != best else { continue }
                let votes = partners.reduce(0) { $0 + (Int(pointOfFeature[Int(graph.partners[$1])]) == point ? 1 : 0) }
                if votes > bestVotes { (best, bestVotes) = (point, votes) }
            }
            if best >= 0 { result.append((feature, best)) }
        }
        return result
    }

    /// A score of the number of visible points and their distribution over the image: the occupied cells of grids of 4, 8 and 16 cells per side,
    /// weighted by the number of cells (Schönberger & Frahm 2016).
    func spread(_ photo: Int, _ visible: [(feature: Int, point: Int)]) -> Int {
        let lens = lenses[lensOfPhoto[photo]].intrinsics
        var score = 0
        for side in [4, 8, 16] {
            var occupied = [Bool](repeating: false, count: side * side)
            for entry in visible {
                let pixel = graph.pixels[entry.feature]
                let x = min(side - 1, max(0, Int(pixel.x * Double(side) / Double(lens.width))))
                let y = min(side - 1, max(0, Int(pixel.y * Double(side) / Double(lens.height))))
                occupied[y * side + x] = true
            }
            score += side * side * occupied.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        return score
    }

    /// Registers a photo by resection from its visible points. On success, adds the inliers as observations.
    mutating func register(_ photo: Int, _ visible: [(feature: Int, point: Int)], minimumPoints: Int, maximumError: Double) -> Bool {
        let lens = lensOfPhoto[photo]
        let isOpen = !lenses[lens].isHeld && !lenses[lens].isCalibrated && !lenses[lens].isFocalKnown
        let isFirstOfLens = !poses.indices.contains { poses[$0] != nil && lensOfPhoto[$0] == lens }
        let pixels = visible.map { graph.pixels[$0.feature] }
        let points = visible.map { positions[$0.point] }
        var resection = Resection()
        resection.options.maximumError = maximumError * pixelScale[photo]
        resection.options.seed = UInt64(photo) &* 7919 &+ 17

        var best: Resection.Result?
        if isOpen && isFirstOfLens {
            for factor in [1.2, 0.7, 0.95, 1.6, 2.2, 3] {
                var intrinsics = lenses[lens].intrinsics
                let focal = factor * Double(max(intrinsics.width, intrinsics.height))
                intrinsics.focal = Vector2d(focal, focal)
                resection.options.maximumIterations = 300
                let result = resection.solve(pixels: pixels, points: points, intrinsics: intrinsics, focalDeviation: 0.3)
                if let result, result.cost < best?.cost ?? .infinity { best = result }
            }
        } else {
            best = resection.solve(
                pixels: pixels, points: points, intrinsics: lenses[lens].intrinsics,
                focalDeviation: isFirstOfLens && !lenses[lens].isHeld ? 0.05 : 0)
        }
        guard let best, best.inliers.count >= minimumPoints, best.inliers.count * 5 >= visible.count else { return false }
        poses[photo] = best.cameraFromWorld
        if isFirstOfLens && !lenses[lens].isHeld { lenses[lens].intrinsics = best.intrinsics }
        for inlier in best.inliers where !sees(photo, visible[inlier].point) {
            addObservation(visible[inlier].feature, visible[inlier].point)
        }
        return true
    }

    /// The registered photos that share most points with `photo`, best first.
    func covisible(with photo: Int, count: Int) -> [Int] {
        var shared = [Int](repeating: 0, count: poses.count)
        for feature in graph.features(of: photo) where pointOfFeature[feature] >= 0 {
            for other in tracks[Int(pointOfFeature[feature])] { shared[graph.photo(of: Int(other))] += 1 }
        }
        shared[photo] = 0
        let order = poses.indices.filter { shared[$0] > 0 && poses[$0] != nil }.sorted { (shared[$0], -$0) > (shared[$1], -$1) }
        return Array(order.prefix(count))
    }
}
