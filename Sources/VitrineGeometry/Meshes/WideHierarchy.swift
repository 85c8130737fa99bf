import CLanes
import VitrineMath

/// A ray with everything that does not change along its way through a `WideHierarchy`.
package struct TraversalRay {
    let origin, direction: Vector3
    /// 1 / direction, finite.
    let inverse: Vector3
    /// The axis along which the ray advances most, and the two others.
    let main, first, second: Int
    /// The movement along `first` and `second` for a unit along `main`, and 1 / direction along `main`.
    let shear: Vector3

    /// - Parameter direction: Of any length, which is the unit of distances along the ray.
    package init(origin: Vector3, direction: Vector3) {
        (self.origin, self.direction) = (origin, direction)
        let small: Float = 1e-18
        func inverted(_ x: Float) -> Float { 1 / (abs(x) < small ? (x < 0 ? -small : small) : x) }
        inverse = Vector3(inverted(direction.x), inverted(direction.y), inverted(direction.z))
        let size = Vector3(abs(direction.x), abs(direction.y), abs(direction.z))
        main = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2)
        (first, second) = (main == 2 ? 0 : main + 1, main == 0 ? 2 : main - 1)
        shear = Vector3(direction[first] / direction[main], direction[second] / direction[main], 1 / direction[main])
    }
}

/// The nodes that a ray has still to visit; one for each thread.
package struct TraversalStack {
    struct Entry: BitwiseCopyable {
        var reference: UInt32
        /// The distance at which the ray enters the node's box.
        var entry: Float
    }

    /// Seven more for each level of the deepest tree.
    private static let capacity = 640

    let entries: UnsafeMutablePointer<Entry>
    /// The distances at which the ray enters the boxes of a node.
    let distances: UnsafeMutablePointer<SIMD8<Float>>

    package init() {
        entries = .allocate(capacity: Self.capacity)
        distances = .allocate(capacity: 1)
    }

    package func deallocate() {
        entries.deallocate()
        distances.deallocate()
    }
}

