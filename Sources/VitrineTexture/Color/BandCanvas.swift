import VitrineMath
import VitrineVision

/// A band of the texture's rows while photos are laid onto it.
final class BandCanvas {
    let runs: TexelRuns
    private let atlas: Atlas
    private let surface: SurfaceTopology
    /// By texel of the band: weighted sums, and the weights in w.
    private let detail, wide: UnsafeMutableBufferPointer<Vector4>

    /// Colours that count where no photo does, by vertex; levels of 255.
    private let fill: [Vector3]

    /// So little does the fill weigh against a photo.
    private static let fillWeight: Float = 1e-6
    /// So little do photos count for detail that were not chosen: where the chosen one turns out not to see a texel, they stand in.
    private static let substitute: Float = 1e-3
    private static let chunk = 256

    init(_ runs: TexelRuns, _ atlas: Atlas, _ surface: SurfaceTopology, fill: [Vector3]) {
        (self.runs, self.atlas, self.surface, self.fill) = (runs, atlas, surface, fill)
        detail = .allocate(capacity: runs.rows.count * runs.width)
        wide = .allocate(capacity: runs.rows.count * runs.width)
        detail.initialize(repeating: .zero)
        wide.initialize(repeating: .zero)
    }

    deinit {
        detail.deallocate()
        wide.deallocate()
    }

    /// Adds what a photo shows.
    ///
    /// - Parameter weights: By vertex, as `BlendWeights.weights(of:)` gives them.
    func add(_ view: PreparedView, _ bands: BandPlanes, weights: [Vector2], _ parallel: Parallel) {
        // Each texel belongs to one triangle, and each triangle to one chunk: no two threads write to one place.
        nonisolated(unsafe) let canvas = self
        parallel.forEachChunk(of: surface.triangleCount, size: Self.chunk) { triangles in
            bands.withReader { reader in
                view.depth.inverse.withUnsafeBufferPointer { inverse in
                    for number in triangles {
                        let t = canvas.surface.triangles[number]
                        let (a, b, c) = (weights[Int(t.x)], weights[Int(t.y)], weights[Int(t.z)])
                        guard max(a.x + a.y, max(b.x + b.y, c.x + c.y)) > 1e-4 else { continue }
                        canvas.draw(number, view, reader, inverse, (a, b, c))
                    }
                }
            }
        }
    }

    @inline(__always)
    private func draw(
        _ number: Int, _ view: PreparedView, _ reader: BandPlanes.Reader, _ inverse: UnsafeBufferPointer<Float>,
        _ weights: (Vector2, Vector2, Vector2)
    ) {
        let range = Int(runs.offsets[number])..<Int(runs.offsets[number + 1])
        let (t, u) = (surface.triangles[number], atlas.triangles[number])
        let (a, b, c) = (view.points[Int(t.x)], view.points[Int(t.y)], view.points[Int(t.z)])
        guard !range.isEmpty, min(a.z, min(b.z, c.z)) > 0,
            let map = BarycentricMap(atlas.texels[Int(u.x)], atlas.texels[Int(u.y)], atlas.texels[Int(u.z)])
        else { return }
        let middle = (surface.positions[Int(t.x)] + surface.positions[Int(t.y)] + surface.positions[Int(t.z)]) / 3
        let toCamera = view.projection.center - middle
        let cosine = dot(surface.normals[number], toCamera) / length(toCamera)
        guard cosine > 0.05 else { return }
        let tolerance = max(0.0015, (2 + 2 * (1 - cosine * cosine).squareRoot() / cosine) / view.projection.focal)
        let (right, bottom) = (Float(reader.width - 1), Float(reader.height - 1))
        runs.runs.withUnsafeBufferPointer { runs in
            for index in range {
                let run = runs[index]
                var barycentric = map.weights(x: Int(run.x), y: Int(run.y))
                let base = (Int(run.y) - self.runs.rows.lowerBound) * self.runs.width
                for x in Int(run.x)..<Int(run.x + run.length) {
                    let h = a * barycentric.x + b * barycentric.y + c * barycentric.z
                    let weight = pointwiseMax(
                        weights.0 * barycentric.x + weights.1 * barycentric.y + weights.2 * barycentric.z, Vector2(repeating: 0))
                    barycentric += map.alongX
                    guard h.z > 0, weight.x + weight.y > 0 else { continue }
                    let (px, py) = (h.x / h.z, h.y / h.z)
                    guard px >= 1, py >= 1, px < right, py < bottom else { continue }
                    let slot = Int(py) &* reader.width &+ Int(px)
                    guard DepthBuffer.sees(inverse, at: slot, depth: h.z, tolerance: tolerance) else { continue }
                    let full = reader.full(px, py)
                    guard full.w > 0 else { continue }
                    let blurred = reader.blurred(px, py)
                    let wideWeight = weight.y * full.w * full.w
                    let detailWeight = weight.x * full.w + wideWeight * Self.substitute
                    wide[base + x] += Vector4(blurred.x, blurred.y, blurred.z, 1) * wideWeight
                    detail[base + x] += Vector4(full.x - blurred.x, full.y - blurred.y, full.z - blurred.z, 1) * detailWeight
                }
            }
        }
    }

    /// Writes the band's texels, three bytes each, to a texture.
    ///
    /// - Returns: The number of texels that no photo reached.
    func finish(into texture: UnsafeMutableBufferPointer<UInt8>, _ parallel: Parallel) {
        nonisolated(unsafe) let (canvas, target) = (self, texture)
        parallel.forEachChunk(of: surface.triangleCount, size: 1024) { triangles in
            for number in triangles { canvas.finish(number, target) }
        }
    }

    private func finish(_ number: Int, _ target: UnsafeMutableBufferPointer<UInt8>) {
        let (t, u) = (surface.triangles[number], atlas.triangles[number])
        let range = Int(runs.offsets[number])..<Int(runs.offsets[number + 1])
        guard !range.isEmpty, let map = BarycentricMap(atlas.texels[Int(u.x)], atlas.texels[Int(u.y)], atlas.texels[Int(u.z)]) else {
            return
        }
        let (a, b, c) = (fill[Int(t.x)], fill[Int(t.y)], fill[Int(t.z)])
        for index in range {
            let run = runs.runs[index]
            let base = (Int(run.y) - runs.rows.lowerBound) * runs.width
            for x in Int(run.x)..<Int(run.x + run.length) {
                let w = map.weights(x: x, y: Int(run.y)).clamped(lowerBound: .zero, upperBound: Vector3(repeating: 1))
                let color = (a * w.x + b * w.y + c * w.z) / max(1e-6, w.sum())
                let low = (wide[base + x] + Vector4(color.x, color.y, color.z, 1) * Self.fillWeight)
                let fine = detail[base + x]
                var value = low / low.w
                if fine.w > 0 { value += fine / fine.w * (low.w - Self.fillWeight) / low.w }
                let bytes = value.clamped(lowerBound: .zero, upperBound: Vector4(repeating: 255)).rounded(.toNearestOrEven)
                let slot = 3 * (Int(run.y) * runs.width + x)
                target[slot] = UInt8(bytes.x)
                target[slot + 1] = UInt8(bytes.y)
                target[slot + 2] = UInt8(bytes.z)
            }
        }
    }
}
