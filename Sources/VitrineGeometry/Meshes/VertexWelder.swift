/// Assigns equal vertices the same identifier.
package struct VertexWelder {
    private struct Key: Hashable {
        var a: SIMD8<Float>
    }

    package init() {}

    private var identifiers: [Key: Int32] = [:]
    /// The number of distinct vertices so far.
    package private(set) var count = 0

    /// Returns the identifier of a vertex, counted from 0 in order of first use; −0 equals 0, and NaN equals no value.
    package mutating func identifier(
        _ position: Vector3, _ normal: Vector3 = Vector3(repeating: 0), _ coordinate: Vector2 = Vector2(repeating: 0)
    )
        -> Int32
    {
        let key = Key(a: SIMD8(position.x, position.y, position.z, normal.x, normal.y, normal.z, coordinate.x, coordinate.y))
        if let known = identifiers[key] { return known }
        let new = Int32(count)
        identifiers[key] = new
        count += 1
        return new
    }
}
