import VitrineMath
import VitrineVision

/// The isosurface of an octree's function by marching cubes on the dual grid (Schaefer & Warren 2004): the cubes' corners are
/// the centres of the leaves around a corner of the octree. Closed, and without cracks between cells of different sizes.
struct DualContour {
    private let octree: Octree
    private let corners: [Buffer<Float>]
    private let isovalue: Float
    /// The plane below which everything is outside, so that the surface closes flat there.
    private let floor: Plane3<Float>?
    /// The value at the centre of each cell, above 0 inside and below 0 outside; NaN for refined cells.
    private var centers: [Buffer<Float>]
    private let polygons = CubePolygons()
    private var vertices = PairTable(capacity: 1 << 16)
    private(set) var mesh = TriangleMesh()

    /// Prepares the extraction of a surface.
    ///
    /// - Parameter floor: The floor in the world's frame.
    init(_ reconstruction: PoissonReconstruction, floor: Plane3<Float>?) {
        let samples = reconstruction.octree.samples
        self.floor = floor.map { Plane3<Float>(normal: $0.normal, offset: ($0.offset - dot($0.normal, samples.origin)) / samples.scale) }
        octree = reconstruction.octree
        corners = reconstruction.values
        isovalue = reconstruction.isovalue
        centers = octree.levels.map { _ in Buffer(count: 0, repeating: 0) }
        centers = zip(octree.levels, corners).map { level, values in centers(level, values) }
    }

    private func centers(_ level: OctreeLevel, _ values: Buffer<Float>) -> Buffer<Float> {
        let centers = Buffer<Float>(count: level.cellCount, repeating: .nan)
        for cell in 0..<level.cellCount where level.children.base[cell] < 0 {
            let leaf = Leaf(depth: level.depth, cell: cell)
            var value = uncut(leaf)
            if let floor { value = min(value, floor.signedDistance(to: center(leaf))) }
            centers.base[cell] = value
        }
        return centers
    }

    /// A leaf's level and number, as one number.
    private struct Leaf: Equatable {
        var bits: UInt32
        @inline(__always) init(depth: Int, cell: Int) { bits = UInt32(depth) << 27 | UInt32(truncatingIfNeeded: cell) }
        @inline(__always) var depth: Int { Int(bits >> 27) }
        @inline(__always) var cell: Int { Int(bits & 0x7ff_ffff) }
    }

    /// Creates the mesh. World frame of the samples.
    mutating func run(in context: StageContext) throws(SurfaceError) {
        for level in octree.levels {
            guard level.cellCount < 1 << 27 else { throw .degenerateExtent }
            for octet in 0..<level.octetCount {
                if octet & 0xfff == 0, context.isCancelled { throw .cancelled }
                var remaining = level.owned.base[octet]
                while remaining != 0 {
                    let slot = remaining.trailingZeroBitCount
                    remaining &= remaining &- 1
                    march(level, octet, slot)
                }
            }
        }
    }

    /// The dual cube around one corner of a level, unless it belongs to a finer level.
    private mutating func march(_ level: OctreeLevel, _ octet: Int, _ slot: Int) {
        let (x, y, z) = (slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1)
        let centers = self.centers[level.depth - 1]
        var cells = SIMD8<Int32>(repeating: -1)
        var values = SIMD8<Float>.zero
        var isComplete = true
        for corner in 0..<8 {
            let cell = level.cell(octet, x &+ (corner & 1), y &+ (corner >> 1 & 1), z &+ (corner >> 2))
            cells[corner] = Int32(truncatingIfNeeded: cell)
            if cell >= 0 {
                values[corner] = centers.base[cell]
            } else {
                isComplete = false
            }
        }
        var leaves = Leaves()
        if isComplete {
            // A NaN: one of the cells is refined, and the corner is one of the finer level.
            let isInside = values .> 0
            if values.sum().isNaN || isInside == SIMDMask(repeating: false) || isInside == SIMDMask(repeating: true) { return }
            for corner in 0..<8 { leaves[corner] = Leaf(depth: level.depth, cell: Int(cells[corner])) }
        } else {
            if values.sum().isNaN { return }
            let origin = level.origins.base[octet]
            for corner in 0..<8 {
                if cells[corner] >= 0 {
                    leaves[corner] = Leaf(depth: level.depth, cell: Int(cells[corner]))
                    continue
                }
                let position = SIMD3(
                    Int(origin.x) + x + (corner & 1), Int(origin.y) + y + (corner >> 1 & 1), Int(origin.z) + z + (corner >> 2))
                guard let leaf = coarseLeaf(at: position, depth: level.depth) else { return }
                leaves[corner] = leaf
                values[corner] = self.centers[leaf.depth - 1].base[leaf.cell]
            }
        }
        var inside = 0
        for corner in 0..<8 where values[corner] > 0 { inside |= 1 << corner }
        if inside != 0, inside != 255 { emit(inside, leaves, values) }
    }

    private struct Leaves {
        private var bits = SIMD8<UInt32>.zero
        subscript(corner: Int) -> Leaf {
            get {
                var leaf = Leaf(depth: 0, cell: 0)
                leaf.bits = bits[corner]
                return leaf
            }
            set { bits[corner] = newValue.bits }
        }
    }

