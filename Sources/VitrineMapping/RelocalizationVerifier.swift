import VitrineMath
import VitrineVision

/// Verifies a relocalization result: matches the nearest keyframes' landmarks at their projections.
///
/// This also finds matches that are ambiguous elsewhere; a position that only shares a pattern with the correct one has few.
struct RelocalizationVerifier {
    let frame: FrameFeatures
    /// Only the rotation is used.
    let pose: RigidTransform
    let camera: CameraIntrinsics
    /// One set for each of ``FrameFeatures/sizes``.
    let descriptors: [LandmarkDescriptors]
    let settings: RelocalizationSettings

    /// Largest squared distance of matching descriptors (0.59 of their length).
    private static let maximumDistance: Int32 = 300 * 300

    /// - Returns: Matches of the nearest keyframes' landmarks, and the share of matched landmarks of the two nearest.
    func visibleLandmarks(_ keyframes: [Keyframe], from worldFromCamera: RigidTransform) -> (
        matches: [GravityAlignedResection.Match], share: Double
    ) {
        let ofCorner = descriptors.map { Self.grouped($0, frame.corners.count) }
        let back = worldFromCamera.inverse
        var matches: [GravityAlignedResection.Match] = []
        var (visible, found) = (0, 0)
        for (rank, index) in Self.nearest(keyframes, worldFromCamera, settings).enumerated() {
            let keyframe = keyframes[index]
            let ofPoint = [keyframe.small, keyframe.large].map { Self.grouped($0, keyframe.landmarks.count) }
            for (number, point) in keyframe.landmarks.enumerated() {
                guard let position = projection(back * Vector3d(point.position)) else { continue }
                if rank < 2 { visible += 1 }
                var best: (corner: Int, distance: Int32)?
                for corner in near(position) {
                    for (kept, keptDescriptors) in [keyframe.small, keyframe.large].enumerated() {
                        for k in ofPoint[kept][number] {
                            for new in descriptors.indices {
                                for mine in ofCorner[new][corner] {
                                    let distance = descriptors[new].set.squaredDistance(mine, to: keptDescriptors.set, k)
                                    if distance < best?.distance ?? Self.maximumDistance { best = (corner, distance) }
                                }
                            }
                        }
                    }
                }
                guard let best else { continue }
                if rank < 2 { found += 1 }
                matches.append(GravityAlignedResection.Match(frame, best.corner, pose, camera, keyframe, number))
            }
        }
        return (matches, visible > 0 ? Double(found) / Double(visible) : 0)
    }

    /// Indices of the keyframes with the most similar views, nearest first.
    static func nearest(_ keyframes: [Keyframe], _ pose: RigidTransform, _ settings: RelocalizationSettings) -> [Int] {
        let far = keyframes.map { $0.dissimilarity(of: pose, distance: 3 * settings.distance * $0.depth, angle: 2.5 * settings.angle) }
        return far.indices.filter { far[$0] < 1.5 }.sorted { (far[$0], $0) < (far[$1], $1) }.prefix(settings.candidates).map { $0 }
    }

    /// The projection in working pixels; nil outside of the image.
    private func projection(_ inCamera: Vector3d) -> SIMD2<Float>? {
        guard inCamera.z > 0.1 else { return nil }
        let pixel = camera.project(inCamera)
        // Corners are not detected near the edge.
        let margin = 9 * Double(frame.scale)
        guard pixel.x > margin, pixel.y > margin, pixel.x < Double(camera.width) - margin, pixel.y < Double(camera.height) - margin else {
            return nil
        }
        return SIMD2<Float>(pixel) / frame.scale
    }

    private func near(_ position: SIMD2<Float>) -> [Int] {
        let reach = Float(2 * settings.tolerance) / frame.scale
        return frame.corners.indices.filter {
            abs(frame.corners[$0].x - position.x) < reach && abs(frame.corners[$0].y - position.y) < reach
        }
    }

    /// The descriptors of each owner.
    private static func grouped(_ descriptors: LandmarkDescriptors, _ count: Int) -> [[Int]] {
        var table = [[Int]](repeating: [], count: count)
        for (index, owner) in descriptors.owners.enumerated() { table[Int(owner)].append(index) }
        return table
    }
}

extension GravityAlignedResection.Match {
    /// A putative match of a corner with a keyframe's landmark.
    init(_ frame: FrameFeatures, _ corner: Int, _ pose: RigidTransform, _ camera: CameraIntrinsics, _ keyframe: Keyframe, _ number: Int) {
        let flat = camera.normalized(Vector2d(frame.corners[corner] * frame.scale))
        let (known, eye) = (keyframe.landmarks[number], keyframe.worldFromCamera.translation)
        let point = Vector3d(known.position)
        self.init(
            feature: corner, direction: pose.rotation * normalize(Vector3d(flat.x, flat.y, 1)), point: point,
            uncertainty: normalize(point - eye) * Double(known.deviation))
    }
}
