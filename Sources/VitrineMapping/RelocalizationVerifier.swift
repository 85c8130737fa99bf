import VitrineMath
import VitrineVision

/// Verifies a relocalization result: matches the nearest keyframes' landmarks at their projections.
///
/// This also finds matches that are ambiguous elsewhere; a position that only shares a pattern with the correct one has few.
struct RelocalizationVerifier {
    private let query: RelocalizationQuery
    private let map: LandmarkMap
    /// The query's descriptors of each corner.
    private let own: [[Range<Int>]]
    /// The query's corners by cells of the image.
    private let cells: [[Int]]
    private let (columns, rows): (Int, Int)

    /// Largest squared distance of matching descriptors (0.59 of their length).
    private static let maximumDistance: Int32 = 300 * 300

    init(query: RelocalizationQuery, map: LandmarkMap) {
        (self.query, self.map) = (query, map)
        own = query.features.descriptors.map { $0.ranges(corners: query.features.corners.count) }
        (columns, rows) = (query.camera.width / Self.side + 1, query.camera.height / Self.side + 1)
        var cells = [[Int]](repeating: [], count: columns * rows)
        for (index, corner) in query.features.corners.enumerated() {
            let column = min(max(Int(corner.position.x) / Self.side, 0), columns - 1)
            cells[min(max(Int(corner.position.y) / Self.side, 0), rows - 1) * columns + column].append(index)
        }
        self.cells = cells
    }

    /// Side length of a cell in image pixels.
    private static let side = 32

    /// Predicts the landmarks that a view should contain.
    ///
    /// - Parameter keyframes: The keyframes with views like `worldFromCamera`, most similar first.
    /// - Returns: Matches of the keyframes' landmarks, and the share of matched landmarks of the first two.
    func visibleLandmarks(from worldFromCamera: RigidTransform, in keyframes: [Int]) -> (
        matches: [GravityAlignedResection.Match], share: Double
    ) {
        let back = worldFromCamera.inverse
        var matches: [GravityAlignedResection.Match] = []
        var (visible, found) = (0, 0)
        var seen = Set<Int32>()
        for (rank, number) in keyframes.enumerated() {
            let keyframe = map.keyframes[number]
            let theirs = keyframe.descriptors.ranges(corners: keyframe.corners.count)
            for (corner, landmark) in keyframe.landmarks.enumerated() where landmark >= 0 && seen.insert(landmark).inserted {
                guard let position = projection(back * Vector3d(map.landmarks[Int(landmark)].position)) else { continue }
                if rank < 2 { visible += 1 }
                guard let best = nearest(position, keyframe, theirs[corner]) else { continue }
                if rank < 2 { found += 1 }
                matches.append(query.putative(best, landmark, map))
            }
        }
        return (matches, visible > 0 ? Double(found) / Double(visible) : 0)
    }

    /// The corner near a position with the most similar descriptor.
    private func nearest(_ position: SIMD2<Float>, _ keyframe: Keyframe, _ range: Range<Int>) -> Int? {
        var best: (corner: Int, distance: Int32)?
        for corner in near(position) {
            for (number, described) in query.features.descriptors.enumerated() {
                for mine in own[number][corner] {
                    for theirs in range {
                        let distance = described.set.squaredDistance(mine, to: keyframe.descriptors.set, theirs)
                        if distance < best?.distance ?? Self.maximumDistance { best = (corner, distance) }
                    }
                }
            }
        }
        return best?.corner
    }

    /// The projection in image pixels; nil outside of the image.
    private func projection(_ inCamera: Vector3d) -> SIMD2<Float>? {
        guard inCamera.z > 0.1 else { return nil }
        let (pixel, camera) = (query.camera.project(inCamera), query.camera)
        // Corners are not detected near the edge.
        let margin = 9 * Double(query.features.scale)
        guard pixel.x > margin, pixel.y > margin, pixel.x < Double(camera.width) - margin, pixel.y < Double(camera.height) - margin else {
            return nil
        }
        return SIMD2<Float>(pixel)
    }

    private func near(_ position: SIMD2<Float>) -> [Int] {
        let reach = Float(2 * query.settings.tolerance)
        func cell(_ value: Float, _ count: Int) -> Int { min(max(Int(value) / Self.side, 0), count - 1) }
        var found: [Int] = []
        for row in cell(position.y - reach, rows)...cell(position.y + reach, rows) {
            for column in cell(position.x - reach, columns)...cell(position.x + reach, columns) {
                found += cells[row * columns + column].filter {
                    let corner = query.features.corners[$0].position
                    return abs(corner.x - position.x) < reach && abs(corner.y - position.y) < reach
                }
            }
        }
        return found
    }
}
