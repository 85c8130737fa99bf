import CProcessor
import Dispatch
import Synchronization
import VitrineMath
import VitrineScene

/// A point of a surface that collects light. World frame.
package struct CollectingPoint: Sendable {
    package var position: Vector3
    /// Unit, of the shaded surface; light is weighted by the cosine to it.
    package var normal: Vector3
    /// Unit, of the triangle, on the same side.
    package var geometricNormal: Vector3
    /// The node's category bits: lights of other categories do not count.
    package var categories: UInt32

    package init(position: Vector3, normal: Vector3, geometricNormal: Vector3, categories: UInt32 = .max) {
        (self.position, self.normal, self.geometricNormal, self.categories) = (position, normal, geometricNormal, categories)
    }
}

/// What one sample of a point has found.
struct CollectedSample {
    /// Radiance of a white matte surface: irradiance divided by π.
    var radiance = Vector3(repeating: 0)
    /// 1 if a random direction, by the cosine, leads to the sky.
    var openness: Float = 0
}

/// Light at a place of a surface, the mean of its samples.
package struct CollectedLight: BitwiseCopyable, Sendable {
    /// Radiance of a white matte surface: irradiance divided by π. Linear.
    package var radiance = Vector3(repeating: 0)
    /// The share of the sky that is visible, weighted by the cosine, 0…1.
    package var openness: Float = 0
    /// Of the mean radiance's luminance, and of the openness.
    package var variance: Float = 0
    package var opennessVariance: Float = 0
    /// The share of the samples that lie outside of bodies, 0…1. The other values are means over these.
    package var validity: Float = 0

    /// Of the radiance.
    package var luminance: Float { 0.2126 * radiance.x + 0.7152 * radiance.y + 0.0722 * radiance.z }
}

/// Computes the light that arrives at surfaces of a scene, with shadows and all reflections, by path tracing: for light maps and occlusion maps.
///
/// The result is a function of scene, places and samples alone: the same bytes for any number of threads.
package struct LightCollector: Sendable {
    /// What a collector finds, besides the openness.
    package struct Finds: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Light of the environment, of emitting surfaces, and reflected light of all sources.
        package static let light = Finds(rawValue: 1)
        /// Light that comes straight from the scene's lights; needs `light`.
        package static let straightLight = Finds(rawValue: 2)
    }

    private static let placesPerTile = 64

    private let scene: PathScene
    private let integrator: Integrator
    private let finds: Finds

    /// - Parameter maximumBounces: Surfaces along a path, with that which collects.
    package init(
        _ scene: PathScene, finds: Finds = [.light, .straightLight], maximumBounces: Int = PathTracer.defaultBounces, seed: UInt32 = 0
    ) {
        (self.scene, self.finds) = (scene, finds)
        let camera = PathCamera(Camera(), worldFromCamera: .identity, part: nil, width: 1, height: 1, scene.background)
        integrator = Integrator(
            scene: scene.contents, hierarchy: scene.hierarchy, camera: camera, maximumBounces: maximumBounces, seed: seed,
            window: PixelWindow.quantiles.pointer)
    }

    /// Collects the light of `count` places.
    ///
    /// - Parameters:
    ///   - samples: For each place, at least 1.
    ///   - threads: nil: one for each processor.
    ///   - shouldStop: Asked on any thread. Places after a stop have validity 0.
    ///   - onProgress: Called with the completed fraction, on any thread.
    ///   - point: A point of a place's surface. The two numbers, 0 ..< 1, spread the samples over the place.
    package func collect(
        count: Int, samples: Int, threads: Int? = nil, shouldStop: @Sendable () -> Bool = { false },
        onProgress: @Sendable (Double) -> Void = { _ in }, point: @Sendable (_ place: Int, _ offset: Vector2) -> CollectingPoint
    ) -> [CollectedLight] {
        let results = UnsafeMutableBufferPointer<CollectedLight>.allocate(capacity: count)
        defer { results.deallocate() }
        results.initialize(repeating: CollectedLight())
        // Each thread writes the places of the tiles that it takes.
        nonisolated(unsafe) let output = results
        let next = Atomic(0)
        let finished = Atomic(0)
        let tiles = (count + Self.placesPerTile - 1) / Self.placesPerTile
        @Sendable func work() {
            var integrator = integrator
            let stack = TraversalStack()
            defer { stack.deallocate() }
            integrator.stack = stack
            while !shouldStop() {
                let tile = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard tile < tiles else { return }
                for place in tile * Self.placesPerTile..<min(count, (tile + 1) * Self.placesPerTile) {
                    output[place] = light(at: place, samples, integrator, point)
                }
                onProgress(Double(finished.wrappingAdd(1, ordering: .relaxed).newValue) / Double(tiles))
            }
        }
        let threads = max(threads ?? Int(vitrine_processor_count()), 1)
        if threads == 1 { work() } else { DispatchQueue.concurrentPerform(iterations: threads) { _ in work() } }
        return Array(results)
    }

    private func light(
        at place: Int, _ samples: Int, _ integrator: Integrator, _ point: (Int, Vector2) -> CollectingPoint
    ) -> CollectedLight {
        var sum = CollectedLight()
        var (squares, valid): (Float, Float) = (0, 0)
        for index in 0..<samples {
            // Offsets follow a sequence of their own: Roberts' R2.
            let offset = Vector2(
                (0.5 + Float(index) * 0.754_877_67).truncatingRemainder(dividingBy: 1),
                (0.5 + Float(index) * 0.569_840_29).truncatingRemainder(dividingBy: 1))
            let from = point(place, offset)
            guard let sample = integrator.collect(at: from, finds, place: place, index: index) else { continue }
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
