import VitrineGeometry

extension ARFrame {
    /// Searches for surfaces and feature points at a point of the image, nearest first.
    ///
    /// - Parameters:
    ///   - point: In the captured image, 0…1 to the right and down from its upper left corner.
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
