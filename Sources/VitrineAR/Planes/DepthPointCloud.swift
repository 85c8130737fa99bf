import VitrineMath
import VitrineTracking
import VitrineVision

/// A depth image as world points on a coarse grid (about 128 × 96), and 4 × 4 patches of them with normals.
struct DepthPointCloud: Sendable {
    struct Sample: Sendable {
        var position: Vector3d
        /// Metres along the camera's z axis; 0 if unknown.
        var depth: Double
    }

    struct Patch: Sendable {
        var center: Vector3d
        /// The unit normal towards the camera; zero if the patch is not planar.
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
    /// The camera model at the grid's resolution.
    let camera: CameraIntrinsics

    init(_ image: DepthImage, camera: CameraIntrinsics, worldFromCamera: RigidTransform, maximumDepth: Double) {
        let (width, height) = (image.metres.width, image.metres.height)
        let step = max(1, Int((Double(width * height) / 12_288).squareRoot().rounded(.up)))
        (columns, rows) = (width / step, height / step)
        (patchColumns, patchRows) = (columns / Self.patchSize, rows / Self.patchSize)
        (self.worldFromCamera, cameraFromWorld) = (worldFromCamera, worldFromCamera.inverse)
        let covered = Vector2d(Double(columns * step), Double(rows * step)) / Vector2d(Double(width), Double(height))
        self.camera = camera.resized(columns: columns, rows: rows, covering: covered)
        let depths = Self.reduced(image, step: step, columns: columns, rows: rows, maximumDepth: Float(maximumDepth))
        samples = []
        samples.reserveCapacity(columns * rows)
        let rays = Self.rays(self.camera, columns: columns, rows: rows)
        for i in 0..<(columns * rows) {
            // A lens model may have no ray for a corner.
            let depth = (rays[i].x + rays[i].y).isFinite ? Double(depths[i]) : 0
            let position = depth > 0 ? worldFromCamera * Vector3d(rays[i].x * depth, rays[i].y * depth, depth) : .zero
            samples.append(Sample(position: position, depth: depth))
        }
        patches.reserveCapacity(patchColumns * patchRows)
        for row in 0..<patchRows {
            for column in 0..<patchColumns { patches.append(patch(column, row, rays)) }
        }
    }

