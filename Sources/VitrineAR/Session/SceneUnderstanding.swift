import VitrineTracking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is found out beside the pose: planes and light.
struct SceneUnderstanding {
    private var planeDetection: ARWorldTrackingConfiguration.PlaneDetection = []
    private var isEstimatingLight = true

    mutating func configure(_ configuration: any ARConfiguration) {
        planeDetection = (configuration as? ARWorldTrackingConfiguration)?.planeDetection ?? []
        isEstimatingLight = configuration.isLightEstimationEnabled
    }

    mutating func reset() {}

    /// Planes that the app removed: they may be found anew.
    mutating func forget(_ identifiers: Set<UUID>) {}

    /// What a picture changed among the planes, in the tracker's world.
    mutating func planes(_ result: TrackingResult, sample: CameraSample) -> PlaneAnchorChanges { PlaneAnchorChanges() }

    /// The light of a picture; nil where it isn't asked for.
    mutating func light(_ sample: CameraSample) -> ARLightEstimate? { nil }
}
