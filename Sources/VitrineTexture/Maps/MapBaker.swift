import VitrineMath
import VitrineScene
import VitrineVision

/// Bakes the normal, occlusion, roughness and displacement maps, band by band.
struct MapBaker: Sendable {
    let surface: SurfaceTopology
    let atlas: Atlas
    /// The normal of each split vertex.
    let normals: [Vector3]
    let tangents: [Vector4]
    let detail: DetailSurface?
    /// The values of each vertex of the surface, 0…1; empty if not requested.
    let occlusion, roughness: [Float]
    /// The divisor of the base colour for each vertex; empty for none.
    let light: [Float]
    let maps: TextureBuilder.Maps

    func bake(_ runs: TexelRuns, into page: inout TexturePage, _ parallel: Parallel) {
        if !occlusion.isEmpty { interpolate(occlusion, runs, &page.occlusion, parallel) }
        if !roughness.isEmpty { interpolate(roughness, runs, &page.roughness, parallel) }
        guard maps.contains(.normal) || maps.contains(.displacement) else { return }
        page.normal.withUnsafeMutableBufferPointer { normal in
            page.heights.withUnsafeMutableBufferPointer { heights in
                // Each texel belongs to one triangle, and each triangle to one chunk.
                nonisolated(unsafe) let (normal, heights) = (normal, heights)
                parallel.forEachChunk(of: surface.triangleCount, size: 512) { triangles in
                    var probe = detail.map { DetailProbe($0) }
                    for number in triangles { bakeDetail(number, runs, &probe, normal, heights) }
                }
            }
        }
    }

    /// Divides colours, sRGB-encoded, by the light in linear light.
    func divideByLight(_ runs: TexelRuns, _ color: inout [UInt8], _ parallel: Parallel) {
        guard !light.isEmpty else { return }
        let encoded = TransferFunction.byteFromLinear
        color.withUnsafeMutableBufferPointer { color in
            // Each texel belongs to one triangle, and each triangle to one chunk.
            nonisolated(unsafe) let color = color
            parallel.forEachChunk(of: surface.triangleCount, size: 1024) { triangles in
                let linear = TransferFunction.linearFromByte
                for number in triangles {
                    let t = surface.triangles[number]
                    let corners = Vector3(light[Int(t.x)], light[Int(t.y)], light[Int(t.z)])
                    forEachTexel(number, runs) { slot, weights in
                        let factor = Float(encoded.count - 1) / (corners * weights).sum()
                        for index in 3 * slot..<3 * slot + 3 {
                            color[index] = encoded[min(encoded.count - 1, Int(linear[Int(color[index])] * factor + 0.5))]
                        }
                    }
                }
            }
        }
    }

    private func interpolate(_ values: [Float], _ runs: TexelRuns, _ plane: inout [UInt8], _ parallel: Parallel) {
        plane.withUnsafeMutableBufferPointer { plane in
            // Each texel belongs to one triangle, and each triangle to one chunk.
            nonisolated(unsafe) let plane = plane
            parallel.forEachChunk(of: surface.triangleCount, size: 1024) { triangles in
                for number in triangles {
                    let t = surface.triangles[number]
                    let corners = Vector3(values[Int(t.x)], values[Int(t.y)], values[Int(t.z)]) * 255
                    forEachTexel(number, runs) { slot, weights in
                        plane[slot] = UInt8(min(255, max(0, (corners * weights).sum().rounded())))
                    }
                }
            }
        }
    }

    /// Calls `body` for a triangle's texels with barycentric weights, not outside the triangle.
    @inline(__always)
    private func forEachTexel(_ number: Int, _ runs: TexelRuns, _ body: (Int, Vector3) -> Void) {
        let u = atlas.triangles[number]
        let range = Int(runs.offsets[number])..<Int(runs.offsets[number + 1])
        guard !range.isEmpty, let map = BarycentricMap(atlas.texels[Int(u.x)], atlas.texels[Int(u.y)], atlas.texels[Int(u.z)]) else {
            return
        }
        for index in range {
            let run = runs.runs[index]
            var weights = map.weights(x: Int(run.x), y: Int(run.y))
            for x in Int(run.x)..<Int(run.x + run.length) {
                let inside = weights.clamped(lowerBound: Vector3(repeating: 0), upperBound: Vector3(repeating: 1))
                body((Int(run.y) - runs.pageRow) * runs.width + x, inside / inside.sum())
                weights += map.alongX
            }
        }
    }

    private func bakeDetail(
        _ number: Int, _ runs: TexelRuns, _ probe: inout DetailProbe?, _ normalPlane: UnsafeMutableBufferPointer<UInt8>,
        _ heights: UnsafeMutableBufferPointer<UInt16>
    ) {
        let (t, u) = (surface.triangles[number], atlas.triangles[number])
        let corner = SIMD3<Int>(Int(u.x), Int(u.y), Int(u.z))
        let (p0, p1, p2) = (surface.positions[Int(t.x)], surface.positions[Int(t.y)], surface.positions[Int(t.z)])
        forEachTexel(number, runs) { slot, w in
            let normal = normalize(normals[corner.x] * w.x + normals[corner.y] * w.y + normals[corner.z] * w.z)
            let hit = probe?.nearest(p0 * w.x + p1 * w.y + p2 * w.z, along: normal)
            if !normalPlane.isEmpty {
                let blended = tangents[corner.x] * w.x + tangents[corner.y] * w.y + tangents[corner.z] * w.z
                let bytes = encoded(hit?.normal ?? normal, normal, blended)
                for k in 0..<3 { normalPlane[3 * slot + k] = bytes[k] }
            }
            if !heights.isEmpty, let hit, let detail {
                heights[slot] = UInt16(min(65535, max(0, (hit.height / detail.heightUnit + 32768).rounded())))
            }
        }
    }

    /// Encodes a direction in the frame of tangent, bitangent (cross(normal, tangent) · w) and normal.
    @inline(__always)
    private func encoded(_ direction: Vector3, _ normal: Vector3, _ blended: Vector4) -> SIMD3<UInt8> {
        let raw = Vector3(blended.x, blended.y, blended.z)
        let tangent = normalize(raw - normal * dot(raw, normal))
        let bitangent = cross(normal, tangent) * (blended.w < 0 ? -1 : 1)
        let local = Vector3(dot(direction, tangent), dot(direction, bitangent), max(0.02, dot(direction, normal)))
        let scaled = normalize(local) * 127.5 + Vector3(repeating: 127.5)
        return SIMD3<UInt8>(
            scaled.clamped(lowerBound: Vector3(repeating: 0), upperBound: Vector3(repeating: 255)), rounding: .toNearestOrAwayFromZero)
    }
}
