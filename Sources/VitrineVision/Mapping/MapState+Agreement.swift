import VitrineMath

/// How far the verified matches of placed photos agree with where the photos are.
struct PairAgreement {
    /// Matches between placed photos, and how many of them lie on each other's epipolar lines.
    var matches = 0, agreeing = 0

    /// 0…1; 1 where nothing is placed.
    var share: Double { matches == 0 ? 1 : Double(agreeing) / Double(matches) }
}

extension MapState {
    /// Looked at in each pair, spread evenly over its matches.
    private static let sampledMatches = 60

    /// A photo put where it doesn't belong explains the matches by which it was placed, and few of those with other photos.
    ///
    /// - Parameter maximumError: pixels of a picture 1,000 long, to first order (Sampson's distance).
    func agreement(with graph: MatchGraph, maximumError: Double = 4, parallel: Parallel) -> PairAgreement {
        let pairs = graph.pairs.filter { poses[$0.first] != nil && poses[$0.second] != nil }
        let shares = parallel.map(pairs.count) { agreeingShare(of: pairs[$0], maximumError: maximumError) }
        var result = PairAgreement()
        for (pair, share) in zip(pairs, shares) {
            result.matches += pair.matches.count
            result.agreeing += Int((share * Double(pair.matches.count)).rounded())
        }
        return result
    }

    private func agreeingShare(of pair: PhotoPair, maximumError: Double) -> Double {
        let (a, b) = (camera(pair.first), camera(pair.second))
        let secondFromFirst = b.cameraFromWorld * a.cameraFromWorld.inverse
        let essential = Matrix3d.skew(secondFromFirst.translation) * secondFromFirst.rotation
        // A pixel in normalized coordinates, averaged over both photos.
        let pixel = 0.5 * (pixelScale[pair.first] / a.intrinsics.focal.x + pixelScale[pair.second] / b.intrinsics.focal.x)
        let limit = maximumError * maximumError * pixel * pixel
        let count = min(Self.sampledMatches, pair.matches.count)
        let agreeing = (0..<count).count { index in
            let match = pair.matches[index * pair.matches.count / count]
            let p = a.intrinsics.normalized(graph.pixels[graph.photoStarts[pair.first] + Int(match.x)])
            let q = b.intrinsics.normalized(graph.pixels[graph.photoStarts[pair.second] + Int(match.y)])
            let (x, y) = (Vector3d(p.x, p.y, 1), Vector3d(q.x, q.y, 1))
            let (line, back) = (essential * x, Vector2d(dot(essential.x, y), dot(essential.y, y)))
            let error = dot(y, line)
            return error * error <= limit * (line.x * line.x + line.y * line.y + back.x * back.x + back.y * back.y)
        }
        return count == 0 ? 1 : Double(agreeing) / Double(count)
    }
}
