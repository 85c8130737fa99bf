import VitrineMath
import VitrineVision

/// A landmark map: keyframes with described landmarks, for relocalization.
///
/// Save a tracker's map with ``encoded()``. Pass a loaded map to ``Relocalizer/relocalize(in:)``; the tracker's world becomes the map's once
/// relocalization succeeds. The world is level: +Y up against gravity, metres.
package struct LandmarkMap: Equatable, Sendable {
    let keyframes: [Keyframe]

    /// Creates an empty map.
    package init() { keyframes = [] }

    init(keyframes: [Keyframe]) { self.keyframes = keyframes }

    package var isEmpty: Bool { keyframes.isEmpty }
    package var keyframeCount: Int { keyframes.count }
    /// The number of landmarks of all keyframes; a landmark counts in each keyframe that observes it.
    package var landmarkCount: Int { keyframes.reduce(0) { $0 + $1.landmarks.count } }
    /// The keyframes' poses.
    package var worldFromCameras: [RigidTransform] { keyframes.map(\.worldFromCamera) }
}

/// How well a landmark map covers the camera's view.
package enum MappingStatus: Equatable, Sendable {
    /// The map has too few keyframes.
    case limited
    /// The map has keyframes, but not of this view.
    case extending
    /// The map covers this view: relocalization from here should succeed.
    case mapped
}
