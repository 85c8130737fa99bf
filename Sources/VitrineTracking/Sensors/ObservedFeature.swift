import VitrineVision

/// An observation of a feature in one frame.
@frozen package struct ObservedFeature: Equatable, Sendable {
    /// Identifies the point across frames; never reused for another point.
    package var id: Int
    /// The position in the image's distorted pixels.
    package var pixel: Vector2d
    /// The measured depth; nil if unknown.
    package var depth: MeasuredDepth?

    @inlinable package init(id: Int, pixel: Vector2d, depth: MeasuredDepth? = nil) {
        (self.id, self.pixel, self.depth) = (id, pixel, depth)
    }
}

/// The depth of a feature, from a depth image or a second camera.
@frozen package struct MeasuredDepth: Equatable, Sendable {
    /// The distance along the camera's z axis, metres.
    package var metres: Double
    /// The standard deviation of the inverse depth, 1/m.
    package var inverseDeviation: Double

    /// The standard deviation of the depth, metres.
    package var deviation: Double { inverseDeviation * metres * metres }

    @inlinable package init(metres: Double, inverseDeviation: Double) {
        (self.metres, self.inverseDeviation) = (metres, inverseDeviation)
    }
}

/// A triangulated point.
@frozen public struct TrackedPoint: Equatable, Sendable {
    public var id: Int
    /// The position in the world, metres.
    public var position: Vector3d
    /// The newest observation in pixels.
    public var pixel: Vector2d
    /// The standard deviation of the position in metres, mostly along the viewing direction, given the camera's path. Drift of the path
    /// comes on top and is similar for nearby points. 0 if unknown.
    public var deviation: Double

    /// Creates a point; see the properties for frames and units.
    @inlinable public init(id: Int, position: Vector3d, pixel: Vector2d, deviation: Double = 0) {
        (self.id, self.position, self.pixel, self.deviation) = (id, position, pixel, deviation)
    }
}
