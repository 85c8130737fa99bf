import VitrineGeometry
import VitrineMath
import VitrineScene

/// The limits of a path traced image; the first one that is reached ends it.
package struct PathBudget: Equatable, Sendable {
    /// The number of samples per pixel, 1…1,048,576.
    package var samples: Int
    /// The number of seconds of rendering; nil: no limit.
    package var seconds: Double?
    /// The noise at which a tile of the image is finished: the standard error of a pixel as a share of its brightness; nil: no limit.
    package var noise: Float?

    package init(samples: Int = 256, seconds: Double? = nil, noise: Float? = nil) {
        (self.samples, self.seconds, self.noise) = (samples, seconds, noise)
    }
}

/// The progress of a path traced image.
package struct PathProgress: Equatable, Sendable {
    /// The fraction of the budget, 0…1.
    package var fraction: Double
    /// The number of samples per pixel so far, the mean of all pixels.
    package var samples: Double
    /// The mean standard error of a pixel as a share of its brightness; nil before there are enough samples.
    package var noise: Float?
    /// The estimated remaining time in seconds; nil if unknown.
    package var secondsLeft: Double?
}

/// Renders a still image by path tracing.
///
/// ```swift
/// let tracer = try PathTracer(PathScene(scene), camera: camera, worldFromCamera: pose, width: 640, height: 480)
/// try tracer.render(PathBudget(samples: 64))
/// let image = tracer.image
/// ```
///
/// The image is a function of scene, view, size and samples alone: the same bytes for any number of
/// threads. A limit of time depends on the machine.
package final class PathTracer {
    static let tileSize = 16
    static let mostSamples = 1 << 20

    package let width, height: Int
    /// The default number of surfaces along a path.
    package static let defaultBounces = 16

    private let scene: PathScene
    let integrator: Integrator
    let tiles: TileSums
    private let exposure: Float

    /// Creates a path tracer for a view of a scene.
    ///
    /// - Parameters:
    ///   - worldFromCamera: Rigid: the camera looks along its −Z.
    ///   - part: The rendered part of the camera's image, as in `View.part`.
    ///   - exposure: Stops on top of the camera's.
    package init(
        _ scene: PathScene, camera: Camera, worldFromCamera: Matrix4, part: Rectangle? = nil, width: Int, height: Int, exposure: Float = 0,
        maximumBounces: Int = PathTracer.defaultBounces, seed: UInt32 = 0
    ) throws(PathTracerError) {
        guard width > 0, height > 0, width <= 1 << 16, height <= 1 << 16 else {
            throw .invalidOption(name: "size", reason: "\(width) × \(height) is not 1…65,536 pixels wide and high")
        }
        (self.width, self.height) = (width, height)
        self.scene = scene
        let pathCamera = PathCamera(
            camera, worldFromCamera: worldFromCamera, part: part, width: width, height: height, scene.background)
        integrator = Integrator(
            scene: scene.contents, hierarchy: scene.hierarchy, camera: pathCamera, maximumBounces: maximumBounces, seed: seed,
            window: PixelWindow.quantiles.pointer)
        tiles = TileSums(width: width, height: height)
        self.exposure = exp2(exposure + camera.exposure)
    }

    /// Adds samples until the budget is used up.
    ///
    /// - Parameters:
    ///   - threads: The number of threads; nil uses one for each processor.
    ///   - shouldStop: Called after each tile, on any thread; the image keeps its samples.
    ///   - onProgress: Called on the calling thread between passes.
    /// - Returns: The last progress.
    @discardableResult
    package func render(
        _ budget: PathBudget = PathBudget(), threads: Int? = nil, shouldStop: @Sendable () -> Bool = { false },
        onProgress: (PathProgress) -> Void = { _ in }
    ) throws(PathTracerError) -> PathProgress {
        guard (1...Self.mostSamples).contains(budget.samples) else {
            throw .invalidOption(name: "samples", reason: "is \(budget.samples), not 1…1,048,576")
        }
        let clock = ContinuousClock()
        let started = clock.now
        let firstSamples = tiles.meanSamples
        var target = tiles.leastSamples
        var progress = PathProgress(fraction: 0, samples: firstSamples)
        func elapsed() -> Double { Double((clock.now - started) / .seconds(1)) }
        let deadline = budget.seconds.map { started + .seconds($0) }
        while target < budget.samples, !shouldStop() {
            // Short passes, so that progress and the limit of time are near; long ones once a pass is quick.
            let done = Double(target) - firstSamples
            let rate = done > 0 ? done / max(elapsed(), 1e-6) : 0
            let step = max(1, min(rate > 0 ? Int(rate * 0.5) : 1, max(target, 1), 64))
            target = min(budget.samples, target + step)
            pass(to: target, budget, threads) { shouldStop() || (deadline.map { clock.now >= $0 } ?? false) }
            progress = state(budget, elapsed(), firstSamples)
            onProgress(progress)
            if progress.fraction >= 1 { break }
        }
        return progress
    }

    private func state(_ budget: PathBudget, _ elapsed: Double, _ firstSamples: Double) -> PathProgress {
        let samples = tiles.meanSamples
        let noise = tiles.meanNoise
        var fraction = Double(tiles.leastSamples) / Double(budget.samples)
        if let limit = budget.noise {
            // Noise falls with the root of the samples.
            fraction = max(fraction, tiles.finishedShare(below: limit))
        }
        var left = fraction > 0 ? elapsed / max(fraction, 1e-9) * (1 - fraction) : nil
        if let seconds = budget.seconds {
            fraction = max(fraction, elapsed / seconds)
            left = min(left ?? .infinity, max(seconds - elapsed, 0))
        }
        return PathProgress(fraction: min(fraction, 1), samples: samples, noise: noise, secondsLeft: left)
    }

    private func pass(to target: Int, _ budget: PathBudget, _ threads: Int?, shouldStop: @Sendable () -> Bool) {
        let (tiles, width, height) = (tiles, width, height)
        let limit = budget.noise
        integrator.traceTiles(tiles.count, threads: threads, shouldStop: shouldStop) { integrator, tile in
            if let limit, tiles.isFinished(tile, below: limit) { return }
            let samples = tiles.samples(of: tile)
            guard samples < target else { return }
            let (columns, rows) = tiles.area(of: tile)
            for y in rows where y < height {
                for x in columns where x < width {
                    let pixel = tiles.pixels + (y * width + x)
                    for index in samples..<target {
                        pixel.pointee.add(integrator.sample(x: x, y: y, index: index), index: index)
                    }
                }
            }
            tiles.finish(tile, samples: target)
        }
    }

    // MARK: The image

    /// The image of the samples so far: linear radiance times exposure, premultiplied by alpha, four floats per pixel.
    package var radiance: [Float] {
        var result = [Float](repeating: 0, count: width * height * 4)
        for index in 0..<width * height {
            let value = value(at: index)
            for channel in 0..<4 { result[4 * index + channel] = value[channel] }
        }
        return result
    }

    /// A pixel of `radiance`.
    ///
    /// - Parameter shadow: Replaces the shadow on receivers.
    func value(at index: Int, shadow: Float? = nil) -> Vector4 {
        let count = tiles.samples(ofPixel: index)
        guard count > 0 else { return Vector4(repeating: 0) }
        let value = tiles.pixels[index].value(samples: count, shadow: shadow)
        return Vector4(value.xyz * exposure, value.w)
    }

    /// Means of the first surfaces' albedo and normal, and the variance of the pixel's luminance.
    func features(at index: Int) -> (albedo: Vector3, normal: Vector3, variance: Float) {
        let count = tiles.samples(ofPixel: index)
        guard count > 0 else { return (Vector3(repeating: 0), Vector3(repeating: 0), 0) }
        let pixel = tiles.pixels[index]
        let share = 1 / Float(count)
        return (pixel.albedo.xyz * share, pixel.normal.xyz * share, pixel.variance(samples: count) * exposure * exposure)
    }

    /// The image so far, `.rgba32Float` with straight alpha.
    package var image: Image { image(of: radiance) }

    /// An image of values like `radiance`.
    package func image(of premultiplied: [Float]) -> Image {
        let bytes = [UInt8](unsafeUninitializedCapacity: premultiplied.count * 4) { out, count in
            for pixel in stride(from: 0, to: premultiplied.count, by: 4) {
                let alpha = premultiplied[pixel + 3]
                for channel in 0..<4 {
                    let value = channel == 3 ? alpha : (alpha > 0 ? premultiplied[pixel + channel] / alpha : 0)
                    UnsafeMutableRawBufferPointer(out).storeBytes(
                        of: value.bitPattern.littleEndian, toByteOffset: (pixel + channel) * 4, as: UInt32.self)
                }
            }
            count = premultiplied.count * 4
        }
        guard let image = try? Image(width: width, height: height, format: .rgba32Float, bytes: bytes, name: "path traced") else {
            preconditionFailure("the size was checked")
        }
        return image
    }
}
