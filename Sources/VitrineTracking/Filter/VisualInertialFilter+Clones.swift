import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Keeps the pose of now.
    ///
    /// The picture was taken at its stamp plus the true offset of the clocks; the pose is of the estimated one. What that makes of an error
    /// of the offset is the motion itself (Li & Mourikis 2014).
    /// - Returns: the slot.
    func addClone(_ angularVelocity: Vector3d) -> Int {
        if estimate.order.count == layout.slots { dropOldestClone() }
        let slot = (0..<layout.slots).first { !estimate.order.contains($0) } ?? 0
        let body = estimate.body.worldFromBody
        estimate.clones[slot] = FilterEstimate.Clone(worldFromBody: body, firstPosition: estimate.firstPosition)
        estimate.order.append(slot)
        let (turn, motion) = (body.rotation * angularVelocity, estimate.body.velocity)
        let rates = [turn.x, turn.y, turn.z, motion.x, motion.y, motion.z]
        let target = layout.clone(slot)
        let (rows, width) = (covariance.rows, covariance.width)
        for k in 0..<6 {
            rows[target + k].update(from: rows[k], count: width)
            RowKernels.subtract(rows[FilterLayout.timeOffset], times: -rates[k], from: rows[target + k], count: width)
        }
        for row in 0..<covariance.size {
            for k in 0..<6 { rows[row, target + k] = rows[row, k] + rows[row, FilterLayout.timeOffset] * rates[k] }
        }
        for row in 0..<6 {
            for column in 0..<row { rows[target + row, target + column] = rows[target + column, target + row] }
        }
        return slot
    }

    func dropOldestClone() {
        guard let slot = estimate.order.first else { return }
        estimate.order.removeFirst()
        covariance.clear(layout.clone(slot), FilterLayout.cloneSize)
        for index in tracks.indices { tracks[index].forget(slot) }
    }

    /// Writes down where the picture shows what.
    func register(_ features: [ObservedFeature], slot: Int) {
        let camera = estimate.rig.camera
        for feature in features where feature.pixel.x.isFinite && feature.pixel.y.isFinite {
            if let index = pointIndex[feature.id] {
                guard estimate.points[index].seen != pictureTime else { continue }
                estimate.points[index].seen = pictureTime
                estimate.points[index].pixel = feature.pixel
                continue
            }
            let normalized = camera.normalized(feature.pixel)
            guard normalized.x.isFinite, normalized.y.isFinite, abs(normalized.x) < 10, abs(normalized.y) < 10 else { continue }
            if let index = trackIndex[feature.id] {
                guard !tracks[index].isSeen(in: slot) else { continue }
                tracks[index].see(feature.pixel, normalized, in: slot)
            } else {
                var track = FeatureTrack(id: feature.id, slots: layout.slots)
                track.see(feature.pixel, normalized, in: slot)
                trackIndex[feature.id] = tracks.count
                tracks.append(track)
            }
        }
    }

    /// Lets go of what the next picture won't need: ended tracks, points out of sight, the oldest clone.
    func tidy(_ slot: Int, _ report: inout FilterReport) {
        for index in estimate.points.indices.reversed() {
            let point = estimate.points[index]
            if pictureTime - point.seen > settings.pointMemory || point.misses >= 4 {
                removePoint(index)
                report.pointsDropped += 1
            }
        }
        if estimate.order.count > layout.slots - 1 { dropOldestClone() }
        tracks.removeAll { !$0.isShown(in: slot) }
        trackIndex.removeAll(keepingCapacity: true)
        for (index, track) in tracks.enumerated() { trackIndex[track.id] = index }
    }

    func removePoint(_ index: Int) {
        covariance.removePoint(at: layout.point(index))
        pointIndex[estimate.points[index].id] = nil
        let last = estimate.points.removeLast()
        if index < estimate.points.count {
            estimate.points[index] = last
            pointIndex[last.id] = index
        }
    }
}
