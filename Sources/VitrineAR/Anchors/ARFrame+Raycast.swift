import VitrineMath

extension ARFrame {
    /// What a ray meets of the planes that this frame knows, nearest first; of planes at the same distance the one that was found first.
    ///
    /// `.estimatedPlane` meets nothing where only planes are known.
    public func raycast(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        let direction = normalize(query.direction)
        guard direction != .zero, query.origin.isFinite, query.target != .estimatedPlane else { return [] }
        let ray = Ray(origin: query.origin, direction: direction)
        let results = anchors.lazy.compactMap { $0 as? ARPlaneAnchor }.filter { query.accepts($0.alignment) }
            .compactMap { $0.met(by: ray, target: query.target) }
        // By place in the list where distances are equal: the sort needn't be stable.
        return results.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }.map(\.element)
    }
}

extension ARRaycastQuery {
    func accepts(_ alignment: ARPlaneAnchor.Alignment) -> Bool {
        switch targetAlignment {
        case .any: true
        case .horizontal: alignment == .horizontal
        case .vertical: alignment == .vertical
        }
    }
}

extension ARPlaneAnchor {
    /// Where a ray of length 1 meets the plane, from either side.
    func met(by ray: Ray, target: ARRaycastQuery.Target) -> ARRaycastResult? {
        let local = ray.transformed(by: transform.affineInverse)
        guard abs(local.direction.y) > 1e-6 else { return nil }
        let distance = -local.origin.y / local.direction.y
        guard distance > 0, distance.isFinite else { return nil }
        let place = local.point(at: distance)
        if target == .existingPlaneGeometry, !geometry.contains(x: place.x, z: place.z) { return nil }
        return ARRaycastResult(
            worldTransform: transform * Matrix4(translation: Vector3(place.x, 0, place.z)), target: target,
            targetAlignment: alignment == .horizontal ? .horizontal : .vertical, anchor: self, distance: distance)
    }
}

extension ARPlaneGeometry {
    /// Whether a point of the plane lies inside the outline, by the crossings of a ray along x.
    func contains(x: Float, z: Float) -> Bool {
        var isInside = false
        var previous = boundaryVertices.last ?? .zero
        for vertex in boundaryVertices {
            if (vertex.z > z) != (previous.z > z), x < (previous.x - vertex.x) * (z - vertex.z) / (previous.z - vertex.z) + vertex.x {
                isInside.toggle()
            }
            previous = vertex
        }
        return isInside
    }
}
