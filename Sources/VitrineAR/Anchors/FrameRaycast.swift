import VitrineGeometry

extension ARFrame {
    /// Casts a ray into the planes and surfaces of this frame.
    ///
    /// Hits planes from either side. Planes at the same distance are in the order of their detection. An invalid ray hits nothing.
    ///
    /// - Returns: The hits, nearest first.
    public func raycast(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        let direction = normalize(query.direction)
        guard direction != .zero, query.origin.isFinite else { return [] }
        let area: ARPlaneAnchor.Area
        switch query.target {
        case .existingPlaneGeometry: area = .outline
        case .existingPlaneInfinite: area = .infinite
        case .estimatedPlane: return estimatedHits(query, direction)
        }
        let hits = planeHits(Ray(origin: query.origin, direction: direction), area) { query.targetAlignment.allows($0.alignment) }
        return hits.map {
            ARRaycastResult(
                worldTransform: $0.worldTransform, target: query.target,
                targetAlignment: $0.anchor.alignment == .horizontal ? .horizontal : .vertical, anchor: $0.anchor, distance: $0.distance)
        }
    }

    /// The nearest surface of the mesh; without a mesh, that of the depth image or the feature points.
    private func estimatedHits(_ query: ARRaycastQuery, _ direction: Vector3) -> [ARRaycastResult] {
        let ray = Ray(origin: query.origin, direction: direction)
        var nearest: (anchor: ARMeshAnchor, distance: Float, normal: Vector3)?
        for case let anchor as ARMeshAnchor in anchors {
            guard let hit = anchor.geometry.hit(by: ray.transformed(by: anchor.transform.affineInverse)) else { continue }
            guard hit.distance < nearest?.distance ?? .infinity else { continue }
            nearest = (anchor, hit.distance, anchor.transform.transform(direction: hit.normal))
        }
        guard let nearest else { return raycastScene?.results(query) ?? [] }
        let surface = RaycastScene.surface(
            RaycastScene.Ray(origin: Vector3d(ray.origin), direction: Vector3d(direction)), query.targetAlignment,
            point: Vector3d(ray.point(at: nearest.distance)), normal: normalize(Vector3d(nearest.normal)))
        return surface.map { [$0.result(Matrix4($0.worldTransform), anchor: nearest.anchor)] } ?? []
    }

    /// The results of a tracked raycast: those of `raycast(_:)`, except that a query for estimated surfaces prefers a detected plane near the estimate.
    func trackedRaycast(_ query: ARRaycastQuery) -> [ARRaycastResult] {
        let results = raycast(query)
        guard query.target == .estimatedPlane else { return results }
        let planes = raycast(
            ARRaycastQuery(
                origin: query.origin, direction: query.direction, allowing: .existingPlaneGeometry, alignment: query.targetAlignment))
        guard let estimate = results.first else { return planes }
        let near = planes.filter { abs($0.distance - estimate.distance) < ARAnchor.snapReach * estimate.distance }
        return near.isEmpty ? results : near
    }

    struct PlaneHit {
        let anchor: ARPlaneAnchor
        let distance: Float
        let worldTransform: Matrix4
    }

    /// Returns the hits of a ray on planes.
    ///
    /// - Parameter ray: A ray with a unit direction.
    func planeHits(_ ray: Ray, _ area: ARPlaneAnchor.Area, where isAllowed: (ARPlaneAnchor) -> Bool = { _ in true }) -> [PlaneHit] {
        let hits = anchors.compactMap { anchor -> PlaneHit? in
            guard let plane = anchor as? ARPlaneAnchor, isAllowed(plane) else { return nil }
            return plane.hit(by: ray, area)
        }
        // By index where distances are equal: the sort need not be stable.
        return hits.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }.map(\.element)
    }
}

extension ARPlaneAnchor {
    /// The part of a plane that a ray may hit.
    enum Area { case infinite, extent, outline }

