import Synchronization
import VitrineMath
import VitrineScene

/// A point of a surface that collects light. World frame.
package struct CollectingPoint: Sendable {
    package var position: Vector3
    /// The unit normal of the shaded surface; light is weighted by the cosine to it.
    package var normal: Vector3
    /// The unit normal of the triangle, on the same side.
    package var geometricNormal: Vector3
    /// The node's category bits; lights of other categories do not illuminate it.
    package var categories: UInt32

    package init(position: Vector3, normal: Vector3, geometricNormal: Vector3, categories: UInt32 = .max) {
        (self.position, self.normal, self.geometricNormal, self.categories) = (position, normal, geometricNormal, categories)
    }
}

/// The result of one sample of a point.
struct CollectedSample {
    /// Radiance of a white matte surface: irradiance divided by π.
    var radiance = Vector3(repeating: 0)
    /// 1 if a random direction, by the cosine, leads to the sky.
    var openness: Float = 0
}

/// Light at a surface patch, the mean of its samples.
package struct CollectedLight: BitwiseCopyable, Sendable {
    /// Radiance of a white matte surface: irradiance divided by π. Linear.
    package var radiance = Vector3(repeating: 0)
    /// The share of the sky that is visible, weighted by the cosine, 0…1.
    package var openness: Float = 0
    /// The variance of the mean radiance's luminance, and of the openness.
    package var variance: Float = 0
    package var opennessVariance: Float = 0
    /// The share of the samples that lie outside of bodies, 0…1. The other values are means over these.
    package var validity: Float = 0

    /// The luminance of the radiance.
    package var luminance: Float { 0.2126 * radiance.x + 0.7152 * radiance.y + 0.0722 * radiance.z }
}

/// Computes the light that arrives at surfaces of a scene, with shadows and all reflections, by path tracing: for light maps and occlusion maps.
///
/// The result is a function of scene, patches and samples alone: the same bytes for any number of threads.
package struct LightCollector: Sendable {
    /// The quantities that a collector computes in addition to the openness.
    package struct Outputs: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Light of the environment, of emitting surfaces, and reflected light of all sources.
        package static let light = Outputs(rawValue: 1)
        /// Direct light of the scene's lights; requires `light`.
        package static let directLight = Outputs(rawValue: 2)
    }

    private static let patchesPerTile = 64

    private let scene: PathScene
    private let integrator: Integrator
    private let outputs: Outputs

    /// - Parameter maximumBounces: Surfaces along a path, including the collecting one.
    package init(
        _ scene: PathScene, outputs: Outputs = [.light, .directLight], maximumBounces: Int = PathTracer.defaultBounces, seed: UInt32 = 0
    ) {
        (self.scene, self.outputs) = (scene, outputs)
        let camera = PathCamera(Camera(), worldFromCamera: .identity, part: nil, width: 1, height: 1, scene.background)
        integrator = Integrator(
            scene: scene.contents, hierarchy: scene.hierarchy, camera: camera, maximumBounces: maximumBounces, seed: seed,
            window: PixelWindow.quantiles.pointer)
    }

    /// Collects the light of `count` patches.
    ///
    /// - Parameters:
    ///   - samples: The number of samples for each patch, at least 1.
    ///   - threads: The number of threads; nil uses one for each processor.
    ///   - shouldStop: Called on any thread. Patches after a stop have validity 0.
    ///   - onProgress: Called with the completed fraction, on any thread.
    ///   - point: A point of a patch's surface. The two numbers, 0 ..< 1, spread the samples over the patch.
    package func collect(
        count: Int, samples: Int, threads: Int? = nil, shouldStop: @Sendable () -> Bool = { false },
        onProgress: @Sendable (Double) -> Void = { _ in }, point: @Sendable (_ patch: Int, _ offset: Vector2) -> CollectingPoint
    ) -> [CollectedLight] {
        let results = UnsafeMutableBufferPointer<CollectedLight>.allocate(capacity: count)
        defer { results.deallocate() }
        results.initialize(repeating: CollectedLight())
        // Each thread writes the patches of the tiles that it takes.
        nonisolated(unsafe) let output = results
        let finished = Atomic(0)
        let tiles = (count + Self.patchesPerTile - 1) / Self.patchesPerTile
        integrator.traceTiles(tiles, threads: threads, shouldStop: shouldStop) { integrator, tile in
            for patch in tile * Self.patchesPerTile..<min(count, (tile + 1) * Self.patchesPerTile) {
                output[patch] = light(at: patch, samples, integrator, point)
            }
            onProgress(Double(finished.wrappingAdd(1, ordering: .relaxed).newValue) / Double(tiles))
        }
        return Array(results)
    }

    private func light(
        at patch: Int, _ samples: Int, _ integrator: Integrator, _ point: (Int, Vector2) -> CollectingPoint
    ) -> CollectedLight {
        var sum = CollectedLight()
        var (squares, valid): (Float, Float) = (0, 0)
        for index in 0..<samples {
            // Offsets follow Roberts' R2 sequence.
            let offset = Vector2(
                (0.5 + Float(index) * 0.754_877_67).truncatingRemainder(dividingBy: 1),
                (0.5 + Float(index) * 0.569_840_29).truncatingRemainder(dividingBy: 1))
            let from = point(patch, offset)
            guard let sample = integrator.collect(at: from, outputs, patch: patch, index: index) else { continue }
            valid += 1
            sum.radiance += sample.radiance
            sum.openness += sample.openness
            squares += luminance(sample.radiance) * luminance(sample.radiance)
        }
        guard valid > 0 else { return sum }
        let share = 1 / valid
        sum.radiance *= share
        sum.openness *= share
        let mean = luminance(sum.radiance)
        sum.variance = max(squares * share - mean * mean, 0) * share
        sum.opennessVariance = sum.openness * (1 - sum.openness) * share
        sum.validity = valid / Float(samples)
        return sum
    }
}
