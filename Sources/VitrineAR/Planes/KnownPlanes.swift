import VitrineGeometry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Planes from before detection started over, such as those of a loaded map: a detected plane that lies in one of them updates it instead of becoming
/// another anchor.
struct KnownPlanes {
    /// The known planes: as loaded, and as merged with later detections.
    private var planes: [UUID: ARPlaneAnchor] = [:]
    /// The identifiers in the order of their arrival.
    private var order: [UUID] = []
    /// The known plane that each detected plane belongs to.
    private var owners: [UUID: UUID] = [:]

    /// The largest distance and the cosine of the largest angle between two views of one surface.
    private static let tolerance: Float = 0.06, minimumCosine: Float = 0.985
    /// The largest distance between outlines of one surface in metres.
    private static let reach: Float = 0.5

    /// Continues detection that starts again: newly detected planes on these anchors update them.
    mutating func continueDetection(of anchors: [ARAnchor]) {
        owners = [:]
        add(anchors)
        update { identifier in anchors.first { $0.identifier == identifier } }
    }

    private mutating func add(_ anchors: [ARAnchor]) {
        for case let plane as ARPlaneAnchor in anchors where planes.updateValue(plane, forKey: plane.identifier) == nil {
            order.append(plane.identifier)
        }
    }

    /// The world changed: the planes have the transforms of these anchors.
    mutating func update(from anchors: (UUID) -> ARAnchor?) {
        for identifier in order { if let plane = anchors(identifier) as? ARPlaneAnchor { planes[identifier] = plane } }
    }

    /// The anchor to report for a detected plane: the known plane that it belongs to, merged with it, or the plane itself.
    mutating func anchor(for detected: ARPlaneAnchor) -> ARPlaneAnchor {
        guard let owner = owners[detected.identifier] ?? order.first(where: { planes[$0].map { Self.isSame($0, detected) } ?? false }),
            let known = planes[owner]
        else { return detected }
        owners[detected.identifier] = owner
        let merged = Self.merged(known, detected)
        planes[owner] = merged
        return merged
    }

    /// The identifiers of anchors to remove for detected planes that were removed: known planes stay.
    mutating func removed(_ identifiers: [UUID]) -> Set<UUID> {
        Set(identifiers.filter { owners.removeValue(forKey: $0) == nil })
    }

    /// Forgets planes that the app removes.
    /// - Returns: The detected planes that belonged to them.
    mutating func remove(_ identifiers: Set<UUID>) -> Set<UUID> {
        guard order.contains(where: identifiers.contains) else { return [] }
        order.removeAll(where: identifiers.contains)
        for identifier in identifiers { planes[identifier] = nil }
        let detected = Set(owners.filter { identifiers.contains($0.value) }.keys)
        for identifier in detected { owners[identifier] = nil }
        return detected
    }

    /// Whether two planes are parts of one surface.
    private static func isSame(_ known: ARPlaneAnchor, _ detected: ARPlaneAnchor) -> Bool {
        let normal = normalize(known.transform.y.xyz)
        guard known.alignment == detected.alignment, dot(normal, normalize(detected.transform.y.xyz)) > minimumCosine else { return false }
        let change = known.transform.affineInverse * detected.transform
        guard abs(change.transform(point: detected.center).y) < tolerance else { return false }
        let corners = detected.geometry.boundaryVertices.map { change.transform(point: $0) }
        guard let first = corners.first else { return false }
        let (low, high) = corners.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
        return known.geometry.boundaryVertices.contains {
            $0.x > low.x - reach && $0.x < high.x + reach && $0.z > low.z - reach && $0.z < high.z + reach
        }
            || known.geometry.contains((low + high) / 2)
    }

    /// The known plane with an outline around both; its frame stays.
    private static func merged(_ known: ARPlaneAnchor, _ detected: ARPlaneAnchor) -> ARPlaneAnchor {
        let change = known.transform.affineInverse * detected.transform
        let corners = known.geometry.boundaryVertices + detected.geometry.boundaryVertices.map { change.transform(point: $0) }
        let hull = Polygon.convexHull(corners.map { Vector2($0.x, $0.z) }, smallest: 1e-9)
        guard let first = hull.first, hull.count >= 3 else { return known }
        let (low, high) = hull.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
        // Counterclockwise as seen from the side of the normal: x and z are a left-handed pair.
        let isReversed = Polygon.signedArea(hull) > 0
        let outline = (isReversed ? hull.reversed() : hull).map { Vector3($0.x, 0, $0.y) }
        let center = (low + high) / 2
        return ARPlaneAnchor(
            name: known.name, transform: known.transform, identifier: known.identifier, alignment: known.alignment,
            center: Vector3(center.x, 0, center.y), planeExtent: ARPlaneExtent(width: high.x - low.x, height: high.y - low.y),
            geometry: ARPlaneGeometry(boundaryVertices: outline),
            classification: known.classification == .none ? detected.classification : known.classification)
    }
}
