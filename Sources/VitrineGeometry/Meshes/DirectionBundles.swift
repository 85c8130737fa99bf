/// Directions in bundles of eight that lie together, for the rays of a `RayBundle`.
package struct DirectionBundles: Sendable {
    /// The coordinates of eight directions.
    package struct Bundle: Sendable {
        package var x = SIMD8<Float>(repeating: 0)
        package var y = SIMD8<Float>(repeating: 0)
        package var z = SIMD8<Float>(repeating: 0)
        /// The lanes with a direction; only the last bundle can lack some.
        package var lanes: UInt8 = 0
    }

    /// The number of directions.
    package let count: Int
    package let bundles: [Bundle]

    package init(_ directions: [Vector3]) {
        var directions = directions
        Self.group(&directions[...])
        count = directions.count
        bundles = stride(from: 0, to: count, by: 8).map { first in
            var bundle = Bundle()
            for (lane, direction) in directions[first..<min(first + 8, directions.count)].enumerated() {
                (bundle.x[lane], bundle.y[lane], bundle.z[lane]) = (direction.x, direction.y, direction.z)
                bundle.lanes |= 1 << lane
            }
            return bundle
        }
    }

    /// Sorts directions so that every eight lie together: halves them across the axis of their largest extent, at a multiple of eight.
    private static func group(_ directions: inout ArraySlice<Vector3>) {
        guard directions.count > 8 else { return }
        var box = BoundingBox.empty
        for direction in directions { box.formUnion(direction) }
        let size = box.size
        let axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2)
        directions.sort { $0[axis] < $1[axis] }
        let middle = directions.startIndex + (directions.count / 2 + 7) / 8 * 8
        group(&directions[..<middle])
        group(&directions[middle...])
    }
}
