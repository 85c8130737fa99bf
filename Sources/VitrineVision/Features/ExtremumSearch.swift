import VitrineMath

/// Detects the extrema of an octave with subpixel refinement (Brown & Lowe 2002).
struct ExtremumSearch {
    let octave: ScaleSpace.Octave
    let index: Int
    let contrast, edgeRatio: Float
    private(set) var found: [Keypoint] = []

    private let width, height, stride: Int
    /// The first pixel of each level.
    private let levels: [UnsafeMutablePointer<Float>]

    init(octave: ScaleSpace.Octave, index: Int, contrast: Float, edgeRatio: Float) {
        (self.octave, self.index, self.contrast, self.edgeRatio) = (octave, index, contrast, edgeRatio)
        (width, height, stride) = (octave.levels[0].width, octave.levels[0].height, octave.levels[0].stride)
        levels = octave.levels.map(\.base)
    }

    /// Searches for extrema.
    ///
    /// - Parameter isCancelled: Returns true to end the search with an incomplete result.
    mutating func run(isCancelled: () -> Bool = { false }) {
        guard width > 10, height > 10 else { return }
        let count = ScaleSpace.steps + 2
        // The differences of three rows at all levels: row y's difference i lies at ((y % 3) * count + i) * stride.
        let differences = UnsafeMutablePointer<Float>.allocate(capacity: 3 * count * stride)
        defer { differences.deallocate() }
        fillRow(0, differences)
        fillRow(1, differences)
        var candidates: [SIMD3<Int32>] = []
        for y in 1..<(height - 1) {
            if y % 64 == 0, isCancelled() { return }
            fillRow(y + 1, differences)
            guard y >= Self.border, y < height - Self.border else { continue }
            for level in 1...ScaleSpace.steps { scan(y: y, level: level, differences, &candidates) }
        }
        for candidate in candidates { refine(x: Int(candidate.x), y: Int(candidate.y), level: Int(candidate.z)) }
    }

    /// The width of the border without keypoints.
    private static let border = 4

    private func fillRow(_ y: Int, _ differences: UnsafeMutablePointer<Float>) {
        let count = ScaleSpace.steps + 2
        for i in 0..<count {
            let (finer, coarser) = (levels[i] + y * stride, levels[i + 1] + y * stride)
            let target = differences + ((y % 3) * count + i) * stride
            var x = 0
            while x < width {
                store(load16(coarser + x) - load16(finer + x), target + x)
                x += 16
            }
        }
    }

    private func scan(y: Int, level: Int, _ differences: UnsafeMutablePointer<Float>, _ candidates: inout [SIMD3<Int32>]) {
        let count = ScaleSpace.steps + 2
        let above = differences + ((y + 2) % 3) * count * stride
        let here = differences + (y % 3) * count * stride
        let below = differences + ((y + 1) % 3) * count * stride
        let center = here + level * stride
        let threshold = SIMD8<Float>(repeating: 0.8 * contrast)
        let end = width - Self.border
        var x = Self.border
        while x < end {
            defer { x += 8 }
            let value = load8(center + x)
            let magnitude = value.replacing(with: -value, where: value .< 0)
            guard any(magnitude .> threshold) else { continue }
            var (high, low) = (load8(center + x - 1), load8(center + x - 1))
            @inline(__always) func see(_ row: UnsafeMutablePointer<Float>, _ dx: Int) {
                let other = load8(row + x + dx)
                high = greater(high, other)
                low = lesser(low, other)
            }
            see(center, 1)
            for row in [above, below] {
                see(row + level * stride, -1)
                see(row + level * stride, 0)
                see(row + level * stride, 1)
            }
            let extreme = (value .> high) .| (value .< low)
            guard any(extreme .& (magnitude .> threshold)) else { continue }
            for row in [above, here, below] {
                for other in [level - 1, level + 1] {
                    see(row + other * stride, -1)
                    see(row + other * stride, 0)
                    see(row + other * stride, 1)
                }
            }
            let found = ((value .> high) .| (value .< low)) .& (magnitude .> threshold)
            for lane in 0..<min(8, end - x) where found[lane] {
                candidates.append(SIMD3(Int32(x + lane), Int32(y), Int32(level)))
            }
        }
    }

