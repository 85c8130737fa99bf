import VitrineMath
import VitrineScene
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Fills environment probes from camera images.
struct SceneProbes {
    /// Seconds between two images that are added, and between two maps.
    private static let (imageInterval, mapInterval) = (0.25, 2.0)
    /// The share of all directions from which there is a map.
    private static let minimumCoverage = 0.05

    private var texturing = ARWorldTrackingConfiguration.EnvironmentTexturing.none
    private var estimator = EnvironmentEstimator(height: 32)
    private var lastImage = -Double.infinity
    private var lastMap = -Double.infinity
    /// The newest map.
    private var texture: Image?
    /// The probe that the session made.
    private var automatic: UUID?
    /// Generates identifiers that are the same in every replay.
    private var random = SplitMix64(seed: 0x9B0B)

    mutating func configure(_ configuration: any ARConfiguration) {
        texturing = (configuration as? ARWorldTrackingConfiguration)?.environmentTexturing ?? .none
    }

    /// The world has other axes: the map starts over; probes keep their last one meanwhile.
    mutating func reset() {
        estimator = EnvironmentEstimator(height: 32)
        (lastImage, lastMap, texture) = (-.infinity, -.infinity, nil)
    }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - worldFromCamera: The camera's pose in the session's world.
    ///   - anchors: The anchors of the session.
    /// - Returns: The probes that change.
    mutating func update(
        with sample: CameraSample, camera: CameraIntrinsics, worldFromCamera: RigidTransform, anchors: [ARAnchor]
    ) -> [AREnvironmentProbeAnchor] {
        guard texturing != .none else { return [] }
        if sample.time - lastImage >= Self.imageInterval || sample.time < lastImage {
            lastImage = sample.time
            estimator.add(sample.image, worldFromCamera: worldFromCamera, camera: camera, gain: sample.gain ?? 1)
            if sample.time - lastMap >= Self.mapInterval || sample.time < lastMap, estimator.coverage >= Self.minimumCoverage {
                (lastMap, texture) = (sample.time, estimator.image())
            }
        }
        guard let texture else { return [] }
        var probes = anchors.compactMap { $0 as? AREnvironmentProbeAnchor }
        if texturing == .automatic, !probes.contains(where: { $0.identifier == automatic }) {
            let identifier = UUID(version4: random.next(), random.next())
            automatic = identifier
            probes.append(
                AREnvironmentProbeAnchor(transform: Matrix4(translation: Vector3(worldFromCamera.translation)), identifier: identifier))
        }
        return probes.filter { $0.environmentTexture !== texture }.map { $0.with(texture: texture) }
    }
}
