import VitrineGeometry

/// What is known of a photo's camera before anything has been matched.
public struct CameraGuess: Sendable, Equatable {
    /// Where the focal length isn't known, 1.2 × the longer side: `CameraGuess.init(width:height:)`.
    public var intrinsics: CameraIntrinsics
    /// Whether the focal length was measured or read from the photo (to a few percent), not merely assumed.
    public var isFocalKnown: Bool

    public init(intrinsics: CameraIntrinsics, isFocalKnown: Bool) {
        (self.intrinsics, self.isFocalKnown) = (intrinsics, isFocalKnown)
    }

    /// A camera of which only the picture's size is known.
    public init(width: Int, height: Int) {
        let focal = 1.2 * Double(max(width, height))
        self.init(
            intrinsics: CameraIntrinsics(
                width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2),
            isFocalKnown: false)
    }
}

/// Two photos that show the same things, and where.
public struct PhotoPair: Sendable, Equatable {
    /// Indices of photos, first < second.
    public var first, second: Int
    /// Verified matches: a feature's index in the first photo, and in the second. Each feature occurs at most once; rising by x.
    public var matches: [SIMD2<UInt32>]
    public var geometry: TwoViewGeometry

    public init(first: Int, second: Int, matches: [SIMD2<UInt32>], geometry: TwoViewGeometry) {
        (self.first, self.second, self.matches, self.geometry) = (first, second, matches, geometry)
    }
}

/// All pairs of photos found to show the same things.
public struct MatchGraph: Sendable, Equatable {
    public var photoCount: Int
    /// Rising by (first, second).
    public var pairs: [PhotoPair]

    public init(photoCount: Int, pairs: [PhotoPair] = []) { (self.photoCount, self.pairs) = (photoCount, pairs) }
}
