import VitrineMath
import VitrineScene
import VitrineVision

@testable import VitrineTexture

/// Objects of known colour, photographed by a small ray caster.
struct SyntheticScene {
    let mesh: TriangleMesh
    /// sRGB-encoded 0…255 at a point of the surface.
    let color: @Sendable (Vector3) -> Vector3

    /// A pattern with fine and coarse detail, without black or white.
    static let pattern: @Sendable (Vector3) -> Vector3 = { p in
        Vector3(
            130 + 50 * sin(5 * p.x + 2 * p.y), 120 + 45 * sin(4 * p.y - 3 * p.z + 1), 110 + 40 * sin(6 * p.z + p.x) + 15 * sin(25 * p.x))
    }

    /// A ball of radius 1: `rings` · 2 · `rings` quads, as triangles.
    static func ball(rings: Int) -> TriangleMesh {
        var mesh = TriangleMesh()
        for ring in 0...rings {
            for step in 0..<2 * rings {
                let (polar, turn) = (Float(ring) / Float(rings) * .pi, Float(step) / Float(rings) * .pi)
                // All vertices of a pole have one position.
                let radius = ring == 0 || ring == rings ? 0 : sin(polar)
                mesh.positions.append(Vector3(radius * cos(turn), cos(polar), -radius * sin(turn)))
            }
        }
        func vertex(_ ring: Int, _ step: Int) -> UInt32 { UInt32(ring * 2 * rings + step % (2 * rings)) }
        for ring in 0..<rings {
            for step in 0..<2 * rings {
                let (a, b) = (vertex(ring, step), vertex(ring, step + 1))
                let (c, d) = (vertex(ring + 1, step), vertex(ring + 1, step + 1))
                if ring > 0 { mesh.triangles.append(SIMD3(a, c, b)) }
                if ring < rings - 1 { mesh.triangles.append(SIMD3(b, c, d)) }
            }
        }
        return mesh
    }

    /// A box of side 2, each face a grid.
    static func box(divisions: Int) -> TriangleMesh {
        var mesh = TriangleMesh()
        for axis in 0..<3 {
            for side in [Float(-1), 1] {
                let base = UInt32(mesh.positions.count)
                for j in 0...divisions {
                    for i in 0...divisions {
                        var p = Vector3(repeating: side)
                        p[(axis + 1) % 3] = Float(i) / Float(divisions) * 2 - 1
                        p[(axis + 2) % 3] = Float(j) / Float(divisions) * 2 - 1
                        mesh.positions.append(p)
                    }
                }
                let row = UInt32(divisions + 1)
                for j in 0..<UInt32(divisions) {
                    for i in 0..<UInt32(divisions) {
                        let a = base + j * row + i
                        let quad = [SIMD3(a, a + 1, a + row + 1), SIMD3(a, a + row + 1, a + row)]
                        mesh.triangles += side > 0 ? quad : quad.map { SIMD3($0.x, $0.z, $0.y) }
                    }
                }
            }
        }
        return mesh
    }

    /// Cameras around the origin and aimed at it, four per turn and height.
    static func cameras(count: Int, distance: Double, width: Int = 240, height: Int = 200) -> [PosedCamera] {
        (0..<count).map { index in
            let turn = Double(index) * 2.399963
            let y = count > 1 ? 0.9 - 1.8 * Double(index) / Double(count - 1) : 0
            let r = (1 - y * y).squareRoot()
            let center = Vector3d(r * cos(turn), y, r * sin(turn)) * distance
            let z = -center / length(center)
            let x = normalize(cross(z, Vector3d(0, 1, 0)))
            let rotation = Matrix3d(rows: x, cross(z, x), z)
            return PosedCamera(
                intrinsics: CameraIntrinsics(
                    width: width, height: height, focal: Vector2d(repeating: Double(width) * 1.1),
                    center: Vector2d(Double(width) / 2, Double(height) / 2)),
                cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * center)))
        }
    }

    /// The image of a camera with 2 × 2 rays per pixel; the background is bright magenta, which a texture must not contain.
    ///
    /// - Parameter gain: The factor of the linear colour before it is encoded.
    func photo(_ number: Int, _ camera: PosedCamera, gain: Vector3 = Vector3(repeating: 1)) -> PhotoView {
        let (width, height) = (camera.intrinsics.width, camera.intrinsics.height)
        let hierarchy = TriangleHierarchy(
            positions: mesh.positions.flatMap { [$0.x, $0.y, $0.z] }, indices: mesh.triangles.flatMap { [$0.x, $0.y, $0.z] })
        let worldFromCamera = camera.cameraFromWorld.rotation.transpose
        let origin = camera.centerInWorld
        var values: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                var sum = Vector3(repeating: 0)
                for sub in 0..<4 {
                    let pixel = Vector2d(Double(x) + 0.25 + 0.5 * Double(sub % 2), Double(y) + 0.25 + 0.5 * Double(sub / 2))
                    let n = camera.intrinsics.normalized(pixel)
                    let d = worldFromCamera * Vector3d(n.x, n.y, 1)
                    let ray = Ray(
                        origin: Vector3(Float(origin.x), Float(origin.y), Float(origin.z)),
                        direction: Vector3(Float(d.x), Float(d.y), Float(d.z)))
                    guard let hit = hierarchy.nearest(ray) else {
                        sum += Vector3(255, 0, 255)
                        continue
                    }
                    let c = color(ray.origin + ray.direction * hit.distance)
                    for k in 0..<3 { sum[k] += TransferFunction.encoded(TransferFunction.linear(c[k] / 255) * gain[k]) * 255 }
                }
                for k in 0..<3 { values.append(UInt8(min(255, max(0, (sum[k] / 4).rounded())))) }
            }
        }
        let distance = Float(length(origin))
        return PhotoView(
            photo: number, camera: camera, color: ColorPlane(width: width, height: height, values: values),
            depthRange: max(0.1, distance - 2)...distance + 2)
    }
}

extension TexturedMesh {
    /// The texture's colour at a triangle's centroid, 0…255.
    func colorAtMiddle(_ triangle: Int) -> Vector3 {
        let t = triangles[triangle]
        let uv = (textureCoordinates[Int(t.x)] + textureCoordinates[Int(t.y)] + textureCoordinates[Int(t.z)]) / 3
        let (x, y) = (Int(uv.x * Float(baseColor.width)), Int(uv.y * Float(baseColor.height)))
        let slot = 3 * (min(baseColor.height - 1, y) * baseColor.width + min(baseColor.width - 1, x))
        return Vector3(Float(baseColor.values[slot]), Float(baseColor.values[slot + 1]), Float(baseColor.values[slot + 2]))
    }

    func middle(_ triangle: Int) -> Vector3 {
        let t = triangles[triangle]
        return (positions[Int(t.x)] + positions[Int(t.y)] + positions[Int(t.z)]) / 3
    }

    /// The largest difference of a channel between the texture and the ground truth at each triangle, in levels of 255, ascending.
    func errors(_ color: (Vector3) -> Vector3) -> [Float] {
        triangles.indices.map { (colorAtMiddle($0) - color(middle($0))).magnitude.max() }.sorted()
    }
}
