import VitrineMath
import VitrineVision

/// Knowing places again. The filter knows nothing of it: it has a world of its own, which lies in the told one at `worldFromFilter`.
extension VisualInertialTracker: MappingTracker {
    public var landmarkMap: LandmarkMap { places.map }

    public var familiarity: MappingStatus {
        guard filter != nil, health.scaleIsSure, let pose = lastResult?.worldFromCamera else { return .limited }
        return places.familiarity(of: worldFromFilter * pose)
    }

    public func find(_ map: LandmarkMap) {
        places.find(map)
        worldFromFilter = .identity
        health.isRelocalizing = true
    }

    /// Whether poses are good enough to keep views by, or to compare them with others.
    private var knowsItsWay: Bool { filter != nil && health.scaleIsSure && !health.isPoor && health.gated < 0.5 }

    /// Shows the newest picture to what knows places. Its pose isn't known yet; the last one tells whether it is worth a look.
    func lookAtPlace(_ time: Double) {
        diagnostics.placesTime = 0
        guard knowsItsWay, !frontEnd.report.isBlind, let pose = lastResult?.worldFromCamera else { return }
        timed { places.see(frontEnd.tracks, frontEnd.old, time: time, near: worldFromFilter * pose) }
    }

    /// The newest picture of the window went through the filter.
    func settlePlace(_ time: Double) {
        guard knowsItsWay, let filter, let frame = window.frames.last, frame.time == time,
            // The clock's offset may have been corrected by this very picture.
            abs(filter.state.time - time - rig.timeOffset) < 0.015
        else { return places.doubt(at: time) }
        let pose = worldFromFilter * (filter.state.worldFromBody * rig.cameraFromBody.inverse)
        timed {
            guard let move = places.settle(time: time, pose: pose, sights: frame.sights, camera: rig.camera) else { return }
            worldFromFilter = move * worldFromFilter
            relocalizationCorrection = relocalizationCorrection.map { move * $0 } ?? move
            health.isRelocalizing = false
        }
    }

    private func timed(_ work: () -> Void) {
        let began = clock?() ?? 0
        work()
        if let clock { diagnostics.placesTime += (clock() - began) * 1000 }
    }

    /// Whether a known place is still to be found before the world is called known: one that was given without end, one that was lost a while.
    func isWaitingForPlace(_ time: Double) -> Bool {
        guard places.isLooking, let since = health.sureSince else { return false }
        return places.isGiven || time - since < settings.places.waiting
    }

    /// As the world is told, rather than as the filter has it.
    func told(_ result: TrackingResult) -> TrackingResult {
        guard worldFromFilter != .identity else { return result }
        var told = result
        told.worldFromCamera = result.worldFromCamera.map { worldFromFilter * $0 }
        told.velocity = worldFromFilter.rotation * result.velocity
        for index in told.points.indices { told.points[index].position = worldFromFilter * told.points[index].position }
        told.covariance = Self.turned(result.covariance, worldFromFilter.rotation)
        return told
    }

    /// Of rotation and place, 6×6.
    private static func turned(_ covariance: [Double], _ turn: Matrix3d) -> [Double] {
        guard covariance.count == 36 else { return covariance }
        var result = covariance
        for (row, column) in [(0, 0), (0, 3), (3, 0), (3, 3)] {
            func at(_ i: Int, _ j: Int) -> Double { covariance[(row + i) * 6 + column + j] }
            let block = Matrix3d(
                rows: Vector3d(at(0, 0), at(0, 1), at(0, 2)), Vector3d(at(1, 0), at(1, 1), at(1, 2)), Vector3d(at(2, 0), at(2, 1), at(2, 2))
            )
            let turned = turn * block * turn.transpose
            for i in 0..<3 { for j in 0..<3 { result[(row + i) * 6 + column + j] = turned.column(j)[i] } }
        }
        return result
    }
}
