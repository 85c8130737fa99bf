import VitrineARView

/// The tracker of `vitrine ar track`.
enum TrackerChoice: String, CaseIterable {
    /// Visual-inertial: six degrees of freedom from images and IMU.
    case world
    /// Visual: six degrees of freedom from images, with the scale of a marker or of a given depth.
    case visual
    /// Orientation only, from the IMU.
    case orientation
    /// The poses of the recording.
    case recorded

    static let help = """
        world (six degrees of freedom from images and IMU), visual (from images only), orientation (rotation from the IMU only) or recorded (the \
        poses of the recording). Default: world if the recording has an IMU, else visual.
        """

    /// The default tracker.
    static func standard(_ rig: SensorRig) -> TrackerChoice { rig.hasInertialUnit ? .world : .visual }

    /// Creates the tracker for `rig`; nil for the poses of the recording.
    ///
    /// - Parameter scale: The scale of visual tracking.
    func make(_ rig: SensorRig, of file: String, scale: VisualScale? = nil) throws(CommandError) -> TrackerRun? {
        guard scale == nil || self == .visual else { throw ScaleArguments.unused(file) }
        if self == .recorded { return nil }
        if self == .visual {
            let settings = scale.map { VisualTracker.Settings(scale: $0) } ?? VisualTracker.Settings()
            return TrackerRun(visual: VisualTracker(rig: rig, settings: settings) { MonotonicClock.seconds })
        }
        guard rig.hasInertialUnit else {
            throw CommandError(file: file, reason: "has no IMU, which --tracker \(rawValue) requires")
        }
        return self == .world
            ? TrackerRun(world: WorldTracker(rig: rig) { MonotonicClock.seconds }) : TrackerRun(tracker: OrientationTracker(rig: rig))
    }
}

/// A tracker with its diagnostics.
struct TrackerRun {
    let tracker: any Tracker
    /// Milliseconds of each stage of the last frame.
    var stages: () -> [(name: String, milliseconds: Double)] = { [] }
    /// Lines for the end of the report.
    var notes: () -> [String] = { [] }
}

extension TrackerRun {
    init(visual: VisualTracker) {
        self.init(
            tracker: visual,
            stages: {
                let now = visual.diagnostics
                var stages = [("features", now.frontEndTime), ("pose", now.poseTime)]
                if case .marker = visual.settings.scale { stages.append(("markers", now.markerTime)) }
                // Only keyframes update the map.
                if now.mapTime > 0.2 { stages.append(("map", now.mapTime)) }
                return stages
            },
            notes: {
                let now = visual.diagnostics
                let size =
                    switch visual.settings.scale {
                    case .marker(let edge):
                        "scale by markers of \(edge) m, observed in \(now.markerSights) frames; corrected \(now.scaleCorrections) times"
                    case .medianDepth(let metres): "scale by an assumed median depth of \(metres) m in the first view"
                    }
                return [
                    "\(now.starts) maps initialized, tracking lost \(now.losses) times, relocalized \(now.recoveries) times; \(now.keyframes) keyframes and "
                        + "\(now.points) landmarks at the end", size,
                ]
            })
    }

    init(world: WorldTracker) {
        self.init(
            tracker: world,
            stages: {
                let now = world.diagnostics
                return [
                    ("features", now.frontEndTime), ("initialize", now.startTime), ("filter", now.filterTime), ("map", now.placesTime),
                ]
            },
            notes: {
                let now = world.diagnostics
                let offset = (world.rig.timeOffset * 1e5).rounded() / 100
                return [
                    "initialized \(now.startsFromRest) times at rest, \(now.startsInMotion) times in motion; tracking lost \(now.losses) times"
                        + (now.lastLoss.map { ": \($0.rawValue)" } ?? ""),
                    "map of \(world.placeMap.viewCount) keyframes and \(world.placeMap.pointCount) landmarks",
                    "time offset of the camera to the IMU: \(offset) ms",
                ]
            })
    }
}
