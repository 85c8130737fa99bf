import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// An empty room of 6 × 2.8 × 6 metres with random grey rectangles on its walls, rendered by casting a ray per pixel. The same bytes on every machine.
struct PaintedRoom {
    private let low = SIMD3<Float>(-3, 0, -3)
    private let high = SIMD3<Float>(3, 2.8, 3)
    private static let side = 512
    /// The number of texels per metre.
    private static let density: Float = 85
    /// The texture, 0…1; each wall shows another part of it.
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

    /// The mean over 3×3 texels, so that no edge is sharper than a pixel.
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

    /// The brightness of each pixel, 0…1. The camera must be inside the room.
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
                    let point = eye + direction * distances.x
                    return Self.level(paper, point.z + wall.x, point.y)
                }
                if distances.y < distances.z {
                    let point = eye + direction * distances.y
                    return Self.level(paper, point.x + 11, point.z + wall.y)
                }
                let point = eye + direction * distances.z
                return Self.level(paper, point.x + wall.z, point.y + 7)
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

    /// The image of a brightness field: grey levels with noise.
    func image(_ light: [Float], width: Int, gain: Float, noise deviation: Float, seed: Int) -> Plane<UInt8> {
        let start = seed &* 7919
        let values = light.indices.map { index in
            UInt8(min(max(light[index] * gain * 255 + deviation * noise[(start &+ index) & (noise.count - 1)] + 0.5, 0), 255))
        }
        return Plane<UInt8>(width: width, height: light.count / width, values: values)
    }

    /// The texture at a texel, for an object that moves through the image.
    func paper(_ x: Int, _ y: Int) -> Float { paper[(y & (Self.side - 1)) * Self.side + x & (Self.side - 1)] }
}
