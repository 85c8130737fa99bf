import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// An empty room of 6 × 2.8 × 6 metres, papered with rectangles of all greys, drawn by following each pixel's ray: quick, and the same everywhere.
struct PaintedRoom {
    private let low = SIMD3<Float>(-3, 0, -3)
    private let high = SIMD3<Float>(3, 2.8, 3)
    private static let side = 512
    /// Texels a metre.
    private static let density: Float = 85
    /// Levels 0…1; walls show other parts of it.
    private let paper: [Float]
    private let noise: [Float]

    init(seed: UInt64 = 1) {
        var numbers = GaussianGenerator(seed: seed)
        let side = Self.side
        var paper = [Float](repeating: 0.5, count: side * side)
        for _ in 0..<2600 {
            let (width, height) = (3 + Int(40 * numbers.uniform() * numbers.uniform()), 3 + Int(40 * numbers.uniform() * numbers.uniform()))
            let (x, y, level) = (
                Int(Double(side) * numbers.uniform()), Int(Double(side) * numbers.uniform()), Float(0.15 + 0.7 * numbers.uniform())
            )
            for row in y..<y + height { for column in x..<x + width { paper[row % side * side + column % side] = level } }
        }
        self.paper = Self.softened(paper)
        noise = (0..<1 << 14).map { _ in Float(numbers.next()) }
    }

    /// The mean of nine: no edge is sharper than a pixel sees.
    private static func softened(_ paper: [Float]) -> [Float] {
        paper.indices.map { index in
            let (x, y) = (index % side, index / side)
            var sum: Float = 0
            for row in [y + side - 1, y, y + 1] {
                for column in [x + side - 1, x, x + 1] { sum += paper[row % side * side + column % side] }
            }
            return sum / 9
        }
    }

    /// Light 0…1 as it falls on each pixel; the camera must be inside.
    func light(_ rays: [SIMD3<Float>], _ worldFromCamera: RigidTransform) -> [Float] {
        let (r, t) = (worldFromCamera.rotation, worldFromCamera.translation)
        let (x, y, z) = (SIMD3<Float>(r.x), SIMD3<Float>(r.y), SIMD3<Float>(r.z))
        let eye = SIMD3<Float>(t)
        return paper.withUnsafeBufferPointer { paper in
            rays.map { ray in
                let direction = x * ray.x + y * ray.y + z * ray.z
                let wall = high.replacing(with: low, where: direction .< 0)
                let distances = ((wall - eye) / direction).replacing(with: 1e9, where: abs(direction) .< 1e-6)
                if distances.x < distances.y, distances.x < distances.z {
                    let place = eye + direction * distances.x
                    return Self.level(paper, place.z + wall.x, place.y)
                }
                if distances.y < distances.z {
                    let place = eye + direction * distances.y
                    return Self.level(paper, place.x + 11, place.z + wall.y)
                }
                let place = eye + direction * distances.z
                return Self.level(paper, place.x + wall.z, place.y + 7)
            }
        }
    }

    private func abs(_ v: SIMD3<Float>) -> SIMD3<Float> { v.replacing(with: -v, where: v .< 0) }

    private static func level(_ paper: UnsafeBufferPointer<Float>, _ u: Float, _ v: Float) -> Float {
        let (x, y) = ((u + 64) * density, (v + 64) * density)
        let (left, top) = (Int(x), Int(y))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let (a, b) = (left & (side - 1), (left + 1) & (side - 1))
        let (c, d) = ((top & (side - 1)) * side, ((top + 1) & (side - 1)) * side)
        let (upper, lower) = (paper[c + a] + (paper[c + b] - paper[c + a]) * fx, paper[d + a] + (paper[d + b] - paper[d + a]) * fx)
        return upper + (lower - upper) * fy
    }

    /// What a sensor makes of it: grey levels with noise.
    func picture(_ light: [Float], width: Int, gain: Float, noise deviation: Float, seed: Int) -> Plane<UInt8> {
        let start = seed &* 7919
        let values = light.indices.map { index in
            UInt8(min(max(light[index] * gain * 255 + deviation * noise[(start &+ index) & (noise.count - 1)] + 0.5, 0), 255))
        }
        return Plane<UInt8>(width: width, height: light.count / width, values: values)
    }

    /// The same paper, as something shows it that moves through the picture.
    func paper(_ x: Int, _ y: Int) -> Float { paper[(y & (Self.side - 1)) * Self.side + x & (Self.side - 1)] }
}
