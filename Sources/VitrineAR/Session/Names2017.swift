@available(*, deprecated, renamed: "AROrientationTrackingConfiguration")
public typealias ARSessionConfiguration = AROrientationTrackingConfiguration

@available(*, deprecated, renamed: "ARWorldTrackingConfiguration")
public typealias ARWorldTrackingSessionConfiguration = ARWorldTrackingConfiguration
