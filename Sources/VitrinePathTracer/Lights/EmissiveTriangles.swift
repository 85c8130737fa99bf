import VitrineMath
import VitrineScene

/// The emitting triangles of a scene as one light: a triangle is chosen by its area and mean luminance, then a point of it evenly.
///
/// Triangles that are not sampled have a density of 0; lobes alone reach them, which stays exact.
struct EmissiveTriangles: BitwiseCopyable {
    /// Number of sampled triangles.
    let count: Int32
    /// The sampled triangles' numbers.
    let numbers: UnsafePointer<UInt32>
    /// Sums of the probabilities up to each sampled triangle, `count` + 1.
    let sums: UnsafePointer<Float>
    /// The density of `sample` for each triangle of the scene, per square metre.
    let densities: UnsafePointer<Float>
    /// Luminance times area, of all.
    let power: Float
    let bounds: (minimum: Vector3, maximum: Vector3)
    /// Irradiance that the environment sends to an open surface, luminance.
    let environment: Float

    struct Sample {
        var triangle: Int32
        /// Barycentric weights of the second and third corner.
        var u, v: Float
        /// The probability density of the sample, per square metre.
        var density: Float
    }

    /// Samples a point of an emitting triangle.
    ///
    /// - Parameters:
    ///   - choice: 0 ..< 1, chooses the triangle.
    ///   - u: 0 ..< 1 each.
    @inline(__always) func sample(_ choice: Float, _ u: Vector2) -> Sample {
        var (low, high) = (0, Int(count))
        while high - low > 1 {
            let middle = (low + high) / 2
            if sums[middle] <= choice { low = middle } else { high = middle }
        }
        let triangle = Int32(bitPattern: numbers[low])
        let root = u.x.squareRoot()
        return Sample(triangle: triangle, u: root * (1 - u.y), v: root * u.y, density: densities[Int(triangle)])
    }

    /// The probability of sampling emitters from a point: by their possible irradiance there relative to that of the environment. Weak emitters cost few rays.
    @inline(__always) func chance(at p: Vector3) -> Float {
        guard environment > 0 else { return 1 }
        let outside = pointwiseMax(pointwiseMax(bounds.minimum - p, p - bounds.maximum), Vector3(repeating: 0))
        let size = bounds.maximum - bounds.minimum
        let squared = dot(outside, outside) + 0.05 * dot(size, size)
        return clamp(4 * power / (max(squared, 1e-20) * environment), 0.05, 1)
    }
}

/// Creates `EmissiveTriangles` and owns its memory.
final class EmissiveTable {
    /// nil if no triangle emits.
    let triangles: EmissiveTriangles?
    private let owners: [AnyObject]

    /// Points of a triangle at which its emission is read, along an edge.
    private static let steps = 4

    /// Collects the emitting triangles of a scene.
    ///
    /// - Parameters:
    ///   - environment: Irradiance of an open surface, luminance.
    ///   - emits: Whether the triangles of an instance emit.
    ///   - emission: The radiance at a point of a triangle, by its number and barycentric weights.
    init(
        _ triangles: [SIMD4<UInt32>], _ positions: [Vector3], environment: Float,
        emits: (_ instance: Int) -> Bool, emission: (_ triangle: Int, _ u: Float, _ v: Float) -> Vector3
    ) {
        var numbers: [UInt32] = []
        var weights: [Double] = []
        var areas: [Double] = []
        var (low, high) = (Vector3(repeating: .infinity), Vector3(repeating: -.infinity))
        for (number, t) in triangles.enumerated() where emits(Int(t.w)) {
            let (a, b, c) = (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
            let normal = cross(b - a, c - a)
            let area = Double(dot(normal, normal).squareRoot()) / 2
            guard area > 0, area.isFinite else { continue }
            let brightness = Self.mean { u, v in luminance(emission(number, u, v)) }
            guard brightness > 0, brightness.isFinite else { continue }
            numbers.append(UInt32(number))
            weights.append(area * Double(brightness))
            areas.append(area)
            low = pointwiseMin(pointwiseMin(low, a), pointwiseMin(b, c))
            high = pointwiseMax(pointwiseMax(high, a), pointwiseMax(b, c))
        }
        let total = weights.reduce(0, +)
        guard total > 0, total.isFinite else {
            (self.triangles, owners) = (nil, [])
            return
        }
        var (sums, densities): ([Float], [Float]) = ([0], [Float](repeating: 0, count: triangles.count))
        var sum = 0.0
        for (index, weight) in weights.enumerated() {
            sum += weight
            sums.append(index == weights.count - 1 ? 1 : Float(sum / total))
            // As often as rounded sums choose it.
            densities[Int(numbers[index])] = Float(Double(sums[index + 1] - sums[index]) / areas[index])
        }
        let (numberStorage, sumStorage, densityStorage) = (Storage(numbers), Storage(sums), Storage(densities))
        self.triangles = EmissiveTriangles(
            count: Int32(numbers.count), numbers: numberStorage.pointer, sums: sumStorage.pointer, densities: densityStorage.pointer,
            power: Float(total), bounds: (low, high), environment: environment)
        owners = [numberStorage, sumStorage, densityStorage]
    }

    /// The mean over the middles of a triangle's parts, as many as `steps` squared.
    private static func mean(_ value: (_ u: Float, _ v: Float) -> Float) -> Float {
        let side = 1 / Float(steps)
        var sum: Float = 0
        for row in 0..<steps {
            for column in 0..<steps - row {
                let (u, v) = (Float(column) * side, Float(row) * side)
                sum += value(u + side / 3, v + side / 3)
                if column + row + 1 < steps { sum += value(u + side * 2 / 3, v + side * 2 / 3) }
            }
        }
        return sum * side * side
    }
}
