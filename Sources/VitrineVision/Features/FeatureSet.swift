/// The distinctive points of one photo, largest scale first, with what is needed to recognise them in another photo.
public struct FeatureSet: Sendable, Equatable {
    /// In pixels of the original photo, whatever size it was searched at; the centre of the first pixel is (0.5, 0.5).
    public var positions: [SIMD2<Float>]
    /// The standard deviation of the Gaussian at which the point stands out, in pixels of the original photo.
    public var scales: [Float]
    /// The direction of the dominant gradient, radians from +x towards +y (clockwise as seen), in −π…π.
    public var orientations: [Float]
    /// 128 bytes a point: 4 × 4 cells (rows first) of 8 directions each, the square root of the L1-normalised gradient histogram, so that
    /// Euclidean distance compares histograms by Hellinger's kernel (Arandjelović & Zisserman 2012). 512 × the unit vector.
    public var descriptors: [UInt8]

    public init(
        positions: [SIMD2<Float>] = [], scales: [Float] = [], orientations: [Float] = [], descriptors: [UInt8] = []
    ) {
        (self.positions, self.scales, self.orientations, self.descriptors) = (positions, scales, orientations, descriptors)
    }

    public var count: Int { positions.count }

    /// Carries places and scales over to a larger or smaller copy of the photo.
    ///
    /// - Parameter factor: the copy's width and height in those of the photo.
    public mutating func enlarge(by factor: SIMD2<Float>) {
        guard factor != SIMD2(1, 1) else { return }
        let mean = 0.5 * (factor.x + factor.y)
        for index in positions.indices { (positions[index], scales[index]) = (positions[index] * factor, scales[index] * mean) }
    }

    /// Bytes of one descriptor.
    public static var descriptorLength: Int { 128 }
}
