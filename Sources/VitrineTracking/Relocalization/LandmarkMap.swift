import VitrineMath
import VitrineVision

/// A landmark map: keyframes with described landmarks, for relocalization.
///
/// Save a tracker's map with ``encoded()``. Pass a loaded map to ``MappingTracker/relocalize(in:)``; the tracker's world becomes the map's once
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
