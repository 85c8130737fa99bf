import VitrineMath
import VitrineVision

/// Follows points from picture to picture: corners, found again by comparing the grey values about them.
///
/// ```swift
/// var tracker = FeatureTracker(camera: rig.camera)
/// let seen = tracker.track(image, time: 0.05, rotation: newCameraFromOld)   // ids and pixels, by rising id
/// tracker.report.tracked                                                    // how many were seen before
/// ```
///
/// Each picture is reduced by halves (``ImagePyramid``), every feature's patch is looked for from the smallest size to the largest, beginning
/// where the camera's turn takes it, and then back again; what doesn't come back, doesn't look alike or doesn't move with the rest is dropped,
/// and corners are added where features are few. A picture that shows nothing, of a covered lens say, is passed over: features are looked for
/// again in the next one, up to ``Settings/longestGap`` later. One thread, a fixed order: the same pictures give the same features.
///
/// It doesn't recognize a point that it has lost: seen again, it gets a new id.
public struct FeatureTracker: Sendable {
    public let camera: CameraIntrinsics
    public var settings: Settings
    /// What became of the features in the picture tracked last.
    public internal(set) var report = Report()

    /// A feature that is being followed.
    struct Track: Sendable {
        var id: Int
        /// In level 0's coordinates.
        var place: SIMD2<Float>
        /// The pixel's unit direction, in the camera's frame.
        var ray: Vector3d
        /// In how many pictures it was seen.
        var age = 1
    }

    /// By rising id.
    var tracks: [Track] = []
    private var nextID = 0
    /// The picture that `tracks` are places in, and the newest.
    var (old, new) = (ImagePyramid(), ImagePyramid())
    /// Of the photos that `old` was made from; zero where there is none.
    private var size = SIMD2(0, 0)
    private var oldTime = 0.0
    /// How the camera turned since `old`, over the pictures that were passed over; nil where that isn't known.
    private var turned: Matrix3d? = .identity
    /// Whether all of that was measured, none guessed.
    private var isTurnSure = true
    /// For photos of the size at hand.
    var lens: CameraIntrinsics
    var matcher = PatchMatcher()
    var finder = CornerFinder(side: 32)

    public init(camera: CameraIntrinsics, settings: Settings = Settings()) {
        (self.camera, self.settings, lens) = (camera, settings, camera)
    }

    /// How often each feature that is followed now was seen, by rising id.
    public var ages: [Int] { tracks.map(\.age) }

    /// Forgets all features; ids go on where they were.
    public mutating func reset() {
        tracks = []
        size = SIMD2(0, 0)
        (turned, isTurnSure) = (.identity, true)
        report = Report()
    }

    /// The features of the next picture, by rising id; none where it shows nothing.
    ///
    /// - Parameters:
    ///   - image: of the camera's size; one of another size is taken for the same picture enlarged or reduced, and where the size changes,
    ///     all begins anew.
    ///   - time: in seconds.
    ///   - rotation: directions in this picture's camera from those in the camera of the picture given before, from a gyroscope; nil where
    ///     there is none.
    ///   - guess: the same where it is only supposed: where features are looked for first, and nothing more.
    public mutating func track(
        _ image: TrackingImage, time: Double, rotation: Matrix3d? = nil, guess: Matrix3d? = nil
    ) -> [ObservedFeature] {
        report = Report()
        if let turn = rotation ?? guess, let before = turned { turned = turn * before } else { turned = nil }
        if rotation == nil { isTurnSure = false }
        guard image.width >= 16, image.height >= 16 else {
            report.isBlind = true
            return []
        }
        begin(SIMD2(image.width, image.height), time)
        new.build(image, maximumWidth: settings.maximumWidth, levels: settings.levels)
        (report.brightness, report.contrast) = (new.brightness, new.contrast)
        guard new.contrast >= settings.leastContrast else {
            report.isBlind = true
            return []
        }
        if !tracks.isEmpty { follow(turned, isSure: isTurnSure) }
        refill()
        swap(&old, &new)
        (oldTime, turned, isTurnSure) = (time, .identity, true)
        return tracks.map { ObservedFeature(id: $0.id, pixel: Vector2d($0.place) * Double(old.scale)) }
    }

    /// Drops what can't be followed into a photo of this size at this time.
    private mutating func begin(_ newSize: SIMD2<Int>, _ time: Double) {
        if newSize != size {
            report.dropped = tracks.count
            tracks = []
            size = newSize
            lens = camera.resized(width: newSize.x, height: newSize.y)
        } else if !(abs(time - oldTime) <= settings.longestGap) {
            report.dropped = tracks.count
            tracks = []
        }
    }

    /// The direction that falls on a place of level 0.
    func ray(_ place: SIMD2<Float>, _ scale: Int) -> Vector3d {
        let normalized = lens.normalized(Vector2d(place) * Double(scale))
        return normalize(Vector3d(normalized.x, normalized.y, 1))
    }

    mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }
}
