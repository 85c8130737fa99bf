/// Descriptors with what comparing them needs again and again.
package struct DescriptorSet: Equatable, Sendable {
    /// 128 bytes each, one after another.
    package let bytes: [UInt8]
    /// Of each descriptor with itself.
    let squares: [Int32]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        squares = DescriptorMatcher.squares(bytes)
    }

    package var count: Int { squares.count }

    /// Between one of these and one of the others.
    package func squaredDistance(_ index: Int, to other: DescriptorSet, _ number: Int) -> Int32 {
        bytes.withUnsafeBufferPointer { a in
            other.bytes.withUnsafeBufferPointer { b in
                squares[index] &+ other.squares[number]
                    &- 2 &* DescriptorMatcher.product(a.baseAddress! + 128 * index, b.baseAddress! + 128 * number)
            }
        }
    }

    /// Those of both that are each other's nearest and clearly nearer than the next.
    ///
    /// - Parameter ratio: the most that the nearest distance may be of the second nearest (Lowe 2004).
    package func matches(_ other: DescriptorSet, ratio: Float) -> [(first: Int, second: Int, ratio: Float)] {
        DescriptorMatcher.mutual((bytes, squares), count, (other.bytes, other.squares), other.count, ratio: ratio)
            .map { (Int($0.first), Int($0.second), $0.ratio) }
    }
}
