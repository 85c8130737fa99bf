import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite(.serialized) struct FilterExplore {
    @Test(.enabled(if: TrackingData.has("sim-features"), TrackingData.missing)) func flight() throws {
        let flight = try FilterRecordingTests.SimulatedFlight()
        var settings = FilterSettings()
        var uncertainty = FilterUncertainty.exact
        (uncertainty.velocity, uncertainty.gyroscopeBias, uncertainty.accelerometerBias) = (0.1, 0.02, 0.1)
        let env = ProcessInfo.processInfo.environment
        func number(_ name: String) -> Double? { env[name].flatMap(Double.init) }
        if let v = number("F_POINTS") { settings.points = Int(v) }
        if let v = number("F_TRACKS") { settings.tracks = Int(v) }
        if let v = number("F_CLONES") { settings.clones = Int(v) }
        if let v = number("F_MEMORY") { settings.pointMemory = v }
        if let v = number("F_GATE") { settings.gate = v }
        if let v = number("F_NOISE") { settings.pixelNoise = v }
        if let v = number("F_SIGHT") { settings.sightings = Int(v) }
        if env["F_CALIB"] != nil {
            let d = FilterUncertainty()
            (uncertainty.timeOffset, uncertainty.extrinsicRotation, uncertainty.extrinsicTranslation) = (
                d.timeOffset, d.extrinsicRotation, d.extrinsicTranslation
            )
            (uncertainty.focal, uncertainty.center, uncertainty.lens) = (d.focal, d.center, d.lens)
        }
        let filter = VisualInertialFilter(rig: TrackingData.eurocRig, settings: settings, state: flight.start, uncertainty: uncertainty)
        let run = FilterRun(filter, samples: flight.samples, pictures: flight.pictures)
        let comparison = try TrajectoryComparison(estimate: run.estimate, truth: flight.truth)
        let unaligned = try TrajectoryComparison(estimate: run.estimate, truth: flight.truth, alignment: .none)
        let nees = unaligned.consistency(run.covariances)
        print(
            "aligned \(comparison.positionRMSE * 100) cm \(comparison.orientationRMSE * 180 / .pi)°; none \(unaligned.positionRMSE * 100) cm \(unaligned.orientationRMSE * 180 / .pi)°"
        )
        print(
            "nees \(nees.orientation) \(nees.position) of \(nees.count); median \(run.medianSeconds * 1e3) ms, min \(run.seconds[100...].min()! * 1e3) max \(run.seconds.max()! * 1e3)"
        )
        print(
            "points \(run.mean(\.points)) used \(run.mean(\.pointsUsed)) gated \(run.mean(\.pointsGated)) started \(run.mean(\.pointsStarted)) dropped \(run.mean(\.pointsDropped)); tracks \(run.mean(\.tracksUsed)) gated \(run.mean(\.tracksGated)) untri \(run.mean(\.tracksUntriangulated)); states \(run.mean(\.states)); innovation \(run.reports.map(\.innovation).reduce(0, +) / Double(run.reports.count))"
        )
        print(
            "td \(filter.rig.timeOffset) rest \(run.reports.filter(\.isAtRest).count) bias \(filter.state.gyroscopeBias) \(filter.state.accelerometerBias)"
        )
        #expect(comparison.positionRMSE < 0.021)
        #expect(comparison.orientationRMSE < 0.35 * .pi / 180)
    }
}
