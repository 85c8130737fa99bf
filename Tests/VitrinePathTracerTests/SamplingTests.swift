import Testing
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

struct SamplingTests {
    @Test func firstSamplesAreStratified() {
        // 16 points of a (0, 2) sequence: one in each of 16 boxes of any shape.
        for (columns, rows) in [(16, 1), (4, 4), (1, 16), (8, 2)] {
            var boxes = Set<Int>()
            for index in 0..<16 {
                var numbers = SampleSequence(x: 3, y: 7, sample: index)
                _ = numbers.next2()
                let p = numbers.next2()
                boxes.insert(Int(p.x * Float(columns)) * rows + Int(p.y * Float(rows)))
            }
            #expect(boxes.count == 16)
        }
    }

    @Test func pixelWindowIsSymmetric() {
        let table = PixelWindow.quantiles.pointer
        #expect(PixelWindow.offset(Vector2(0.5, 0.5), table).x.magnitude < 1e-3)
        #expect(abs(PixelWindow.offset(Vector2(0.9, 0), table).x + PixelWindow.offset(Vector2(0.1, 0), table).x) < 1e-3)
    }

    /// Density times solid angle is the share of samples.
    @Test func environmentSamplingMatchesItsDensity() throws {
        let image = Image.painted(width: 32, height: 16) { u, v in
            u > 0.6 && u < 0.7 && v > 0.3 && v < 0.4 ? Vector3(1, 1, 1) : Vector3(0.1, 0.1 * v, 0)
        }
        let environment = Environment(image: image, rotation: .degrees(30))
        let tables = try EnvironmentTables(environment, ambient: Vector3(repeating: 0))
        let lighting = tables.lighting
        var sum = 0.0
        for index in 0..<4096 {
            var numbers = SampleSequence(x: 0, y: 0, sample: index)
            let sample = lighting.sample(numbers.next2())
            #expect(abs(lighting.density(sample.direction) / sample.density - 1) < 1e-3)
            sum += Double(1 / sample.density)
        }
        #expect(abs(sum / 4096 - 4 * Double.pi) < 0.1)
    }

    @Test func environmentHasTheDirectionsOfTheRenderer() throws {
        // A quarter of the width to the right of the centre is +Z; the rotation turns +Z to +X.
        let image = Image.painted(width: 64, height: 32) { u, v in
            abs(u - 0.75) < 0.05 && abs(v - 0.5) < 0.1 ? Vector3(1, 1, 1) : Vector3(0, 0, 0)
        }
        let plain = try EnvironmentTables(Environment(image: image), ambient: Vector3(repeating: 0)).lighting
        #expect(plain.radiance(Vector3(0, 0, 1)).x > 0.9)
        let turned = try EnvironmentTables(Environment(image: image, rotation: .degrees(90)), ambient: Vector3(repeating: 0)).lighting
        #expect(turned.radiance(Vector3(1, 0, 0)).x > 0.9)
    }
}
