/// Describes corners that somebody else found in a picture, as `FeatureDetector` describes its own.
package struct CornerDescriber {
    private var orientations = OrientationHistogram()
    private var sampler = DescriptorSampler()

    package init() {}

    /// The descriptors of a picture's corners, and whose each one is: a corner with two dominant directions has two.
    ///
    /// - Parameters:
    ///   - pixel: the brightness of the first pixel of the first row, on any scale.
    ///   - stride: values from one row to the next.
    ///   - corners: in pixels, the first one's centre at 0.5; those outside are described by what is at the edge.
    ///   - angles: how each corner's surroundings are turned, in radians from +x towards +y; nil for those that are turned as what they show.
    ///     Empty: all are.
    ///   - scale: the blur at which they are looked at, in pixels: a descriptor spans about 15 times that.
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
