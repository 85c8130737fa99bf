import VitrineMath
import VitrineVision

/// Markers as parts of a visual map: four points each, whose identities never change, and where they were first found.
struct KnownMarkers: Sendable {
    /// By code.
    var worldFromMarker: [Int: RigidTransform] = [:]
    /// Codes of all that were ever seen, in the order in which they were.
    private(set) var seen: [Int] = []

    /// A number for a dictionary's marker.
    static func code(_ marker: Marker) -> Int {
        (MarkerDictionary.allCases.firstIndex(of: marker.dictionary) ?? 0) * 1000 + marker.id
    }

    /// The feature that a corner is: negative, which no follower of features gives.
    static func feature(_ code: Int, _ corner: Int) -> Int { -(1 + code * 4 + corner) }

    /// A printed edge is told more exactly than a patch is followed.
    private static let information = 2.0

    mutating func addCorners(_ marker: Marker, to sights: inout [Int: FlatCamera.Sight], _ camera: FlatCamera) {
        let code = Self.code(marker)
        let corners = marker.corners.compactMap { camera.sight($0, information: Self.information) }
        guard corners.count == 4 else { return }
        for (index, sight) in corners.enumerated() { sights[Self.feature(code, index)] = sight }
        if !seen.contains(code) { seen.append(code) }
    }

    mutating func transform(by change: SimilarityTransform) {
        for code in worldFromMarker.keys {
            let pose = worldFromMarker[code]!
            worldFromMarker[code] = RigidTransform(rotation: change.rotation * pose.rotation, translation: change * pose.translation)
        }
    }

    // MARK: In a map

    /// A marker's four corners where a map has them.
    struct Square {
        var corners: [Vector3d]

        /// The mean length of the sides; nil where they can't be a square's.
        var edge: Double? {
            let sides = (0..<4).map { length(corners[($0 + 1) % 4] - corners[$0]) }
            let (least, most) = (sides.min() ?? 0, sides.max() ?? 0)
            let diagonals = (length(corners[2] - corners[0]), length(corners[3] - corners[1]))
            guard least > 0, most < 1.2 * least, diagonals.0 < 1.2 * diagonals.1, diagonals.1 < 1.2 * diagonals.0 else { return nil }
            return sides.reduce(0, +) / 4
        }

        /// To the world from the marker: x right, y up, z out of the paper.
        var pose: RigidTransform {
            let c = corners
            let (right, up) = (normalize(c[1] + c[2] - c[0] - c[3]), normalize(c[0] + c[1] - c[3] - c[2]))
            // Right and up lie half a right angle to both sides of their sum.
            let (sum, difference) = (normalize(right + up), normalize(up - right))
            let (x, y) = (normalize(sum - difference), normalize(sum + difference))
            let middle = (c[0] + c[1] + c[2] + c[3]) / 4
            return RigidTransform(rotation: Rotations.orthonormalized(Matrix3d(x, y, cross(x, y))), translation: middle)
        }
    }

    func square(_ code: Int, in map: VisualMap) -> Square? {
        let corners = (0..<4).compactMap { map.position(Self.feature(code, $0)) }
        guard corners.count == 4 else { return nil }
        let square = Square(corners: corners)
        return square.edge == nil ? nil : square
    }

    /// What a map has to be multiplied by for its markers to have their size; nil where it has none.
    /// - Parameter codes: the markers to go by.
    func scale(of map: VisualMap, by codes: [Int], edge: Double) -> Double? {
        var (sum, count) = (0.0, 0.0)
        for code in codes {
            guard let found = square(code, in: map)?.edge else { continue }
            (sum, count) = (sum + log(edge / found), count + 1)
        }
        return count > 0 ? exp(sum / count) : nil
    }

    /// The pose of the first marker that the map has.
    func first(in map: VisualMap) -> RigidTransform? { seen.lazy.compactMap { square($0, in: map)?.pose }.first }

    /// Takes the places of markers from a map, which knows them from many pictures.
    mutating func remember(_ map: VisualMap) {
        for code in seen { if let pose = square(code, in: map)?.pose { worldFromMarker[code] = pose } }
    }

    /// What brings the map's markers to where they were found first: the middles of all, and the turn of the first; no scale. Nil where
    /// none is known.
    func alignment(of map: VisualMap) -> SimilarityTransform? {
        for code in seen {
            guard let known = worldFromMarker[code], let now = square(code, in: map)?.pose else { continue }
            let change = known * now.inverse
            return SimilarityTransform(scale: 1, rotation: change.rotation, translation: change.translation)
        }
        return nil
    }
}
