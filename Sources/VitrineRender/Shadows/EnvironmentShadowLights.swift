import VitrineMath
import VitrineScene

/// The upper half of an environment as a few directional lights of equal irradiance on level ground, by median cut
/// (Debevec 2005). A sun yields several of them in one direction, an overcast sky spreads them.
///
/// Their shadows together are the environment's shadow on a floor.
struct EnvironmentShadowLights {
    struct Light: Equatable {
        /// Towards the light, in the environment's frame.
        let direction: Vector3
        /// Tangent of half the angle that it fills.
        let size: Float
        /// Radiance times solid angle, luminance.
        let weight: Float
    }

    let lights: [Light]

    /// Columns of the grid over the image's upper half; it has a quarter as many rows.
    private static let columns = 128
    private static let rows = columns / 4

    /// A cell of the image: irradiance on the ground, and the moment of directions weighted by it.
    private struct Cell {
        var irradiance: Float = 0
        var flux: Float = 0
        var moment = Vector3(repeating: 0)
    }

    /// Divides the upper half of an environment into directions of equal irradiance.
    ///
    /// - Parameter count: a power of two.
    init(_ image: Image, count: Int) {
        let cells = Self.cells(image)
        var regions = [Region(x: 0..<Self.columns, y: 0..<Self.rows)]
        while regions.count < count { regions = regions.flatMap { $0.split(cells, columns: Self.columns, rows: Self.rows) } }
        lights = regions.compactMap { region in
            let sum = region.sum(cells, columns: Self.columns)
            guard sum.irradiance > 0, sum.flux > 0 else { return nil }
            let mean = sum.moment / sum.irradiance
            let together = min(length(mean), 1)
            // A disc's mean square distance from its middle is half the square of its radius.
            let radius = (4 * max(1 - together, 0)).squareRoot()
            let direction = normalize(mean)
            return Light(direction: direction, size: min(radius, 0.6), weight: sum.irradiance / max(direction.y, 0.02))
        }
    }

    private struct Region {
        let x, y: Range<Int>

        func sum(_ cells: [Cell], columns: Int) -> Cell {
            var sum = Cell()
            for row in y {
                for column in x {
                    let cell = cells[row * columns + column]
                    sum.irradiance += cell.irradiance
                    sum.flux += cell.flux
                    sum.moment += cell.moment
                }
            }
            return sum
        }

        /// Two parts of equal irradiance, cut across the longer side; itself where it is one cell.
        func split(_ cells: [Cell], columns: Int, rows: Int) -> [Region] {
            let middle = (Float(y.lowerBound + y.upperBound) / 2) / Float(rows) * .pi / 2
            let width = Float(x.count) * 2 * .pi / Float(columns) * sin(middle)
            let height = Float(y.count) * (.pi / 2) / Float(rows)
            if x.count > 1, width >= height || y.count == 1 {
                let at = cut(x) { Region(x: $0..<$0 + 1, y: y).sum(cells, columns: columns).irradiance }
                return [Region(x: x.lowerBound..<at, y: y), Region(x: at..<x.upperBound, y: y)]
            }
            guard y.count > 1 else { return [self] }
            let at = cut(y) { Region(x: x, y: $0..<$0 + 1).sum(cells, columns: columns).irradiance }
            return [Region(x: x, y: y.lowerBound..<at), Region(x: x, y: at..<y.upperBound)]
        }

        private func cut(_ range: Range<Int>, _ line: (Int) -> Float) -> Int {
            let lines = range.map(line)
            let half = lines.reduce(0, +) / 2
            var sum: Float = 0
            for (index, value) in lines.enumerated().dropLast() {
                // The line that contains the half goes to the side that balances better.
                if sum + value / 2 >= half, index > 0 { return range.lowerBound + index }
                sum += value
            }
            return range.upperBound - 1
        }
    }

    private static func cells(_ image: Image) -> [Cell] {
        var cells = [Cell](repeating: Cell(), count: columns * rows)
        let (width, height) = (image.width, image.height)
        let step = Float.pi / Float(height)
        image.withLinearRows { y, pixels in
            guard 2 * y < height else { return false }
            let polar = (Float(y) + 0.5) * step
            let (sine, cosine) = (sin(polar), cos(polar))
            let solidAngle = sine * step * 2 * .pi / Float(width)
            let row = min(y * 2 * rows / height, rows - 1)
            for x in 0..<width {
                let azimuth = ((Float(x) + 0.5) / Float(width) - 0.5) * 2 * .pi
                let p = pixels[x]
                let flux = (0.2126 * p.x + 0.7152 * p.y + 0.0722 * p.z) * solidAngle
                let irradiance = flux * max(cosine, 0)
                let index = row * columns + min(x * columns / width, columns - 1)
                cells[index].irradiance += irradiance
                cells[index].flux += flux
                cells[index].moment += Vector3(sine * cos(azimuth), cosine, sine * sin(azimuth)) * irradiance
            }
            return true
        }
        return cells
    }
}

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
