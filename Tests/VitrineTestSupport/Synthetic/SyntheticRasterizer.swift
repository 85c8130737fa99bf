import VitrineMath
import VitrineVision

/// A photo of triangles, sample by sample.
struct SyntheticRasterizer {
    /// The content of a sample: the depth along z, and the point and normal there.
    struct Sample {
        /// Infinite where nothing is seen.
        var depth = Float.infinity
        var point = Vector3.zero
        var normal = Vector3.zero
        /// The number of the mesh.
        var mesh: Int32 = -1
    }

    let width, height: Int
    private(set) var samples: [Sample]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        samples = Array(repeating: Sample(), count: width * height)
    }

    /// Draws a mesh. Vertices are projected with the lens, and edges between them are straight: triangles must be small for a distorted lens.
    mutating func draw(_ mesh: TriangleMesh, normals: [Vector3], number: Int, camera: PosedCamera) {
        let projected: [(pixel: Vector2d, depth: Double)] = mesh.positions.map { position in
            let inCamera = camera.cameraFromWorld * Vector3d(position)
            return (camera.intrinsics.project(inCamera), inCamera.z)
        }
        for t in mesh.triangles {
            let (i, j, k) = (Int(t.x), Int(t.y), Int(t.z))
            let (a, b, c) = (projected[i], projected[j], projected[k])
            // The scene has nothing near a camera: triangles with a vertex behind it are not visible.
            guard a.depth > 0.01, b.depth > 0.01, c.depth > 0.01 else { continue }
            let area = doubleArea(a.pixel, b.pixel, c.pixel)
            // Front faces are clockwise in pixels, since y points down.
            guard area < 0 else { continue }
            let low = pointwiseMin(a.pixel, pointwiseMin(b.pixel, c.pixel))
            let high = pointwiseMax(a.pixel, pointwiseMax(b.pixel, c.pixel))
            guard high.x > 0, high.y > 0, low.x < Double(width), low.y < Double(height) else { continue }
            let xs = max(0, Int(low.x - 0.5))...min(width - 1, Int(high.x + 0.5))
            let ys = max(0, Int(low.y - 0.5))...min(height - 1, Int(high.y + 0.5))
            for y in ys {
                for x in xs {
                    let pixel = Vector2d(Double(x) + 0.5, Double(y) + 0.5)
                    let u = doubleArea(b.pixel, c.pixel, pixel) / area
                    let v = doubleArea(c.pixel, a.pixel, pixel) / area
                    let w = 1 - u - v
                    guard u >= 0, v >= 0, w >= 0 else { continue }
                    let (p, q, r) = (u / a.depth, v / b.depth, w / c.depth)
                    let depth = 1 / (p + q + r)
                    guard Float(depth) < samples[y * width + x].depth else { continue }
                    let (s, h, g) = (Float(p * depth), Float(q * depth), Float(r * depth))
                    samples[y * width + x] = Sample(
                        depth: Float(depth), point: mesh.positions[i] * s + mesh.positions[j] * h + mesh.positions[k] * g,
                        normal: normals[i] * s + normals[j] * h + normals[k] * g, mesh: Int32(number))
                }
            }
        }
    }

    private func doubleArea(_ a: Vector2d, _ b: Vector2d, _ c: Vector2d) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
}
