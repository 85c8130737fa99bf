import VitrineMath

/// Detects and describes scale-invariant features (Lowe, "Distinctive Image Features from Scale-Invariant Keypoints", 2004) with root-normalised
/// descriptors (Arandjelović & Zisserman 2012).
///
/// Runs on one thread; process several photos at once. Deterministic.
package struct FeatureDetector: Sendable {
    /// The settings of the detector.
    package struct Options: Sendable, Equatable {
        /// The largest number of features per photo, at least 1. The strongest are kept, distributed over the image. Default 8,000.
        package var maximumCount = 8000
        /// The maximum length of a photo's longer side in pixels; larger photos are downscaled to it. Default 2,400.
        package var maximumSide = 2400
        /// Photos whose longer side is at most this many pixels are searched at twice their size too, which detects the smallest and most numerous features at
        /// three times the cost. 0: never. Default 1,600.
        package var doublingSide = 1600
        /// The smallest contrast of a feature (difference of neighbouring scales, brightness 0…1). A lower value detects more features on weak texture, and more
        /// noise. Default 0.004.
        package var contrast: Float = 0.004
        /// The largest ratio of a feature's principal curvatures: points along an edge are poorly localized. Default 10.
        package var edgeRatio: Float = 10

        package init() {}

        /// Options for objects with little texture.
        package static var highSensitivity: Options {
            var options = Options()
            (options.maximumCount, options.contrast, options.doublingSide) = (12000, 0.002, 2400)
            return options
        }
    }

    package var options: Options

    package init(_ options: Options = Options()) { self.options = options }

    /// The features of a photo, largest scale first.
    ///
    /// - Parameters:
    ///   - photo: Brightness 0…1. Images under 16 pixels wide or high have no features.
    ///   - mask: Features on the background are dropped; nil keeps all. Resized to the photo.
    ///   - isCancelled: Called several times per second; true ends the detection with an incomplete result.
    package func detect(in photo: GrayPlane, mask: MaskPlane? = nil, isCancelled: () -> Bool = { false }) -> FeatureSet {
        guard min(photo.width, photo.height) >= 16 else { return FeatureSet() }
        var image = FloatImage(photo)
        let longer = max(photo.width, photo.height)
        if longer > max(16, options.maximumSide) {
            let ratio = Double(max(16, options.maximumSide)) / Double(longer)
            image = image.shrunk(
                width: max(8, Int((Double(photo.width) * ratio).rounded())),
                height: max(8, Int((Double(photo.height) * ratio).rounded())))
        }
        // The scale from the processed image to the photo.
        let photoFromImage = SIMD2(
            Float(photo.width) / Float(image.width), Float(photo.height) / Float(image.height))

        if isCancelled() { return FeatureSet() }
        let space = ScaleSpace(image: image, doubled: longer <= options.doublingSide, isCancelled: isCancelled)
        var keypoints = space.keypoints(contrast: options.contrast, edgeRatio: options.edgeRatio, isCancelled: isCancelled)
        if isCancelled() { return FeatureSet() }
        if let mask, mask.width > 0, mask.height > 0 {
            let maskFromImage = SIMD2(Float(mask.width) / Float(image.width), Float(mask.height) / Float(image.height))
            keypoints.removeAll { keypoint in
                let pixel = keypoint.position * maskFromImage
                let x = max(0, min(mask.width - 1, Int(pixel.x)))
                let y = max(0, min(mask.height - 1, Int(pixel.y)))
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
