import VitrineMath
import VitrineVision

/// The shapes of the synthetic scene, in metres, +Y up.
enum SyntheticObject {
    /// A closed lump with bumps, dents and a narrow base: a displaced icosphere, cut flat at y = 0. About 0.2 m tall.
    ///
    /// - Parameter subdivisions: 5 gives 20,480 triangles of about 6 mm.
    static func lump(subdivisions: Int) -> TriangleMesh {
        var mesh = icosphere(subdivisions: subdivisions)
        for index in mesh.positions.indices {
            let d = mesh.positions[index]
            var radius: Float =
                0.085 + 0.012 * sin(3 * d.x + 1) * cos(4 * d.z) + 0.006 * sin(7 * d.y + 2 * d.x) + 0.003 * sin(13 * d.z + 9 * d.x)
            radius += bump(d, toward: Vector3(0.6, 0.5, 0.62), width: 0.32) * 0.035
            radius += bump(d, toward: Vector3(-0.9, 0.1, 0.3), width: 0.4) * 0.028
            radius -= bump(d, toward: Vector3(0.1, 0.4, -0.9), width: 0.35) * 0.022
            var point = d * radius * Vector3(0.9, 1.18, 0.85) + Vector3(0.004, 0.086, -0.003)
            point.y = max(0, point.y)
            mesh.positions[index] = point
        }
        return mesh
    }

    /// A square about the origin at y = 0, facing up, in cells small enough for a distorted lens.
    static func table(side: Float, cells: Int) -> TriangleMesh {
        var mesh = TriangleMesh()
        for z in 0...cells {
            for x in 0...cells {
                mesh.positions.append(Vector3(Float(x) / Float(cells) - 0.5, 0, Float(z) / Float(cells) - 0.5) * side)
            }
        }
        for z in 0..<cells {
            for x in 0..<cells {
                let a = UInt32(z * (cells + 1) + x)
                let b = a + UInt32(cells + 1)
                mesh.triangles += [SIMD3(a, b, a + 1), SIMD3(a + 1, b, b + 1)]
            }
        }
        return mesh
    }

    private static func bump(_ direction: Vector3, toward: Vector3, width: Float) -> Float {
        let apart = direction - normalize(toward)
        return exp(-lengthSquared(apart) / (2 * width * width))
    }

    private static func icosphere(subdivisions: Int) -> TriangleMesh {
        let g: Float = 1.618_034
        var mesh = TriangleMesh(
            positions: [
                [-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1],
                [-g, 0, -1], [-g, 0, 1],
            ].map { normalize($0) },
            triangles: [
                [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
                [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
            ])
        for _ in 0..<subdivisions {
            var middles: [UInt64: UInt32] = [:]
            func middle(_ a: UInt32, _ b: UInt32) -> UInt32 {
                let key = UInt64(min(a, b)) << 32 | UInt64(max(a, b))
                if let known = middles[key] { return known }
                mesh.positions.append(normalize(mesh.positions[Int(a)] + mesh.positions[Int(b)]))
                middles[key] = UInt32(mesh.positions.count - 1)
                return UInt32(mesh.positions.count - 1)
            }
            var finer: [SIMD3<UInt32>] = []
            for t in mesh.triangles {
                let ab = middle(t.x, t.y)
                let bc = middle(t.y, t.z)
                let ca = middle(t.z, t.x)
                finer += [SIMD3(t.x, ab, ca), SIMD3(t.y, bc, ab), SIMD3(t.z, ca, bc), SIMD3(ab, bc, ca)]
            }
            mesh.triangles = finer
        }
        return mesh
    }
}
