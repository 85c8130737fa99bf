import VitrineMath
import VitrineVision

/// Follows a camera through the world in six degrees of freedom and in metres: features of the pictures, an IMU, and a filter over both.
///
/// ```swift
/// let tracker = VisualInertialTracker(rig: rig)
/// for sample in samplesUpToThePicture { tracker.add(sample) }
/// let result = tracker.track(image, time: stamp)
/// if result.state == .normal, let pose = result.worldFromCamera { … }
/// ```
///
/// The orientation is there with the first inertial sample. Until the scale is sure, the state is `limited(.initializing)`: a device that lay
/// still begins from rest, one that is already moving from a window of one to two seconds (``InitializationFailure`` says why not yet). The camera's clock
/// may be off by 0.1 s; that is found out first. A covered lens or a gap leaves the IMU alone to carry the pose on for a while. A filter that
/// contradicts its measurements or itself is given up; the world then goes on from the last believed pose, `limited(.relocalizing)` until it is
/// found anew. A place that was seen before is then known again, and the world is what it was (``Places``); so is one that was kept
/// (``find(_:)``).
///
/// One thread, a fixed order, no clock: the same input gives the same output, bit for bit.
public final class VisualInertialTracker: Tracker {
    public let settings: Settings
    public internal(set) var diagnostics = Diagnostics()
    /// As it was given; and as it is known by now.
    let givenRig: SensorRig
    public internal(set) var rig: SensorRig
    let clock: (() -> Double)?

    var frontEnd: FeatureTracker
    var gate = SampleGate()
    var inertial = InertialBuffer()
    var noiseMeter = InertialNoiseMeter()
    var orientation: OrientationEstimator
    var window = InitializationWindow()
    var filter: VisualInertialFilter?
    let restDetector = RestDetector()
    let initializer: DynamicInitializer

    /// Pictures that the inertial samples don't reach yet.
    var pending: [(time: Double, features: [ObservedFeature])] = []
    /// On the camera's clock.
    var newestPicture = -Double.infinity
    var lastResult: TrackingResult?

    /// When the device was last surely at rest, and as what.
    var rest: RestDetector.Rest?
    var restChecked = -Double.infinity
    /// All of the last moments that were still.
    var rests: [RestDetector.Rest] = []
    var nextAttempt = -Double.infinity
    /// How far the rig's clock may be off by now.
    var timeOffsetDeviation: Double
    /// Where the world goes on: the camera's place when it was last believed.
    var continuation = Vector3d.zero
    /// What was learnt of the IMU by the last filter that was believed.
    var learnt: FilterState?
    var health = Health()
    /// What is known of places, and how the filter's world lies in the one that is told: a turn about +Y and a move.
    var places: Places
    var worldFromFilter = RigidTransform.identity
    /// Of the newest picture.
    var relocalizationCorrection: RigidTransform?

    /// - Parameter clock: seconds of any monotonic clock, for the milliseconds in the diagnostics; nothing else looks at it.
    public init(rig: SensorRig, settings: Settings = Settings(), clock: (() -> Double)? = nil) {
        var rig = rig
        rig.noise = rig.noise.plausible
        (self.settings, self.rig, givenRig, self.clock) = (settings, rig, rig, clock)
        frontEnd = FeatureTracker(camera: rig.camera, settings: settings.frontEnd)
        places = Places(settings.places)
        orientation = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        timeOffsetDeviation = settings.timeOffsetDeviation
        var options = DynamicInitializer.Settings()
        options.gravity = length(settings.filter.gravity)
        options.pixelNoise = settings.filter.pixelNoise
        initializer = DynamicInitializer(settings: options)
    }

    public func add(_ sample: InertialSample) {
        for admitted in gate.admitted(sample) { accept(admitted) }
        diagnostics.samplesPassedOver = gate.passedOver
    }

    private func accept(_ sample: InertialSample) {
        let previous = inertial.last?.time
        guard inertial.append(sample) else { return }
        diagnostics.samples += 1
        orientation.add(sample)
        noiseMeter.add(sample)
        if let previous, sample.time - previous > settings.longestSilence {
            if filter != nil { lose(.inertialSilence) }
            // What was before the silence says nothing of what comes after.
            forgetWindow()
        }
        filter?.add(sample)
        if filter == nil, sample.time - restChecked > 0.1 { lookForRest(sample.time) }
        inertial.drop(before: sample.time - Self.longestFromRest - 1)
    }

    public func track(_ image: TrackingImage, time: Double) -> TrackingResult {
        guard isInOrder(time) else { return passedOver(time) }
        let began = clock?() ?? 0
        let features = frontEnd.track(image, time: time, rotation: predictedTurn(to: time))
        if let clock { diagnostics.frontEndTime = (clock() - began) * 1000 }
        lookAtPlace(time)
        return follow(features, time: time)
    }

