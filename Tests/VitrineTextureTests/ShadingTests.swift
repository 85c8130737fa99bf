import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTexture

/// Shading divided out of the base colour, against known albedos under known light.
@Suite struct ShadingTests {
    /// A bumpy ball whose normals follow from its shape, so that light and pattern differ in scale.
    private static func mesh(rings: Int = 24) -> TriangleMesh {
        var mesh = SyntheticScene.ball(rings: rings)
        mesh.positions = mesh.positions.map { $0 * (1 + 0.08 * sin(4 * $0.x) * sin(5 * $0.y) * sin(4 * $0.z + 1)) }
        return mesh
    }

    /// The largest light from +X +Y, from 0.3 to 1.7 of the mean.
    private static func light(_ n: Vector3) -> Float { 1 + 0.6 * dot(n, normalize(Vector3(1, 1, 0.4))) + 0.1 * (n.x * n.z) }

    /// The mesh's own normal at a point of its surface, on the ray from the centre.
    private static func shaded(_ mesh: TriangleMesh, light: @escaping @Sendable (Vector3) -> Float) throws -> @Sendable (Vector3) -> Vector3
    {
        let surface = try SurfaceTopology(mesh)
        let hierarchy = TriangleHierarchy(
            positions: surface.positions.flatMap { [$0.x, $0.y, $0.z] },
            indices: surface.triangles.flatMap { [UInt32($0.x), UInt32($0.y), UInt32($0.z)] })
        let normals = surface.vertexNormals()
        return { point in
            let ray = Ray(origin: .zero, direction: normalize(point))
            guard let hit = hierarchy.nearest(ray) else { return .zero }
            let t = surface.triangles[hit.triangle]
            let normal = normalize(normals[Int(t.x)] + normals[Int(t.y)] + normals[Int(t.z)])
            let albedo = SyntheticScene.pattern(point)
            var result = Vector3.zero
            for k in 0..<3 { result[k] = TransferFunction.encoded(TransferFunction.linear(albedo[k] / 255) * 0.8 * light(normal)) * 255 }
            return result
        }
    }

    /// The median and the 90th percentile of the logarithmic error of luminance, after the best overall factor.
    private static func errors(_ textured: TexturedMesh) -> (median: Float, high: Float) {
        func luminance(_ c: Vector3) -> Float {
            0.2126 * TransferFunction.linear(c.x / 255) + 0.7152 * TransferFunction.linear(c.y / 255)
                + 0.0722 * TransferFunction.linear(c.z / 255)
        }
        let logs = textured.triangles.indices.map { number in
            log(max(1e-3, luminance(textured.colorAtMiddle(number))) / luminance(SyntheticScene.pattern(textured.middle(number))))
        }
        let center = median(logs)
        let errors = logs.map { abs($0 - center) }.sorted()
        return (quantile(sorted: errors, 0.5), quantile(sorted: errors, 0.9))
    }

    private static func build(_ photos: [PhotoView], _ mesh: TriangleMesh, removesShading: Bool) throws -> TexturedMesh {
        var options = TextureBuilder.Options(textureSize: 1024, maps: [])
        options.removesShading = removesShading
        return try TextureBuilder(options).build(mesh: mesh, detailed: nil, photos: PhotoViewSource(photos))
    }

    @Test func lightAtRestIsDividedOut() throws {
        let mesh = Self.mesh()
        let scene = SyntheticScene(mesh: mesh, color: try Self.shaded(mesh) { Self.light($0) })
        let photos = SyntheticScene.cameras(count: 12, distance: 3.5, width: 150, height: 130).enumerated().map { scene.photo($0, $1) }
        let (lit, flat) = (try Self.build(photos, mesh, removesShading: false), try Self.build(photos, mesh, removesShading: true))
        let shading = try #require(flat.statistics.shading)
        #expect(lit.statistics.shading == nil && shading.frame == .world)
        let (before, after) = (Self.errors(lit), Self.errors(flat))
        #expect(after.median < 0.4 * before.median && after.high < 0.6 * before.high, "\(before), \(after), \(shading)")
        #expect((2.0...6).contains(shading.contrast))
        #expect(try Self.build(photos, mesh, removesShading: true).baseColor == flat.baseColor)
    }

    @Test func lightAtRestBeforeATurntableIsDividedOut() throws {
        let mesh = Self.mesh()
        let cameras = SyntheticScene.cameras(count: 12, distance: 3.5, width: 150, height: 130)
        let photos = try cameras.enumerated().map { index, camera in
            let turn = ShadingEstimate.turn(Vector3(camera.cameraFromWorld.rotation.transpose.z))
            // From the side of the camera, a little from above and behind it.
            let light = normalize(Vector3(1, 0.4, -0.6))
            let color = try Self.shaded(mesh) { 1 + 0.6 * dot(turn * $0, light) }
            return SyntheticScene(mesh: mesh, color: color).photo(index, camera)
        }
        let (lit, flat) = (try Self.build(photos, mesh, removesShading: false), try Self.build(photos, mesh, removesShading: true))
        #expect(flat.statistics.shading?.frame == .turntable)
        let (before, after) = (Self.errors(lit), Self.errors(flat))
        #expect(
            after.median < 0.7 * before.median && after.high < 0.9 * before.high,
            "\(before), \(after), \(String(describing: flat.statistics.shading)), \(flat.statistics.photoGains)")
    }

    /// Under uniform light nothing is divided out, or next to nothing.
    @Test func uniformLightIsKept() throws {
        let mesh = Self.mesh()
        let scene = SyntheticScene(mesh: mesh, color: try Self.shaded(mesh) { _ in 1 })
        let photos = SyntheticScene.cameras(count: 12, distance: 3.5, width: 150, height: 130).enumerated().map { scene.photo($0, $1) }
        let (lit, flat) = (try Self.build(photos, mesh, removesShading: false), try Self.build(photos, mesh, removesShading: true))
        let (before, after) = (Self.errors(lit), Self.errors(flat))
        #expect(after.median < before.median + 0.05, "\(before), \(after), \(String(describing: flat.statistics.shading))")
    }
}
