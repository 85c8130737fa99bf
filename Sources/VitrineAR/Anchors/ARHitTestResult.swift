import VitrineMath

/// Where the ray through a point of the picture met something: the older sibling of `ARRaycastResult`.
public struct ARHitTestResult: Equatable, Sendable {
    public struct ResultType: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The feature point nearest to the ray.
        public static let featurePoint = ResultType(rawValue: 1)
        /// A horizontal surface, guessed from feature points.
        public static let estimatedHorizontalPlane = ResultType(rawValue: 2)
        /// A plane that was found, without end.
        public static let existingPlane = ResultType(rawValue: 8)
        /// A plane that was found, inside its extent.
        public static let existingPlaneUsingExtent = ResultType(rawValue: 16)
        /// A plane that was found, inside its outline.
        public static let existingPlaneUsingGeometry = ResultType(rawValue: 32)
        /// A vertical surface, guessed from feature points.
        public static let estimatedVerticalPlane = ResultType(rawValue: 64)
    }

    public let type: ResultType
    /// Metres from the camera.
    public let distance: Float
    /// The place in the session's world.
    public let worldTransform: Matrix4
    /// The same place in the frame of `anchor`; `worldTransform` where there is none.
    public let localTransform: Matrix4
    public let anchor: ARAnchor?

    public init(type: ResultType, distance: Float, worldTransform: Matrix4, anchor: ARAnchor? = nil) {
        (self.type, self.distance, self.worldTransform, self.anchor) = (type, distance, worldTransform, anchor)
        localTransform = anchor.map { $0.transform.affineInverse * worldTransform } ?? worldTransform
    }
}
