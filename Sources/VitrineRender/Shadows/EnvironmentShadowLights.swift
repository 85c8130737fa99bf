import VitrineMath
import VitrineScene

/// The light of an environment as directional lights, by median cut (Debevec 2005). A sun yields several of them in one direction, an overcast sky spreads
/// them.
struct EnvironmentShadowLights {
    struct Light: Equatable {
        /// Towards the light, in the environment's frame.
        let direction: Vector3
        /// Tangent of half the angle that it fills.
        let size: Float
        /// Radiance times solid angle, linear Rec.709.
        let color: Vector3

        /// The luminance of `color`.
        var weight: Float { luminance(color) }
    }

    enum Part {
        /// The upper half, in parts of equal irradiance on level ground: their shadows together are the environment's shadow on a floor.
        case upperHalf
        /// All of it, in parts of equal luminance, for surfaces of any direction.
        case sphere

        fileprivate var columns: Int { self == .upperHalf ? 128 : 256 }
        fileprivate var rows: Int { self == .upperHalf ? 32 : 128 }
        /// The angle from the zenith that the rows span, radians.
        fileprivate var angle: Float { self == .upperHalf ? .pi / 2 : .pi }
    }

    /// Neighbours in this list are neighbours in the image.
    let lights: [Light]

    /// A cell of the image.
    private struct Cell {
        /// What each part has an equal share of: irradiance on the ground, or luminance times solid angle.
        var share: Float = 0
        /// Radiance times solid angle.
        var color = Vector3(repeating: 0)
        /// Directions weighted by `share`.
        var moment = Vector3(repeating: 0)
    }

    /// Divides an environment into directions.
    ///
    /// - Parameter count: The number of lights. Parts of the upper half that are smaller than a cell of the grid are one light; those of the sphere share the
    ///   cell.
    init(_ image: Image, count: Int, of part: Part) {
        let grid = Grid(image, part)
        let regions = Region(x: 0..<part.columns, y: 0..<part.rows).divided(into: count, grid)
        lights = regions.enumerated().flatMap { number, entry -> [Light] in
            let (region, share) = entry
            let sum = grid.sum(region)
            guard sum.share > 0 else { return [] }
            let mean = sum.moment / sum.share
            let together = min(length(mean), 1)
            // A disc's mean square distance from its middle is half the square of its radius.
            let size = min((4 * max(1 - together, 0)).squareRoot(), 0.6)
            let direction = normalize(mean)
            switch part {
            case .upperHalf:
                let weight = sum.share / max(direction.y, 0.02)
                let color = sum.color * (weight / max(luminance(sum.color), 1e-30))
                return [Light(direction: direction, size: size, color: color)]
            case .sphere:
                guard share > 1 else {
                    // A point of the part instead of its middle: middles are a lattice, which fits some edges of shadows badly.
                    let sequence = Float(number) * 0.618_034
                    return [Light(direction: grid.direction(in: region, sequence - sequence.rounded(.down)), size: size, color: sum.color)]
                }
                return (0..<share).map { index in
                    let axes = Axes(along: direction, tilted: LightSample(index: index, count: share).onDisc * size)
                    return Light(direction: axes.forward, size: size, color: sum.color / Float(share))
                }
            }
        }
    }

    private struct Region {
        let x, y: Range<Int>

        /// Parts with equal shares of the light, and how many of `count` each is: several where a part is one cell.
        func divided(into count: Int, _ grid: Grid) -> [(region: Region, count: Int)] {
            guard count > 1, let (first, second) = split(share: Float(count / 2) / Float(count), grid) else { return [(self, count)] }
            return first.divided(into: count / 2, grid) + second.divided(into: count - count / 2, grid)
        }

        /// Two parts, cut across the longer side, the first with about a share of the light; nil where the region is one cell.
        private func split(share: Float, _ grid: Grid) -> (Region, Region)? {
            let part = grid.part
            let middle = (Float(y.lowerBound + y.upperBound) / 2) / Float(part.rows) * part.angle
            let width = Float(x.count) * 2 * .pi / Float(part.columns) * sin(middle)
            let height = Float(y.count) * part.angle / Float(part.rows)
            if x.count > 1, width >= height || y.count == 1 {
                let at = cut(x, share) { grid.sum(Region(x: $0..<$0 + 1, y: y)).share }
                return (Region(x: x.lowerBound..<at, y: y), Region(x: at..<x.upperBound, y: y))
            }
            guard y.count > 1 else { return nil }
            let at = cut(y, share) { grid.sum(Region(x: x, y: $0..<$0 + 1)).share }
            return (Region(x: x, y: y.lowerBound..<at), Region(x: x, y: at..<y.upperBound))
        }

