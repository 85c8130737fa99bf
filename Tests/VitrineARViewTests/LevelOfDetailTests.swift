import Testing
import VitrineTestSupport

@testable import VitrineARView

/// Levels of detail: fewer triangles for small objects.
@Suite struct LevelOfDetailTests {
    private let ball = Geometry.sphere(radius: 1, segments: 96)

    @Test func levelsHalveTheTrianglesAndBoundTheirError() throws {
        let made = ball.withLevels()
        #expect(made.triangleCount == ball.triangleCount && made.levels.count >= 4)
        var (last, error) = (made.triangleCount * 3, Float(0))
        for level in made.levels {
            #expect(level.indices.count < last * 3 / 4 && level.error >= error && level.error < 0.05 * made.bounds.radius)
            (last, error) = (level.indices.count, level.error)
            // Every triangle's centre is as close to the sphere as the error states, plus the height of its chord.
            let positions = try #require(made.attribute(.position))
            for first in stride(from: 0, to: level.indices.count, by: 3) {
                var center = Vector3(repeating: 0)
                for corner in 0..<3 {
                    let vertex = Int(level.indices[first + corner])
                    center += Vector3(positions.values[3 * vertex], positions.values[3 * vertex + 1], positions.values[3 * vertex + 2]) / 3
                }
                #expect(abs(1 - length(center)) < 0.002 + 3 * level.error)
            }
        }
        #expect(Geometry.box(size: Vector3(repeating: 1)).withLevels().levels.isEmpty)
    }

    @Test func levelsWithInvalidIndicesAreRejected() {
        #expect(throws: GeometryError.indexOutOfRange(index: 7, vertexCount: 3)) {
            try Geometry(
                attributes: [VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 1, 0, 0, 0, 1, 0])], indices: [0, 1, 2],
                levels: [GeometryLevel(indices: [0, 1, 7], error: 0)])
        }
    }

    /// Greater distances draw fewer triangles with almost the same image.
    @Test func distantObjectsHaveFewerTriangles() throws {
        let renderer = try Renderer(device: .make())
        func draw(_ geometry: Geometry, _ distance: Float) throws -> (image: Image, triangles: Int) {
            let scene = Scene()
            scene.environment = .studio()
            scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: geometry, material: Material(baseColor: Color(sRGB: 0xE4572E)))))
            let target = try OffscreenTarget(renderer.device, width: 96, height: 96)
            let view = View.orbit(target: .zero, azimuth: .degrees(20), elevation: .degrees(15), distance: distance)
            let statistics = try renderer.render(scene, from: view, to: target.view, options: RenderOptions(sampleCount: 4))
            return (try target.image(), statistics.triangles)
        }
        let levelled = ball.withLevels()
        var last = Int.max
        for distance: Float in [3, 12, 48] {
            let (whole, coarse) = (try draw(ball, distance), try draw(levelled, distance))
            #expect(whole.triangles == ball.triangleCount && coarse.triangles < min(whole.triangles, last))
            last = coarse.triangles
            let differences = zip(whole.image.bytes, coarse.image.bytes).map { abs(Int($0) - Int($1)) }
            // A mean of a quarter of a level: antialiased pixels along the outline.
            #expect(differences.reduce(0, +) < 96 * 96, "at \(distance) m: \(differences.reduce(0, +))")
        }
        #expect(try draw(levelled, 1.05).triangles == ball.triangleCount)
    }
}
