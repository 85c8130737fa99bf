import VitrineTracking

/// The reason for which a session failed or rejected a request.
public struct ARError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Int, Equatable, Sendable, CaseIterable {
        /// The device lacks a sensor that the configuration needs.
        case unsupportedConfiguration = 100
        /// The source ended or was removed: a live source cannot be rewound.
        case sensorUnavailable = 101
        /// Reading the source failed.
        case sensorFailed = 102
        /// A reference image cannot be used.
        case invalidReferenceImage = 300
        /// The world map cannot be used.
        case invalidWorldMap = 301
        /// A transform or number is not finite, not rigid, or out of range.
        case invalidValue = 302
        /// The session has mapped too little of the surroundings for the request.
        case insufficientFeatures = 400
        /// The session's state does not allow the request.
        case requestFailed = 501
        /// The session does not support the request.
        case unsupported = 900
    }

    /// The kind of error.
    public let code: Code
    /// The problem, its location, and how to resolve it.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}

extension ARError {
    static func unsupported(_ configuration: any ARConfiguration) -> ARError {
        ARError(
            .unsupportedConfiguration,
            "\(type(of: configuration)) needs an IMU, which the source does not have: use images alone (tracking: .visual), recorded poses (.recorded) or your own tracker (.custom)"
        )
    }

    static let relocalization = ARError(
        .unsupported,
        "the tracker cannot relocalize in a saved map: initialWorldMap needs tracking .automatic with an IMU, or a MappingTracker")

    static let heading = ARError(
        .unsupportedConfiguration,
        "worldAlignment .gravityAndHeading needs a compass, which no source has: use .gravity and turn the world by setWorldOrigin(relativeTransform:)"
    )

    static let mapWithoutKeyframes = ARError(
        .invalidWorldMap,
        "initialWorldMap has no keyframes to relocalize with; add its anchors by add(anchor:)")

    init(_ error: TrackingMethodError) {
        switch error {
        case .needsInertialUnit:
            self.init(
                .unsupported,
                "the tracking method needs an IMU: use images alone (.visual), recorded poses (.recorded) or your own tracker (.custom)")
        case .implausibleScale(let scale):
            self.init(.invalidValue, "\(scale) is not plausible: sizes are between 0.1 mm and 100 km")
        }
    }
}
