import VitrineMath
import VitrineVision

/// Compares the photos of a mesh with each other: projects one photo over the mesh into another, and measures their agreement.
///
/// A photo never judges itself, as it would in a comparison with the texture that it gave. A part of the photo agrees with the other photo if it
/// resembles the other photo there more than its surroundings. Blur, noise, weak texture and other light lower the resemblance everywhere; where the
/// mesh is wrong, or the photos show the object in different positions, it is nowhere higher than elsewhere, but by chance.
package struct ModelComparison: Sendable {
    private let mesh: TriangleMesh
    /// The longest side of the mesh's box.
    private let size: Float
    /// The side of the compared cells in pixels.
    private static let cell = 4
    /// The side of the compared blocks, and the distance between them, cells.
    private static let block = 7, step = 3
    /// The smallest standard deviation of the photo's brightness in a block, 0…1.
    private static let leastContrast: Float = 0.02
    /// Fewer blocks do not judge a photo.
    private static let fewestBlocks = 12
    /// The largest distance behind the nearest surface of a point that a photo still shows, relative to the mesh.
    private static let depthTolerance: Float = 0.02

    package init(_ mesh: TriangleMesh) { (self.mesh, size) = (mesh, mesh.bounds.size.max()) }

    /// A photo with the mesh in it.
    package struct View: Sendable {
        let camera: PosedCamera
        let projection: Projection
        let gray: GrayPlane
        /// The inverse depth of the mesh by pixel; 0 where there is none, or its back.
        let inverse: [Float]
    }

    /// Returns the view of a photo; nil if the photo is too small to be compared.
    ///
    /// - Parameter camera: A pinhole, of any size.
    package func view(color: ColorPlane, camera: PosedCamera) -> View? {
        let (width, height) = (color.width, color.height)
        guard !mesh.triangles.isEmpty, min(width, height) >= 2 * Self.block * Self.cell else { return nil }
        let projection = Projection(camera, width: width, height: height)
        guard projection.center.isFinite, projection.focal.isFinite, projection.focal > 0 else { return nil }
        return View(camera: camera, projection: projection, gray: color.gray, inverse: inverseDepths(projection))
    }

    private func inverseDepths(_ projection: Projection) -> [Float] {
        let (width, height) = (projection.width, projection.height)
        let points = mesh.positions.map { projection.homogeneous($0) }
        // Negative where the back is in front.
        var result = [Float](repeating: 0, count: width * height)
        result.withUnsafeMutableBufferPointer { result in
            for corners in mesh.triangles {
                let (a, b, c) = (points[Int(corners.x)], points[Int(corners.y)], points[Int(corners.z)])
                guard let triangle = ProjectedTriangle(a, b, c) else { continue }
                triangle.scan(width: width, height: height) { y, xs in
                    for x in xs {
                        let near = triangle.inverseDepth(x: x, y: y)
                        let slot = y &* width &+ x
                        if near > abs(result[slot]) { result[slot] = triangle.area < 0 ? near : -near }
                    }
                }
            }
            for slot in result.indices { result[slot] = max(0, result[slot]) }
        }
        return result
    }

    /// The fraction of a photo's blocks that correlate better with another photo's blocks at their own position than around it, 0…1. Unrelated images give
    /// about a ninth.
    ///
    /// - Returns: nil if the photos have too little of the mesh in common, or the photo has too little contrast there.
    package func agreement(of photo: View, with other: View) -> Float? {
        let cells = CellImages(
            drawn: moved(other, to: photo), photo: photo.gray, photo.projection.width, photo.projection.height, cell: Self.cell)
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
                    guard cells.isModel(left + x * reach, top + y * reach, Self.block),
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

    /// The brightness at each pixel of a photo, 0…1, as another photo shows it; negative where that does not show the mesh.
    private func moved(_ source: View, to photo: View) -> [Float] {
        let (width, height) = (photo.projection.width, photo.projection.height)
        let (own, other) = (
            photo.camera.intrinsics.resized(width: width, height: height),
            source.camera.intrinsics.resized(width: source.gray.width, height: source.gray.height)
        )
        let otherFromOwn = source.camera.cameraFromWorld * photo.camera.cameraFromWorld.inverse
        let origin = Vector3(otherFromOwn.translation)
        let (focal, center) = (Vector2(other.focal), Vector2(other.center))
        let (columns, rows) = (source.gray.width, source.gray.height)
        var result = [Float](repeating: -1, count: width * height)
        for y in 0..<height {
            // The ray of a pixel with z = 1, in the other camera's frame: linear in x.
            let first = Vector3(otherFromOwn.rotation * own.direction(Vector2d(0.5, Double(y) + 0.5)))
            let across = Vector3(otherFromOwn.rotation * own.direction(Vector2d(1.5, Double(y) + 0.5))) - first
            for x in 0..<width {
                let slot = y * width + x
                guard photo.inverse[slot] > 0 else { continue }
                let point = origin + (first + across * Float(x)) / photo.inverse[slot]
                guard point.z > 0 else { continue }
                let pixel = Vector2(point.x, point.y) / point.z * focal + center
                guard pixel.x >= 1, pixel.y >= 1, pixel.x < Float(columns - 1), pixel.y < Float(rows - 1) else { continue }
                let nearest = source.inverse[Int(pixel.y) * columns + Int(pixel.x)]
                guard nearest > 0, nearest * (point.z - Self.depthTolerance * size) <= 1 else { continue }
                result[slot] = source.gray.level(at: pixel)
            }
        }
        return result
    }
}

extension GrayPlane {
    /// The value between the centres of four pixels, at least one pixel from the border.
    fileprivate func level(at pixel: Vector2) -> Float {
        let (u, v) = (pixel.x - 0.5, pixel.y - 0.5)
        let (x, y) = (Int(u), Int(v))
        let (right, down) = (u - Float(x), v - Float(y))
        let (upper, lower) = (y * width + x, (y + 1) * width + x)
        let top = values[upper] * (1 - right) + values[upper + 1] * right
        return top * (1 - down) + (values[lower] * (1 - right) + values[lower + 1] * right) * down
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
                        sum += SIMD2(level, image.values[y * width + x])
                    }
                }
                sum /= Float(cell * cell)
                model.append(isCovered ? sum.x : -1)
                photo.append(sum.y)
            }
        }
        coveredCount = model.count { $0 >= 0 }
    }

    /// Whether the block lies in the image and the model covers all of it.
    func isModel(_ left: Int, _ top: Int, _ side: Int) -> Bool {
        guard left >= 0, top >= 0, left + side <= columns, top + side <= rows else { return false }
        for row in top..<top + side {
            for cell in row * columns + left..<row * columns + left + side where model[cell] < 0 { return false }
        }
        return true
    }

    /// nil unless `isModel`.
    func modelBlock(_ left: Int, _ top: Int, _ side: Int) -> CellBlock? {
        isModel(left, top, side) ? values(model, left, top, side).map { CellBlock($0) } : nil
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

    /// Returns the correlation of two blocks, −1…1.
    func correlation(with other: CellBlock) -> Float {
        let sum = zip(values, other.values).reduce(Float(0)) { $0 + $1.0 * $1.1 }
        return sum / (Float(values.count) * max(1e-9, deviation * other.deviation))
    }
}
