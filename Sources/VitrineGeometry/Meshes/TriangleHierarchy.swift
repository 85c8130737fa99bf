/// A bounding volume hierarchy over triangles, for ray casting.
///
/// Immutable, so that several threads may cast rays at the same time. Building takes O(n log n) for n triangles, a ray about O(log n). Built
/// with the binned surface-area heuristic (Wald 2007). Watertight: a ray through a shared edge or corner of triangles hits at least one of them.
///
/// ```swift
/// let hierarchy = TriangleHierarchy(positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 2])
/// let hit = hierarchy.nearest(Ray(origin: [0.2, 0.2, 1], direction: [0, 0, -1]))
/// hit?.distance   // 1.0
/// ```
package struct TriangleHierarchy: Sendable {
    /// The intersection of a ray with a triangle.
    package struct Hit: Equatable, Sendable {
        /// The index of the triangle in the caller's order.
        package var triangle: Int
        /// The distance in multiples of the ray's direction.
        package var distance: Float
        /// The barycentric weights of the triangle's second and third corner.
        package var u, v: Float

        package init(triangle: Int, distance: Float, u: Float, v: Float) {
            (self.triangle, self.distance, self.u, self.v) = (triangle, distance, u, v)
        }
    }

    /// A node: a bounding box with the triangles of a leaf, or with two adjacent child nodes.
    struct TreeNode {
        /// The lower corner of the box; w is the first triangle of a leaf, or the first child.
        var minimum: Vector4
        /// The upper corner of the box; w is the number of triangles, 0 for an inner node.
        var maximum: Vector4

        var first: Int { Int(minimum.w.bitPattern) }
        var count: Int { Int(maximum.w.bitPattern) }

        init(_ box: BoundingBox, first: Int, count: Int) {
            minimum = Vector4(box.minimum, Float(bitPattern: UInt32(first)))
            maximum = Vector4(box.maximum, Float(bitPattern: UInt32(count)))
        }
    }

    let tree: [TreeNode]
    /// Three vectors per triangle, in the layout of `ShearedRay`: the x coordinates of its corners, the y coordinates, the z coordinates.
    let corners: [Vector4]
    /// The caller's index of each triangle in tree order.
    let numbers: [UInt32]

    /// The bounding box of all triangles.
    package let bounds: BoundingBox
    /// The number of triangles, including those that rays never hit.
    package var triangleCount: Int { numbers.count }

    /// Builds the hierarchy of a triangle mesh.
    ///
    /// - Parameters:
    ///   - positions: 3 floats per vertex.
    ///   - indices: 3 per triangle, each below the number of vertices. Triangles with a corner that is not finite are never hit.
    package init(positions: [Float], indices: [UInt32]) {
        var builder = TriangleHierarchyBuilder(positions: positions, indices: indices)
        builder.build()
        (tree, corners, numbers) = (builder.tree, builder.corners, builder.numbers)
        bounds = builder.bounds
    }
}

extension TriangleHierarchy {
    /// Returns the nearest hit from either side up to the distance `limit` (in multiples of the ray's direction); of equally near hits, the first
    /// in the caller's order.
    package func nearest(_ ray: Ray, within limit: Float = .infinity) -> Hit? {
        var best: Hit?
        forEachHit(ray, within: limit) { hit in
            if let best, best.distance == hit.distance, best.triangle < hit.triangle { return best.distance }
            best = hit
            return hit.distance
        }
        return best
    }

    /// Returns whether the ray hits any triangle up to the distance `limit`; faster than `nearest`.
    package func isMet(by ray: Ray, within limit: Float = .infinity) -> Bool {
        var isMet = false
        var reach = limit
        visit(ray, reach: &reach) { _, _, _ in
            isMet = true
            return false
        }
        return isMet
    }

    /// Returns all hits, nearest first; equally near ones in the caller's order.
    package func all(_ ray: Ray, within limit: Float = .infinity) -> [Hit] {
        var hits: [Hit] = []
        forEachHit(ray, within: limit) { hit in
            hits.append(hit)
            return limit
        }
        return hits.sorted { ($0.distance, $0.triangle) < ($1.distance, $1.triangle) }
    }

    /// Calls `body` for the hits up to the distance `limit`, nearer boxes first; `body` returns the new limit.
    @inline(__always)
    package func forEachHit(_ ray: Ray, within limit: Float, _ body: (Hit) -> Float) {
        var reach = limit
        visit(ray, reach: &reach) { index, hit, reach in
            reach = body(Hit(triangle: Int(numbers[index]), distance: hit.distance, u: hit.u, v: hit.v))
            return true
        }
    }

    /// Traverses the tree, nearer boxes first, and passes every hit within `reach` to `found`, which can shorten `reach`, or return false to stop.
    @inline(__always)
    private func visit(
        _ ray: Ray, reach: inout Float, _ found: (Int, (distance: Float, u: Float, v: Float), inout Float) -> Bool
    ) {
        guard !tree.isEmpty else { return }
        // Every component of the inverse is finite, so that a ray in the plane of a box's side does not give NaN.
        let inverse = 1 / ray.direction.replacing(with: 2e-38, where: ray.direction.magnitudes .< 2e-38)
        let sheared = ShearedRay(ray)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: TriangleHierarchyBuilder.maximumDepth + 2) { stack in
            tree.withUnsafeBufferPointer { tree in
                corners.withUnsafeBufferPointer { corners in
                    guard entry(tree[0], ray.origin, inverse, reach) != nil else { return }
                    var depth = 1
                    stack[0] = 0
                    while depth > 0 {
                        depth -= 1
                        let node = tree[Int(stack[depth])]
                        if node.count > 0 {
                            for index in node.first..<node.first + node.count {
                                guard let hit = sheared.intersection(corners, at: index * 3), hit.distance <= reach else { continue }
                                if !found(index, hit, &reach) { return }
                            }
                            continue
                        }
                        let left = entry(tree[node.first], ray.origin, inverse, reach)
                        let right = entry(tree[node.first + 1], ray.origin, inverse, reach)
                        let (a, b) = (UInt32(node.first), UInt32(node.first + 1))
                        switch (left, right) {
                        case (let l?, let r?):
                            (stack[depth], stack[depth + 1]) = l <= r ? (b, a) : (a, b)
                            depth += 2
                        case (_?, nil):
                            stack[depth] = a
                            depth += 1
                        case (nil, _?):
                            stack[depth] = b
                            depth += 1
                        case (nil, nil): break
                        }
                    }
                }
            }
        }
    }

    /// Returns the distance at which the ray enters a node's box, if within `reach`. Conservative (Ize 2013).
    @inline(__always)
    private func entry(_ node: TreeNode, _ origin: Vector3, _ inverse: Vector3, _ reach: Float) -> Float? {
        let a = (node.minimum.xyz - origin) * inverse
        let b = (node.maximum.xyz - origin) * inverse
        let low = lesser(a, b)
        let high = greater(a, b)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), high.z) * (1 + 4 * Float.ulpOfOne)
        return near <= far && near <= reach ? near : nil
    }
}
