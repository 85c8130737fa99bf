import VitrineVision

/// A point of the world as one picture shows it.
@frozen public struct ObservedFeature: Equatable, Sendable {
    /// The same in every picture that shows the point; never used again for another.
    public var id: Int
    /// In the picture's pixels, distorted, as the camera saw it.
    public var pixel: Vector2d

    @inlinable public init(id: Int, pixel: Vector2d) { (self.id, self.pixel) = (id, pixel) }
}

/// A point that a tracker has found a place for.
@frozen public struct TrackedPoint: Equatable, Sendable {
    public var id: Int
    /// In metres, in the world.
    public var position: Vector3d
    /// Where the newest picture shows it, in its pixels.
    public var pixel: Vector2d

    /// How far off the place may be, in metres, were the camera's way known: the root of the mean square distance, most of it along the view,
    /// by all pictures in which it was followed. What isn't known of the way, its drift and its length, comes on top, and is alike for
    /// points near one another. 0 where the tracker doesn't say.
    public var deviation: Double

    @inlinable public init(id: Int, position: Vector3d, pixel: Vector2d, deviation: Double = 0) {
        (self.id, self.position, self.pixel, self.deviation) = (id, position, pixel, deviation)
    }
}
