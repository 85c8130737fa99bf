import VitrineMath
import VitrineVision

/// Draws a textured mesh into the photos that it was made from, and measures how well they agree.
///
/// A part of the photo agrees with the model if it resembles the model there more than it resembles the model's surroundings. Blur, noise, weak texture
/// and other light lower the resemblance everywhere; a part of the object that is somewhere else in the photo resembles the model nowhere more than
/// elsewhere, by chance.
package struct ModelComparison: Sendable {
    private let mesh: TexturedMesh
    private let texture: GrayPlane
    /// The side of the compared cells in drawn pixels: textures have more detail than small images.
    private static let cell = 4
    /// The side of the compared blocks, and the distance between them, cells.
    private static let block = 7, step = 3
    /// The smallest standard deviation of the photo's brightness in a block, 0…1.
    private static let leastContrast: Float = 0.02
    /// Fewer blocks don't judge a photo.
    private static let fewestBlocks = 12

    package init(_ mesh: TexturedMesh) { (self.mesh, texture) = (mesh, mesh.baseColor.gray) }

    /// The fraction of the photo's blocks that correlate better with the model than the eight blocks around them do, 0…1. Unrelated images give about a
    /// ninth.
    ///
    /// - Parameter side: The longer side of the drawn image in pixels. Default 480.
    /// - Returns: nil if the model covers too little of the photo, or the photo has too little contrast there.
    package func agreement(with photo: PhotoView, side: Int = 480) -> Float? {
        let longer = max(photo.color.width, photo.color.height)
        guard longer > 0, !mesh.triangles.isEmpty else { return nil }
        let (width, height) = (photo.color.width * side / longer, photo.color.height * side / longer)
        guard min(width, height) >= 2 * Self.block * Self.cell else { return nil }
        let cells = CellImages(drawn: draw(photo.camera, width, height), photo: photo.color.gray, width, height, cell: Self.cell)
        // Far enough for another part of the texture, near enough to lie on the object.
        let reach = max(Self.block / 2 + 1, Int((0.2 * Float(cells.coveredCount).squareRoot()).rounded()))
        var (compared, agreeing) = (0, 0)
        for top in stride(from: 0, through: cells.rows - Self.block, by: Self.step) {
            for left in stride(from: 0, through: cells.columns - Self.block, by: Self.step) {
                guard let model = cells.modelBlock(left, top, Self.block), let own = cells.photoBlock(left, top, Self.block),
                    own.deviation > Self.leastContrast, model.deviation > 0
                else { continue }
                var others: [Float] = []
                for (x, y) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
                    guard cells.modelBlock(left + x * reach, top + y * reach, Self.block) != nil,
                        let other = cells.photoBlock(left + x * reach, top + y * reach, Self.block)
                    else { continue }
                    others.append(model.correlation(with: other))
                }
                guard others.count >= 3 else { continue }
                compared += 1
                let value = model.correlation(with: own)
                if others.allSatisfy({ value > $0 }) { agreeing += 1 }
            }
        }
        return compared < Self.fewestBlocks ? nil : Float(agreeing) / Float(compared)
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
}

/// The mean brightness of model and photo in square cells.
private struct CellImages {
    let columns, rows: Int
    /// The number of cells that the model covers.
    let coveredCount: Int
    /// Negative where the model does not cover the cell.
    private var model: [Float]
    private var photo: [Float]

    init(drawn: [Float], photo image: GrayPlane, _ width: Int, _ height: Int, cell: Int) {
        (columns, rows) = (width / cell, height / cell)
        model = []
        photo = []
        for row in 0..<rows {
            for column in 0..<columns {
                var sum = SIMD2<Float>.zero
                var isCovered = true
                for y in row * cell..<(row + 1) * cell {
                    for x in column * cell..<(column + 1) * cell {
                        let level = drawn[y * width + x]
                        if level < 0 { isCovered = false }
                        sum += SIMD2(level, image[(2 * x + 1) * image.width / (2 * width), (2 * y + 1) * image.height / (2 * height)])
                    }
                }
                sum /= Float(cell * cell)
                model.append(isCovered ? sum.x : -1)
                photo.append(sum.y)
            }
        }
        coveredCount = model.count { $0 >= 0 }
    }

    /// nil unless the block lies in the image and the model covers all of it.
    func modelBlock(_ left: Int, _ top: Int, _ side: Int) -> CellBlock? {
        guard let block = values(model, left, top, side), !block.contains(where: { $0 < 0 }) else { return nil }
        return CellBlock(block)
    }

    func photoBlock(_ left: Int, _ top: Int, _ side: Int) -> CellBlock? { values(photo, left, top, side).map { CellBlock($0) } }

    private func values(_ image: [Float], _ left: Int, _ top: Int, _ side: Int) -> [Float]? {
        guard left >= 0, top >= 0, left + side <= columns, top + side <= rows else { return nil }
        return (top..<top + side).flatMap { image[$0 * columns + left..<$0 * columns + left + side] }
    }
}

/// A block of cells without its mean.
private struct CellBlock {
    private let values: [Float]
    let deviation: Float

    init(_ levels: [Float]) {
        let mean = levels.reduce(0, +) / Float(levels.count)
        values = levels.map { $0 - mean }
        deviation = (values.reduce(0) { $0 + $1 * $1 } / Float(levels.count)).squareRoot()
    }

    /// −1…1.
    func correlation(with other: CellBlock) -> Float {
        let sum = zip(values, other.values).reduce(Float(0)) { $0 + $1.0 * $1.1 }
        return sum / (Float(values.count) * max(1e-9, deviation * other.deviation))
    }
}
