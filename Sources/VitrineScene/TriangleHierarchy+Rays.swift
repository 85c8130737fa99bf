import VitrineMath

extension TriangleHierarchy {
    /// The nearest triangle that the ray meets, from either side, no farther than `limit` (in multiples of its direction); of equally near
    /// ones the first in the caller's order.
    public func nearest(_ ray: Ray, within limit: Float = .infinity) -> Hit? {
        var best: Hit?
        forEachHit(ray, within: limit) { hit in
            if let best, best.distance == hit.distance, best.triangle < hit.triangle { return best.distance }
            best = hit
            return hit.distance
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

    /// Every triangle that the ray meets, nearest first; equally near ones in the caller's order.
    public func all(_ ray: Ray, within limit: Float = .infinity) -> [Hit] {
        var hits: [Hit] = []
        forEachHit(ray, within: limit) { hit in
            hits.append(hit)
            return limit
        }
        return hits.sorted { ($0.distance, $0.triangle) < ($1.distance, $1.triangle) }
    }

    /// Calls `body` for the triangles that the ray meets, nearer boxes first, no farther than `limit`; `body` returns the new limit.
    @inline(__always)
    func forEachHit(_ ray: Ray, within limit: Float, _ body: (Hit) -> Float) {
        var reach = limit
        visit(ray, reach: &reach) { index, hit, reach in
            reach = body(Hit(triangle: Int(numbers[index]), distance: hit.distance, u: hit.u, v: hit.v))
            return true
        }
    }

    /// Walks the tree, nearer boxes first, and hands every hit within `reach` to `found`, which may shorten `reach` or end the walk by false.
    @inline(__always)
    private func visit(
        _ ray: Ray, reach: inout Float, _ found: (Int, (distance: Float, u: Float, v: Float), inout Float) -> Bool
    ) {
        guard !tree.isEmpty else { return }
        // Every component of the inverse is finite, so that a ray in the plane of a box's side gives no NaN.
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

    /// Where the ray enters a node's box, if it does within `reach`. Errs on the side of meeting (Ize 2013).
    @inline(__always)
    private func entry(_ node: TreeNode, _ origin: Vector3, _ inverse: Vector3, _ reach: Float) -> Float? {
        let a = (node.minimum.xyz - origin) * inverse
        let b = (node.maximum.xyz - origin) * inverse
        let low = pointwiseMin(a, b)
        let high = pointwiseMax(a, b)
        let near = max(max(low.x, low.y), max(low.z, 0))
        let far = min(min(high.x, high.y), high.z) * (1 + 4 * Float.ulpOfOne)
        return near <= far && near <= reach ? near : nil
    }
}
