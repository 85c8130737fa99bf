import VitrineARView

/// Which tracker `vitrine ar track` runs.
enum TrackerChoice: String, CaseIterable {
    /// Pictures and IMU: six degrees of freedom.
    case world
    /// Pictures alone: six degrees of freedom, metres by a marker or a given size.
    case visual
    /// The IMU alone: how the camera turns.
    case orientation
    /// The poses that come with the pictures.
    case recorded

    static let help = """
        world: six degrees of freedom from pictures and IMU, the default where there is an IMU; visual: from pictures, the default where there is none; \
        orientation: how the camera turns, from the IMU alone; recorded: the poses that come with the recording.
        """

    /// What is run when nothing is said.
    static func standard(_ rig: SensorRig) -> TrackerChoice { rig.hasInertialUnit ? .world : .visual }

    /// What follows the camera of `rig`; nil: the recording's own poses.
    /// - Parameter scale: of visual tracking.
    func make(_ rig: SensorRig, of file: String, scale: VisualScale? = nil) throws(CommandError) -> TrackerRun? {
        guard scale == nil || self == .visual else { throw ScaleArguments.unused(file) }
        if self == .recorded { return nil }
        if self == .visual {
            let settings = scale.map { VisualTracker.Settings(scale: $0) } ?? VisualTracker.Settings()
            return TrackerRun(visual: VisualTracker(rig: rig, settings: settings) { MonotonicClock.seconds })
        }
        guard rig.hasInertialUnit else {
            throw CommandError(file: file, reason: "has no IMU, which --tracker \(rawValue) goes by")
        }
        return self == .world
            ? TrackerRun(world: VisualInertialTracker(rig: rig) { MonotonicClock.seconds }) : TrackerRun(tracker: OrientationTracker(rig: rig))
    }
}

/// A tracker, and what can be asked of it beside its results.
struct TrackerRun {
    let tracker: any Tracker
    /// Milliseconds of each stage of the newest picture.
    var stages: () -> [(name: String, milliseconds: Double)] = { [] }
    /// Lines for people, at the end.
    var notes: () -> [String] = { [] }
}

extension TrackerRun {
    init(visual: VisualTracker) {
        self.init(
            tracker: visual,
            stages: {
                let now = visual.diagnostics
                var stages = [("features", now.featureTrackingTime), ("pose", now.poseTime)]
                if case .marker = visual.settings.scale { stages.append(("markers", now.markerTime)) }
                // Only keyframes work on the map.
                if now.mapTime > 0.2 { stages.append(("map", now.mapTime)) }
                return stages
            },
            notes: {
                let now = visual.diagnostics
                let size =
                    switch visual.settings.scale {
                    case .marker(let edge):
                        "metres by markers of \(edge) m, in \(now.markerFrames) pictures; corrected \(now.scaleCorrections) times after the first"
                    case .medianDepth(let metres): "metres by taking the median depth of the first view for \(metres) m"
                    }
                return [
                    "\(now.initializations) maps begun, lost \(now.losses) times, found again \(now.recoveries) times; \(now.keyframes) keyframes and "
                        + "\(now.landmarks) points at the end", size,
                ]
            })
    }

    init(world: VisualInertialTracker) {
        self.init(
            tracker: world,
            stages: {
                let now = world.diagnostics
                return [
                    ("features", now.featureTrackingTime), ("beginning", now.initializationTime), ("filter", now.filterTime), ("places", now.relocalizationTime),
                ]
            },
            notes: {
                let now = world.diagnostics
                let offset = (world.rig.timeOffset * 1e5).rounded() / 100
                return [
                    "began \(now.initialization.fromRest) times from rest, \(now.initialization.inMotion) times in motion, was lost \(now.losses) times"
                        + (now.lastLoss.map { ": \($0.rawValue)" } ?? ""),
                    "keeps \(world.landmarkMap.keyframeCount) views of \(world.landmarkMap.landmarkCount) points",
                    "the camera's clock is \(offset) ms off the IMU's",
                ]
            })
    }
}