/// A bounding volume hierarchy of eight children per node, for ray casting.
///
/// Boxes are tested eight at a time, triangles four at a time, both watertight (Woop, Benthin and Wald 2013): each corner is moved into the ray's
/// frame by itself, with the same rounding in every triangle that has it, and a rounded edge function there never has the wrong sign. So no ray passes
/// between the triangles of an edge or of a corner.
///
/// Unchecked Sendable: only `init` writes the memory behind the pointers, which the last owner frees; all stored properties are constants.
package final class WideHierarchy: @unchecked Sendable {
    /// A hit; `triangle` is −1 without one.
    package struct Hit {
        package var triangle: Int32 = -1
        package var distance: Float
        /// Barycentric weights of the second and third corner.
        package var u: Float = 0
        package var v: Float = 0

        package init(triangle: Int32 = -1, distance: Float, u: Float = 0, v: Float = 0) {
            (self.triangle, self.distance, self.u, self.v) = (triangle, distance, u, v)
        }
    }

    /// The triangles that a ray met last.
    package struct Blocker {
        fileprivate var block: Int32 = -1

        package init() {}
    }

    /// Six planes (minimum x, y, z, maximum x, y, z) and the references of the children.
    static let vectorsPerNode = 7
    /// Three coordinates of three corners, and the numbers of the triangles.
    static let vectorsPerBlock = 10
    static let noChild: UInt32 = 0xFFFF_FFFF
    /// Marks a reference as a leaf; three bits follow for the number of blocks less one.
    static let leafBit: UInt32 = 1 << 31
    static let blockMask: UInt32 = (1 << 28) - 1
    /// Marks a triangle's number: its hits are confirmed by `accepts`.
    static let filteredBit: UInt32 = 1 << 31

    private let nodes: UnsafeMutablePointer<SIMD8<Float>>
    private let blocks: UnsafeMutablePointer<Vector4>
    package let nodeCount: Int
    /// The bounding box of all triangles with finite corners; empty without them.
    package let bounds: BoundingBox

    /// Builds the hierarchy in O(n log n) for n triangles.
    ///
    /// - Parameters:
    ///   - corners: A triangle's corners; triangles that are not finite are omitted.
    ///   - isFiltered: Whether hits of a triangle must be accepted.
    package init(count: Int, corners: @escaping (Int) -> (Vector3, Vector3, Vector3), isFiltered: (Int) -> Bool = { _ in false }) {
        var builder = WideHierarchyBuilder(count: count, corners: corners)
        builder.build(isFiltered: isFiltered)
        nodes = .allocate(capacity: max(builder.nodes.count, 1))
        nodes.initialize(from: builder.nodes, count: builder.nodes.count)
        blocks = .allocate(capacity: max(builder.blocks.count, 1))
        blocks.initialize(from: builder.blocks, count: builder.blocks.count)
        nodeCount = builder.nodes.count / Self.vectorsPerNode
        bounds = builder.bounds
    }

    deinit {
        nodes.deallocate()
        blocks.deallocate()
    }

    /// The nearest accepted hit in `near` ..< `far`.
    ///
    /// - Parameter accepts: Takes the number of a filtered triangle, the distance and the barycentric weights.
    package func nearest(
        _ ray: TraversalRay, from near: Float, to far: Float, stack: TraversalStack, accepts: (Int32, Float, Float, Float) -> Bool
    ) -> Hit {
        var best = Hit(distance: far)
        traverse(ray, near, &best, stack, stopsAtFirst: false, accepts)
        return best
    }

    /// Whether there is an accepted hit in `near` ..< `far`.
    package func isBlocked(
        _ ray: TraversalRay, from near: Float, to far: Float, stack: TraversalStack, accepts: (Int32, Float, Float, Float) -> Bool
    ) -> Bool {
        var best = Hit(distance: far)
        traverse(ray, near, &best, stack, stopsAtFirst: true, accepts)
        return best.triangle >= 0
    }

    /// Whether the ray meets any triangle, filtered or not, at any distance.
    ///
    /// - Parameter last: What an earlier, similar ray met: it is tested first, which saves time and does not change the result.
    package func isMet(by ray: TraversalRay, stack memory: TraversalStack, last: inout Blocker) -> Bool {
        guard nodeCount > 0 else { return false }
        let (nodes, blocks) = (UnsafePointer(nodes), UnsafePointer(blocks))
        var hit = Hit(distance: .infinity)
        if last.block >= 0 {
            intersect(blocks + Int(last.block) * Self.vectorsPerBlock, ray, 0, &hit) { _, _, _, _ in true }
            if hit.triangle >= 0 { return true }
        }
        let boxes = BoxTest(ray, bounds)
        let stack = memory.entries
        let start = SIMD8<Float>(repeating: 0)
        var depth = 1
        stack[0].reference = 0
        while depth > 0 {
            depth -= 1
            let current = stack[depth].reference
            if current & Self.leafBit == 0 {
                let node = nodes + Int(current) * Self.vectorsPerNode
                let references = UnsafeRawPointer(node + 6).assumingMemoryBound(to: UInt32.self)
                var bits = Int(vitrine_lanes_at_most8(greater(boxes.entry(node), start), boxes.exit(node)))
                while bits != 0 {
                    stack[depth].reference = references[bits.trailingZeroBitCount]
                    bits &= bits - 1
                    depth += 1
                }
            } else {
                let firstBlock = Int(current & Self.blockMask)
                for block in firstBlock..<firstBlock + Int((current >> 28) & 7) + 1 {
                    intersect(blocks + block * Self.vectorsPerBlock, ray, 0, &hit) { _, _, _, _ in true }
                    if hit.triangle >= 0 {
                        last.block = Int32(block)
                        return true
                    }
                }
            }
        }
        return false
    }

    @inline(__always)
    private func traverse(
        _ ray: TraversalRay, _ near: Float, _ best: inout Hit, _ memory: TraversalStack, stopsAtFirst: Bool,
        _ accepts: (Int32, Float, Float, Float) -> Bool
    ) {
        guard nodeCount > 0 else { return }
        let (nodes, blocks, stack) = (UnsafePointer(nodes), UnsafePointer(blocks), memory.entries)
        let distances = UnsafeRawPointer(memory.distances).assumingMemoryBound(to: Float.self)
        let boxes = BoxTest(ray, bounds)
        let start = SIMD8<Float>(repeating: near)
        var depth = 0
        var current: UInt32 = 0
        while true {
            if current & Self.leafBit == 0 {
                let node = nodes + Int(current) * Self.vectorsPerNode
                let entry = greater(boxes.entry(node), start)
                var bits = Int(vitrine_lanes_at_most8(entry, lesser(boxes.exit(node), SIMD8(repeating: best.distance))))
                if bits != 0 {
                    let references = UnsafeRawPointer(node + 6).assumingMemoryBound(to: UInt32.self)
                    let lane = bits.trailingZeroBitCount
                    bits &= bits - 1
                    guard bits != 0 else {
                        current = references[lane]
                        continue
                    }
                    memory.distances.pointee = entry
                    var nearest = TraversalStack.Entry(reference: references[lane], entry: distances[lane])
                    let first = depth
                    repeat {
                        let lane = bits.trailingZeroBitCount
                        bits &= bits - 1
                        var other = TraversalStack.Entry(reference: references[lane], entry: distances[lane])
                        if other.entry <= nearest.entry { swap(&other, &nearest) }
                        // Sorted: the nearest last.
                        var slot = depth
                        while slot > first, stack[slot - 1].entry < other.entry {
                            stack[slot] = stack[slot - 1]
                            slot -= 1
                        }
                        stack[slot] = other
                        depth += 1
                    } while bits != 0
                    current = nearest.reference
                    continue
                }
            } else {
                let firstBlock = Int(current & Self.blockMask)
                let count = Int((current >> 28) & 7) + 1
                for block in firstBlock..<firstBlock + count {
                    intersect(blocks + block * Self.vectorsPerBlock, ray, near, &best, accepts)
                    if stopsAtFirst, best.triangle >= 0 { return }
                }
            }
            repeat {
                if depth == 0 { return }
                depth -= 1
            } while stack[depth].entry > best.distance
            current = stack[depth].reference
        }
    }

    /// Intersects the ray with four triangles.
    @inline(__always)
    private func intersect(
        _ block: UnsafePointer<Vector4>, _ ray: TraversalRay, _ near: Float, _ best: inout Hit,
        _ accepts: (Int32, Float, Float, Float) -> Bool
    ) {
        let (x, y, z) = (ray.first, ray.second, ray.main)
        let (ox, oy, oz) = (Vector4(repeating: ray.origin[x]), Vector4(repeating: ray.origin[y]), Vector4(repeating: ray.origin[z]))
        let (sx, sy) = (Vector4(repeating: ray.shear.x), Vector4(repeating: ray.shear.y))
        let (az, bz, cz) = (block[z] - oz, block[z + 3] - oz, block[z + 6] - oz)
        let (ax, ay) = (block[x] - ox - sx * az, block[y] - oy - sy * az)
        let (bx, by) = (block[x + 3] - ox - sx * bz, block[y + 3] - oy - sy * bz)
        let (cx, cy) = (block[x + 6] - ox - sx * cz, block[y + 6] - oy - sy * cz)
        // Twice the areas of the triangles of each edge and the ray. Their two products are rounded by themselves, without fused operations, so that
        // the difference has the right sign or is 0; 0 counts as inside on both sides of an edge.
        let u = ax * cy - ay * cx
        let v = bx * ay - by * ax
        let w = cx * by - cy * bx
        let zero = Vector4(repeating: 0)
        let inside = vitrine_lanes_at_most4(zero, lesser(lesser(u, v), w)) | vitrine_lanes_at_most4(greater(greater(u, v), w), zero)
        if inside == 0 { return }
        let sum = u + v + w
        // Without area, the distance is infinite or not a number.
        let distance = (w * az + u * bz + v * cz) / sum * Vector4(repeating: ray.shear.z)
        var bits = Int(
            inside & vitrine_lanes_at_most4(Vector4(repeating: near), distance)
                & vitrine_lanes_at_most4(distance, Vector4(repeating: best.distance)))
        while bits != 0 {
            let lane = bits.trailingZeroBitCount
            bits &= bits - 1
            let t = distance[lane]
            guard t < best.distance else { continue }
            let number = unsafeBitCast(block[9], to: SIMD4<UInt32>.self)[lane]
            let triangle = Int32(bitPattern: number & ~Self.filteredBit)
            let (wu, wv) = (u[lane] / sum[lane], v[lane] / sum[lane])
            if number & Self.filteredBit != 0, !accepts(triangle, t, wu, wv) { continue }
            best = Hit(triangle: triangle, distance: t, u: wu, v: wv)
        }
    }
}