    /// The hit of a ray with unit direction, from either side: y of the hit is the normal on the side of the ray's origin.
    func hit(by ray: Ray, _ area: Area) -> ARFrame.PlaneHit? {
        let local = ray.transformed(by: transform.affineInverse)
        guard abs(local.direction.y) > 1e-3 else { return nil }
        let distance = -local.origin.y / local.direction.y
        guard distance > 0, distance.isFinite else { return nil }
        let hit = local.point(at: distance)
        switch area {
        case .infinite: break
        case .extent: guard planeExtent.contains(hit - center) else { return nil }
        case .outline: guard geometry.contains(hit) else { return nil }
        }
        var result = transform * Matrix4(translation: Vector3(hit.x, 0, hit.z))
        // From behind: rotated by 180° about x.
        if local.direction.y > 0 { (result.y, result.z) = (-result.y, -result.z) }
        return ARFrame.PlaneHit(anchor: self, distance: distance, worldTransform: result)
    }
}

extension ARPlaneExtent {
    /// Returns whether the extent contains a point.
    ///
    /// - Parameter point: A position relative to the extent's centre, along the anchor's axes.
    func contains(_ point: Vector3) -> Bool {
        let (sine, cosine) = (sin(rotationOnYAxis), cos(rotationOnYAxis))
        return abs(point.x * cosine - point.z * sine) <= width / 2 && abs(point.x * sine + point.z * cosine) <= height / 2
    }
}

extension ARPlaneGeometry {
    /// Whether a point of the plane lies inside the outline (even-odd rule).
    func contains(_ point: Vector3) -> Bool {
        Polygon.contains(boundaryVertices.map { Vector2($0.x, $0.z) }, Vector2(point.x, point.z))
    }
}

extension ARFrame {
    /// Searches for surfaces and feature points at a point of the image, nearest first.
    ///
    /// - Parameters:
    ///   - point: A point of the captured image, 0…1 to the right and down from its upper left corner.
    ///   - types: The kinds of hits to search for. A plane gives one result for each matching type.
    public func hitTest(_ point: Vector2, types: ARHitTestResult.ResultType) -> [ARHitTestResult] {
        let query = raycastQuery(from: point, allowing: .estimatedPlane, alignment: .any)
        guard query.direction != .zero else { return [] }
        let results = planeResults(query, types) + estimatedResults(query, types) + pointResults(query, types)
        return results.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }.map(\.element)
    }

    private func planeResults(_ query: ARRaycastQuery, _ types: ARHitTestResult.ResultType) -> [ARHitTestResult] {
        let kinds: [(ARHitTestResult.ResultType, ARPlaneAnchor.Area)] = [
            (.existingPlaneUsingGeometry, .outline), (.existingPlaneUsingExtent, .extent), (.existingPlane, .infinite),
        ]
        let ray = Ray(origin: query.origin, direction: query.direction)
        return kinds.filter { types.contains($0.0) }.flatMap { kind in
            planeHits(ray, kind.1).map {
                ARHitTestResult(type: kind.0, distance: $0.distance, worldTransform: $0.worldTransform, anchor: $0.anchor)
            }
        }
    }

    private func estimatedResults(_ query: ARRaycastQuery, _ types: ARHitTestResult.ResultType) -> [ARHitTestResult] {
        let kinds: [(ARHitTestResult.ResultType, ARRaycastQuery.TargetAlignment)] = [
            (.estimatedHorizontalPlane, .horizontal), (.estimatedVerticalPlane, .vertical),
        ]
        return kinds.filter { types.contains($0.0) }.flatMap { kind in
            raycast(
                ARRaycastQuery(origin: query.origin, direction: query.direction, allowing: .estimatedPlane, alignment: kind.1)
            ).map { ARHitTestResult(type: kind.0, distance: $0.distance, worldTransform: $0.worldTransform) }
        }
    }

    private func pointResults(_ query: ARRaycastQuery, _ types: ARHitTestResult.ResultType) -> [ARHitTestResult] {
        guard types.contains(.featurePoint), let hit = raycastScene?.nearestPoint(origin: query.origin, direction: query.direction) else {
            return []
        }
        return [ARHitTestResult(type: .featurePoint, distance: hit.distance, worldTransform: Matrix4(translation: hit.position))]
    }
}
