import VitrineMath
import VitrineScene

/// An equirectangular image of radiance by direction, in its own frame.
struct RadianceMap: BitwiseCopyable {
    let texels: UnsafePointer<Vector4>
    let width, height: Int32

    /// Interpolated between four texels.
    @inline(__always) func radiance(_ d: Vector3) -> Vector3 {
        let (w, h) = (Int(width), Int(height))
        let x = (0.5 + atan2(d.z, d.x) * (0.5 / .pi)) * Float(w) - 0.5
        let y = acos(clamp(d.y, -1, 1)) * (1 / .pi) * Float(h) - 0.5
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let (x0, x1) = (left < 0 ? left + w : min(left, w - 1), left + 1 >= w ? left + 1 - w : left + 1)
        let (y0, y1) = (min(max(top, 0), h - 1), min(max(top + 1, 0), h - 1))
        let upper = texels[y0 * w + x0] * (1 - fx) + texels[y0 * w + x1] * fx
        let lower = texels[y1 * w + x0] * (1 - fx) + texels[y1 * w + x1] * fx
        return (upper * (1 - fy) + lower * fy).xyz
    }
}

/// Light from all around, and how it is sampled: by a grid of cells over azimuth and polar angle.
///
/// Cells at or below the mean are sampled by the surface's own lobes alone, which multiple importance sampling allows and which leaves less noise
/// (Karlík et al. 2019, "MIS Compensation").
struct EnvironmentLighting: BitwiseCopyable {
    let map: RadianceMap?
    /// The visible background, where it is another image.
    let backdrop: RadianceMap?
    let intensity: Float
    /// Cosine and sine of the rotation.
    let turn: Vector2
    /// Radiance from everywhere, of ambient lights.
    let ambient: Vector3
    /// Cells of the grid; 0 if no direction emits light.
    let columns, rows: Int32
    /// Sums up to each row, `rows` + 1.
    let rowSums: UnsafePointer<Float>
    /// Sums up to each cell of a row, `columns` + 1 per row.
    let cellSums: UnsafePointer<Float>
    /// Cosines of the polar angles between rows, `rows` + 1.
    let cosines: UnsafePointer<Float>

    @inline(__always) func inMap(_ d: Vector3) -> Vector3 { Vector3(turn.x * d.x - turn.y * d.z, d.y, turn.y * d.x + turn.x * d.z) }
    @inline(__always) func inWorld(_ d: Vector3) -> Vector3 { Vector3(turn.x * d.x + turn.y * d.z, d.y, -turn.y * d.x + turn.x * d.z) }

    /// Whether any direction emits light.
    var isLit: Bool { rows > 0 }

    @inline(__always) func radiance(_ d: Vector3) -> Vector3 {
        guard let map else { return ambient }
        return map.radiance(inMap(d)) * intensity + ambient
    }

    /// The density of `sample`, per steradian.
    @inline(__always) func density(_ direction: Vector3) -> Float {
        let d = inMap(direction)
        let x = (0.5 + atan2(d.z, d.x) * (0.5 / .pi)) * Float(columns)
        let y = acos(clamp(d.y, -1, 1)) * (1 / .pi) * Float(rows)
        let column = min(max(Int(x), 0), Int(columns) - 1)
        var row = min(max(Int(y), 0), Int(rows) - 1)
        // Rounding must not choose another row than the grid's own borders.
        if row > 0, d.y > cosines[row] { row -= 1 } else if row + 1 < Int(rows), d.y <= cosines[row + 1] { row += 1 }
        return density(row, column)
    }

    @inline(__always) private func density(_ row: Int, _ column: Int) -> Float {
        let cells = cellSums + row * (Int(columns) + 1)
        let share = (cells[column + 1] - cells[column]) * (rowSums[row + 1] - rowSums[row])
        let angle = (cosines[row] - cosines[row + 1]) * (2 * .pi) / Float(columns)
        return share / max(angle, 1e-12)
    }

    /// A direction in the world, and its density.
    @inline(__always) func sample(_ u: Vector2) -> (direction: Vector3, density: Float) {
        let (row, v) = Self.find(rowSums, Int(rows), u.y)
        let (column, h) = Self.find(cellSums + row * (Int(columns) + 1), Int(columns), u.x)
        let y = mix(cosines[row], cosines[row + 1], v)
        let azimuth = ((Float(column) + h) / Float(columns) - 0.5) * (2 * .pi)
        let sine = max(1 - y * y, 0).squareRoot()
        return (inWorld(Vector3(sine * cos(azimuth), y, sine * sin(azimuth))), density(row, column))
    }

    /// The interval of increasing sums 0…1 that contains `u`, and where in it.
    @inline(__always) private static func find(_ sums: UnsafePointer<Float>, _ count: Int, _ u: Float) -> (Int, Float) {
        var (low, high) = (0, count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if sums[middle] <= u { low = middle } else { high = middle }
        }
        let size = sums[low + 1] - sums[low]
        return (low, size > 0 ? min(max((u - sums[low]) / size, 0), 0.999_999_9) : 0.5)
    }
}

