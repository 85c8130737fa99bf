import CLanes

/// Eight rays from one point, which a hierarchy tests together: each box and each triangle is read once, and a triangle has the same three normals for all.
package struct RayBundle: Sendable {
    let origin: Vector3
    let x, y, z: SIMD8<Float>

    /// - Parameters:
    ///   - origin: Where all rays begin.
    ///   - x: The x coordinates of their directions, of any length.
    ///   - y: The y coordinates.
    ///   - z: The z coordinates.
    package init(origin: Vector3, x: SIMD8<Float>, y: SIMD8<Float>, z: SIMD8<Float>) {
        (self.origin, self.x, self.y, self.z) = (origin, x, y, z)
    }
}

extension TriangleHierarchy {
    /// Returns which rays of a bundle hit any triangle at any distance: bit i is set for ray i.
    ///
    /// Faster than eight calls of `isMet(by:)`, most of all for rays of similar directions; not watertight: a ray through the edge of two triangles may
    /// pass between them.
    ///
    /// - Parameter active: The rays to cast; the others hit nothing.
    package func met(by bundle: RayBundle, active wanted: UInt8) -> UInt8 {
        var met: UInt8 = 0
        guard !tree.isEmpty, wanted != 0 else { return 0 }
        var active = wanted
        let boxes = BoxTest(bundle)
        let along = Vector3(bundle.x[0], bundle.y[0], bundle.z[0])
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: TriangleHierarchyBuilder.maximumDepth + 2) { stack in
            tree.withUnsafeBufferPointer { tree in
                corners.withUnsafeBufferPointer { corners in
                    guard boxes.enters(tree[0]) & active != 0 else { return }
                    var depth = 1
                    stack[0] = 0
                    while depth > 0 {
                        depth -= 1
                        let node = tree[Int(stack[depth])]
                        if node.count > 0 {
                            for index in node.first..<node.first + node.count {
                                let hits = bundle.hits(corners, at: index * 3) & active
                                met |= hits
                                active &= ~hits
                                if active == 0 { return }
                            }
                            continue
                        }
                        let (left, right) = (tree[node.first], tree[node.first + 1])
                        // The nearer child is popped first.
                        let between = left.minimum + left.maximum - right.minimum - right.maximum
                        let leftIsNearer = dot(between.xyz, along) < 0
                        let (first, last) = leftIsNearer ? (node.first + 1, node.first) : (node.first, node.first + 1)
                        if boxes.enters(tree[first]) & active != 0 {
                            stack[depth] = UInt32(first)
                            depth += 1
                        }
                        if boxes.enters(tree[last]) & active != 0 {
                            stack[depth] = UInt32(last)
                            depth += 1
                        }
                    }
                }
            }
        }
        return met
    }

    /// Tests the rays of a bundle against boxes.
    private struct BoxTest {
        private let origin: Vector3
        private let inverseX, inverseY, inverseZ: SIMD8<Float>

        init(_ bundle: RayBundle) {
            func inverse(_ d: SIMD8<Float>) -> SIMD8<Float> { 1 / d.replacing(with: 2e-38, where: greater(d, -d) .< 2e-38) }
            origin = bundle.origin
            (inverseX, inverseY, inverseZ) = (inverse(bundle.x), inverse(bundle.y), inverse(bundle.z))
        }

        /// Conservative (Ize 2013).
        @inline(__always)
        func enters(_ node: TreeNode) -> UInt8 {
            let (low, high) = (node.minimum.xyz - origin, node.maximum.xyz - origin)
            let (ax, bx) = (inverseX * low.x, inverseX * high.x)
            let (ay, by) = (inverseY * low.y, inverseY * high.y)
            let (az, bz) = (inverseZ * low.z, inverseZ * high.z)
            let near = greater(greater(lesser(ax, bx), lesser(ay, by)), greater(lesser(az, bz), SIMD8(repeating: 0)))
            let far = lesser(lesser(greater(ax, bx), greater(ay, by)), greater(az, bz)) * (1 + 4 * Float.ulpOfOne)
            return vitrine_lanes_at_most8(near, far)
        }
    }
}

extension RayBundle {
    /// Returns which rays hit a triangle, from either side (Möller and Trumbore 1997): of the triple products of the test, all factors but the direction are
    /// the same for all rays.
    @inline(__always)
    fileprivate func hits(_ corners: UnsafeBufferPointer<Vector4>, at first: Int) -> UInt8 {
        let (cx, cy, cz) = (corners[first], corners[first + 1], corners[first + 2])
        let a = Vector3(cx.x, cy.x, cz.x)
        let (edge1, edge2) = (Vector3(cx.y, cy.y, cz.y) - a, Vector3(cx.z, cy.z, cz.z) - a)
        let toOrigin = origin - a
        let perpendicular = cross(toOrigin, edge1)
        let determinant = along(cross(edge2, edge1))
        let side = SIMD8<Float>(repeating: 1).replacing(with: -1, where: determinant .< 0)
        let (u, v) = (along(cross(edge2, toOrigin)) * side, along(perpendicular) * side)
        let (distance, size) = (side * dot(edge2, perpendicular), determinant * side)
        let inside = vitrine_lanes_at_most8(SIMD8(repeating: 0), lesser(lesser(u, v), distance)) & vitrine_lanes_at_most8(u + v, size)
        return inside & vitrine_lanes_at_most8(SIMD8(repeating: .leastNonzeroMagnitude), size)
    }

    /// The scalar products of the directions with a vector.
    @inline(__always)
    private func along(_ v: Vector3) -> SIMD8<Float> { x * v.x + y * v.y + z * v.z }
}
