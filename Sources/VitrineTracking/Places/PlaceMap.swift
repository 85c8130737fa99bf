import VitrineMath
import VitrineVision

/// What is kept of a place so that it can be found again: views from known places, with the points that each shows and what they look like.
///
/// ```swift
/// let map = tracker.landmarkMap
/// let bytes = map.encoded()                      // to be kept
/// another.find(try LandmarkMap(encoded: bytes))     // its world becomes this one, once the place is seen
/// ```
///
/// The world is level: +Y up against gravity, metres.
public struct LandmarkMap: Equatable, Sendable {
    var keyframes: [PlaceKeyframe]

    /// Nothing.
    public init() { keyframes = [] }

    init(keyframes: [PlaceKeyframe]) { self.keyframes = keyframes }

    public var isEmpty: Bool { keyframes.isEmpty }
    public var viewCount: Int { keyframes.count }
    /// The points of all views; one that several views show counts in each.
    public var pointCount: Int { keyframes.reduce(0) { $0 + $1.points.count } }
    /// Where the views were taken from.
    public var worldFromCameras: [RigidTransform] { keyframes.map(\.worldFromCamera) }
}
