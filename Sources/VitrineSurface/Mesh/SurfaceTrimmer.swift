import VitrineMath
import VitrineVision

/// Removes parts of a surface that no points support, except those that close holes.
struct SurfaceTrimmer {
    /// Unsupported regions up to this fraction of the supported area stay.
    var maximumHole: Float
    /// Pieces with an area below this fraction of the largest are removed.
    var minimumShare: Float
    /// Notches, protrusions and corners of the outline narrower than about this are smoothed. World unit; 0: none.
    var outlineRadius: Float = 0

    struct Outcome {
        var mesh: TriangleMesh
        var trimmedTriangles = 0
        var closedHoles = 0
        var removedPieces = 0
    }

    /// Removes the unsupported parts of a mesh.
    ///
    /// - Parameters:
    ///   - mesh: A closed mesh.
    ///   - isSupported: One value per vertex.
    func trim(_ mesh: TriangleMesh, isSupported: [Bool]) -> Outcome {
        var outcome = Outcome(mesh: mesh)
        let isTriangleSupported = mesh.triangles.map { t in
            (isSupported[Int(t.x)] ? 1 : 0) + (isSupported[Int(t.y)] ? 1 : 0) + (isSupported[Int(t.z)] ? 1 : 0) >= 2
        }
        let areas = mesh.triangles.indices.map { Double(length(mesh.areaVector($0))) / 2 }
        let supportedArea = zip(areas, isTriangleSupported).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
        let regions = MeshRegions(mesh, labels: isTriangleSupported)
        var regionAreas = [Double](repeating: 0, count: regions.count)
        for triangle in areas.indices { regionAreas[regions.numbers[triangle]] += areas[triangle] }
        var isKept = [Bool](repeating: true, count: regions.count)
        for region in 0..<regions.count where !isTriangleSupported[regions.firstTriangles[region]] {
            isKept[region] = regionAreas[region] <= Double(maximumHole) * supportedArea
            if isKept[region] { outcome.closedHoles += 1 }
        }
        if isKept.contains(false) {
            outcome.mesh =
                outlineRadius > 0 ? outlined(mesh) { isKept[regions.numbers[$0]] } : mesh.filtered { isKept[regions.numbers[$0]] }
            outcome.trimmedTriangles = max(0, mesh.triangles.count - outcome.mesh.triangles.count)
            outcome.mesh = Self.withTidyBoundaries(outcome.mesh)
        }
        (outcome.mesh, outcome.removedPieces) = Self.withoutDebris(outcome.mesh, minimumShare: minimumShare)
        return outcome
    }

    /// The kept triangles with a smooth outline: an opening, then a closing of the surface (Serra 1982), measured along it. Fills notches with the
    /// unsupported surface.
    private func outlined(_ mesh: TriangleMesh, isKept: (Int) -> Bool) -> TriangleMesh {
        var isInside = [Bool](repeating: false, count: mesh.positions.count)
        for (index, t) in mesh.triangles.enumerated() where isKept(index) {
            for corner in 0..<3 { isInside[Int(t[corner])] = true }
        }
        let distances = MeshDistances(mesh)
        let bay = 1.5 * outlineRadius
        // The opening is first: a closing would enclose thin parts.
        let core = distances.lengths(to: isInside.map { !$0 }, within: outlineRadius).map { $0 > outlineRadius }
        let widened = distances.lengths(to: core, within: outlineRadius + bay)
        let narrowed = distances.lengths(to: widened.map { !$0.isFinite }, within: 2 * bay)
        return mesh.clipped(heights: narrowed.map { bay - min($0, 2 * bay) })
    }

    /// The mesh without triangles that are connected by one side only, and with smooth boundaries.
    private static func withTidyBoundaries(_ mesh: TriangleMesh) -> TriangleMesh {
        var mesh = mesh
        for _ in 0..<2 {
            let across = MeshAdjacency(mesh).across
            mesh = mesh.filtered { triangle in (0..<3).count { across[3 * triangle + $0] >= 0 } >= 2 }
        }
        return mesh.repaired().smoothed(iterations: 10, boundariesOnly: true)
    }

    /// The mesh without pieces below a fraction of the largest area, and their number.
    static func withoutDebris(_ mesh: TriangleMesh, minimumShare: Float) -> (TriangleMesh, Int) {
        let (pieces, count) = mesh.components()
        guard count > 1 else { return (mesh, 0) }
        var areas = [Double](repeating: 0, count: count)
        for triangle in mesh.triangles.indices { areas[pieces[triangle]] += Double(length(mesh.areaVector(triangle))) }
        let largest = areas.indices.max { areas[$0] < areas[$1] }!
        let isKept = areas.indices.map { $0 == largest || (minimumShare < 1 && areas[$0] >= Double(minimumShare) * areas[largest]) }
        return (mesh.filtered { isKept[pieces[$0]] }, isKept.count { !$0 })
    }

    /// The pieces with the largest areas, and the number of dropped pieces.
    static func largestPieces(of mesh: TriangleMesh, count wanted: Int) -> (TriangleMesh, Int) {
        let (pieces, count) = mesh.components()
        guard count > wanted else { return (mesh, 0) }
        var areas = [Double](repeating: 0, count: count)
        for triangle in mesh.triangles.indices { areas[pieces[triangle]] += Double(length(mesh.areaVector(triangle))) }
        let order = areas.indices.sorted { (areas[$1], $0) < (areas[$0], $1) }
        var isKept = [Bool](repeating: false, count: count)
        for piece in order.prefix(wanted) { isKept[piece] = true }
        return (mesh.filtered { isKept[pieces[$0]] }, count - wanted)
    }
}
