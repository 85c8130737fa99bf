/// The features of a photo with their descriptors, largest scale first.
package struct FeatureSet: Sendable, Equatable {
    /// The positions in pixels of the original photo; the centre of the first pixel is (0.5, 0.5).
    package var positions: [SIMD2<Float>]
    /// The standard deviation of the Gaussian at which the feature was detected, in pixels of the original photo.
    package var scales: [Float]
    /// The direction of the dominant gradient, radians from +x towards +y (clockwise in the image), in −π…π.
    package var orientations: [Float]
    /// The descriptors, 128 bytes per feature: 4 × 4 cells (rows first) of 8 directions each, the square root of the L1-normalised gradient
    /// histogram, so that Euclidean distance compares histograms by Hellinger's kernel (Arandjelović & Zisserman 2012). 512 × the unit
    /// vector.
    package var descriptors: [UInt8]

    package init(
        positions: [SIMD2<Float>] = [], scales: [Float] = [], orientations: [Float] = [], descriptors: [UInt8] = []
    ) {
        (self.positions, self.scales, self.orientations, self.descriptors) = (positions, scales, orientations, descriptors)
    }

    package var count: Int { positions.count }

    /// Converts positions and scales to a resized copy of the photo.
    ///
    /// - Parameter factor: The copy's width and height relative to the photo's.
    package mutating func enlarge(by factor: SIMD2<Float>) {
        guard factor != SIMD2(1, 1) else { return }
        let mean = 0.5 * (factor.x + factor.y)
        for index in positions.indices { (positions[index], scales[index]) = (positions[index] * factor, scales[index] * mean) }
    }

    /// The number of bytes of a descriptor.
    package static var descriptorLength: Int { 128 }
}
