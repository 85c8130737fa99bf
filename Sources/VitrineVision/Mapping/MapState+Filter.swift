import VitrineGeometry

extension MapState {
    /// Drops observations that don't fit, and points seen under too small an angle.
    ///
    /// - Parameter points: which to look at; nil for all.
    /// - Returns: how many observations were dropped.
    @discardableResult mutating func filter(_ points: [Int]? = nil, maximumError: Double, minimumAngle: Double) -> Int {
        let before = observationCounts.reduce(0, +)
        let centers = poses.map { $0.map { -($0.rotation.transpose * $0.translation) } ?? .zero }
        let largestCosine = cos(minimumAngle)
        func check(_ point: Int) {
            guard !tracks[point].isEmpty else { return }
            let position = positions[point]
            let misfits = tracks[point].filter { feature in
                let limit = maximumError * pixelScale[graph.photo(of: Int(feature))]
                return !(squaredError(Int(feature), position) <= limit * limit)
            }
            if !misfits.isEmpty { keepObservations(of: point) { !misfits.contains(UInt32($0)) } }
            guard !tracks[point].isEmpty else { return }
            let seen = tracks[point].map { centers[graph.photo(of: Int($0))] }
            if !(Triangulation.smallestCosine(seen, position) < largestCosine) { removePoint(point) }
        }
        if let points { points.forEach(check) } else { tracks.indices.forEach(check) }
        return before - observationCounts.reduce(0, +)
    }

    /// Points that at least one of the photos sees, rising.
    func points(seenBy photos: [Int]) -> [Int] {
        var isSeen = [Bool](repeating: false, count: tracks.count)
        for photo in photos {
            for feature in graph.features(of: photo) where pointOfFeature[feature] >= 0 { isSeen[Int(pointOfFeature[feature])] = true }
        }
        return isSeen.indices.filter { isSeen[$0] }
    }

    /// The standard deviation of features' positions along an axis, in pixels of a picture 1,000 long, from the median distance to projections
    /// (√(2 ln 2) standard deviations for normal errors), which wrong matches hardly change.
    func noise() -> Double { medianError() / 1.1774 }

    /// The median distance between features and projected points in pixels of a picture 1,000 long, over all points or some.
    func medianError(of points: [Int]? = nil) -> Double {
        var errors: [Double] = []
        func add(_ point: Int) {
            for feature in tracks[point] {
                errors.append(squaredError(Int(feature), positions[point]).squareRoot() / pixelScale[graph.photo(of: Int(feature))])
            }
        }
        if let points { points.forEach(add) } else { tracks.indices.forEach(add) }
        return median(errors)
    }
}
