import VitrineMath
import VitrineVision

/// Triangulates the tracked features from the clones' poses. The state does not depend on it.
struct WindowTriangulation {
    private let settings: FilterSettings
    private let layout: FilterLayout
    /// Relative variance of the length of the camera's path.
    private var scaleVariance = 1.0
    /// Number of frames that added a clone.
    private var frames = 0

    /// The number of frames after which a landmark is refined again.
    private static let interval = 3

    init(settings: FilterSettings, layout: FilterLayout) { (self.settings, self.layout) = (settings, layout) }

    /// Refines the landmarks of a third of the features in the newest frame.
    mutating func update(
        _ table: inout FeatureTrackTable, slot: Int, _ estimate: FilterEstimate, _ covariance: FilterCovariance, _ quantiles: ChiSquare
    ) {
        frames += 1
        let camera = estimate.rig.camera
        let noise = settings.landmarkNoise / max(1, camera.focal.max())
        let drift = settings.featureDrift / max(1, camera.focal.max())
        var worldFromCamera = [RigidTransform](repeating: .identity, count: layout.slots)
        var uncertainties = [LandmarkEstimate.MotionUncertainty](repeating: .init(), count: layout.slots)
        updateScaleVariance(slot, estimate, covariance)
        for (age, old) in estimate.order.reversed().enumerated() {
            worldFromCamera[old] = estimate.cameraFromWorld(old).inverse
            uncertainties[old] = uncertainty(from: old, to: slot, covariance)
            uncertainties[old].rotation += Double(age) * drift * drift
        }
        let isRolling = estimate.rig.readoutTime != 0
        var rays: [LandmarkEstimate.Ray] = []
        for index in table.tracks.indices
        where table.tracks[index].isNewest(in: slot) && (table.tracks[index].id &+ frames) % Self.interval == 0 {
            let pending = table.tracks[index].landmark.pending
            rays.removeAll(keepingCapacity: true)
            var oldest: Int?
            for old in estimate.order where pending & (1 << UInt32(old)) != 0 {
                let observed = table.tracks[index].normalized[old]
                let pose = isRolling ? estimate.cameraFromWorld(old, table.tracks[index].pixels[old]).inverse : worldFromCamera[old]
                let direction = Vector3d(observed.x, observed.y, 1)
                let stretch = length(direction)
                let range = table.tracks[index].depth(in: old, turn: estimate.secondTurn).map {
                    ($0.metres * stretch, $0.deviation * stretch)
                }
                rays.append(
                    LandmarkEstimate.Ray(center: pose.translation, direction: normalize(pose.rotation * direction), range: range))
                oldest = oldest ?? old
            }
            guard let oldest else { continue }
            table.refineLandmark(index, rays, noise: noise, uncertainty: uncertainties[oldest], quantiles)
        }
    }

    /// Updates the relative variance of the path's length from the longest distance between clones.
    ///
    /// A short distance has no information; the earlier value then remains valid for a while.
    private mutating func updateScaleVariance(_ slot: Int, _ estimate: FilterEstimate, _ covariance: FilterCovariance) {
        scaleVariance *= 1.02
        let newest = estimate.clones[slot].worldFromBody.translation
        func distance(_ slot: Int) -> Double { length(estimate.clones[slot].worldFromBody.translation - newest) }
        guard let far = estimate.order.max(by: { distance($0) < distance($1) }), distance(far) > 1e-3 else { return }
        let way = (newest - estimate.clones[far].worldFromBody.translation) / distance(far)
        let (a, b) = (layout.clone(far) + 3, layout.clone(slot) + 3)
        let cross = covariance.block(a, b)
        let spread = covariance.block(a, a) + covariance.block(b, b) - cross - cross.transpose
        let variance = dot(way, spread * way) / (distance(far) * distance(far))
        if variance >= 0, variance < scaleVariance { scaleVariance = variance }
    }

    /// The uncertainty of the motion from one clone to another, per component.
    ///
    /// The covariance of the difference overestimates it if later updates correct the newer pose; then the growth of the variance is the bound.
    /// The growth in turn overestimates it for a rotation of the whole world about a distant point.
    private func uncertainty(from old: Int, to new: Int, _ covariance: FilterCovariance) -> LandmarkEstimate.MotionUncertainty {
        let (a, b) = (layout.clone(old), layout.clone(new))
        func spread(_ at: Int) -> Double {
            var (difference, growth) = (0.0, 0.0)
            for k in at..<at + 3 {
                let (old, new) = (covariance[a + k, a + k], covariance[b + k, b + k])
                difference += old + new - 2 * covariance[a + k, b + k]
                growth += new - old
            }
            return max(0, min(difference, growth)) / 3
        }
        return LandmarkEstimate.MotionUncertainty(translation: spread(3), rotation: spread(0), scale: scaleVariance)
    }
}
