import VitrineMapping
import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file format of a world map.
struct StoredMap: Codable {
    static let format = "vitrine-world-map"

    var format: String
    var version: Int
    var anchors: [StoredAnchor]
    /// The identifier of each point.
    var identifiers: [UInt64]
    /// Three numbers for each point.
    var points: [Float]
    /// The landmark map as encoded by `LandmarkMap.encoded()`, in base64, and three rows of four numbers: the transform from its world to the
    /// session's.
    var landmarkMap: Data?
    var sessionFromLandmarkMap: [Double]?

    private enum CodingKeys: String, CodingKey {
        case format, version, anchors, identifiers, points
        case landmarkMap = "places"
        case sessionFromLandmarkMap = "sessionFromPlaces"
    }
}

extension StoredMap {
    /// The landmark map and the transform to the session's world. A map of version 1 has none.
    func storedLandmarkMap() throws(ARError) -> (LandmarkMap, RigidTransform) {
        guard let landmarkMap else { return (LandmarkMap(), .identity) }
        let map: LandmarkMap
        do throws(LandmarkMapError) {
            map = try LandmarkMap(encoded: [UInt8](landmarkMap))
        } catch {
            throw ARError(.invalidWorldMap, "places: \(error)")
        }
        guard let rows = sessionFromLandmarkMap, rows.count == 12, rows.allSatisfy(\.isFinite) else {
            throw ARError(.invalidWorldMap, "sessionFromPlaces: not 12 numbers")
        }
        func row(_ k: Int) -> Vector3d { Vector3d(rows[4 * k], rows[4 * k + 1], rows[4 * k + 2]) }
        let pose = RigidTransform(rotation: Matrix3d(rows: row(0), row(1), row(2)), translation: Vector3d(rows[3], rows[7], rows[11]))
        guard TransformCheck.isRotation(pose.rotation, tolerance: 1e-6) else {
            throw ARError(.invalidWorldMap, "sessionFromPlaces: not a rigid transform")
        }
        return (map, pose)
    }

    mutating func store(_ map: LandmarkMap, _ pose: RigidTransform) {
        guard !map.isEmpty else { return }
        landmarkMap = Data(map.encoded())
        let (r, t) = (pose.rotation, pose.translation)
        sessionFromLandmarkMap = (0..<3).flatMap { [r.x[$0], r.y[$0], r.z[$0], t[$0]] }
    }
}

struct StoredAnchor: Codable {
    struct Plane: Codable {
        var alignment: String
        var classification: String
        /// The centre, as three numbers.
        var center: [Float]
        /// Width, height and rotation about y.
        var extent: [Float]
        /// x and z of each corner.
        var boundary: [Float]
    }

    var identifier: UUID
    var name: String?
    /// Sixteen numbers in column-major order.
    var transform: [Float]
    var plane: Plane?

    init(_ anchor: ARAnchor) {
        let m = anchor.transform
        (identifier, name) = (anchor.identifier, anchor.name)
        transform = [m.x, m.y, m.z, m.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
        plane = (anchor as? ARPlaneAnchor).map(Plane.init)
    }

    func anchor() throws(ARError) -> ARAnchor {
        guard transform.count == 16 else { throw ARError(.invalidValue, "transform: not 16 numbers") }
        let columns = (0..<4).map { Vector4(transform[4 * $0], transform[4 * $0 + 1], transform[4 * $0 + 2], transform[4 * $0 + 3]) }
        let matrix = Matrix4(columns[0], columns[1], columns[2], columns[3])
        try TransformCheck.requireInvertible(matrix)
        guard let plane else { return ARAnchor(name: name, transform: matrix, identifier: identifier) }
        return try plane.anchor(name: name, transform: matrix, identifier: identifier)
    }
}

extension StoredAnchor.Plane {
    init(_ plane: ARPlaneAnchor) {
        (alignment, classification) = (plane.alignment.rawValue, plane.classification.rawValue)
        center = [plane.center.x, plane.center.y, plane.center.z]
        extent = [plane.planeExtent.width, plane.planeExtent.height, plane.planeExtent.rotationOnYAxis]
        boundary = plane.geometry.boundaryVertices.flatMap { [$0.x, $0.z] }
    }

    func anchor(name: String?, transform: Matrix4, identifier: UUID) throws(ARError) -> ARPlaneAnchor {
        func invalid(_ reason: String) -> ARError { ARError(.invalidValue, "plane: \(reason)") }
        guard let alignment = ARPlaneAnchor.Alignment(rawValue: alignment) else { throw invalid("unknown alignment \"\(alignment)\"") }
        guard let classification = ARPlaneAnchor.Classification(rawValue: classification) else {
            throw invalid("unknown classification \"\(classification)\"")
        }
        guard center.count == 3, extent.count == 3, boundary.count.isMultiple(of: 2) else {
            throw invalid("center and extent have three numbers, boundary two a corner")
        }
        guard (center + extent + boundary).allSatisfy(\.isFinite), extent[0] >= 0, extent[1] >= 0 else {
            throw invalid("a number that is not finite, or a size below 0")
        }
        let corners = stride(from: 0, to: boundary.count, by: 2).map { Vector3(boundary[$0], 0, boundary[$0 + 1]) }
        return ARPlaneAnchor(
            name: name, transform: transform, identifier: identifier, alignment: alignment,
            center: Vector3(center[0], center[1], center[2]),
            planeExtent: ARPlaneExtent(width: extent[0], height: extent[1], rotationOnYAxis: extent[2]),
            geometry: ARPlaneGeometry(boundaryVertices: corners), classification: classification)
    }
}
