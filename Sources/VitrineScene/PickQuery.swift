import VitrineGeometry

/// The intersection of one ray with the scene.
struct PickQuery {
    /// A hit whose details are not computed yet.
    private struct Candidate {
        var node: Node
        var part: Int
        var hit: TriangleHierarchy.Hit
        var isBackFace: Bool
    }

    private let ray: Ray
    private let options: PickOptions
    private let findsAll: Bool
    private var found: [Candidate] = []
    /// The largest distance of further hits.
    private(set) var limit: Float

    init(ray: Ray, options: PickOptions, findsAll: Bool) {
        (self.ray, self.options, self.findsAll) = (ray, options, findsAll)
        limit = options.maximumDistance
    }

    mutating func meet(_ node: Node, trees: PickingTrees) {
        guard let mesh = node.mesh else { return }
        for part in mesh.parts.indices where mesh.parts[part].geometry.triangleCount > 0 {
            if let surface = DeformedSurface(node: node, geometry: mesh.parts[part].geometry) {
                meet(node, part, mesh.parts[part], surface)
            } else {
                meet(node, part, mesh.parts[part], trees)
            }
        }
    }

    /// Tests a rigid part, with the ray in the part's frame.
    private mutating func meet(_ node: Node, _ part: Int, _ content: MeshPart, _ trees: PickingTrees) {
        let world = node.worldTransform
        let localRay = ray.transformed(by: world.affineInverse)
        // The transform of a node with scale 0 is not invertible.
        guard localRay.origin.isFinite, localRay.direction.isFinite else { return }
        let geometry = content.geometry
        let positions = geometry.attribute(.position)
        var hits: [Candidate] = []
        var limit = limit
        trees.tree(for: geometry).forEachHit(localRay, within: limit) { hit in
            guard let positions else { return limit }
            let (a, b, c) = geometry.corners(ofTriangle: hit.triangle)
            let origin = positions.vector3(at: a)
            let normal = cross(positions.vector3(at: b) - origin, positions.vector3(at: c) - origin)
            let isBackFace = dot(normal, localRay.direction) > 0
            guard !isBackFace || showsBack(content.material) else { return limit }
            hits.append(Candidate(node: node, part: part, hit: hit, isBackFace: isBackFace))
            if !findsAll { limit = hit.distance }
            return limit
        }
        keep(hits)
    }

    /// Tests all triangles of a deforming part, in the world frame.
    private mutating func meet(_ node: Node, _ part: Int, _ content: MeshPart, _ surface: DeformedSurface) {
        var hits: [Candidate] = []
        var limit = limit
        content.geometry.forEachTriangle { triangle, a, b, c in
            let (p, q, r) = (surface.positions[a], surface.positions[b], surface.positions[c])
            guard let met = ray.intersection(triangle: p, q, r), met.distance <= limit else { return }
            let isBackFace = dot(cross(q - p, r - p) * surface.windingSign, ray.direction) > 0
            guard !isBackFace || showsBack(content.material) else { return }
            let hit = TriangleHierarchy.Hit(triangle: triangle, distance: met.distance, u: met.u, v: met.v)
            hits.append(Candidate(node: node, part: part, hit: hit, isBackFace: isBackFace))
            if !findsAll { limit = met.distance }
        }
        keep(hits)
    }

    private func showsBack(_ material: Material) -> Bool { options.includesBackFaces || material.isDoubleSided }

    private mutating func keep(_ hits: [Candidate]) {
        guard !findsAll else {
            found.append(contentsOf: hits)
            return
        }
        guard let nearest = hits.min(by: isBefore), found.isEmpty || isBefore(nearest, found[0]) else { return }
        found = [nearest]
        limit = nearest.hit.distance
    }

    private func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.hit.distance != b.hit.distance { return a.hit.distance < b.hit.distance }
        return (a.node.slot, a.part, a.hit.triangle) < (b.node.slot, b.part, b.hit.triangle)
    }

    // MARK: Details

    func sortedHits(_ ray: Ray) -> [PickHit] { found.sorted(by: isBefore).compactMap(describe) }

    private func describe(_ candidate: Candidate) -> PickHit? {
        let (node, hit) = (candidate.node, candidate.hit)
        guard let mesh = node.mesh, candidate.part < mesh.parts.count else { return nil }
        let geometry = mesh.parts[candidate.part].geometry
        guard let surface = DeformedSurface(node: node, geometry: geometry) ?? DeformedSurface(rigid: node, geometry: geometry) else {
            return nil
        }
        let (a, b, c) = geometry.corners(ofTriangle: hit.triangle)
        let weights = Vector3(1 - hit.u - hit.v, hit.u, hit.v)
        let (p, q, r) = (surface.position(at: a), surface.position(at: b), surface.position(at: c))
        let flat = normalize(cross(q - p, r - p)) * surface.windingSign
        let smooth = normalize(surface.normal(at: a) * weights.x + surface.normal(at: b) * weights.y + surface.normal(at: c) * weights.z)
        return PickHit(
            node: node, partIndex: candidate.part, triangleIndex: hit.triangle, distance: hit.distance,
            position: ray.point(at: hit.distance),
            geometricNormal: flat, normal: smooth == Vector3(repeating: 0) ? flat : smooth,
            textureCoordinates: geometry.textureCoordinates(corners: (a, b, c), weights), barycentric: weights,
            isBackFace: candidate.isBackFace)
    }
}

extension Geometry {
    /// Returns the interpolated texture coordinates by set, up to the first missing set.
    fileprivate func textureCoordinates(corners: (Int, Int, Int), _ weights: Vector3) -> [Vector2] {
        var result: [Vector2] = []
        while let set = attribute(.textureCoordinate(set: result.count)) {
            let first = set.vector2(at: corners.0) * weights.x
            result.append(first + set.vector2(at: corners.1) * weights.y + set.vector2(at: corners.2) * weights.z)
        }
        return result
    }
}
