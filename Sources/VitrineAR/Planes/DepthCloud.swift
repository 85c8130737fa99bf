import VitrineMath
import VitrineTracking
import VitrineVision

/// A depth image as points of the world on a coarse grid (about 128 × 96), and square patches of four by four of them with a normal each.
struct DepthCloud: Sendable {
    struct Sample: Sendable {
        var position: Vector3d
        /// Metres along the camera's axis; 0 where unknown.
        var depth: Double
    }

    struct Patch: Sendable {
        var center: Vector3d
        /// Towards the camera; zero where the depth there is no plane.
        var normal: Vector3d
        var depth: Double
        var isFlat: Bool { normal != .zero }
    }

    static let patchSize = 4

    let columns, rows: Int
    let worldFromCamera: RigidTransform
    let cameraFromWorld: RigidTransform
    private(set) var samples: [Sample]
    let patchColumns, patchRows: Int
    private(set) var patches: [Patch] = []
    /// The camera at the grid's size.
    let camera: CameraIntrinsics

    init(_ image: DepthImage, camera: CameraIntrinsics, worldFromCamera: RigidTransform, limit: Double) {
        let (width, height) = (image.metres.width, image.metres.height)
        let step = max(1, Int((Double(width * height) / 12_288).squareRoot().rounded(.up)))
        (columns, rows) = (width / step, height / step)
        (patchColumns, patchRows) = (columns / Self.patchSize, rows / Self.patchSize)
        (self.worldFromCamera, cameraFromWorld) = (worldFromCamera, worldFromCamera.inverse)
        let covered = Vector2d(Double(columns * step), Double(rows * step)) / Vector2d(Double(width), Double(height))
        self.camera = camera.resized(columns: columns, rows: rows, covering: covered)
        let depths = Self.reduced(image, step: step, columns: columns, rows: rows, limit: Float(limit))
        samples = []
        samples.reserveCapacity(columns * rows)
        let rays = Self.rays(self.camera, columns: columns, rows: rows)
        for i in 0..<(columns * rows) {
            // A lens may have no ray for a corner.
            let depth = (rays[i].x + rays[i].y).isFinite ? Double(depths[i]) : 0
            let position = depth > 0 ? worldFromCamera * Vector3d(rays[i].x * depth, rays[i].y * depth, depth) : .zero
            samples.append(Sample(position: position, depth: depth))
        }
        patches.reserveCapacity(patchColumns * patchRows)
        for row in 0..<patchRows {
            for column in 0..<patchColumns { patches.append(patch(column, row, rays)) }
        }
    }

    /// The middle of each square of `step` pixels: the mean of those that agree with its central pixel to 3 %.
    private static func reduced(_ image: DepthImage, step: Int, columns: Int, rows: Int, limit: Float) -> [Float] {
        let width = image.metres.width
        var result = [Float](repeating: 0, count: columns * rows)
        image.metres.values.withUnsafeBufferPointer { metres in
            for row in 0..<rows {
                for column in 0..<columns {
                    let center = metres[(row * step + step / 2) * width + column * step + step / 2]
                    guard center > 0.1, center < limit else { continue }
                    if let confidence = image.confidence, confidence[column * step + step / 2, row * step + step / 2] == 0 { continue }
                    var (sum, count) = (Float(0), Float(0))
                    for y in (row * step)..<(row * step + step) {
                        for x in (column * step)..<(column * step + step) where abs(metres[y * width + x] - center) < 0.03 * center {
                            sum += metres[y * width + x]
                            count += 1
                        }
                    }
                    result[row * columns + column] = sum / count
                }
            }
        }
        return result
    }

    private static func rays(_ camera: CameraIntrinsics, columns: Int, rows: Int) -> [Vector2d] {
        let isPinhole = !camera.isDistorted
        var rays: [Vector2d] = []
        rays.reserveCapacity(columns * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let pixel = Vector2d(Double(column) + 0.5, Double(row) + 0.5)
                rays.append(isPinhole ? (pixel - camera.center) / camera.focal : camera.normalized(pixel))
            }
        }
        return rays
    }

    /// How far depth may be off at a distance, in metres: about what structured light and LiDAR in phones do.
    static func tolerance(_ depth: Double) -> Double { 0.012 + 0.004 * depth * depth }

    /// A plane through a patch: the inverse depth of a plane is linear in the picture, 1/z = n · (u, v, 1) / d.
    private func patch(_ column: Int, _ row: Int, _ rays: [Vector2d]) -> Patch {
        var none = Patch(center: .zero, normal: .zero, depth: 0)
        var (count, mean, meanInverse) = (0.0, Vector2d.zero, 0.0)
        let first = row * Self.patchSize * columns + column * Self.patchSize
        for y in 0..<Self.patchSize {
            for x in 0..<Self.patchSize {
                let i = first + y * columns + x
                guard samples[i].depth > 0 else { continue }
                count += 1
                mean += rays[i]
                meanInverse += 1 / samples[i].depth
            }
        }
        guard count >= 10 else { return none }
        mean /= count
        meanInverse /= count
        var (a, b, c, right) = (0.0, 0.0, 0.0, Vector2d.zero)
        for y in 0..<Self.patchSize {
            for x in 0..<Self.patchSize {
                let i = first + y * columns + x
                guard samples[i].depth > 0 else { continue }
                let (place, inverse) = (rays[i] - mean, 1 / samples[i].depth - meanInverse)
                (a, b, c, right) = (a + place.x * place.x, b + place.x * place.y, c + place.y * place.y, right + place * inverse)
            }
        }
        let determinant = a * c - b * b
        guard determinant > 1e-18 else { return none }
        let slope = Vector2d(c * right.x - b * right.y, a * right.y - b * right.x) / determinant
        var squared = 0.0
        for y in 0..<Self.patchSize {
            for x in 0..<Self.patchSize {
                let i = first + y * columns + x
                guard samples[i].depth > 0 else { continue }
                let rest = 1 / samples[i].depth - meanInverse - (slope * (rays[i] - mean)).sum()
                squared += rest * rest
            }
        }
        let depth = 1 / meanInverse
        none.depth = depth
        none.center = worldFromCamera * (Vector3d(mean.x, mean.y, 1) * depth)
        guard (squared / count).squareRoot() * depth * depth < 0.5 * Self.tolerance(depth) else { return none }
        let normal = normalize(Vector3d(slope.x, slope.y, meanInverse - (slope * mean).sum()))
        return Patch(center: none.center, normal: worldFromCamera.rotation * -normal, depth: depth)
    }
}

extension CameraIntrinsics {
    /// The same camera with `columns × rows` pixels over the given share of its picture.
    func resized(columns: Int, rows: Int, covering share: Vector2d = Vector2d(1, 1)) -> CameraIntrinsics {
        let scale = Vector2d(Double(columns), Double(rows)) / (Vector2d(Double(width), Double(height)) * share)
        return CameraIntrinsics(width: columns, height: rows, focal: focal * scale, center: center * scale, distortion: distortion)
    }
}
