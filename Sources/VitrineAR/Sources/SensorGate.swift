import VitrineTracking
import VitrineVision

/// Rejects and counts unusable samples: times must increase, numbers must be finite, images must have the camera's size.
struct SensorGate {
    let rig: SensorRig
    private(set) var problems: SourceProblems
    private var lastInertial = -Double.infinity
    private var lastImageTime = -Double.infinity

    /// Creates a gate for the events of a rig.
    ///
    /// - Parameter problems: The problems before the first event.
    init(rig: SensorRig, problems: SourceProblems = SourceProblems()) { (self.rig, self.problems) = (rig, problems) }

    /// Counts a problem.
    mutating func report(_ location: String, _ reason: String) { problems.add("\(location): \(reason)") }

    mutating func passes(_ sample: InertialSample, location: @autoclosure () -> String) -> Bool {
        guard sample.isFinite, abs(sample.time) < 1e12 else {
            report(location(), "an inertial sample that is not finite")
            return false
        }
        guard sample.time > lastInertial else {
            report(location(), "an inertial sample at \(sample.time) s, not after the one before, at \(lastInertial) s")
            return false
        }
        lastInertial = sample.time
        return true
    }

    /// Checks the time of an image before decoding it.
    mutating func passes(imageTime time: Double, location: @autoclosure () -> String) -> Bool {
        guard time.isFinite, abs(time) < 1e12 else {
            report(location(), "an image whose time is not finite")
            return false
        }
        guard time > lastImageTime else {
            report(location(), "an image at \(time) s, not after the one before, at \(lastImageTime) s")
            return false
        }
        return true
    }

    /// Checks a decoded image.
    mutating func passes(_ sample: CameraSample, location: @autoclosure () -> String) -> Bool {
        let camera = sample.camera ?? rig.camera
        guard sample.image.width == camera.width, sample.image.height == camera.height else {
            report(
                location(),
                "the image has \(sample.image.width) × \(sample.image.height) pixels, its camera \(camera.width) × \(camera.height)")
            return false
        }
        if let second = sample.secondLuma {
            guard let camera = rig.secondCamera, second.width == camera.width, second.height == camera.height else {
                let expected = rig.secondCamera.map { "\($0.width) × \($0.height)" } ?? "no calibration"
                report(location(), "the second camera's image has \(second.width) × \(second.height) pixels, its camera \(expected)")
                return false
            }
        }
        lastImageTime = sample.time
        return true
    }
}
