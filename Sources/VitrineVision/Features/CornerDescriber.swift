/// Computes the descriptors of `FeatureDetector` for given corners.
package struct CornerDescriber {
    private var orientations = OrientationHistogram()
    private var sampler = DescriptorSampler()

    package init() {}

    /// The descriptors of corners, and the corner of each: a corner with two dominant orientations has two.
    ///
    /// - Parameters:
    ///   - pixel: The first pixel of the first row: brightness in any unit.
    ///   - stride: The number of values from one row to the next.
    ///   - corners: The corners in pixels, with the centre of the first at (0.5, 0.5). Positions outside use the pixels at the edge.
    ///   - angles: The orientation of each corner in radians from +x towards +y; nil: the dominant orientation of its neighbourhood. Empty: nil for all.
    ///   - scale: The standard deviation of the blur in pixels; a descriptor spans about 15 times that.
    package mutating func describe(
        _ pixel: UnsafePointer<Float>, width: Int, height: Int, stride: Int, corners: [SIMD2<Float>], angles: [Float?] = [], scale: Float
    ) -> (owners: [Int32], descriptors: DescriptorSet) {
        guard width >= 8, height >= 8 else { return ([], DescriptorSet([])) }
        let image = FloatImage(width: width, height: height)
        for y in 0..<height { image.row(y).update(from: pixel + y * stride, count: width) }
        var owners: [Int32] = []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(corners.count * FeatureSet.descriptorLength * 5 / 4)
        for (index, corner) in corners.enumerated() {
            let keypoint = Keypoint(
                position: corner, scale: scale, response: 0, octave: 0, level: 0, x: corner.x - 0.5, y: corner.y - 0.5, levelScale: scale)
            let given = index < angles.count ? angles[index] : nil
            for angle in given.map({ [$0] }) ?? orientations.dominantAngles(of: keypoint, in: image) {
                owners.append(Int32(index))
                sampler.append(keypoint, angle: angle, in: image, to: &bytes)
            }
        }
        return (owners, DescriptorSet(bytes))
    }
}
