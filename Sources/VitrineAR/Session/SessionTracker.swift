import VitrineTracking
import VitrineVision

/// What follows the camera: a tracker, or the poses that come with the pictures.
enum SessionTracker {
    case tracker(any Tracker)
    case recorded

    func add(_ sample: InertialSample) {
        if case .tracker(let tracker) = self { tracker.add(sample) }
    }

    func track(_ sample: CameraSample, rig: SensorRig) -> TrackingResult {
        switch self {
        case .tracker(let tracker): tracker.track(sample.image.luma, time: sample.time)
        case .recorded:
            TrackingResult(
                time: sample.time + rig.timeOffset, state: sample.worldFromCamera == nil ? .limited(.insufficientFeatures) : .normal,
                worldFromCamera: sample.worldFromCamera, rig: rig)
        }
    }

    /// Where it keeps places and finds them again.
    var mapping: (any MappingTracker)? {
        if case .tracker(let tracker) = self { tracker as? any MappingTracker } else { nil }
    }

    func reset() {
        if case .tracker(let tracker) = self { tracker.reset() }
    }
}
