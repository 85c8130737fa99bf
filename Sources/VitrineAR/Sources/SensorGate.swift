import VitrineTracking
import VitrineVision

/// Lets through what a tracker can use, and counts the rest: times must move on, numbers be finite, pictures have their camera's size.
struct SensorGate {
    let rig: SensorRig
    private(set) var problems: SourceProblems
    private var lastInertial = -Double.infinity
    private var lastPicture = -Double.infinity

    /// - Parameter problems: what was found before the first event.
    init(rig: SensorRig, problems: SourceProblems = SourceProblems()) { (self.rig, self.problems) = (rig, problems) }

    mutating func report(_ place: String, _ reason: String) { problems.add("\(place): \(reason)") }

    mutating func passes(_ sample: InertialSample, place: @autoclosure () -> String) -> Bool {
        guard sample.isFinite, abs(sample.time) < 1e12 else {
            report(place(), "an inertial sample that is no number")
            return false
        }
        guard sample.time > lastInertial else {
            report(place(), "an inertial sample at \(sample.time) s, not after the one before, at \(lastInertial) s")
            return false
        }
        lastInertial = sample.time
        return true
    }

    /// Asked before the picture is decoded.
    mutating func passes(pictureTime time: Double, place: @autoclosure () -> String) -> Bool {
        guard time.isFinite, abs(time) < 1e12 else {
            report(place(), "a picture whose time is no number")
            return false
        }
        guard time > lastPicture else {
            report(place(), "a picture at \(time) s, not after the one before, at \(lastPicture) s")
            return false
        }
        return true
    }

    /// Asked with the decoded picture.
    mutating func passes(_ sample: CameraSample, place: @autoclosure () -> String) -> Bool {
        let camera = sample.camera ?? rig.camera
        guard sample.image.width == camera.width, sample.image.height == camera.height else {
            report(
                place(),
                "the picture has \(sample.image.width) × \(sample.image.height) pixels, its camera \(camera.width) × \(camera.height)")
            return false
        }
        lastPicture = sample.time
        return true
    }
}
