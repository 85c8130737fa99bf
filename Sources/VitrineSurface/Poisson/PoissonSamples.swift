import VitrineMath
import VitrineVision

/// The points in the unit cube and in Morton order; points of the same finest cell are merged.
struct PoissonSamples: Sendable {
    /// Levels of the lattice that `keys` refer to.
    let depth: Int
    /// World = unit · `scale` + `origin`.
    let origin: Vector3
    let scale: Float
    /// Ascending, 3 · depth bits.
    let keys: Buffer<UInt64>
    /// The positions of the samples in 0…1, and in w the sum of the points' weights.
    let positions: Buffer<Vector4>
    /// The outward unit mean normals of the samples, and in w the number of merged points.
    let normals: Buffer<Vector4>
    /// The sample of each point.
    let owners: Buffer<UInt32>

    var count: Int { keys.count }

    /// Collects the samples of points in an octree's cube.
    ///
    /// - Parameter edge: The edge length of the cube, longer than the points' longest extent.
    init(_ points: SurfacePoints, depth: Int, edge: Float) {
        let bounds = points.bounds
        let scale = edge
        let origin = bounds.center - Vector3(repeating: scale / 2)
        let resolution = Float(1 << depth)
        let unit = points.positions.map { ($0 - origin) / scale }
        let rawKeys = unit.map { point in
            let cell = (point * resolution).clamped(
                lowerBound: Vector3(repeating: 0), upperBound: Vector3(repeating: resolution - 1))
            return Morton.key(UInt32(cell.x), UInt32(cell.y), UInt32(cell.z))
        }
        let order = Morton.order(rawKeys, bits: 3 * depth)

        var unique = 0
        var last: UInt64?
        for item in order where rawKeys[Int(item)] != last {
            last = rawKeys[Int(item)]
            unique += 1
        }
        (self.depth, self.origin, self.scale) = (depth, origin, scale)
        keys = Buffer(count: unique, repeating: 0)
        positions = Buffer(count: unique, repeating: .zero)
        normals = Buffer(count: unique, repeating: .zero)
        owners = Buffer(count: points.count, repeating: 0)
        var sample = -1
        last = nil
        for item in order {
            let item = Int(item)
            if rawKeys[item] != last {
                last = rawKeys[item]
                sample += 1
                keys[sample] = rawKeys[item]
            }
            let weight = points.weights[item]
            positions[sample] += Vector4(unit[item] * weight, weight)
            normals[sample] += Vector4(points.normals[item] * weight, 1)
            owners[item] = UInt32(sample)
        }
        for sample in 0..<unique {
            positions[sample] = Vector4(positions[sample].xyz / positions[sample].w, positions[sample].w)
            normals[sample] = Vector4(normalize(normals[sample].xyz), normals[sample].w)
        }
    }

    /// The index of the sample's cell on level `level` among the eight cells of its parent.
    @inline(__always) func octant(_ sample: Int, level: Int) -> Int {
        Int(truncatingIfNeeded: keys[sample] >> UInt64(3 * (depth - level))) & 7
    }

    /// The position of the sample in its cell on level `level`, 0…1.
    @inline(__always) func fraction(_ sample: Int, level: Int) -> Vector3 {
        let position = positions[sample].xyz * Float(1 << level)
        return position - position.rounded(.down)
    }
}
