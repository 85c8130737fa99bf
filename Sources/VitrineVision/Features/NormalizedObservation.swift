/// An observation of a feature in one frame.
package struct NormalizedObservation: Sendable {
    /// Identifies the feature over all frames.
    package var id: Int
    /// Undistorted normalized coordinates: (x/z, y/z) in the camera's frame.
    package var normalized: Vector2d

    package init(id: Int, normalized: Vector2d) { (self.id, self.normalized) = (id, normalized) }

    /// The unit direction in the camera's frame.
    package var ray: Vector3d { Self.ray(normalized) }

    /// The unit direction of normalized coordinates.
    package static func ray(_ normalized: Vector2d) -> Vector3d { normalize(Vector3d(normalized.x, normalized.y, 1)) }
}
