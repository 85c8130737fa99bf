import VitrineMath
import VitrineVision

extension TextureJob {
    /// So many texels are worked on at a time.
    private static let bandTexels = 1 << 22

    private struct Paint: Sendable {
        let view: PreparedView
        let bands: BandPlanes
        let weights: [Vector2]
    }

    /// The textures, and which texels belong to the surface.
    struct Painting {
        var color: [UInt8]
        var planes: MapBaker.Planes
        var isOwned: [Bool] = []
        var heightUnit: Float?
    }

    func paint(
        _ atlas: Atlas, _ selection: Selection, _ baker: MapBaker, _ statistics: inout TextureStatistics, _ clock: inout StepClock,
        _ context: StageContext
    ) throws(TextureError) -> Painting {
        let size = options.textureSize
        let fill = selection.weights.fillColors()
        var painting = Painting(
            color: Array(repeating: 0, count: size * size * 3), planes: MapBaker.Planes(size: size, maps: options.maps),
            heightUnit: baker.detail?.heightUnit)
        painting.isOwned.reserveCapacity(size * size)
        var bakeTime = 0.0
        var covered = 0
        let bandRows = max(64, min(size, Self.bandTexels / size))
        let (weights, gains) = (selection.weights, selection.gains)
        for first in stride(from: 0, to: size, by: bandRows) {
            let runs = TexelRuns(atlas, rows: first..<min(size, first + bandRows))
            painting.isOwned += runs.isOwned
            covered += runs.coveredCount
            let canvas = BandCanvas(runs, atlas, surface, fill: fill)
            func report(_ share: Double) { context.report((Double(first) + share * Double(bandRows)) / Double(size)) }
            @Sendable func prepare(_ view: Int, _ prepared: PreparedView) -> Paint {
                Paint(view: prepared, bands: BandPlanes(prepared, gain: gains[view], step: 4), weights: weights.weights(of: view))
            }
            try forEachView(selection.used, atlas, report, prepare) { _, paint in
                canvas.add(paint.view, paint.bands, weights: paint.weights, context.parallel)
            }
            painting.color.withUnsafeMutableBufferPointer { canvas.finish(into: $0, context.parallel) }
            let start = ContinuousClock.now
            baker.bake(runs, into: &painting.planes, context.parallel)
            bakeTime += StepClock.seconds(from: start)
        }
        statistics.fill = Float(covered) / Float(size * size)
        clock.lap("painting")
        clock.move(bakeTime, to: "baking")
        return painting
    }

    /// Fills what lies between the charts, and hands the textures to the mesh.
    func finish(_ painting: consuming Painting, _ textured: inout TexturedMesh) {
        let size = options.textureSize
        let isOwned = painting.isOwned
        PushPull.fill(&painting.color, channels: 3, width: size, isKnown: isOwned, context.parallel)
        textured.baseColor = ColorPlane(width: size, height: size, values: painting.color)
        painting.color = []
        if options.maps.contains(.normal) {
            PushPull.fill(&painting.planes.normal, channels: 3, width: size, isKnown: isOwned, context.parallel)
            textured.normalMap = ColorPlane(width: size, height: size, values: painting.planes.normal)
        }
        if options.maps.contains(.occlusion) {
            PushPull.fill(&painting.planes.occlusion, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.occlusion = Plane(width: size, height: size, values: painting.planes.occlusion)
        }
        if options.maps.contains(.roughness) {
            PushPull.fill(&painting.planes.roughness, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.roughness = Plane(width: size, height: size, values: painting.planes.roughness)
        }
        if options.maps.contains(.displacement) {
            PushPull.fill(&painting.planes.heights, channels: 1, width: size, isKnown: isOwned, context.parallel)
            textured.displacement = DisplacementMap(painting.planes.heights, size: size, unit: painting.heightUnit ?? 0)
        }
    }
}
