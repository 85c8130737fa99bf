import VitrineVision

/// A marker that was found in a picture.
public struct Marker: Equatable, Sendable {
    public var dictionary: MarkerDictionary
    public var id: Int
    /// The black square's corners in pixels, distorted as the camera saw them: upper left, upper right, lower right, lower left of the marker as
    /// it is printed.
    public var corners: [Vector2d]
    /// How many cells were read wrongly, and put right.
    public var corrected: Int
}

/// Where a marker is.
///
/// The marker's frame: the origin in its middle, x to its right, y to its top, z out of the paper towards who reads it.
public struct MarkerPose: Equatable, Sendable {
    public var cameraFromMarker: RigidTransform
    /// The root mean square distance of the corners from where the pose puts them, in pixels.
    public var error: Double
}