    /// The leaf that contains a cell of level `depth`; nil outside the cube.
    private func coarseLeaf(at position: SIMD3<Int>, depth: Int) -> Leaf? {
        let size = 1 << depth
        guard position.min() >= 0, position.max() < size else { return nil }
        var cell = 0
        for d in 1...depth {
            let bits = position &>> SIMD3(repeating: depth - d)
            cell = (d == 1 ? 0 : 8 * cell) + (bits.x & 1 | (bits.y & 1) << 1 | (bits.z & 1) << 2)
            let child = octree.level(d).children[cell]
            if child < 0 { return Leaf(depth: d, cell: cell) }
            cell = Int(child)
        }
        return nil
    }

    private mutating func emit(_ inside: Int, _ leaves: Leaves, _ values: SIMD8<Float>) {
        for polygon in polygons.polygons[inside] {
            var ring: [UInt32] = []
            ring.reserveCapacity(polygon.edges.count)
            for edge in polygon.edges {
                let (low, high, axis) = polygons.edgeCorners[edge]
                let number = vertex(leaves[low], leaves[high], axis, values[low], values[high])
                // If a leaf is several corners of the cube, edges coincide.
                if ring.last != number { ring.append(number) }
            }
            if ring.count > 1, ring.first == ring.last { ring.removeLast() }
            if ring.count < 3 { continue }
            if ring.count == polygon.edges.count, !polygon.triangles.isEmpty {
                for triangle in polygon.triangles {
                    mesh.triangles.append(SIMD3(ring[triangle.x], ring[triangle.y], ring[triangle.z]))
                }
            } else if ring.count == 3 {
                mesh.triangles.append(SIMD3(ring[0], ring[1], ring[2]))
            } else {
                let middle = UInt32(mesh.positions.count)
                mesh.positions.append(ring.reduce(Vector3.zero) { $0 + mesh.positions[Int($1)] } / Float(ring.count))
                for index in ring.indices { mesh.triangles.append(SIMD3(ring[index], ring[(index + 1) % ring.count], middle)) }
            }
        }
    }

    /// The vertex between the centres of two leaves along `axis`, `low` before `high`.
    private mutating func vertex(_ low: Leaf, _ high: Leaf, _ axis: Int, _ lowValue: Float, _ highValue: Float) -> UInt32 {
        let key = UInt64(low.bits) << 32 | UInt64(high.bits)
        // The order of the two is their order along the axis, so the pair has one key.
        let next = UInt32(mesh.positions.count)
        let number = vertices.number(key) { next }
        if number == next {
            let (a, b) = (center(low), center(high))
            let t = min(0.99, max(0.01, crossing(low, high, axis, lowValue, highValue)))
            mesh.positions.append((a + (b - a) * t) * octree.samples.scale + octree.samples.origin)
        }
        return number
    }

    /// The position of the surface between 0 (`low`) and 1.
    private func crossing(_ low: Leaf, _ high: Leaf, _ axis: Int, _ lowValue: Float, _ highValue: Float) -> Float {
        guard let floor else { return crossing(low, high, axis, from: lowValue, to: highValue) }
        // The two functions are intersected separately, and the inner intersection counts, so that the floor is an exact plane.
        let (lowHeight, highHeight) = (floor.signedDistance(to: center(low)), floor.signedDistance(to: center(high)))
        let (lowUncut, highUncut) = (uncut(low), uncut(high))
        let isLowInside = lowValue > 0
        var result: Float = isLowInside ? 1 : 0
        if (lowHeight > 0) != (highHeight > 0) { result = lowHeight / (lowHeight - highHeight) }
        if (lowUncut > 0) != (highUncut > 0) {
            let other = crossing(low, high, axis, from: lowUncut, to: highUncut)
            result = isLowInside ? min(result, other) : max(result, other)
        }
        return result
    }

    /// The position at which the reconstructed function has the isovalue.
    private func crossing(_ low: Leaf, _ high: Leaf, _ axis: Int, from lowValue: Float, to highValue: Float) -> Float {
        guard low.depth == high.depth else { return lowValue / (lowValue - highValue) }
        // The function is linear from each centre to the face between the two cells.
        let corners = octree.level(low.depth).corners(ofCell: low.cell, octree.tables)
        var face: Float = 0
        for corner in 0..<8 where corner >> axis & 1 == 1 { face += self.corners[low.depth - 1][corners[corner]] }
        face = face / 4 - isovalue
        return (lowValue > 0) != (face > 0) ? 0.5 * lowValue / (lowValue - face) : 0.5 + 0.5 * face / (face - highValue)
    }

    /// The function's value at the centre of a leaf minus the isovalue, without the floor.
    @inline(__always) private func uncut(_ leaf: Leaf) -> Float {
        let level = octree.level(leaf.depth)
        let position = level.position(ofCell: leaf.cell)
        let last = UInt16(1 << leaf.depth - 1)
        // The cube's border is outside by definition: the surface closes before it.
        if position.x == 0 || position.y == 0 || position.z == 0 || position.x == last || position.y == last || position.z == last {
            return PoissonReconstruction.outside
        }
        let corners = level.corners(ofCell: leaf.cell, octree.tables)
        var sum: Float = 0
        for corner in 0..<8 { sum += self.corners[leaf.depth - 1].base[Int(corners[corner])] }
        return sum / 8 - isovalue
    }

    /// Returns the centre of a leaf in the unit cube.
    private func center(_ leaf: Leaf) -> Vector3 {
        let position = octree.level(leaf.depth).position(ofCell: leaf.cell)
        return (Vector3(Float(position.x), Float(position.y), Float(position.z)) + 0.5) / Float(1 << leaf.depth)
    }
}
