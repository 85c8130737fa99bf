import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Corrects the state by tracks that ended, and by those that the oldest clone is about to leave; some of these become points.
    /// - Returns: false where the filter has failed.
    func useTracks(_ slot: Int, _ report: inout FilterReport) -> Bool {
        let finished = finishedTracks(slot)
        var cameras = [RigidTransform](repeating: .identity, count: layout.slots)
        for slot in estimate.order { cameras[slot] = estimate.cameraFromWorld(slot) }
        let noise = settings.pixelNoise / max(1, estimate.rig.camera.focal.max())
        information.begin()
        let usual = usualDistance
        for index in finished where report.tracksUsed < settings.tracks {
            let track = tracks[index]
            let slots = estimate.order.filter(track.isSeen)
            guard let place = TrackTriangulation(track, slots: slots, cameras: cameras, noise: noise, usual: usual),
                place.depthDeviation < settings.depthDeviation || isHarmless(place, slots),
                let projection = information.project(track, slots: slots, place: place.point, estimate, weight: 1 / settings.pixelNoise)
            else {
                report.tracksUntriangulated += 1
                continue
            }
            guard information.passes(projection, quantiles, covariance) else {
                report.tracksGated += 1
                tracks[index].mask = 0
                continue
            }
            if track.isSeen(in: slot), place.depthDeviation < settings.depthDeviation, makeRoom(&report) {
                startPoint(track, place.point, projection, slot)
                report.pointsStarted += 1
            }
            information.keep()
            report.tracksUsed += 1
            tracks[index].mask = 0
        }
        return information.apply(kalman, to: &estimate, covariance)
    }

    /// Whether what isn't known of a point's depth does no harm: what it makes of that which isn't known of the way is a small part of a pixel.
    ///
    /// A device that hardly moves finds no depths, and yet its pictures tell how it turns and that it doesn't go far. And where only tracks with
    /// a sure depth were used, these would be those whose noise makes them seem near, and all ways would come out too short.
    private func isHarmless(_ place: TrackTriangulation, _ slots: [Int]) -> Bool {
        guard let first = slots.first, let last = slots.last else { return false }
        let (a, b) = (layout.clone(first) + 3, layout.clone(last) + 3)
        let cross = covariance.block(a, b)
        let shift = (covariance.block(a, a) + covariance.block(b, b) - cross * 2).trace / 3
        guard shift >= 0 else { return false }
        let pixels = place.inverseDepthDeviation * shift.squareRoot() * estimate.rig.camera.focal.max()
        return pixels < settings.unsureDepth * settings.pixelNoise
    }

    /// Indices of tracks that are as long as they will be, the longest first.
    private func finishedTracks(_ slot: Int) -> [Int] {
        let oldest = estimate.order.count == layout.slots ? estimate.order[0] : nil
        let least = max(2, settings.sightings)
        return tracks.indices.filter { index in
            let track = tracks[index]
            guard track.count >= least else { return false }
            return !track.isSeen(in: slot) || oldest.map(track.isSeen) ?? false
        }.sorted { (tracks[$1].count, $0) < (tracks[$0].count, $1) }
    }

    /// Whether there is room for one more point; the one that is longest out of sight goes, if it has to.
    private func makeRoom(_ report: inout FilterReport) -> Bool {
        guard layout.maximumPoints > 0 else { return false }
        guard estimate.points.count == layout.maximumPoints else { return true }
        guard let oldest = estimate.points.indices.min(by: { estimate.points[$0].seen < estimate.points[$1].seen }),
            estimate.points[oldest].seen < pictureTime
        else { return false }
        removePoint(oldest)
        report.pointsDropped += 1
        return true
    }

    /// A track's point becomes part of the state: it follows from the window and the track's own noise. What the track says beyond the point's
    /// place is used with all other tracks, to which the point is no longer tied: the same as one update by all of it.
    private func startPoint(_ track: FeatureTrack, _ place: Vector3d, _ projection: TrackInformation.Projection, _ slot: Int) {
        let own = projection.information.inverse
        let gain = RowStorage(rows: information.window, columns: 8)
        let cross = RowStorage(rows: 4, columns: layout.capacity)
        information.gain(projection, to: gain.rows)
        RowKernels.subtractProduct(
            gain.rows, covariance.rows.from(FilterLayout.window, 0), from: cross.rows, rows: 4, columns: covariance.width,
            depth: information.window)
        var spread = own
        for k in 0..<information.window {
            let g = Vector3d(gain.rows[k, 0], gain.rows[k, 1], gain.rows[k, 2])
            let column = FilterLayout.window + k
            let c = Vector3d(cross.rows[0, column], cross.rows[1, column], cross.rows[2, column])
            spread = spread - Matrix3d(c * g.x, c * g.y, c * g.z)
        }
        covariance.append(cross: cross.rows, own: spread)
        pointIndex[track.id] = estimate.points.count
        estimate.points.append(
            FilterEstimate.Point(
                id: track.id, position: place + own * projection.right, firstPosition: place, pixel: track.pixels[slot],
                seen: pictureTime, started: pictureTime))
    }
}
