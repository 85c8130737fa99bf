import VitrineMath

/// A hit of `ARFrame.hitTest(_:types:)`, ARKit's predecessor of ray casts.
public struct ARHitTestResult: Equatable, Sendable {
    /// The kinds of hits to search for.
    public struct ResultType: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The feature point nearest to the ray.
        public static let featurePoint = ResultType(rawValue: 1)
        /// A horizontal surface estimated from feature points or depth.
        public static let estimatedHorizontalPlane = ResultType(rawValue: 2)
        /// A detected plane, infinitely extended.
        public static let existingPlane = ResultType(rawValue: 8)
        /// A detected plane inside its extent.
        public static let existingPlaneUsingExtent = ResultType(rawValue: 16)
        /// A detected plane inside its outline.
        public static let existingPlaneUsingGeometry = ResultType(rawValue: 32)
        /// A vertical surface estimated from feature points or depth.
        public static let estimatedVerticalPlane = ResultType(rawValue: 64)
    }

    /// The kind of hit.
    public let type: ResultType
    /// The distance in metres from the camera.
    public let distance: Float
    /// The hit in the session's world.
    public let worldTransform: Matrix4
    /// The hit in the frame of `anchor`; equal to `worldTransform` without an anchor.
    public let localTransform: Matrix4
    /// The plane that was hit.
    public let anchor: ARAnchor?

    /// Creates a hit; computes `localTransform`.
    public init(type: ResultType, distance: Float, worldTransform: Matrix4, anchor: ARAnchor? = nil) {
        (self.type, self.distance, self.worldTransform, self.anchor) = (type, distance, worldTransform, anchor)
        localTransform = anchor.map { $0.transform.affineInverse * worldTransform } ?? worldTransform
    }
}
