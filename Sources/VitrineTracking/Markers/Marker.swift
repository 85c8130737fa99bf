import VitrineVision

/// A detected marker.
package struct Marker: Equatable, Sendable {
    package var dictionary: MarkerDictionary
    package var id: Int
    /// The corners of the black square in distorted pixels: upper left, upper right, lower right, lower left of the printed marker.
    package var corners: [Vector2d]
    /// The number of cells that error correction changed.
    package var corrected: Int

    package init(dictionary: MarkerDictionary, id: Int, corners: [Vector2d], corrected: Int) {
        (self.dictionary, self.id, self.corners, self.corrected) = (dictionary, id, corners, corrected)
    }
}

/// The pose of a marker.
///
/// Marker frame: origin at the centre, x right, y up, z out of the paper towards the reader.
package struct MarkerPose: Equatable, Sendable {
    package var cameraFromMarker: RigidTransform
    /// The root mean square reprojection error of the corners in pixels.
    package var error: Double
}