        private func cut(_ range: Range<Int>, _ share: Float, _ line: (Int) -> Float) -> Int {
            let lines = range.map(line)
            let wanted = lines.reduce(0, +) * share
            var sum: Float = 0
            for (index, value) in lines.enumerated().dropLast() {
                // The line that contains the cut goes to the side that balances better.
                if sum + value / 2 >= wanted, index > 0 { return range.lowerBound + index }
                sum += value
            }
            return range.upperBound - 1
        }
    }

    private struct Grid {
        let part: Part
        private var cells: [Cell]

        init(_ image: Image, _ part: Part) {
            self.part = part
            var cells = [Cell](repeating: Cell(), count: part.columns * part.rows)
            // Of a small image each pixel is many points.
            let columns = max(image.width, part.columns)
            let rows = max(image.height, Int(Float(part.rows) * .pi / part.angle))
            let step = Float.pi / Float(rows)
            image.withLinearRows { y, pixels in
                for line in y * rows / image.height..<(y + 1) * rows / image.height {
                    let polar = (Float(line) + 0.5) * step
                    guard polar < part.angle else { return false }
                    let (sine, cosine) = (sin(polar), cos(polar))
                    let solidAngle = sine * step * 2 * .pi / Float(columns)
                    let row = min(Int(polar / part.angle * Float(part.rows)), part.rows - 1)
                    for column in 0..<columns {
                        let azimuth = ((Float(column) + 0.5) / Float(columns) - 0.5) * 2 * .pi
                        let color = pixels[column * image.width / columns].xyz * solidAngle
                        let share = luminance(color) * (part == .upperHalf ? max(cosine, 0) : 1)
                        let index = row * part.columns + column * part.columns / columns
                        cells[index].share += share
                        cells[index].color += color
                        cells[index].moment += Vector3(sine * cos(azimuth), cosine, sine * sin(azimuth)) * share
                    }
                }
                return true
            }
            self.cells = cells
        }

        /// A direction in a region, distributed as its light is, by a number in 0…1.
        func direction(in region: Region, _ number: Float) -> Vector3 {
            var rest = number * sum(region).share
            var last = Vector3(0, 1, 0)
            for row in region.y {
                for column in region.x {
                    let cell = cells[row * part.columns + column]
                    guard cell.share > 0 else { continue }
                    last = normalize(cell.moment)
                    rest -= cell.share
                    if rest <= 0 { return last }
                }
            }
            return last
        }

        func sum(_ region: Region) -> Cell {
            var sum = Cell()
            for row in region.y {
                for column in region.x {
                    let cell = cells[row * part.columns + column]
                    sum.share += cell.share
                    sum.color += cell.color
                    sum.moment += cell.moment
                }
            }
            return sum
        }
    }
}

private func luminance(_ color: Vector3) -> Float { 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z }

extension Image {
    /// Calls `body` with every row from the top, linear, until it returns false. Negative values and NaN become 0.
    fileprivate func withLinearRows(_ body: (_ y: Int, _ pixels: [Vector4]) -> Bool) {
        let decoded = (0..<256).map { linearFromSRGB(Float($0) / 255) }
        var row = [Vector4](repeating: Vector4(repeating: 0), count: width)
        bytes.withUnsafeBytes { raw in
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = y * width + x
                    switch format {
                    case .rgba8:
                        row[x] = Vector4(
                            decoded[Int(raw[4 * pixel])], decoded[Int(raw[4 * pixel + 1])], decoded[Int(raw[4 * pixel + 2])], 1)
                    case .rgba16:
                        func channel(_ index: Int) -> Float {
                            let value = raw.loadUnaligned(fromByteOffset: 8 * pixel + 2 * index, as: UInt16.self)
                            return linearFromSRGB(Float(UInt16(littleEndian: value)) / 65_535)
                        }
                        row[x] = Vector4(channel(0), channel(1), channel(2), 1)
                    case .rgba32Float:
                        let value = raw.loadUnaligned(fromByteOffset: 16 * pixel, as: Vector4.self)
                        // False for NaN too.
                        row[x] = pointwiseMin(Vector4(repeating: 0).replacing(with: value, where: value .> 0), Vector4(repeating: 1e9))
                    }
                }
                guard body(y, row) else { return }
            }
        }
    }
}
