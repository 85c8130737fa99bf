import Vitrine
import VitrineAR
import VitrineVision

/// How well the planes that are found along a tracked path lie on the surfaces of a room that is known.
///
/// Planes are looked for in what the tracker says, as a session looks for them, and judged as they were told of last.
public struct PlaneEvaluation: Sendable {
    /// A plane that was told of.
    public struct Plane: Sendable, Equatable, Codable {
        public var classification: String
        /// Seconds from the first tracked picture until it was told of.
        public var after: Double
        /// Square metres inside its outline, and those of them under which no surface lies: within 5 cm and 11°.
        public var area, areaOff: Double
        /// Of the surface that most of it lies on: degrees, and metres at the plane's middle. nil where there is none.
        public var angle, distance: Double?
        /// How often its transform changed.
        public var moves: Int
        /// Whether most of it lies on nothing.
        public var isFalse: Bool { 2 * areaOff > area }
    }

    private struct Life {
        var plane: FoundPlane
        var after: Double
        var moves = 0
    }

    private var finder = PlaneFinder()
    private var lives: [Int: Life] = [:]
    private var first: Double?

    public init() {}

    /// Takes what a tracker said of a picture, as it came.
    mutating func add(_ result: TrackingResult, camera: CameraIntrinsics, depth: DepthImage?) {
        guard result.state == .normal, let pose = result.worldFromCamera else { return }
        let start = first ?? result.time
        first = start
        let changes = finder.update(time: result.time, worldFromCamera: pose, camera: camera, points: result.points, depth: depth)
        for plane in changes.added { lives[plane.id] = Life(plane: plane, after: result.time - start) }
        for plane in changes.updated {
            if lives[plane.id]?.plane.worldFromPlane != plane.worldFromPlane { lives[plane.id]?.moves += 1 }
            lives[plane.id]?.plane = plane
        }
        // What was merged lives on in the other.
        for removal in changes.removed where removal.mergedInto != nil { lives[removal.id] = nil }
    }

    /// The planes in the order in which they were found.
    ///
    /// - Parameter truthFromEstimate: from the tracker's world to the room's.
    public func planes(in faces: [SimulatedRoom.Face], _ truthFromEstimate: SimilarityTransform) -> [Plane] {
        lives.sorted { $0.key < $1.key }.map { _, life in
            let found = life.plane
            let normal = truthFromEstimate.rotation * found.normal
            let near = faces.filter { dot($0.direction, normal) > 0.98 }
            var (votes, off) = ([Int](repeating: 0, count: near.count), 0)
            for place in found.samples {
                if let face = Self.nearest(truthFromEstimate * place, near) { votes[face] += 1 } else { off += 1 }
            }
            var plane = Plane(
                classification: found.classification.rawValue, after: life.after, area: found.area,
                areaOff: Double(off) * FoundPlane.sampleArea, moves: life.moves)
            if let most = votes.max(), most > 0, let face = votes.firstIndex(of: most).map({ near[$0] }) {
                plane.angle = acos(min(1, dot(face.direction, normal))) * 180 / .pi
                plane.distance = abs(face.height(truthFromEstimate * found.worldCenter))
            }
            return plane
        }
    }

    /// The face within 5 cm of a place, its edges grown by as much.
    private static func nearest(_ place: Vector3d, _ faces: [SimulatedRoom.Face]) -> Int? {
        var (best, result) = (0.05, Int?.none)
        for (i, face) in faces.enumerated() {
            let distance = abs(face.height(place))
            if distance < best, face.isUnder(place, margin: 0.05) { (best, result) = (distance, i) }
        }
        return result
    }
}

extension SimulatedRoom.Face {
    fileprivate var direction: Vector3d { Vector3d(normal) }

    /// Metres above the face's plane.
    fileprivate func height(_ place: Vector3d) -> Double { dot(direction, place - Vector3d(origin)) }

    /// Whether a place lies over or under the face, or beside it by less than `margin` metres.
    fileprivate func isUnder(_ place: Vector3d, margin: Double) -> Bool {
        [across, down].allSatisfy { side in
            let (side, length) = (Vector3d(normalize(side)), Double(length(side)))
            let along = dot(side, place - Vector3d(origin))
            return along > -margin && along < length + margin
        }
    }
}

extension FoundPlane {
    /// Square metres that one of `samples` stands for.
    fileprivate static let sampleArea = 0.0025

    /// Places of the world on a grid inside the outline.
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
