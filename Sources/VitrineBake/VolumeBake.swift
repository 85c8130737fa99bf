import VitrineGeometry
import VitrineMath
import VitrinePathTracer
import VitrineScene

/// Bakes an irradiance volume: a grid of probes over the box of the static surfaces.
///
/// The light at a probe is collected for the twelve corners of an icosahedron as normals. They are a spherical 5-design (Delsarte, Goethals and Seidel 1977):
/// the mean over them of a product of two harmonics up to order 2 is its mean over the sphere, so that the coefficients are plain sums.
///
/// Probes inside of bodies take the mean of their neighbours. Light leaks through a wall between two probes: at most one cell far.
struct VolumeBake {
    /// Probes of which fewer samples lie outside of bodies take the values of their neighbours.
    private static let leastValidity: Float = 0.75
    /// Probes along the longest side by default.
    private static let defaultCount: Float = 16

    private static let normals: [Vector3] = {
        let golden = (1 + Float(5).squareRoot()) / 2
        var corners: [Vector3] = []
        for (a, b) in [(Float(1), golden), (1, -golden), (-1, golden), (-1, -golden)] {
            corners += [Vector3(0, a, b), Vector3(a, b, 0), Vector3(b, 0, a)]
        }
        return corners.map { normalize($0) }
    }()

    private let traced: PathScene
    private let options: LightBake.Options
    private let box: BoundingBox
    private let counts: SIMD3<Int>

    init(_ surface: BakeSurface, _ traced: PathScene, _ options: LightBake.Options) throws(BakeError) {
        (self.traced, self.options) = (traced, options)
        var box = BoundingBox.empty
        for position in surface.points.mesh.positions { box.formUnion(position) }
        let longest = box.size.max()
        let spacing = options.probeSpacing ?? longest / Self.defaultCount
        guard longest > 0, longest.isFinite, longest / spacing < Float(IrradianceVolume.maximumCount) + 0.5 else {
            throw .invalidOption(
                name: "probeSpacing",
                reason: "of \(spacing) m gives more than \(IrradianceVolume.maximumCount) probes along a side of \(longest) m")
        }
        // A flat scene gets a layer of probes on both sides.
        let size = pointwiseMax(box.size, Vector3(repeating: spacing))
        let cells = (size / spacing).rounded(.toNearestOrAwayFromZero)
        (self.box, counts) = (
            BoundingBox(minimum: box.center - size / 2, maximum: box.center + size / 2), SIMD3(Int(cells.x), Int(cells.y), Int(cells.z))
        )
    }

    func run(isCancelled: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (Double) -> Void) throws(BakeError)
        -> IrradianceVolume
    {
        let directions = Self.normals
        let (box, counts) = (box, counts)
        let probeCount = counts.x * counts.y * counts.z
        let outputs: LightCollector.Outputs = options.bakesLights ? [.light, .directLight] : .light
        let lights = LightCollector(traced, outputs: outputs).collect(
            count: probeCount * directions.count, samples: options.samples, threads: options.threads, shouldStop: isCancelled,
            onProgress: progress,
            point: { patch, _ in
                let normal = directions[patch % directions.count]
                let position = IrradianceVolume.position(of: patch / directions.count, in: box, counts)
                return CollectingPoint(position: position, normal: normal, geometricNormal: normal)
            })
        if isCancelled() { throw .cancelled }
        let harmonics = directions.map { IrradianceVolume.harmonics($0) }
        let share = 4 * Float.pi / Float(directions.count)
        var probes: [[Vector4]?] = []
        probes.reserveCapacity(probeCount)
        for probe in 0..<probeCount {
            let own = lights[probe * directions.count..<(probe + 1) * directions.count]
            let validity = own.reduce(Float(0)) { $0 + $1.validity } / Float(directions.count)
            guard validity >= Self.leastValidity, own.allSatisfy({ $0.validity > 0 }) else {
                probes.append(nil)
                continue
            }
            var sums = [Vector4](repeating: Vector4(repeating: 0), count: IrradianceVolume.coefficientCount)
            for (light, basis) in zip(own, harmonics) {
                for index in sums.indices { sums[index] += Vector4(light.radiance, light.openness) * (basis[index] * share) }
            }
            probes.append(sums)
        }
        let filled = try Self.filled(probes, counts)
        guard let volume = IrradianceVolume(box: box, counts: counts, coefficients: filled) else {
            preconditionFailure("the counts were checked")
        }
        return volume
    }

    /// Returns the coefficients of all probes; those without take the mean of their neighbours, from the outside to the inside of bodies.
    private static func filled(_ probes: [[Vector4]?], _ counts: SIMD3<Int>) throws(BakeError) -> [Vector4] {
        guard probes.contains(where: { $0 != nil }) else { throw .noFreeProbe }
        var probes = probes
        while probes.contains(where: { $0 == nil }) {
            let known = probes
            for probe in known.indices where known[probe] == nil {
                var sums = [Vector4](repeating: Vector4(repeating: 0), count: IrradianceVolume.coefficientCount)
                var count: Float = 0
                let cell = SIMD3(probe % counts.x, probe / counts.x % counts.y, probe / (counts.x * counts.y))
                for axis in 0..<3 {
                    for step in [-1, 1] {
                        var other = cell
                        other[axis] += step
                        guard (0..<counts[axis]).contains(other[axis]),
                            let values = known[other.x + counts.x * (other.y + counts.y * other.z)]
                        else { continue }
                        count += 1
                        for index in sums.indices { sums[index] += values[index] }
                    }
                }
                if count > 0 { probes[probe] = sums.map { $0 / count } }
            }
        }
        return probes.flatMap { $0 ?? [] }
    }
}