    @inline(__always) private func difference(_ x: Int, _ y: Int, _ level: Int) -> Float {
        levels[level + 1][y * stride + x] - levels[level][y * stride + x]
    }

    /// Refines an extremum by a quadratic fit; keeps it if its contrast is sufficient and it is not on an edge.
    private mutating func refine(x startX: Int, y startY: Int, level startLevel: Int) {
        var (x, y, level) = (startX, startY, startLevel)
        for _ in 0..<5 {
            let value = difference(x, y, level)
            let right = difference(x + 1, y, level)
            let left = difference(x - 1, y, level)
            let down = difference(x, y + 1, level)
            let up = difference(x, y - 1, level)
            let coarser = difference(x, y, level + 1)
            let finer = difference(x, y, level - 1)
            let gradient = 0.5 * SIMD3(right - left, down - up, coarser - finer)
            let xx = right + left - 2 * value
            let yy = down + up - 2 * value
            let ss = coarser + finer - 2 * value
            let xy =
                0.25
                * (difference(x + 1, y + 1, level) - difference(x - 1, y + 1, level) - difference(x + 1, y - 1, level)
                    + difference(x - 1, y - 1, level))
            let xs =
                0.25
                * (difference(x + 1, y, level + 1) - difference(x - 1, y, level + 1) - difference(x + 1, y, level - 1)
                    + difference(x - 1, y, level - 1))
            let ys =
                0.25
                * (difference(x, y + 1, level + 1) - difference(x, y - 1, level + 1) - difference(x, y + 1, level - 1)
                    + difference(x, y - 1, level - 1))
            guard let step = Self.solve(xx, yy, ss, xy, xs, ys, -gradient) else { return }

            // Beyond half a pixel another pixel is nearer, unless the search comes from there.
            if max(abs(step.x), abs(step.y), abs(step.z)) > 0.6 {
                guard max(abs(step.x), abs(step.y), abs(step.z)) < 3 else { return }
                x += step.x > 0.6 ? 1 : step.x < -0.6 ? -1 : 0
                y += step.y > 0.6 ? 1 : step.y < -0.6 ? -1 : 0
                level += step.z > 0.6 ? 1 : step.z < -0.6 ? -1 : 0
                guard x >= Self.border, x < width - Self.border, y >= Self.border, y < height - Self.border, level >= 1,
                    level <= ScaleSpace.steps
                else { return }
                continue
            }

            let response = abs(value + 0.5 * (gradient * step).sum())
            guard response >= contrast else { return }
            let (trace, determinant) = (xx + yy, xx * yy - xy * xy)
            guard determinant > 0, trace * trace * edgeRatio < (edgeRatio + 1) * (edgeRatio + 1) * determinant else { return }
            append(x: Float(x) + step.x, y: Float(y) + step.y, level: Float(level) + step.z, response: response)
            return
        }
    }

    private mutating func append(x: Float, y: Float, level: Float, response: Float) {
        let levelScale = ScaleSpace.baseBlur * VitrineMath.pow(2, level / Float(ScaleSpace.steps))
        found.append(
            Keypoint(
                position: SIMD2(x, y) * octave.pixel + 0.5, scale: levelScale * octave.pixel, response: response, octave: index,
                level: max(0, min(ScaleSpace.steps + 2, Int(level.rounded()))), x: x, y: y, levelScale: levelScale))
    }

    /// Solves the symmetric system with diagonal (xx, yy, ss) by cofactors; nil if it is singular.
    private static func solve(
        _ xx: Float, _ yy: Float, _ ss: Float, _ xy: Float, _ xs: Float, _ ys: Float, _ right: SIMD3<Float>
    ) -> SIMD3<Float>? {
        let (a, b, c) = (SIMD3(xx, xy, xs), SIMD3(xy, yy, ys), SIMD3(xs, ys, ss))
        let bc = cross(b, c)
        let determinant = dot(a, bc)
        guard abs(determinant) > 1e-20 else { return nil }
        let step = SIMD3(dot(right, bc), dot(a, cross(right, c)), dot(a, cross(b, right))) / determinant
        return step.x.isFinite && step.y.isFinite && step.z.isFinite ? step : nil
    }
}
