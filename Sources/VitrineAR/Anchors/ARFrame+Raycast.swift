import VitrineGeometry

extension ARFrame {
    /// What a ray meets of what this frame knows, nearest first; of planes at the same distance the one that was found first.
    ///
    /// Planes are met from either side. A ray that isn't finite or has no direction meets nothing.
    public func raycast(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        let direction = normalize(query.direction)
        guard direction != .zero, query.origin.isFinite else { return [] }
        let area: ARPlaneAnchor.Area
        switch query.target {
        case .existingPlaneGeometry: area = .outline
        case .existingPlaneInfinite: area = .infinite
        case .estimatedPlane: return surfaces?.results(query) ?? []
        }
        let hits = planeHits(Ray(origin: query.origin, direction: direction), area) { query.targetAlignment.allows($0.alignment) }
        return hits.map {
            ARRaycastResult(
                worldTransform: $0.worldTransform, target: query.target,
                targetAlignment: $0.anchor.alignment == .horizontal ? .horizontal : .vertical, anchor: $0.anchor, distance: $0.distance)
        }
    }

    struct PlaneHit {
        let anchor: ARPlaneAnchor
        let distance: Float
        let worldTransform: Matrix4
    }

    /// - Parameter ray: of length 1.
    func planeHits(_ ray: Ray, _ area: ARPlaneAnchor.Area, where isAllowed: (ARPlaneAnchor) -> Bool = { _ in true }) -> [PlaneHit] {
        let hits = anchors.compactMap { anchor -> PlaneHit? in
            guard let plane = anchor as? ARPlaneAnchor, isAllowed(plane) else { return nil }
            return plane.hit(by: ray, area)
        }
        // By place in the list where distances are equal: the sort needn't be stable.
        return hits.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }.map(\.element)
    }
}

extension ARPlaneAnchor {
    /// How much of a plane counts.
    enum Area { case infinite, extent, outline }

    /// Where a ray of length 1 meets the plane, from either side: y of the place is the normal on the side that the ray comes from.
    func hit(by ray: Ray, _ area: Area) -> ARFrame.PlaneHit? {
        let local = ray.transformed(by: transform.affineInverse)
        guard abs(local.direction.y) > 1e-3 else { return nil }
        let distance = -local.origin.y / local.direction.y
        guard distance > 0, distance.isFinite else { return nil }
        let place = local.point(at: distance)
        switch area {
        case .infinite: break
        case .extent: guard planeExtent.contains(place - center) else { return nil }
        case .outline: guard geometry.contains(place) else { return nil }
        }
        var result = transform * Matrix4(translation: Vector3(place.x, 0, place.z))
        // From behind: turned over about x.
        if local.direction.y > 0 { (result.y, result.z) = (-result.y, -result.z) }
        return ARFrame.PlaneHit(anchor: self, distance: distance, worldTransform: result)
    }
}

extension ARPlaneExtent {
    /// - Parameter place: from the extent's centre, along the anchor's axes.
    func contains(_ place: Vector3) -> Bool {
        let (sine, cosine) = (sin(rotationOnYAxis), cos(rotationOnYAxis))
        return abs(place.x * cosine - place.z * sine) <= width / 2 && abs(place.x * sine + place.z * cosine) <= height / 2
    }
}

extension ARPlaneGeometry {
    /// Whether a point of the plane lies inside the outline, by the crossings of a ray along x.
    func contains(_ place: Vector3) -> Bool {
        var isInside = false
        var previous = boundaryVertices.last ?? .zero
        for vertex in boundaryVertices {
            let isCrossing = (vertex.z > place.z) != (previous.z > place.z)
            if isCrossing, place.x < (previous.x - vertex.x) * (place.z - vertex.z) / (previous.z - vertex.z) + vertex.x {
                isInside.toggle()
            }
            previous = vertex
        }
        return isInside
    }
}