extension WideHierarchy {
    /// A ray's test of a node's eight boxes.
    private struct BoxTest {
        private let ix, iy, iz, ox, oy, oz, px, py, pz: SIMD8<Float>
        private let nearX, nearY, nearZ: Int

        @inline(__always)
        init(_ ray: TraversalRay, _ bounds: BoundingBox) {
            (ix, iy, iz) = (SIMD8(repeating: ray.inverse.x), SIMD8(repeating: ray.inverse.y), SIMD8(repeating: ray.inverse.z))
            // Boxes grow by the error of the corners in the ray's frame, which depends on their distance.
            let o = ray.origin
            let (below, above) = (o - bounds.minimum, bounds.maximum - o)
            let reach = Vector3(max(below.x, above.x, 0), max(below.y, above.y, 0), max(below.z, above.z, 0))
            let error = (reach + Vector3(repeating: reach[ray.main])) * (5 * Float.ulpOfOne)
            let before = Vector3(
                ray.inverse.x < 0 ? -error.x : error.x, ray.inverse.y < 0 ? -error.y : error.y, ray.inverse.z < 0 ? -error.z : error.z)
            (ox, oy, oz) = (SIMD8(repeating: o.x + before.x), SIMD8(repeating: o.y + before.y), SIMD8(repeating: o.z + before.z))
            (px, py, pz) = (SIMD8(repeating: o.x - before.x), SIMD8(repeating: o.y - before.y), SIMD8(repeating: o.z - before.z))
            (nearX, nearY, nearZ) = (ray.inverse.x < 0 ? 3 : 0, ray.inverse.y < 0 ? 4 : 1, ray.inverse.z < 0 ? 5 : 2)
        }

        /// The distances at which the ray enters the boxes.
        @inline(__always)
        func entry(_ node: UnsafePointer<SIMD8<Float>>) -> SIMD8<Float> {
            greater(greater((node[nearX] - ox) * ix, (node[nearY] - oy) * iy), (node[nearZ] - oz) * iz)
        }

        /// The distances at which the ray leaves the boxes. Conservative (Ize 2013): rounding never makes a ray miss a box.
        @inline(__always)
        func exit(_ node: UnsafePointer<SIMD8<Float>>) -> SIMD8<Float> {
            lesser(lesser((node[3 - nearX] - px) * ix, (node[5 - nearY] - py) * iy), (node[7 - nearZ] - pz) * iz) * (1 + 6 * Float.ulpOfOne)
        }
    }
}
