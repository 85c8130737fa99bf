import VitrineMath
import VitrineVision

/// A band of the texture's rows that accumulates photos.
final class BandCanvas {
    let runs: TexelRuns
    private let atlas: Atlas
    private let surface: SurfaceTopology
    /// The weighted sums of each texel of the band, with the weights in w.
    private let detail, wide: UnsafeMutableBufferPointer<Vector4>

    /// The fill colours of texels without a photo, by vertex; levels of 255.
    private let fill: [Vector3]

    /// The weight of the fill relative to a photo.
    private static let fillWeight: Float = 1e-6
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

    /// Adds a photo.
    ///
    /// - Parameter weights: By vertex, as `BlendWeights.weights(of:)` gives them.
    func add(_ view: PreparedView, _ bands: BandPlanes, weights: [Vector2], _ parallel: Parallel) {
        // Each texel belongs to one triangle, and each triangle to one chunk: no two threads write to the same texel.
        nonisolated(unsafe) let canvas = self
        parallel.forEachChunk(of: surface.triangleCount, size: Self.chunk) { triangles in
            canvas.withBrush(view, bands) { brush in
                weights.withUnsafeBufferPointer { weights in
                    for number in triangles {
                        let t = brush.triangles[number]
                        let (a, b, c) = (weights[Int(t.x)], weights[Int(t.y)], weights[Int(t.z)])
                        guard max(a.x + a.y, max(b.x + b.y, c.x + c.y)) > BlendWeights.least else { continue }
                        brush.draw(number, (a, b, c))
                    }
                }
            }
        }
    }

    private func withBrush(_ view: PreparedView, _ bands: BandPlanes, _ body: (Brush) -> Void) {
        bands.withReader { reader in
            view.depth.inverse.withUnsafeBufferPointer { inverse in
                view.points.withUnsafeBufferPointer { points in
                    surface.triangles.withUnsafeBufferPointer { triangles in
                        atlas.triangles.withUnsafeBufferPointer { corners in
                            atlas.texels.withUnsafeBufferPointer { texels in
                                runs.offsets.withUnsafeBufferPointer { offsets in
                                    runs.runs.withUnsafeBufferPointer { runs in
                                        body(
                                            Brush(
                                                reader: reader, inverse: inverse, points: points, triangles: triangles, corners: corners,
                                                texels: texels, offsets: offsets, runs: runs, detail: detail, wide: wide,
                                                firstRow: self.runs.rows.lowerBound, rowLength: self.runs.width,
                                                focal: view.projection.focal))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the band's texels, three bytes each, to the page.
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
                let slot = 3 * ((Int(run.y) - runs.pageRow) * runs.width + x)
                target[slot] = UInt8(bytes.x)
                target[slot + 1] = UInt8(bytes.y)
                target[slot + 2] = UInt8(bytes.z)
            }
        }
    }
}

/// The pointers that adding a photo to a band reads and writes, without reference counting.
private struct Brush {
    let reader: BandPlanes.Reader
    let inverse: UnsafeBufferPointer<Float>
    /// The projections of the surface's vertices in the photo.
    let points: UnsafeBufferPointer<Vector3>
    let triangles, corners: UnsafeBufferPointer<SIMD3<Int32>>
    let texels: UnsafeBufferPointer<Vector2>
    let offsets: UnsafeBufferPointer<Int32>
    let runs: UnsafeBufferPointer<TexelRuns.Run>
    let detail, wide: UnsafeMutableBufferPointer<Vector4>
    let firstRow, rowLength: Int
    let focal: Float

    /// The weight for detail of photos that were not selected: they fill texels that the selected photo does not observe.
    private static let substitute: Float = 1e-3

    @inline(__always)
    func draw(_ number: Int, _ weights: (Vector2, Vector2, Vector2)) {
        let (t, u) = (triangles[number], corners[number])
        let range = Int(offsets[number])..<Int(offsets[number + 1])
        let (a, b, c) = (points[Int(t.x)], points[Int(t.y)], points[Int(t.z)])
        guard !range.isEmpty, min(a.z, min(b.z, c.z)) > 0,
            let tolerance = tolerance(a, b, c),
            let map = BarycentricMap(texels[Int(u.x)], texels[Int(u.y)], texels[Int(u.z)])
        else { return }
        let (right, bottom) = (Float(reader.width - 1), Float(reader.height - 1))
        for index in range {
            let run = runs[index]
            var barycentric = map.weights(x: Int(run.x), y: Int(run.y))
            let base = (Int(run.y) &- firstRow) &* rowLength
            for x in Int(run.x)..<Int(run.x &+ run.length) {
                let h = a * barycentric.x + b * barycentric.y + c * barycentric.z
                let mixed = weights.0 * barycentric.x + weights.1 * barycentric.y + weights.2 * barycentric.z
                let weight = pointwiseMax(mixed, Vector2(repeating: 0))
                barycentric += map.alongX
                guard h.z > 0, weight.x + weight.y > 0 else { continue }
                let (px, py) = (h.x / h.z, h.y / h.z)
                guard px >= 1, py >= 1, px < right, py < bottom else { continue }
                let slot = Int(py) &* reader.width &+ Int(px)
                guard DepthBuffer.isVisible(inverse, at: slot, depth: h.z, tolerance: tolerance) else { continue }
                let full = reader.full(px, py)
                guard full.w > 0 else { continue }
                let blurred = reader.blurred(px, py)
                let wideWeight = weight.y * full.w * full.w
                let detailWeight = weight.x * full.w + wideWeight * Self.substitute
                var (low, high) = (blurred, full - blurred)
                (low.w, high.w) = (1, 1)
                wide[base &+ x] += low * wideWeight
                detail[base &+ x] += high * detailWeight
            }
        }
    }

    /// The largest relative difference of a point's depth from the buffer's; nil for a triangle that faces away or is nearly edge-on.
    @inline(__always)
    private func tolerance(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Float? {
        // The change of depth over a pixel, from the plane of inverse depth in the image.
        let (wa, wb, wc) = (1 / a.z, 1 / b.z, 1 / c.z)
        let p = Vector2(a.x, a.y) * wa
        let (e, f) = (Vector2(b.x, b.y) * wb - p, Vector2(c.x, c.y) * wc - p)
        let area = e.x * f.y - e.y * f.x
        // Counterclockwise from outside is clockwise with y down.
        guard area < 0 else { return nil }
        let dx = ((wb - wa) * f.y - (wc - wa) * e.y) / area
        let dy = ((wc - wa) * e.x - (wb - wa) * f.x) / area
        let slope = (abs(dx) + abs(dy)) / max(wa, max(wb, wc))
        guard slope < 25 / focal else { return nil }
        return max(0.0015, 2 / focal + 2 * slope)
    }
}
