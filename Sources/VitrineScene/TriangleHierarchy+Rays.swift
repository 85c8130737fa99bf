import VitrineMath

extension TriangleHierarchy {
    /// The nearest triangle that the ray meets, from either side, no farther than `limit` (in multiples of its direction).
    public func nearest(_ ray: Ray, within limit: Float = .infinity) -> Hit? {
        var best: Hit?
        var reach = limit
        visit(ray, reach: &reach) { index, hit, reach in
            best = Hit(triangle: Int(numbers[index]), distance: hit.distance, u: hit.u, v: hit.v)
            reach = hit.distance
            return true
        }
        return best
    }

    /// Whether the ray meets any triangle no farther than `limit`: quicker than asking for the nearest.
    public func isMet(by ray: Ray, within limit: Float = .infinity) -> Bool {
        var isMet = false
        var reach = limit
        visit(ray, reach: &reach) { _, _, _ in
            isMet = true
            return false
        }
        return isMet
    }

    /// Every triangle that the ray meets, nearest first.
    public func all(_ ray: Ray, within limit: Float = .infinity) -> [Hit] {
        var hits: [Hit] = []
        var reach = limit
        visit(ray, reach: &reach) { index, hit, _ in
            hits.append(Hit(triangle: Int(numbers[index]), distance: hit.distance, u: hit.u, v: hit.v))
            return true
        }
        return hits.sorted { ($0.distance, $0.triangle) < ($1.distance, $1.triangle) }
    }

    /// Walks the tree, nearer boxes first, and hands every hit within `reach` to `found`, which may shorten `reach` or end the walk by false.
    @inline(__always)
    private func visit(
        _ ray: Ray, reach: inout Float, _ found: (Int, (distance: Float, u: Float, v: Float), inout Float) -> Bool
    ) {
        guard !tree.isEmpty else { return }
        // No component is 0, so that a ray in the plane of a box's side gives no NaN.
        let inverse = 1 / ray.direction.replacing(with: 1e-30, where: ray.direction .== 0)
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
                                guard let hit = intersect(ray, corners[index]), hit.distance <= reach else { continue }
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

    /// Where the ray enters a node's box, if it does within `reach`.
    @inline(__always)
    private func entry(_ node: TreeNode, _ origin: Vector3, _ inverse: Vector3, _ reach: Float) -> Float? {
        let a = (node.minimum.xyz - origin) * inverse
        let b = (node.maximum.xyz - origin) * inverse
        let low = pointwiseMin(a, b)
        let high = pointwiseMax(a, b)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), min(high.z, reach))
        return near <= far ? near : nil
    }

    /// Möller and Trumbore 1997.
    @inline(__always)
    private func intersect(_ ray: Ray, _ corner: Corner) -> (distance: Float, u: Float, v: Float)? {
        let p = cross(ray.direction, corner.ac)
        let determinant = dot(corner.ab, p)
        guard determinant != 0 else { return nil }
        let inverse = 1 / determinant
        let t = ray.origin - corner.a
        let u = dot(t, p) * inverse
        guard u >= 0, u <= 1 else { return nil }
        let q = cross(t, corner.ab)
        let v = dot(ray.direction, q) * inverse
        guard v >= 0, u + v <= 1 else { return nil }
        let distance = dot(corner.ac, q) * inverse
        return distance >= 0 ? (distance, u, v) : nil
    }
}
