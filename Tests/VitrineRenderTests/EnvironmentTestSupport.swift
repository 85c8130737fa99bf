import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// One level of a cube, read back.
struct CubeLevel {
    let size: Int
    /// Red, green, blue of 6 · size · size texels.
    let values: [SIMD3<Double>]

    init(_ texture: GPUTexture, level: Int, scale: Float = 1) throws {
        let bytes = try texture.read(mipLevel: level, layers: 0..<6)
        let halves = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float16.self)) }
        size = max(texture.width >> level, 1)
        values = stride(from: 0, to: halves.count, by: 4).map {
            SIMD3(Double(halves[$0]), Double(halves[$0 + 1]), Double(halves[$0 + 2])) * Double(scale)
        }
    }

    /// The unit direction of a texel's middle and its solid angle.
    func direction(_ index: Int) -> (direction: SIMD3<Double>, solidAngle: Double) {
        let (face, y, x) = (index / (size * size), index / size % size, index % size)
        let s = (Double(x) + 0.5) * 2 / Double(size) - 1
        let t = (Double(y) + 0.5) * 2 / Double(size) - 1
        let directions = [
            SIMD3(1, -t, -s), SIMD3(-1, -t, s), SIMD3(s, 1, t), SIMD3(s, -1, -t), SIMD3(s, -t, 1), SIMD3(-s, -t, -1),
        ]
        let squared = 1 + s * s + t * t
        return (directions[face] / squared.squareRoot(), 4 / Double(size * size) / (squared * squared.squareRoot()))
    }

    /// The texel nearest to a direction.
    func value(towards direction: SIMD3<Double>) -> SIMD3<Double> {
        values[values.indices.max { dot(self.direction($0).direction, direction) < dot(self.direction($1).direction, direction) } ?? 0]
    }

    /// The light from all around.
    var integral: SIMD3<Double> {
        values.indices.reduce(into: SIMD3()) { sum, index in sum += values[index] * direction(index).solidAngle }
    }
}

/// An equirectangular image from a function of the direction (towards a texel's middle).
func equirectangular(width: Int, _ radiance: (SIMD3<Double>) -> SIMD3<Double>) throws -> Image {
    let height = width / 2
    var floats: [Float] = []
    for y in 0..<height {
        for x in 0..<width {
            let azimuth = (Double(x) + 0.5) / Double(width) * 2 * Double.pi - Double.pi
            let polar = (Double(y) + 0.5) / Double(height) * Double.pi
            let value = radiance(SIMD3(sin(polar) * cos(azimuth), cos(polar), sin(polar) * sin(azimuth)))
            floats += [Float(value.x), Float(value.y), Float(value.z), 1]
        }
    }
    return try Image(width: width, height: height, format: .rgba32Float, bytes: floats.withUnsafeBytes { Array($0) })
}
