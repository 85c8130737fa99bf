import VitrineMath
import VitrineVision

/// Draws a textured mesh into the photos that it was made from, and measures how well they agree.
///
/// The correlation of brightness ignores exposure and most of the light; a model that puts the object's parts where a photo shows something
/// else has a low one.
package struct ModelComparison: Sendable {
    private let mesh: TexturedMesh
    private let texture: GrayPlane
    /// The side of the compared cells in drawn pixels: textures have more detail than small images.
    private static let cell = 4

    package init(_ mesh: TexturedMesh) { (self.mesh, texture) = (mesh, mesh.baseColor.gray) }

    /// The correlation of the brightness of photo and model where the model is, −1…1.
    ///
    /// - Parameter side: The longer side of the drawn image in pixels. Default 480.
    /// - Returns: nil if the model covers too little of the photo, or the photo has too little contrast there.
    package func correlation(with photo: PhotoView, side: Int = 480) -> Float? {
        let longer = max(photo.color.width, photo.color.height)
        guard longer > 0, !mesh.triangles.isEmpty else { return nil }
        let (width, height) = (photo.color.width * side / longer, photo.color.height * side / longer)
        guard min(width, height) >= 8 * Self.cell else { return nil }
        let drawn = draw(photo.camera, width, height)
        let cells = cells(drawn, photo.color.gray, width, height)
        guard cells.count >= 40 else { return nil }
        let count = Float(cells.count)
        let mean = cells.reduce(SIMD2<Float>.zero, +) / count
        var (both, squares) = (Float(0), SIMD2<Float>.zero)
        for cell in cells {
            let off = cell - mean
            both += off.x * off.y
            squares += off * off
        }
        // Noise correlates with nothing.
        guard (squares.y / count).squareRoot() > 0.03 else { return nil }
        return both / max(1e-9, (squares.x * squares.y).squareRoot())
    }

    /// The brightness of the model at each pixel, 0…1; negative where it is not.
    private func draw(_ camera: PosedCamera, _ width: Int, _ height: Int) -> [Float] {
        let projection = Projection(camera, width: width, height: height)
        let points = mesh.positions.map { projection.homogeneous($0) }
        var inverse = [Float](repeating: 0, count: width * height)
        var result = [Float](repeating: -1, count: width * height)
        for triangle in mesh.triangles {
            let corners = [Int(triangle.x), Int(triangle.y), Int(triangle.z)]
            let (a, b, c) = (points[corners[0]], points[corners[1]], points[corners[2]])
            guard min(a.z, min(b.z, c.z)) > 0 else { continue }
            let weights = SIMD3(1 / a.z, 1 / b.z, 1 / c.z)
            let (p, q, r) = (Vector2(a.x, a.y) * weights.x, Vector2(b.x, b.y) * weights.y, Vector2(c.x, c.y) * weights.z)
            let (e, f) = (q - p, r - p)
            let area = e.x * f.y - e.y * f.x
            guard area != 0 else { continue }
            TriangleRaster.scan(p, q, r, width: width, height: height) { y, xs in
                for x in xs {
                    let place = Vector2(Float(x) + 0.5, Float(y) + 0.5) - p
                    let (v, w) = ((place.x * f.y - place.y * f.x) / area, (e.x * place.y - e.y * place.x) / area)
                    let shares = SIMD3(1 - v - w, v, w) * weights
                    let near = shares.sum()
                    let slot = y * width + x
                    guard near > inverse[slot] else { continue }
                    inverse[slot] = near
                    // A surface seen from behind belongs to the silhouette, but has no colour there.
                    guard area < 0 else {
                        result[slot] = -1
                        continue
                    }
                    var coordinate = Vector2.zero
                    for k in 0..<3 { coordinate += mesh.textureCoordinates[corners[k]] * (shares[k] / near) }
                    let column = min(texture.width - 1, max(0, Int(coordinate.x * Float(texture.width))))
                    let row = min(texture.height - 1, max(0, Int(coordinate.y * Float(texture.height))))
                    result[slot] = texture[column, row]
                }
            }
        }
        return result
    }

    /// The mean brightness of model and photo in each cell that the model covers.
    private func cells(_ drawn: [Float], _ image: GrayPlane, _ width: Int, _ height: Int) -> [SIMD2<Float>] {
        let cell = Self.cell
        var result: [SIMD2<Float>] = []
        for top in stride(from: 0, to: height - cell + 1, by: cell) {
            for left in stride(from: 0, to: width - cell + 1, by: cell) {
                var sum = SIMD2<Float>.zero
                var isCovered = true
                for y in top..<top + cell {
                    for x in left..<left + cell {
                        let level = drawn[y * width + x]
                        if level < 0 { isCovered = false }
                        sum += SIMD2(level, image[(2 * x + 1) * image.width / (2 * width), (2 * y + 1) * image.height / (2 * height)])
                    }
                }
                if isCovered { result.append(sum / Float(cell * cell)) }
            }
        }
        return result
    }
}
