import VitrineMath
import VitrineVision

/// The update with finished tracks (MSCKF features): each constrains the clones of its observations after its point is eliminated. Accurate tracks that
/// are still observed become points of the state.
struct TrackUpdate {
    private let settings: FilterSettings
    private let kalman: FilterUpdate
    private let quantiles: ChiSquare
    private let points: PointUpdate
    private let information: TrackInformation

    init(settings: FilterSettings, layout: FilterLayout, kalman: FilterUpdate, quantiles: ChiSquare, points: PointUpdate) {
        (self.settings, self.kalman, self.quantiles, self.points) = (settings, kalman, quantiles, points)
        information = TrackInformation(layout: layout)
    }

    /// Updates the state with tracks that ended and with those of the oldest clone; some of these become points.
    /// - Returns: false if the filter failed.
    func apply(
        _ table: inout FeatureTrackTable, slot: Int, to estimate: inout FilterEstimate, _ report: inout FilterReport
    ) -> Bool {
        let finished = finishedTracks(table.tracks, slot, estimate)
        var cameras = [RigidTransform](repeating: .identity, count: estimate.layout.slots)
        for slot in estimate.order { cameras[slot] = estimate.cameraFromWorld(slot) }
        let noise = settings.pixelNoise / max(1, estimate.rig.camera.focal.max())
        information.start()
        let typicalDepth = estimate.medianDistance(at: estimate.clones[slot].time, table)
        let isRolling = estimate.rig.readoutTime != 0
        for index in finished where report.tracksUsed < settings.tracks {
            let track = table.tracks[index]
            let slots = estimate.order.filter(track.isObserved)
            if isRolling { for slot in slots { cameras[slot] = estimate.cameraFromWorld(slot, track.pixels[slot]) } }
            let rays = TrackRays(slots: slots, cameras: cameras, noise: noise, typicalDepth: typicalDepth)
            // A depth that contradicts the images belongs to another surface.
            var outcome = project(track, rays, usesDepth: !track.depths.isEmpty, estimate)
            if outcome?.isConsistent != true, !track.depths.isEmpty { outcome = project(track, rays, usesDepth: false, estimate) }
            guard let (triangulated, projection, isConsistent) = outcome else {
                report.tracksUntriangulated += 1
                continue
            }
            guard isConsistent else {
                report.tracksGated += 1
                table.markUsed(index)
                continue
            }
            if track.isObserved(in: slot), triangulated.depthDeviation < settings.depthDeviation,
                points.makeRoom(slot: slot, in: &estimate, &report)
            {
                points.add(track, triangulated.point, projection, information, slot: slot, to: &estimate)
                report.pointsAdded += 1
            }
            information.keep()
            report.tracksUsed += 1
            table.markUsed(index)
        }
        return information.apply(kalman, to: &estimate)
    }

    /// The views of a track's observations.
    private struct TrackRays {
        var slots: [Int]
        /// `cameraFromWorld` by slot.
        var cameras: [RigidTransform]
        /// Standard deviation of normalized coordinates.
        var noise: Double
        var typicalDepth: Double?
    }

    /// Triangulates and linearizes a track; nil if its depth is too uncertain.
    private func project(
        _ track: FeatureTrack, _ rays: TrackRays, usesDepth: Bool, _ estimate: FilterEstimate
    ) -> (triangulated: TrackTriangulation, projection: TrackInformation.Projection, isConsistent: Bool)? {
        guard
            let triangulated = TrackTriangulation(
                track, slots: rays.slots, cameras: rays.cameras, noise: rays.noise, typicalDepth: rays.typicalDepth, usesDepth: usesDepth,
                turn: estimate.secondTurn),
            triangulated.depthDeviation < settings.depthDeviation || isUsableUnconverged(triangulated, rays.slots, estimate),
            let projection = information.project(
                track, slots: rays.slots, position: triangulated.point, estimate, weight: 1 / settings.pixelNoise, usesDepth: usesDepth)
        else { return nil }
        return (triangulated, projection, information.passes(projection, quantiles, kalman.covariance))
    }

    /// Whether a track of unconverged depth may be used: the product of the uncertainties of inverse depth and translation is a small part of
    /// a pixel.
    ///
    /// A device that hardly moves has no converged tracks, but its images still measure the rotation. Using only converged tracks would also
    /// select those that noise makes appear near, and shorten all distances.
    private func isUsableUnconverged(_ track: TrackTriangulation, _ slots: [Int], _ estimate: FilterEstimate) -> Bool {
        guard let first = slots.first, let last = slots.last else { return false }
        let (a, b) = (estimate.layout.clone(first) + 3, estimate.layout.clone(last) + 3)
        let covariance = kalman.covariance
        let cross = covariance.block(a, b)
        let shift = (covariance.block(a, a) + covariance.block(b, b) - cross * 2).trace / 3
        guard shift >= 0 else { return false }
        let pixels = track.inverseDepthDeviation * shift.squareRoot() * estimate.rig.camera.focal.max()
        return pixels < settings.unconvergedTrackTolerance * settings.pixelNoise
    }

    /// Indices of tracks that will not grow, the longest first.
    private func finishedTracks(_ tracks: [FeatureTrack], _ slot: Int, _ estimate: FilterEstimate) -> [Int] {
        let oldest = estimate.order.count == estimate.layout.slots ? estimate.order[0] : nil
        let minimum = max(2, settings.minimumTrackLength)
        return tracks.indices.filter { index in
            let track = tracks[index]
            guard track.count >= minimum else { return false }
            return !track.isObserved(in: slot) || oldest.map(track.isObserved) ?? false
        }.sorted { (tracks[$1].count, $0) < (tracks[$0].count, $1) }
    }
}
