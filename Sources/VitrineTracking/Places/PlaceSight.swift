import VitrineMath
import VitrineVision

/// What a picture must show of known views, if it was taken where it is thought to be.
///
/// That finds also points that look like others elsewhere; and a place that only shares a pattern with the right one shows little of it.
struct PlaceSight {
    let view: PlaceView
    /// Only the turn counts.
    let pose: RigidTransform
    let camera: CameraIntrinsics
    /// One for each of ``PlaceView/sizes``.
    let looks: [PlaceDescriptors]
    let settings: PlaceSettings

    /// Descriptors farther apart (0.59 of their length) are of different things.
    private static let likeness: Int32 = 300 * 300

    /// - Returns: points of the nearest views with the corners that show them, and which share of the two nearest views' points that is.
    func seen(_ keyframes: [PlaceKeyframe], from worldFromCamera: RigidTransform) -> (matches: [PlacePose.Match], share: Double) {
        let ofCorner = looks.map { Self.grouped($0, view.corners.count) }
        let back = worldFromCamera.inverse
        var matches: [PlacePose.Match] = []
        var (visible, found) = (0, 0)
        for (rank, index) in Self.nearest(keyframes, worldFromCamera, settings).enumerated() {
            let keyframe = keyframes[index]
            let ofPoint = [keyframe.small, keyframe.large].map { Self.grouped($0, keyframe.points.count) }
            for (number, point) in keyframe.points.enumerated() {
                guard let place = place(back * Vector3d(point.position)) else { continue }
                if rank < 2 { visible += 1 }
                var best: (corner: Int, distance: Int32)?
                for corner in near(place) {
                    for (kept, looksKept) in [keyframe.small, keyframe.large].enumerated() {
                        for k in ofPoint[kept][number] {
                            for new in looks.indices {
                                for mine in ofCorner[new][corner] {
                                    let distance = looks[new].set.squaredDistance(mine, to: looksKept.set, k)
                                    if distance < best?.distance ?? Self.likeness { best = (corner, distance) }
                                }
                            }
                        }
                    }
                }
                guard let best else { continue }
                if rank < 2 { found += 1 }
                matches.append(PlacePose.Match(view, best.corner, pose, camera, keyframe, number))
            }
        }
        return (matches, visible > 0 ? Double(found) / Double(visible) : 0)
    }

    /// Views from where a camera sees most the same, the nearest first.
    static func nearest(_ keyframes: [PlaceKeyframe], _ pose: RigidTransform, _ settings: PlaceSettings) -> [Int] {
        let far = keyframes.map { $0.strangeness(of: pose, reach: 3 * settings.way * $0.depth, turn: 2.5 * settings.turn) }
        return far.indices.filter { far[$0] < 1.5 }.sorted { (far[$0], $0) < (far[$1], $1) }.prefix(settings.candidates).map { $0 }
    }

    /// In the tracked picture's pixels; nil outside of it.
    private func place(_ inCamera: Vector3d) -> SIMD2<Float>? {
        guard inCamera.z > 0.1 else { return nil }
        let pixel = camera.project(inCamera)
        // Nearer to the edge there are no corners.
        let margin = 9 * Double(view.scale)
        guard pixel.x > margin, pixel.y > margin, pixel.x < Double(camera.width) - margin, pixel.y < Double(camera.height) - margin else {
            return nil
        }
        return SIMD2<Float>(pixel) / view.scale
    }

    private func near(_ place: SIMD2<Float>) -> [Int] {
        let reach = Float(2 * settings.tolerance) / view.scale
        return view.corners.indices.filter { abs(view.corners[$0].x - place.x) < reach && abs(view.corners[$0].y - place.y) < reach }
    }

    /// Of each owner its descriptors.
    private static func grouped(_ looks: PlaceDescriptors, _ count: Int) -> [[Int]] {
        var table = [[Int]](repeating: [], count: count)
        for (index, owner) in looks.owners.enumerated() { table[Int(owner)].append(index) }
        return table
    }
}

extension PlacePose.Match {
    /// A picture's corner taken for a view's point.
    init(_ view: PlaceView, _ corner: Int, _ pose: RigidTransform, _ camera: CameraIntrinsics, _ keyframe: PlaceKeyframe, _ number: Int) {
        let flat = camera.normalized(Vector2d(view.corners[corner] * view.scale))
        let (known, eye) = (keyframe.points[number], keyframe.worldFromCamera.translation)
        let point = Vector3d(known.position)
        self.init(
            feature: corner, direction: pose.rotation * normalize(Vector3d(flat.x, flat.y, 1)), point: point,
            doubt: normalize(point - eye) * Double(known.deviation))
    }
}
