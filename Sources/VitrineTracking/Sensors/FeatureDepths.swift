import VitrineVision

/// The measured depths of a frame's features.
enum FeatureDepths: Sendable {
    /// At any pixel, by a depth image.
    case image(FrameDepth)
    /// At features, by a second camera; by identifier.
    case features([Int: MeasuredDepth])

    /// The depth of a feature; nil if it was not measured.
    ///
    /// - Parameter pixel: Its position in the image's distorted pixels.
    func depth(of id: Int, at pixel: Vector2d) -> MeasuredDepth? {
        switch self {
        case .image(let image): image.depth(at: pixel)
        case .features(let depths): depths[id]
        }
    }

    /// Sets the depths of features, and removes those at silhouettes, which move like neither of two surfaces.
    func apply(to features: inout [ObservedFeature]) {
        if case .image(let image) = self { features.removeAll { image.isSilhouette(at: $0.pixel) } }
        for index in features.indices { features[index].depth = depth(of: features[index].id, at: features[index].pixel) }
    }
}

/// Measures the depths of features by what a device has in addition to its first camera.
struct DepthMeter: Sendable {
    /// nil for a device with one camera.
    private var stereo: StereoMatcher?

    init(_ rig: SensorRig) { stereo = StereoMatcher(rig) }

    /// Forgets the last frame.
    mutating func reset() { stereo?.reset() }

    /// The depths of the newest features; nil if nothing measures them.
    ///
    /// - Parameters:
    ///   - depth: The frame's depth image: see ``FrameDepth``.
    ///   - second: The second camera's image; used without a depth image.
    mutating func depths(of tracker: FeatureTracker, depth: Plane<Float>?, second: Plane<UInt8>?) -> FeatureDepths? {
        if let depth { return .image(FrameDepth(depth, image: SIMD2(tracker.camera.width, tracker.camera.height))) }
        return second.flatMap { stereo?.depths(of: tracker, in: $0) }.map { .features($0) }
    }
}
