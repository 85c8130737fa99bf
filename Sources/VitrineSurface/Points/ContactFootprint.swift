import VitrineMath
import VitrineVision

/// The contact area of an object with its support plane: no photo observes it, but the lowest points form a ring around it.
///
/// Collects the lowest points on a lattice in the support plane, closes gaps in the rings, and fills the area inside.
struct ContactFootprint {
    /// Points slightly below the plane, so that the surface crosses it vertically and is cut there with a sharp edge. Their normals
    /// point away from the object.
    private(set) var positions: [Vector3] = []
    let normal: Vector3
    /// The distance between the points.
    let step: Float

    /// Computes the footprint of an object on its support plane.
    ///
    /// - Parameters:
    ///   - points: The object's points, without those of the support.
    ///   - cell: The finest cell of the reconstruction.
    init(_ points: SurfacePoints, plane: Plane3<Float>, cell: Float) {
        let extent = points.extent
        normal = -plane.normal
        step = max(cell, extent / 1024)
        let u = anyPerpendicular(plane.normal)
        let v = cross(plane.normal, u)
        // Higher points do not determine the contact area.
        let band = max(0.04 * extent, 6 * cell)
        let low = points.positions.indices.filter {
            let height = plane.signedDistance(to: points.positions[$0])
            return height >= -band && height <= band
        }
        guard !low.isEmpty else { return }
        var (minimum, maximum) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
        let uvs = low.map { index -> Vector2 in
            let point = points.positions[index]
            let uv = Vector2(dot(point, u), dot(point, v))
            minimum = pointwiseMin(minimum, uv)
            maximum = pointwiseMax(maximum, uv)
            return uv
        }
        let gap = max(2, Int((0.03 * extent / step).rounded()))
        let border = gap + 2
        var grid = ContactGrid(
            width: Int((maximum.x - minimum.x) / step) + 1 + 2 * border, height: Int((maximum.y - minimum.y) / step) + 1 + 2 * border)
        let corner = minimum - Vector2(repeating: Float(border) * step)
        func column(_ uv: Vector2) -> Int { Int((uv.x - corner.x) / step) + grid.width * Int((uv.y - corner.y) / step) }
        for (uv, index) in zip(uvs, low) {
            grid.lower(column(uv), to: plane.signedDistance(to: points.positions[index]))
        }
        grid.keepLowest(within: max(1, gap / 2), slack: 3 * cell)
        grid.fill(closing: gap)
        for y in 0..<grid.height {
            for x in 0..<grid.width where grid.isFilled[x + grid.width * y] {
                let uv = corner + Vector2(Float(x) + 0.5, Float(y) + 0.5) * step
                positions.append(u * uv.x + v * uv.y + plane.normal * (plane.offset - 2.5 * cell))
            }
        }
    }
}

/// Heights above a lattice.
private struct ContactGrid {
    let width, height: Int
    private var heights: [Float]
    private(set) var isFilled: [Bool]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        heights = Array(repeating: .infinity, count: width * height)
        isFilled = Array(repeating: false, count: width * height)
    }

    mutating func lower(_ column: Int, to value: Float) { heights[column] = min(heights[column], value) }

    /// Marks columns whose lowest point is as low as its neighbours within a tolerance: an overhanging surface is not a contact.
    mutating func keepLowest(within radius: Int, slack: Float) {
        let lowest = along(heights, radius, min)
        for column in heights.indices { isFilled[column] = heights[column].isFinite && heights[column] <= lowest[column] + slack }
    }

    /// Closes gaps up to twice `radius` wide and fills the enclosed area.
    mutating func fill(closing radius: Int) {
        let wide = along(isFilled.map { $0 ? 1 : 0 }, radius, max).map { $0 > 0 }
        var isOutside = [Bool](repeating: false, count: wide.count)
        var pending = [0]
        isOutside[0] = true
        while let column = pending.popLast() {
            let (x, y) = (column % width, column / width)
            for (nx, ny) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] where nx >= 0 && ny >= 0 && nx < width && ny < height {
                let next = nx + width * ny
                if !isOutside[next], !wide[next] {
                    isOutside[next] = true
                    pending.append(next)
                }
            }
        }
        // Shrinks by the dilation and by the width of the ring: noise makes it wider than the object.
        isFilled = along(isOutside.map { $0 ? 1 : 0 }, radius + 1, max).map { $0 == 0 }
    }

    /// The extreme value in a square around each column.
    private func along(_ values: [Float], _ radius: Int, _ extreme: (Float, Float) -> Float) -> [Float] {
        var rows = values
        for y in 0..<height {
            for x in 0..<width {
                var value = values[x + width * y]
                for other in max(0, x - radius)...min(width - 1, x + radius) { value = extreme(value, values[other + width * y]) }
                rows[x + width * y] = value
            }
        }
        var result = rows
        for y in 0..<height {
            for x in 0..<width {
                var value = rows[x + width * y]
                for other in max(0, y - radius)...min(height - 1, y + radius) { value = extreme(value, rows[x + width * other]) }
                result[x + width * y] = value
            }
        }
        return result
    }
}
