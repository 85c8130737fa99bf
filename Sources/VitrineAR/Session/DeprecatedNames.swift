/// ARKit's name of 2017.
@available(*, deprecated, renamed: "AROrientationTrackingConfiguration")
public typealias ARSessionConfiguration = AROrientationTrackingConfiguration

/// ARKit's name of 2017.
@available(*, deprecated, renamed: "ARWorldTrackingConfiguration")
public typealias ARWorldTrackingSessionConfiguration = ARWorldTrackingConfiguration