/// Creates an `EnvironmentLighting` and owns its memory.
final class EnvironmentTables {
    private static let largestGrid = 1024

    let lighting: EnvironmentLighting
    /// The mean luminance of the radiance from all directions.
    let meanLuminance: Float
    private let owners: [AnyObject]

    init(_ environment: Environment, ambient: Vector3) throws(PathTracerError) {
        var owners: [AnyObject] = []
        let light = try environment.image.map { image throws(PathTracerError) in try Self.map(image, &owners) }
        var backdrop: RadianceMap?
        if case .image(let image) = environment.background { backdrop = try Self.map(image, &owners) }
        let intensity = max(environment.intensity, 0)
        let grid = Self.grid(intensity > 0 ? light : nil, intensity: intensity, ambient: ambient)
        let (rowSums, cellSums, cosines) = (Storage(grid.rowSums), Storage(grid.cellSums), Storage(grid.cosines))
        owners += [rowSums, cellSums, cosines] as [AnyObject]
        meanLuminance = grid.mean
        let angle = environment.rotation.radians
        lighting = EnvironmentLighting(
            map: intensity > 0 ? light : nil, backdrop: backdrop, intensity: intensity, turn: Vector2(cos(angle), sin(angle)),
            ambient: ambient,
            columns: Int32(grid.columns), rows: Int32(grid.rows), rowSums: rowSums.pointer, cellSums: cellSums.pointer,
            cosines: cosines.pointer)
        self.owners = owners
    }

    private static func map(_ image: Image, _ owners: inout [AnyObject]) throws(PathTracerError) -> RadianceMap {
        guard EnvironmentLayout(width: image.width, height: image.height) != nil else {
            throw .environmentLayout(name: image.name, width: image.width, height: image.height)
        }
        let panorama = image.unrolledCube() ?? image
        let storage = Storage(panorama.linearTexels(isColor: true))
        owners.append(storage)
        return RadianceMap(texels: storage.pointer, width: Int32(panorama.width), height: Int32(panorama.height))
    }

    private struct Grid {
        var columns = 0
        var rows = 0
        var rowSums: [Float] = []
        var cellSums: [Float] = []
        var cosines: [Float] = []
        var mean: Float = 0
    }

    private static func grid(_ map: RadianceMap?, intensity: Float, ambient: Vector3) -> Grid {
        var grid = Grid()
        guard map != nil || ambient != Vector3(repeating: 0) else { return grid }
        let (width, height) = (Int(map?.width ?? 2), Int(map?.height ?? 1))
        (grid.columns, grid.rows) = (min(width, largestGrid), min(height, largestGrid / 2))
        let (columns, rows) = (grid.columns, grid.rows)
        grid.cosines = (0...rows).map { Float(VitrineMath.cos(Double($0) / Double(rows) * Double.pi)) }
        var brightness = [Double](repeating: Double(luminance(ambient)), count: columns * rows)
        if let map {
            for row in 0..<rows {
                let texelRows = row * height / rows..<max((row + 1) * height / rows, row * height / rows + 1)
                for column in 0..<columns {
                    let texelColumns = column * width / columns..<max((column + 1) * width / columns, column * width / columns + 1)
                    var sum = 0.0
                    for y in texelRows { for x in texelColumns { sum += Double(luminance(map.texels[y * width + x].xyz)) } }
                    brightness[row * columns + column] += sum / Double(texelRows.count * texelColumns.count) * Double(intensity)
                }
            }
        }
        var angles: [Double] = []
        for row in 0..<rows { angles.append(Double(grid.cosines[row] - grid.cosines[row + 1])) }
        var (mean, whole) = (0.0, 0.0)
        for row in 0..<rows {
            for column in 0..<columns { mean += brightness[row * columns + column] * angles[row] }
            whole += angles[row] * Double(columns)
        }
        mean /= whole
        guard mean > 0 else { return Grid() }
        grid.mean = Float(mean)
        // A twentieth of the probability is uniform, for directions that the lobes rarely sample.
        var total = 0.0
        var rowTotals: [Double] = []
        for row in 0..<rows {
            var sum = 0.0
            for column in 0..<columns {
                let index = row * columns + column
                brightness[index] = (max(brightness[index] - mean, 0) + 0.05 * mean) * angles[row]
                sum += brightness[index]
            }
            rowTotals.append(sum)
            total += sum
        }
        grid.rowSums = [0]
        var sum = 0.0
        for row in 0..<rows {
            sum += rowTotals[row]
            grid.rowSums.append(row == rows - 1 ? 1 : Float(sum / total))
            var part = 0.0
            grid.cellSums.append(0)
            for column in 0..<columns {
                part += brightness[row * columns + column]
                grid.cellSums.append(column == columns - 1 ? 1 : Float(part / rowTotals[row]))
            }
        }
        return grid
    }
}
