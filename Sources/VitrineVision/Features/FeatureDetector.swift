import VitrineMath

/// Finds the distinctive points of a photo and describes their surroundings, so that they can be recognised in another photo taken
/// from elsewhere: scale-invariant features (Lowe, "Distinctive Image Features from Scale-Invariant Keypoints", 2004) with root-normalised
/// descriptors (Arandjelović & Zisserman 2012).
///
/// Works on one thread; run several photos at once. The same picture gives the same features.
public struct FeatureDetector: Sendable {
    /// What to look for.
    public struct Options: Sendable, Equatable {
        /// Most features a photo, ≥ 1. The strongest are kept, spread over the picture. Default 8,000.
        public var maximumCount = 8000
        /// Photos whose longer side is more pixels are searched at this size. Default 2,400.
        public var maximumSide = 2400
        /// Photos whose longer side is at most this many pixels are searched at twice their size too: finds the smallest features, which
        /// are the most, at three times the work. 0 never does. Default 1,600.
        public var doublingSide = 1600
        /// The least contrast of a feature, brightness 0…1 (difference of neighbouring scales). Lower finds more in flat surfaces, and
        /// more noise. Default 0.004.
        public var contrast: Float = 0.004
        /// The most elongated a feature may be (ratio of principal curvatures): points along an edge aren't well located. Default 10.
        public var edgeRatio: Float = 10

        public init() {}

        /// For objects with little texture.
        public static var highSensitivity: Options {
            var options = Options()
            (options.maximumCount, options.contrast, options.doublingSide) = (12000, 0.002, 2400)
            return options
        }
    }

    public var options: Options

    public init(_ options: Options = Options()) { self.options = options }

    /// The features of a photo, largest scale first.
    ///
    /// - Parameters:
    ///   - photo: brightness 0…1. Under 16 pixels wide or high there are no features.
    ///   - mask: features on its background are left out; nil keeps all. Another size than the photo's is stretched to it.
    ///   - isCancelled: asked several times a second; true ends the search with what was found so far, mostly nothing.
    public func detect(in photo: GrayPlane, mask: MaskPlane? = nil, isCancelled: () -> Bool = { false }) -> FeatureSet {
        guard min(photo.width, photo.height) >= 16 else { return FeatureSet() }
        var image = FloatImage(photo)
        let longer = max(photo.width, photo.height)
        if longer > max(16, options.maximumSide) {
            let ratio = Double(max(16, options.maximumSide)) / Double(longer)
            image = image.shrunk(
                width: max(8, Int((Double(photo.width) * ratio).rounded())),
                height: max(8, Int((Double(photo.height) * ratio).rounded())))
        }
        // What maps the searched picture's pixel corners to the photo's.
        let photoFromImage = SIMD2(
            Float(photo.width) / Float(image.width), Float(photo.height) / Float(image.height))

        if isCancelled() { return FeatureSet() }
        let space = ScaleSpace(image: image, doubled: longer <= options.doublingSide, isCancelled: isCancelled)
        var keypoints = space.keypoints(contrast: options.contrast, edgeRatio: options.edgeRatio, isCancelled: isCancelled)
        if isCancelled() { return FeatureSet() }
        if let mask, mask.width > 0, mask.height > 0 {
            let maskFromImage = SIMD2(Float(mask.width) / Float(image.width), Float(mask.height) / Float(image.height))
            keypoints.removeAll { keypoint in
                let place = keypoint.position * maskFromImage
                let x = max(0, min(mask.width - 1, Int(place.x)))
                let y = max(0, min(mask.height - 1, Int(place.y)))
                return mask[x, y] == 0
            }
        }
        keypoints = Keypoint.selected(keypoints, count: max(1, options.maximumCount), width: image.width, height: image.height)
        return described(keypoints, in: space, photoFromImage: photoFromImage, isCancelled: isCancelled)
    }

    private func described(
        _ keypoints: [Keypoint], in space: ScaleSpace, photoFromImage: SIMD2<Float>, isCancelled: () -> Bool
    ) -> FeatureSet {
        var result = FeatureSet()
        result.positions.reserveCapacity(keypoints.count * 5 / 4)
        result.descriptors.reserveCapacity(keypoints.count * 5 / 4 * FeatureSet.descriptorLength)
        let scale = 0.5 * (photoFromImage.x + photoFromImage.y)
        var orientations = OrientationHistogram()
        var descriptor = DescriptorSampler()
        for (index, keypoint) in keypoints.enumerated() {
            if index % 256 == 0, isCancelled() { return result }
            let level = space.octaves[keypoint.octave].levels[keypoint.level]
            for angle in orientations.dominantAngles(of: keypoint, in: level) {
                guard result.count < options.maximumCount else { return result }
                result.positions.append(keypoint.position * photoFromImage)
                result.scales.append(keypoint.scale * scale)
                result.orientations.append(angle)
                descriptor.append(keypoint, angle: angle, in: level, to: &result.descriptors)
            }
        }
        return result
    }
}
