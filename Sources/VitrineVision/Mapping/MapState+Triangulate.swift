import VitrineMath

extension MapState {
    struct TriangulationLimits: Sendable {
        /// The largest reprojection error in pixels of an image 1,000 pixels long.
        var maximumError = 6.0
        /// The smallest triangulation angle in radians.
        var minimumAngle = 1.5 * Double.pi / 180
    }

    /// Assigns the features of a registered photo to existing points, or triangulates new ones from their matches.
    /// - Returns: The number of assigned features.
    @discardableResult mutating func triangulate(photo: Int, _ limits: TriangulationLimits) -> Int {
        var gained = 0
        let error = limits.maximumError * pixelScale[photo]
        for feature in graph.features(of: photo) where pointOfFeature[feature] < 0 && !graph.partnerRange(feature).isEmpty {
            if continueTrack(feature, photo, error) {
                gained += 1
            } else if createPoint(feature, error, limits) {
                gained += 1
            }
        }
        return gained
    }

    /// Assigns a feature to the point of its matches with the smallest reprojection error.
    private mutating func continueTrack(_ feature: Int, _ photo: Int, _ maximumError: Double) -> Bool {
        var (best, bestError) = (-1, maximumError * maximumError)
        for index in graph.partnerRange(feature) {
            let point = Int(pointOfFeature[Int(graph.partners[index])])
            guard point >= 0, point != best else { continue }
            let error = squaredError(feature, positions[point])
            if error < bestError, !sees(photo, point) { (best, bestError) = (point, error) }
        }
        guard best >= 0 else { return false }
        addObservation(feature, best)
        return true
    }

    private mutating func createPoint(_ feature: Int, _ error: Double, _ limits: TriangulationLimits) -> Bool {
        var candidates = [feature]
        // Matches, and matches of matches: a track is not matched in every pair.
        for index in graph.partnerRange(feature) { consider(Int(graph.partners[index]), &candidates) }
        let direct = candidates.count
        guard direct > 1 else { return false }
        for match in 1..<direct where candidates.count < 24 {
            for index in graph.partnerRange(candidates[match]) { consider(Int(graph.partners[index]), &candidates) }
        }
        candidates.sort()
        let observations = candidates.map { observation($0) }
        guard
            let found = Triangulation.robust(observations, maximumError: error, largestCosine: cos(limits.minimumAngle))
        else { return false }
        var track: [UInt32] = []
        var lastPhoto = -1
        for inlier in found.inliers {
            let photo = graph.photo(of: candidates[inlier])
            if photo == lastPhoto {
                // Of two features of one photo, the one with the smaller error.
                if squaredError(candidates[inlier], found.point) < squaredError(Int(track.last!), found.point) {
                    track[track.count - 1] = UInt32(candidates[inlier])
                }
            } else {
                track.append(UInt32(candidates[inlier]))
            }
            lastPhoto = photo
        }
        guard track.count > 1 else { return false }
        addPoint(found.point, track)
        return track.contains(UInt32(feature))
    }

    private func consider(_ feature: Int, _ candidates: inout [Int]) {
        guard poses[graph.photo(of: feature)] != nil, pointOfFeature[feature] < 0, !candidates.contains(feature) else { return }
        candidates.append(feature)
    }

    /// Merges points whose features are matched if one position fits all observations.
    /// - Returns: The number of merged points.
    @discardableResult mutating func mergePoints(maximumError: Double) -> Int {
        var merged = 0
        for point in tracks.indices {
            var tried: [Int] = []
            var restart = true
            while restart {
                restart = false
                search: for feature in tracks[point] {
                    for index in graph.partnerRange(Int(feature)) {
                        let other = Int(pointOfFeature[Int(graph.partners[index])])
                        guard other >= 0, other != point, !tried.contains(other) else { continue }
                        tried.append(other)
                        if merge(point, other, maximumError) {
                            merged += 1
                            restart = true
                            break search
                        }
                    }
                }
            }
        }
        return merged
    }

    /// Merges two points of different photos if one position fits all observations.
    @discardableResult mutating func merge(_ point: Int, _ other: Int, _ maximumError: Double) -> Bool {
        let (a, b) = (Double(tracks[point].count), Double(tracks[other].count))
        let photos = tracks[point].map { graph.photo(of: Int($0)) }
        guard tracks[other].allSatisfy({ !photos.contains(graph.photo(of: Int($0))) }) else { return false }
        let middle = (positions[point] * a + positions[other] * b) / (a + b)
        let track = (tracks[point] + tracks[other]).sorted()
        for feature in track {
            let limit = maximumError * pixelScale[graph.photo(of: Int(feature))]
            guard squaredError(Int(feature), middle) <= limit * limit else { return false }
        }
        removePoint(other)
        let added = track.filter { !tracks[point].contains($0) }
        for feature in added { addObservation(Int(feature), point) }
        positions[point] = middle
        return true
    }

    /// Completes tracks: adds features that are up to two matches away if the point fits.
    /// - Returns: The number of added observations.
    @discardableResult mutating func completeTracks(maximumError: Double) -> Int {
        var added = 0
        for point in tracks.indices where !tracks[point].isEmpty {
            var front = tracks[point]
            for _ in 0..<3 {
                var next: [UInt32] = []
                for feature in front {
                    for index in graph.partnerRange(Int(feature)) {
                        let partner = Int(graph.partners[index])
                        let photo = graph.photo(of: partner)
                        guard pointOfFeature[partner] < 0, poses[photo] != nil, !sees(photo, point) else { continue }
                        let limit = maximumError * pixelScale[photo]
                        guard squaredError(partner, positions[point]) <= limit * limit else { continue }
                        addObservation(partner, point)
                        next.append(UInt32(partner))
                        added += 1
                    }
                }
                if next.isEmpty { break }
                front = next
            }
        }
        return added
    }
}
