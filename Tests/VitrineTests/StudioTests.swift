import Testing
import Vitrine
import VitrineMath

@Suite struct StudioTests {
    /// Linear radiance from a direction, nearest pixel.
    private func radiance(_ image: Image, _ direction: Vector3) -> Vector3 {
        let d = normalize(direction)
        let column = Int((atan2(d.z, d.x) / (2 * .pi) + 0.5) * Float(image.width)) % image.width
        let row = min(Int((0.5 - asin(d.y) / .pi) * Float(image.height)), image.height - 1)
        return pixel(image, column, row)
    }

    private func pixel(_ image: Image, _ column: Int, _ row: Int) -> Vector3 {
        let start = (row * image.width + column) * 16
        func value(_ channel: Int) -> Float {
            let base = start + channel * 4
            return Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(image.bytes[base + $1]) << (8 * UInt32($1)) })
        }
        return Vector3(value(0), value(1), value(2))
    }

    /// The light that a white matte surface with this normal reflects: the irradiance over π.
    private func matt(_ image: Image, normal: Vector3) -> Float {
        var sum: Float = 0
        for row in stride(from: 0, to: image.height, by: 4) {
            let latitude = (0.5 - (Float(row) + 0.5) / Float(image.height)) * Float.pi
            for column in stride(from: 0, to: image.width, by: 4) {
                let longitude = ((Float(column) + 0.5) / Float(image.width) - 0.5) * 2 * Float.pi
                let direction = Vector3(cos(latitude) * cos(longitude), sin(latitude), cos(latitude) * sin(longitude))
                let cosine = max(0, dot(direction, normal))
                sum += pixel(image, column, row).y * cosine * cos(latitude)
            }
        }
        let solidAngle = (2 * Float.pi / Float(image.width) * 4) * (Float.pi / Float(image.height) * 4)
        return sum * solidAngle / .pi
    }

    @Test func lightComesFromAboveLeftOfTheCamera() throws {
        let image = try #require(Environment.studio().image)
        #expect((image.width, image.height, image.format) == (512, 256, .rgba32Float))
        let key = matt(image, normal: normalize(Vector3(-0.3, 0.7, 0.75)))
        let toCamera = matt(image, normal: normalize(Vector3(0.5, 0.26, 0.85)))
        let below = matt(image, normal: Vector3(0, -1, 0))
        let lines = [key, toCamera, below].map { "\($0)" }.joined(separator: " ")
        #expect(key > 1.2 * toCamera && toCamera > 2 * below, "\(lines)")
        #expect(key > 0.7 && key < 1.4, "exposed for a white object: \(key)")
        #expect(below > 0.08, "the floor gives something back: \(below)")
        #expect(radiance(image, Vector3(-0.37, 0.9, 0.93)).x > 2, "the key light itself")
    }

    @Test func everyCallGivesTheSameImageAndANewEnvironment() {
        let (a, b) = (Environment.studio(), Environment.studio())
        #expect(a !== b && a.image === b.image)
    }
}
