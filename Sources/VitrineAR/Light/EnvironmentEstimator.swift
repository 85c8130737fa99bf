import VitrineMath
import VitrineScene
import VitrineTracking
import VitrineVision

/// Accumulates an environment map from camera images, for reflections on virtual objects.
///
/// Treats the surroundings as infinitely far: nearby objects appear in their direction from the camera. Fills unobserved directions smoothly
/// from the colours around. Cameras clip: lights are only as bright as white paper.
package struct EnvironmentEstimator: Sendable {
    /// The height of the map in texels.
    package let height: Int
    /// The width of the map in texels: twice the height.
    package var width: Int { 2 * height }
    /// The observed linear Rec.709 colours, times `weights`.
    private var sums: [Vector3]
    /// The weight of each texel: an image counts 1, old images less.
    private var weights: [Float]
    /// The share of all directions that were observed, 0…1.
    package var coverage: Double {
        var (observed, all) = (0.0, 0.0)
        for row in 0..<height {
            let size = sin((Double(row) + 0.5) / Double(height) * .pi)
            for column in 0..<width {
                all += size
                if weights[row * width + column] > 0 { observed += size }
            }
        }
        return observed / all
    }

    /// Creates an estimator with an empty environment map.
    ///
    /// - Parameter height: 8…512. Default 64: 128 × 64 texels of 2.8°, less than a millisecond per image.
    package init(height: Int = 64) {
        self.height = min(max(height, 8), 512)
        sums = Array(repeating: .zero, count: 2 * self.height * self.height)
        weights = Array(repeating: 0, count: 2 * self.height * self.height)
    }

    /// Adds an image.
    ///
    /// - Parameters:
    ///   - worldFromCamera: The camera's pose: x right, y down, z forward. A pose that is not finite adds nothing.
    ///   - camera: The camera model; rescaled if its size differs from the image's.
    ///   - gain: The divisor of the image's light, as for `LightEstimator`, so that images of different exposure agree. Default 1.
    package mutating func add(_ image: CapturedImage, worldFromCamera: RigidTransform, camera: CameraIntrinsics, gain: Double = 1) {
        guard worldFromCamera.rotation.determinant.isFinite, gain > 0, gain.isFinite, image.width > 0, image.height > 0 else { return }
        let camera = camera.resized(columns: image.width, rows: image.height)
        let (levels, cameraFromWorld) = (LightLevels(image), worldFromCamera.rotation.transpose)
        for row in 0..<height {
            for column in 0..<width {
                let inCamera = cameraFromWorld * direction(column, row)
                guard inCamera.z > 0.05 else { continue }
                let pixel = camera.project(inCamera)
                // The border of an image often has artifacts.
                guard pixel.x >= 4, pixel.y >= 4, pixel.x < Double(image.width - 4), pixel.y < Double(image.height - 4) else { continue }
                let color = image.mean(around: pixel, radius: 2, levels) / Float(gain)
                let i = row * width + column
                // The newest image has at least a quarter of the weight.
                let kept = min(weights[i], 3)
                sums[i] = (weights[i] > 0 ? sums[i] * (kept / weights[i]) : .zero) + color
                weights[i] = kept + 1
            }
        }
    }

    /// The direction of a texel's centre: the map's centre is +X, its upper edge +Y, a quarter of the width to the right of the centre +Z.
    private func direction(_ column: Int, _ row: Int) -> Vector3d {
        let azimuth = ((Double(column) + 0.5) / Double(width) - 0.5) * 2 * .pi
        let polar = (Double(row) + 0.5) / Double(height) * .pi
        return Vector3d(sin(polar) * cos(azimuth), cos(polar), sin(polar) * sin(azimuth))
    }

    /// The environment map as an equirectangular image in linear light, for `Environment(image:)`; nil before the first image.
    package func image() -> Image? {
        guard weights.contains(where: { $0 > 0 }) else { return nil }
        let level = FilledLevel(width: width, height: height, sums: sums, weights: weights)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 * width * height)
        for color in level.filled {
            for value in [color.x, color.y, color.z, 1] {
                withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        return try? Image(width: width, height: height, format: .rgba32Float, bytes: bytes, name: "surroundings")
    }
}

/// Fills holes in colours from the next coarser level (push–pull, Gortler et al. 1996); rows wrap around.
private struct FilledLevel {
    let filled: [Vector3]

    init(width: Int, height: Int, sums: [Vector3], weights: [Float]) {
        func color(_ i: Int) -> Vector3 { sums[i] / weights[i] }
        guard width > 2, height > 1, !weights.allSatisfy({ $0 > 0 }) else {
            var (mean, count) = (Vector3.zero, Float(0))
            for i in weights.indices where weights[i] > 0 { (mean, count) = (mean + color(i), count + 1) }
            filled = weights.indices.map { weights[$0] > 0 ? color($0) : mean / max(count, 1) }
            return
        }
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        var (coarseSums, coarseWeights) = (
            [Vector3](repeating: .zero, count: halfWidth * halfHeight), [Float](repeating: 0, count: halfWidth * halfHeight)
        )
        for i in weights.indices where weights[i] > 0 {
            let target = i / width / 2 * halfWidth + i % width / 2
            coarseSums[target] += color(i)
            coarseWeights[target] += 1
        }
        let coarse = FilledLevel(width: halfWidth, height: halfHeight, sums: coarseSums, weights: coarseWeights).filled
        var result = [Vector3](repeating: .zero, count: width * height)
        for i in result.indices {
            guard weights[i] <= 0 else {
                result[i] = color(i)
                continue
            }
            // Bilinear interpolation of the coarser level.
            let (x, y) = ((Float(i % width) + 0.5) / 2 - 0.5, (Float(i / width) + 0.5) / 2 - 0.5)
            let (column, row) = (x.rounded(.down), y.rounded(.down))
            func at(_ dx: Int, _ dy: Int) -> Vector3 {
                let wrapped = (Int(column) + dx + halfWidth) % halfWidth
                return coarse[min(max(Int(row) + dy, 0), halfHeight - 1) * halfWidth + wrapped]
            }
            result[i] = mix(mix(at(0, 0), at(1, 0), x - column), mix(at(0, 1), at(1, 1), x - column), y - row)
        }
        filled = result
    }
}

extension CapturedImage {
    /// The mean linear light of every second pixel in a square around a pixel.
    func mean(around pixel: Vector2d, radius: Int, _ levels: LightLevels) -> Vector3 {
        var (sum, count) = (Vector3.zero, Float(0))
        for y in stride(from: -radius, through: radius, by: 2) {
            for x in stride(from: -radius, through: radius, by: 2) {
                let (column, row) = (Int(pixel.x) + x, Int(pixel.y) + y)
                guard column >= 0, row >= 0, column < width, row < height else { continue }
                sum += light(x: column, y: row, levels).color
                count += 1
            }
        }
        return sum / count
    }
}
