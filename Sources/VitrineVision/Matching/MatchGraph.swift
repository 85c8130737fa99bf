import VitrineGeometry

/// The initial intrinsics of a photo's camera.
package struct CameraGuess: Sendable, Equatable {
    /// The initial intrinsics. An unknown focal length is 1.2 × the longer side (`CameraGuess.init(width:height:)`).
    package var intrinsics: CameraIntrinsics
    /// Whether the focal length was measured or read from metadata, to a few percent.
    package var isFocalKnown: Bool

    package init(intrinsics: CameraIntrinsics, isFocalKnown: Bool) {
        (self.intrinsics, self.isFocalKnown) = (intrinsics, isFocalKnown)
    }

    /// The guess for a camera of which only the image size is known.
    package init(width: Int, height: Int) {
        let focal = 1.2 * Double(max(width, height))
        self.init(
            intrinsics: CameraIntrinsics(
                width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2),
            isFocalKnown: false)
    }
}

/// Two overlapping photos with their verified matches.
package struct PhotoPair: Sendable, Equatable {
    /// The indices of the two photos, first < second.
    package var first, second: Int
    /// Verified matches: a feature's index in the first photo, and in the second. Each feature occurs at most once; in ascending order of x.
    package var matches: [SIMD2<UInt32>]
    package var geometry: TwoViewGeometry

    package init(first: Int, second: Int, matches: [SIMD2<UInt32>], geometry: TwoViewGeometry) {
        (self.first, self.second, self.matches, self.geometry) = (first, second, matches, geometry)
    }
}

/// All verified pairs of photos.
package struct MatchGraph: Sendable, Equatable {
    package var photoCount: Int
    /// The pairs in ascending order of (first, second).
    package var pairs: [PhotoPair]

    package init(photoCount: Int, pairs: [PhotoPair] = []) { (self.photoCount, self.pairs) = (photoCount, pairs) }

    /// The photos of the largest group that pairs connect, in ascending order.
    ///
    /// - Parameter least: The fewest matches of a pair that connects its photos.
    package func connectedPhotos(byPairsOf least: Int) -> [Int] {
        var sets = DisjointSets(count: photoCount)
        for pair in pairs where pair.matches.count >= least { sets.join(pair.first, pair.second) }
        let roots = (0..<photoCount).map { sets.root(of: $0) }
        guard let largest = roots.max(by: { sets.size(ofRoot: $0) < sets.size(ofRoot: $1) }) else { return [] }
        return roots.indices.filter { roots[$0] == largest }
    }

    /// Adds pairs, instead of those of the same photos.
    package mutating func replace(_ other: [PhotoPair]) {
        let photos = Set(other.map { SIMD2($0.first, $0.second) })
        pairs = (pairs.filter { !photos.contains(SIMD2($0.first, $0.second)) } + other).sorted {
            ($0.first, $0.second) < ($1.first, $1.second)
        }
    }
}
