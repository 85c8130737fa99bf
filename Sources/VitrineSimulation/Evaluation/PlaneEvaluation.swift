import Vitrine
import VitrineAR
import VitrineVision

/// Measures planes detected along a tracked path against the surfaces of a known room.
///
/// Detects planes in the tracker's output as a session does, and evaluates each as it was last reported.
package struct PlaneEvaluation: Sendable {
    /// A reported plane.
    package struct Plane: Sendable, Equatable, Codable {
        /// The classification of the plane.
        package var classification: String
        /// The number of seconds from the first tracked image to the report.
        package var after: Double
        /// The area of its outline in m², and the part of it without a surface within 5 cm and 11°.
        package var area, areaOff: Double
        /// The angle (degrees) and the distance at the plane's centre (metres) to the surface that most of it lies on; nil without one.
        package var angle, distance: Double?
        /// The number of changes of its transform.
        package var moves: Int
        /// Whether most of it lies on no surface.
        package var isFalse: Bool { 2 * areaOff > area }
    }

    private struct Record {
        var plane: DetectedPlane
        var after: Double
        var moves = 0
    }

    private var detector = PlaneDetector()
    private var records: [Int: Record] = [:]
    private var first: Double?

    /// Creates an evaluation without planes.
    package init() {}

    /// Adds a tracker's result.
    mutating func add(_ result: TrackingResult, camera: CameraIntrinsics, depth: DepthImage?) {
        guard result.state.isTracking, let pose = result.worldFromCamera else { return }
        let start = first ?? result.time
        first = start
        let changes = detector.update(time: result.time, worldFromCamera: pose, camera: camera, points: result.points, depth: depth)
        for plane in changes.added { records[plane.id] = Record(plane: plane, after: result.time - start) }
        for plane in changes.updated {
            if records[plane.id]?.plane.worldFromPlane != plane.worldFromPlane { records[plane.id]?.moves += 1 }
            records[plane.id]?.plane = plane
        }
        // A merged plane continues in the survivor.
        for removal in changes.removed where removal.mergedInto != nil { records[removal.id] = nil }
    }

    /// The planes in the order of their reports.
    ///
    /// - Parameter truthFromEstimate: The transform from the tracker's world to the room's.
    package func planes(in faces: [SimulatedRoom.Face], _ truthFromEstimate: SimilarityTransform) -> [Plane] {
        records.sorted { $0.key < $1.key }.map { _, record in
            let found = record.plane
            let normal = truthFromEstimate.rotation * found.normal
            let near = faces.filter { dot($0.direction, normal) > 0.98 }
            var (votes, off) = ([Int](repeating: 0, count: near.count), 0)
            for point in found.samples {
                if let face = Self.nearest(truthFromEstimate * point, near) { votes[face] += 1 } else { off += 1 }
            }
            var plane = Plane(
                classification: found.classification.rawValue, after: record.after, area: found.area,
                areaOff: Double(off) * DetectedPlane.sampleArea, moves: record.moves)
            if let most = votes.max(), most > 0, let face = votes.firstIndex(of: most).map({ near[$0] }) {
                plane.angle = acos(min(1, dot(face.direction, normal))) * 180 / .pi
                plane.distance = abs(face.height(truthFromEstimate * found.worldCenter))
            }
            return plane
        }
    }

    /// The face within 5 cm of a point, with its edges grown by as much.
    private static func nearest(_ point: Vector3d, _ faces: [SimulatedRoom.Face]) -> Int? {
        var (best, result) = (0.05, Int?.none)
        for (i, face) in faces.enumerated() {
            let distance = abs(face.height(point))
            if distance < best, face.isUnder(point, margin: 0.05) { (best, result) = (distance, i) }
        }
        return result
    }
}

extension SimulatedRoom.Face {
    fileprivate var direction: Vector3d { Vector3d(normal) }

    /// Metres above the face's plane.
    fileprivate func height(_ point: Vector3d) -> Double { dot(direction, point - Vector3d(origin)) }

    /// Whether a point projects onto the face grown by `margin` metres.
    fileprivate func isUnder(_ point: Vector3d, margin: Double) -> Bool {
        [across, down].allSatisfy { side in
            let (side, length) = (Vector3d(normalize(side)), Double(length(side)))
            let along = dot(side, point - Vector3d(origin))
            return along > -margin && along < length + margin
        }
    }
}

extension DetectedPlane {
    /// The area that each of `samples` represents, in m².
    fileprivate static let sampleArea = 0.0025

    /// World points on a grid inside the outline.
    fileprivate var samples: [Vector3d] {
        guard var low = outline.first else { return [] }
        var high = low
        for corner in outline { (low, high) = (pointwiseMin(low, corner), pointwiseMax(high, corner)) }
        let step = Self.sampleArea.squareRoot()
        return stride(from: low.y + step / 2, to: high.y, by: step).flatMap { z in
            stride(from: low.x + step / 2, to: high.x, by: step).filter { contains(Vector2d($0, z)) }.map {
                worldFromPlane * Vector3d($0, 0, z)
            }
        }
    }
}
