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
    /// The standard deviation of the inverse depth by noise, 1/m.
    package var inverseNoise: Double
    /// The derivative of the inverse depth by an error of the second camera's rotation about the axis orthogonal to baseline and viewing direction, 1/m: an
    /// error that all depths share. 0 for a depth image.
    package var turnSlope: Double

    /// The prior standard deviation of that rotation in radians.
    package static let turnDeviation = 0.002

    /// The standard deviation of the inverse depth by noise and calibration, 1/m.
    package var inverseDeviation: Double {
        (inverseNoise * inverseNoise + turnSlope * turnSlope * Self.turnDeviation * Self.turnDeviation).squareRoot()
    }
    /// The standard deviation of the depth by noise and calibration, metres.
    package var deviation: Double { inverseDeviation * metres * metres }

    @inlinable package init(metres: Double, inverseNoise: Double, turnSlope: Double = 0) {
        (self.metres, self.inverseNoise, self.turnSlope) = (metres, inverseNoise, turnSlope)
    }

    /// The depth with a corrected rotation of the second camera, in radians.
    func corrected(turn: Double) -> MeasuredDepth {
        turnSlope == 0
            ? self : MeasuredDepth(metres: 1 / max(1 / metres - turnSlope * turn, 1e-4), inverseNoise: inverseNoise, turnSlope: turnSlope)
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
