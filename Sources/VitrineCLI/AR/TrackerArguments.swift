import VitrineARView

/// Tracking methods on the command line.
enum TrackerArguments {
    /// The methods of `--tracker` by their names.
    static let methods: [(name: String, method: TrackingMethod)] = [
        ("world", .visualInertial), ("visual", .visual(.unknown)), ("orientation", .orientation), ("recorded", .recorded),
    ]

    static let help = """
        world: six degrees of freedom from images and IMU, the default with an IMU; visual: from images alone, the default without one; \
        orientation: rotation only, from the IMU; recorded: the poses that come with the recording.
        """

    static func name(of method: TrackingMethod) -> String {
        switch method {
        case .visualInertial: "world"
        case .visual: "visual"
        case .orientation: "orientation"
        case .recorded: "recorded"
        case .automatic: "automatic"
        case .custom: "custom"
        }
    }

    /// Makes the runner for a recording.
    ///
    /// - Parameters:
    ///   - method: The tracking method; nil selects it by the rig.
    ///   - file: The recording, for errors.
    ///   - scale: The scale of visual tracking.
    static func runner(
        _ method: TrackingMethod?, _ rig: SensorRig, of file: String, scale: VisualScale?
    ) throws(CommandError) -> TrackingRunner {
        var method = (method ?? .automatic).resolved(for: rig)
        if let scale {
            guard case .visual = method else { throw ScaleArguments.unused(file) }
            method = .visual(scale)
        }
        do throws(TrackingMethodError) {
            return try TrackingRunner(method, rig: rig, clock: { MonotonicClock.seconds })
        } catch {
            switch error {
            case .needsInertialUnit:
                throw CommandError(file: file, reason: "has no IMU, which --tracker \(name(of: method)) needs")
            case .implausibleScale(let scale):
                throw CommandError(file: file, reason: "\(scale) is not plausible: sizes are between 0.1 mm and 100 km")
            }
        }
    }
}

extension TrackingRunner {
    /// Milliseconds that each stage of the tracker took for the newest image.
    var stages: [(name: String, milliseconds: Double)] {
        switch tracker {
        case .visualInertial(let tracker):
            let now = tracker.diagnostics
            return [
                ("features", now.featureTrackingTime), ("initialization", now.initializationTime), ("filter", now.filterTime),
                ("relocalization", now.relocalizationTime), ("background", now.relocalizationWait),
            ]
        case .visual(let tracker):
            let now = tracker.diagnostics
            var stages = [("features", now.featureTrackingTime), ("pose", now.poseTime)]
            if case .marker = tracker.settings.scale { stages.append(("markers", now.markerTime)) }
            // Only keyframes update the map.
            if now.mapTime > 0.2 { stages.append(("map", now.mapTime)) }
            return stages
        case .orientation, .recorded, .custom: return []
        }
    }

    /// Lines for the end of a report.
    var notes: [String] {
        switch tracker {
        case .visualInertial(let tracker): Self.notes(tracker)
        case .visual(let tracker): Self.notes(tracker)
        case .orientation, .recorded, .custom: []
        }
    }

    private static func notes(_ tracker: VisualTracker) -> [String] {
        let now = tracker.diagnostics
        let size =
            switch tracker.settings.scale {
            case .marker(let edge):
                "metres by markers of \(edge) m, in \(now.markerFrames) frames; corrected \(now.scaleCorrections) times after the first"
            case .unknown: "metres by depth images if there are any, else a guess"
            case .medianDepth(let metres): "metres by assuming a median depth of \(metres) m for the first view"
            }
        return [
            "\(now.initializations) maps started, relocalized \(now.recoveries) times; \(now.keyframes) keyframes and "
                + "\(now.landmarks) points at the end", size,
        ]
    }

    private static func notes(_ tracker: VisualInertialTracker) -> [String] {
        let now = tracker.diagnostics
        let offset = (tracker.rig.timeOffset * 1e5).rounded() / 100
        return [
            "initialized \(now.initialization.fromRest) times from rest, \(now.initialization.inMotion) times in motion"
                + (now.lastLoss.map { "; the last loss: \($0.rawValue)" } ?? ""),
            "the map has \(tracker.landmarkMap.keyframeCount) keyframes with \(tracker.landmarkMap.landmarkCount) points",
            "the camera's clock is \(offset) ms off the IMU's",
        ]
    }
}
