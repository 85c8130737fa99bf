import VitrineMath
import VitrineVision

/// Markers in a landmark map: each has four landmarks with fixed identifiers; and the poses of markers in the world.
struct MarkerMap: Sendable {
    /// The poses of the markers, by code.
    private var worldFromMarker: [Int: RigidTransform] = [:]
    /// Codes of all observed markers, in the order of their first observation.
    private(set) var observed: [Int] = []

    /// A unique number for a marker of a dictionary.
    static func code(_ marker: Marker) -> Int {
        (MarkerDictionary.allCases.firstIndex(of: marker.dictionary) ?? 0) * 1000 + marker.id
    }

    /// The feature identifier of a corner: negative, unlike those of the feature tracker.
    static func feature(_ code: Int, _ corner: Int) -> Int { -(1 + code * 4 + corner) }

    /// Corners are more accurate than tracked patches.
    private static let information = 2.0

    mutating func addCorners(_ marker: Marker, to observations: inout [Int: UndistortedCamera.Observation], _ camera: UndistortedCamera) {
        let code = Self.code(marker)
        let corners = marker.corners.compactMap { camera.observation($0, information: Self.information) }
        guard corners.count == 4 else { return }
        for (index, observation) in corners.enumerated() { observations[Self.feature(code, index)] = observation }
        if !observed.contains(code) { observed.append(code) }
    }

    mutating func add(_ marker: Marker, worldFromMarker pose: RigidTransform) { worldFromMarker[Self.code(marker)] = pose }

    /// The camera's pose from the first detected marker with a known pose, and the marker's code.
    /// - Parameters:
    ///   - edge: The edge length of the black square in metres.
    ///   - rotation: The camera's approximate orientation, which resolves the ambiguity of a marker's pose.
    func cameraPose(
        _ detected: [Marker], edge: Double, _ camera: CameraIntrinsics, near rotation: Matrix3d
    ) -> (code: Int, worldFromCamera: RigidTransform)? {
        for marker in detected {
            guard let known = worldFromMarker[Self.code(marker)] else { continue }
            let poses = marker.poses(edge: edge, camera: camera).filter { $0.error < 2 }
            let clear = Self.unambiguous(poses).map { known * $0.inverse }
            // Of two poses that explain the corners equally well, the one with the smaller rotation.
            let candidates = poses.map { known * $0.cameraFromMarker.inverse }
            let nearest = candidates.max { (rotation.transpose * $0.rotation).trace < (rotation.transpose * $1.rotation).trace }
            if let pose = clear ?? nearest { return (Self.code(marker), pose) }
        }
        return nil
    }

    /// The pose that explains a marker's corners; nil if two poses explain them about equally well.
    static func unambiguous(_ poses: [MarkerPose]) -> RigidTransform? {
        guard let best = poses.first, best.error < 1 else { return nil }
        return poses.count == 1 || poses[1].error > 0.3 + 3 * best.error ? best.cameraFromMarker : nil
    }

    mutating func transform(by change: SimilarityTransform) {
        for code in worldFromMarker.keys {
            let pose = worldFromMarker[code]!
            worldFromMarker[code] = RigidTransform(rotation: change.rotation * pose.rotation, translation: change * pose.translation)
        }
    }

    // MARK: Markers in a map

    /// A marker's four corners in a map.
    struct Square {
        var corners: [Vector3d]

        /// The mean length of the sides; nil if the corners are not a square.
        var edge: Double? {
            let sides = (0..<4).map { length(corners[($0 + 1) % 4] - corners[$0]) }
            let (least, most) = (sides.min() ?? 0, sides.max() ?? 0)
            let diagonals = (length(corners[2] - corners[0]), length(corners[3] - corners[1]))
            guard least > 0, most < 1.2 * least, diagonals.0 < 1.2 * diagonals.1, diagonals.1 < 1.2 * diagonals.0 else { return nil }
            return sides.reduce(0, +) / 4
        }

        /// `worldFromMarker`: x right, y up, z out of the paper.
        var pose: RigidTransform {
            let c = corners
            let (right, up) = (normalize(c[1] + c[2] - c[0] - c[3]), normalize(c[0] + c[1] - c[3] - c[2]))
            // Right and up are at 45° to their sum.
            let (sum, difference) = (normalize(right + up), normalize(up - right))
            let (x, y) = (normalize(sum - difference), normalize(sum + difference))
            let middle = (c[0] + c[1] + c[2] + c[3]) / 4
            return RigidTransform(rotation: Matrix3d(x, y, cross(x, y)).orthonormalized, translation: middle)
        }
    }

    func square(_ code: Int, in map: LocalMap) -> Square? {
        let corners = (0..<4).compactMap { map.position(Self.feature(code, $0)) }
        guard corners.count == 4 else { return nil }
        let square = Square(corners: corners)
        return square.edge == nil ? nil : square
    }

    /// The factor that gives a map's markers their known size; nil without markers.
    /// - Parameter codes: The markers to use.
    func scale(of map: LocalMap, by codes: [Int], edge: Double) -> Double? {
        var (sum, count) = (0.0, 0.0)
        for code in codes {
            guard let found = square(code, in: map)?.edge else { continue }
            (sum, count) = (sum + log(edge / found), count + 1)
        }
        return count > 0 ? exp(sum / count) : nil
    }

    /// The pose of the first marker in the map.
    func first(in map: LocalMap) -> RigidTransform? { observed.lazy.compactMap { square($0, in: map)?.pose }.first }

    /// Updates the markers' poses from a map.
    mutating func update(from map: LocalMap) {
        for code in observed { if let pose = square(code, in: map)?.pose { worldFromMarker[code] = pose } }
    }

    /// The rigid transform that moves the map's first known marker to its known pose; nil without known markers.
    func alignment(of map: LocalMap) -> SimilarityTransform? {
        for code in observed {
            guard let known = worldFromMarker[code], let now = square(code, in: map)?.pose else { continue }
            let change = known * now.inverse
            return SimilarityTransform(scale: 1, rotation: change.rotation, translation: change.translation)
        }
        return nil
    }
}
