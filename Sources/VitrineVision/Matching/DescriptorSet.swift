/// Descriptors with precomputed data for matching.
package struct DescriptorSet: Equatable, Sendable {
    /// The descriptors, 128 bytes each.
    package let bytes: [UInt8]
    /// The squared length of each descriptor.
    package let squares: [Int32]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        squares = DescriptorMatcher.squares(bytes)
    }

    /// The first descriptors of a photo, at most `count`.
    init(first count: Int, of photo: PreparedFeatures) {
        squares = Array(photo.squares.prefix(count))
        bytes = Array(photo.features.descriptors.prefix(FeatureSet.descriptorLength * squares.count))
    }

    package var count: Int { squares.count }

    /// The squared distance between one of these and one of another set.
    package func squaredDistance(_ index: Int, to other: DescriptorSet, _ number: Int) -> Int32 {
        bytes.withUnsafeBufferPointer { a in
            other.bytes.withUnsafeBufferPointer { b in
                squares[index] &+ other.squares[number]
                    &- 2 &* DescriptorMatcher.product(a.baseAddress! + 128 * index, b.baseAddress! + 128 * number)
            }
        }
    }

    /// Returns the mutual nearest neighbours that pass the ratio test.
    ///
    /// - Parameter ratio: The largest ratio of the distances to the nearest and the second nearest (Lowe 2004).
    package func matches(_ other: DescriptorSet, ratio: Float) -> [(first: Int, second: Int, ratio: Float)] {
        DescriptorMatcher.mutual((bytes, squares), count, (other.bytes, other.squares), other.count, ratio: ratio)
            .map { (Int($0.first), Int($0.second), $0.ratio) }
    }
}