    /// Downsamples the image: the mean of the pixels of each square that agree with its central pixel to 3 %.
    private static func reduced(
        _ image: DepthImage, step: Int, columns: Int, rows: Int, maximumDepth: Float
    ) -> [Float] {
        let width = image.metres.width
        var result = [Float](repeating: 0, count: columns * rows)
        image.metres.values.withUnsafeBufferPointer { metres in
            for row in 0..<rows {
                for column in 0..<columns {
                    let center = metres[(row * step + step / 2) * width + column * step + step / 2]
                    guard center > 0.1, center < maximumDepth else { continue }
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

    /// The accuracy of depth at a distance, in metres: about that of structured light and LiDAR sensors in phones.
    static func tolerance(_ depth: Double) -> Double { 0.012 + 0.004 * depth * depth }

    /// Fits a plane to a patch: the inverse depth of a plane is linear in image coordinates, 1/z = n · (u, v, 1) / d.
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
                let (offset, inverse) = (rays[i] - mean, 1 / samples[i].depth - meanInverse)
                (a, b, c, right) = (a + offset.x * offset.x, b + offset.x * offset.y, c + offset.y * offset.y, right + offset * inverse)
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

extension DepthPointCloud {
    /// The index of a patch's first sample.
    func firstSample(ofPatch patch: Int) -> Int {
        patch / patchColumns * Self.patchSize * columns + patch % patchColumns * Self.patchSize
    }

    /// The indices of a patch's samples.
    func indices(ofPatch patch: Int) -> [Int] {
        let first = firstSample(ofPatch: patch)
        return (0..<(Self.patchSize * Self.patchSize)).map { first + $0 / Self.patchSize * columns + $0 % Self.patchSize }
    }

    /// Whether planes claimed at least half of a patch.
    func isExplained(_ patch: Int, _ claimed: [Bool]) -> Bool {
        var count = 0
        let first = firstSample(ofPatch: patch)
        for y in 0..<Self.patchSize {
            for x in 0..<Self.patchSize where claimed[first + y * columns + x] { count += 1 }
        }
        return 2 * count >= Self.patchSize * Self.patchSize
    }

    /// The share of a grid cell that a sample covers on a plane with the given normal.
    func coverage(of sample: Sample, normal: Vector3d) -> Float {
        let ray = worldFromCamera.translation - sample.position
        let cosine = max(0.1, abs(dot(normal, ray)) / length(ray))
        let size = sample.depth * sample.depth / (camera.focal.x * camera.focal.y)
        return Float(min(1, size / cosine / (PlaneGrid.cellSize * PlaneGrid.cellSize)))
    }

    /// Whether all depth around the projection of a point in the camera's frame lies clearly behind the point.
    func isBehind(_ point: Vector3d) -> Bool {
        let pixel = camera.project(point)
        guard pixel.x >= 1, pixel.y >= 1, pixel.x < Double(columns - 1), pixel.y < Double(rows - 1) else { return false }
        let (column, row) = (Int(pixel.x), Int(pixel.y))
        let nearest = point.z + 2 * Self.tolerance(point.z) + 0.03
        for y in (row - 1)...(row + 1) {
            for x in (column - 1)...(column + 1) where !(samples[y * columns + x].depth > nearest) { return false }
        }
        return true
    }

    /// The surface where a ray first passes behind the measured depth: marches in steps of 2 cm, then fits a plane to the samples within 6 cm
    /// (at least 8).
    func surface(_ origin: Vector3d, _ direction: Vector3d) -> (point: Vector3d, normal: Vector3d)? {
        let (start, step) = (cameraFromWorld * origin, cameraFromWorld.rotation * direction)
        for i in 0..<400 {
            let point = start + step * (Double(i) * 0.02)
            guard point.z > 0.05 else { continue }
            let pixel = camera.project(point)
            guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(columns), pixel.y < Double(rows) else { continue }
            let depth = samples[Int(pixel.y) * columns + Int(pixel.x)].depth
            guard depth > 0, point.z >= depth else { continue }
            // Occluded by a nearer surface.
            guard point.z < depth + 0.15 else { return nil }
            return fitted(around: Int(pixel.x), Int(pixel.y))
        }
        return nil
    }

    private func fitted(around column: Int, _ row: Int) -> (point: Vector3d, normal: Vector3d)? {
        let center = samples[row * columns + column]
        let radius = max(2, min(12, Int(0.06 / center.depth * camera.focal.x)))
        var positions: [Vector3d] = []
        for y in max(0, row - radius)...min(rows - 1, row + radius) {
            for x in max(0, column - radius)...min(columns - 1, column + radius) {
                let sample = samples[y * columns + x]
                if sample.depth > 0, length(sample.position - center.position) < 0.1 { positions.append(sample.position) }
            }
        }
        guard positions.count >= 8 else { return nil }
        var mean = Vector3d.zero
        for position in positions { mean += position }
        mean /= Double(positions.count)
        var covariance = Matrix3d(.zero, .zero, .zero)
        for position in positions {
            let offset = position - mean
            covariance = covariance + Matrix3d(offset * offset.x, offset * offset.y, offset * offset.z)
        }
        let eigen = covariance.symmetricEigen()
        // Collinear points have no normal.
        guard eigen.values.y > 1e-3 * eigen.values.x else { return nil }
        return (mean, eigen.vectors.z)
    }
}

extension CameraIntrinsics {
    /// The same camera with `columns × rows` pixels over the given share of its image.
    func resized(columns: Int, rows: Int, covering share: Vector2d = Vector2d(1, 1)) -> CameraIntrinsics {
        let scale = Vector2d(Double(columns), Double(rows)) / (Vector2d(Double(width), Double(height)) * share)
        return CameraIntrinsics(width: columns, height: rows, focal: focal * scale, center: center * scale, distortion: distortion)
    }
}