    /// Goes by features that somebody else followed, instead of a picture.
    ///
    /// - Parameters:
    ///   - features: in pixels of the rig's camera; identities that are never used again for another point.
    ///   - time: on the camera's clock, in seconds.
    public func track(_ features: [ObservedFeature], time: Double) -> TrackingResult {
        guard isInOrder(time) else { return passedOver(time) }
        return follow(features, time: time)
    }

    public func reset() {
        if let filter, health.isBelieved { learn(from: filter) }
        frontEnd.reset()
        filter = nil
        (continuation, health, lastResult, newestPicture) = (.zero, Health(), nil, -.infinity)
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        (fresh.gyroscopeBias, fresh.knowsBias) = (orientation.gyroscopeBias, orientation.knowsBias)
        orientation = fresh
        inertial.removeAll()
        gate = SampleGate()
        restChecked = -.infinity
        forgetWindow()
        (places, worldFromFilter) = (Places(settings.places), .identity)
    }

    /// A picture far ahead of the IMU has a wrong stamp, or the IMU is silent: nothing can be done with it.
    private func isInOrder(_ time: Double) -> Bool {
        time.isFinite && time > newestPicture && time + rig.timeOffset - (inertial.last?.time ?? time) < 1
    }

    private func passedOver(_ time: Double) -> TrackingResult {
        diagnostics.picturesPassedOver += 1
        if let lastResult, !(time > newestPicture) { return told(lastResult) }
        let last = inertial.last?.time ?? 0
        let pose = health.isKnown ? lastResult?.worldFromCamera : nil
        return told(
            TrackingResult(
                time: time.isFinite ? time + rig.timeOffset : last, state: pose == nil ? .notAvailable : .limited(.relocalizing),
                worldFromCamera: pose, rig: rig))
    }

    private func follow(_ features: [ObservedFeature], time: Double) -> TrackingResult {
        diagnostics.pictures += 1
        (diagnostics.startTime, diagnostics.filterTime) = (0, 0)
        relocalizationCorrection = nil
        newestPicture = time
        pending.append((time, features))
        while let next = pending.first, isReached(next.time) {
            pending.removeFirst()
            take(next.features, time: next.time)
        }
        let result = result(at: time)
        lastResult = result
        var told = told(result)
        told.relocalizationCorrection = relocalizationCorrection
        return told
    }

    /// Whether a picture's turn has come: the samples reach its time, or nobody waits for them any longer.
    private func isReached(_ time: Double) -> Bool {
        guard let last = inertial.last?.time else { return true }
        return last >= time + rig.timeOffset || newestPicture - time > 0.15
    }

    private func take(_ features: [ObservedFeature], time: Double) {
        health.see(features, time)
        if filter != nil, time + rig.timeOffset - (inertial.last?.time ?? 0) > settings.longestSilence { lose(.inertialSilence) }
        if let filter {
            let began = clock?() ?? 0
            update(filter, features, time)
            if let clock { diagnostics.filterTime += (clock() - began) * 1000 }
        }
        window.append(time: time, features: features, camera: rig.camera)
        settlePlace(time)
        if filter == nil {
            let began = clock?() ?? 0
            begin(time)
            if let clock { diagnostics.startTime += (clock() - began) * 1000 }
        }
        window.drop(before: windowStart(time))
    }

    /// Of the IMU, as it is shaken now.
    var noise: InertialNoise { noiseMeter.believed(givenRig.noise) }

    /// This picture's camera from the last one's, by the gyroscope; nil where it was silent.
    private func predictedTurn(to time: Double) -> Matrix3d? {
        guard newestPicture.isFinite, let last = inertial.last else { return nil }
        let (from, to) = (newestPicture + rig.timeOffset, time + rig.timeOffset)
        guard let first = inertial.first, first.time <= from, to - last.time < 0.1 else { return nil }
        let turn = Preintegration(
            inertial.samples(from: from, to: to), noise: rig.noise, gyroscopeBias: filter?.state.gyroscopeBias ?? orientation.gyroscopeBias
        ).rotation
        let camera = rig.cameraFromBody.rotation
        return camera * turn.transpose * camera.transpose
    }

    // MARK: What is kept

    /// The window reaches back to the last rest where that isn't long ago, for a filter that begins there.
    private func windowStart(_ time: Double) -> Double {
        let recent = time - initializer.settings.longest
        guard filter == nil, let rest else { return recent }
        return max(time - Self.longestFromRest, min(recent, rest.time - rig.timeOffset - restDetector.settings.duration))
    }

    /// In seconds: how long after a rest a filter may still begin there.
    static let longestFromRest = 3.0
    /// In seconds: how long before the end of a rest it is sure.
    static let restMargin = 0.3

    private func forgetWindow() {
        window.removeAll()
        pending.removeAll()
        rests.removeAll()
        rest = nil
    }

    func learn(from filter: VisualInertialFilter) {
        rig = filter.rig
        learnt = filter.state
        timeOffsetDeviation = min(timeOffsetDeviation, 0.003)
    }
}
