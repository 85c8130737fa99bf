import VitrineMath
import VitrineVision

/// Follows a camera through the world in six degrees of freedom by its pictures alone. An IMU isn't needed; where there is one, its gyroscope
/// helps the search and gravity levels the world.
///
/// ```swift
/// let tracker = VisualTracker(rig: rig, settings: .init(scale: .marker(edge: 0.16)))
/// let result = tracker.track(image, time: stamp)
/// if result.state == .normal, let pose = result.worldFromCamera { … }
/// ```
///
/// Pictures alone don't know how large things are: ``VisualScale`` says it. Nor do they know what is up. Without gravity, up is the axis of the
/// first marker that lies nearest to the camera's own up (so that a marker may lie flat, hang or stand), and without a marker it is the first
/// picture's up: hold the camera level in the beginning.
///
/// A map begins with two views that are far enough apart. Each picture's pose is the one that explains the map's points best; now and then a
/// picture becomes a keyframe, from which new points get their places, and the newest keyframes are adjusted together with their points
/// (after Klein & Murray, "Parallel tracking and mapping for small AR workspaces", 2007). A camera that only turns keeps what it knows of
/// directions, and is lost where nothing is left that was seen from two places.
///
/// The state is `limited(.initializing)` until there is a map whose scale is known; before that only the turn is told. One thread, a fixed order,
/// no clock: the same input gives the same output, bit for bit.
public final class VisualTracker: Tracker {
    public let settings: Settings
    public let rig: SensorRig
    public internal(set) var diagnostics = Diagnostics()
    let clock: (() -> Double)?
    let camera: FlatCamera
    let detector: MarkerDetector?

    var frontEnd: FeatureTracker
    /// Whether the front end has the newest picture, and it shows something.
    var hasPicture = false
    var matcher = PatchMatcher()
    var canvas = PointPatch.canvas
    var gate = SampleGate()
    var inertial = InertialBuffer()
    var orientation: OrientationEstimator

    var start: VisualStart
    var map: VisualMap?
    /// Whether the map's unit is a metre.
    var isMetric = false
    /// Whether the world's up was found as well as it can be.
    var isLevel = false
    var markers = KnownMarkers()
    /// Pictures in a row in which a marker was seen far from its place.
    var strayedFor = 0
    var whereabouts = Whereabouts()
    /// Where features were seen first that have no point yet.
    var firstSights: [Int: FirstSight] = [:]

    /// On the camera's clock.
    var newestPicture = -Double.infinity
    var lastResult: TrackingResult?

    /// - Parameter clock: seconds of any monotonic clock, for the milliseconds in the diagnostics; nothing else looks at it.
    public init(rig: SensorRig, settings: Settings = Settings(), clock: (() -> Double)? = nil) {
        (self.rig, self.settings, self.clock) = (rig, settings, clock)
        camera = FlatCamera(rig.camera)
        frontEnd = FeatureTracker(camera: rig.camera, settings: settings.frontEnd)
        orientation = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        start = VisualStart(camera: camera)
        if case .marker = settings.scale { detector = MarkerDetector(dictionaries: settings.dictionaries) } else { detector = nil }
    }

    /// Nothing is done with samples of a rig that says that it has no IMU.
    public func add(_ sample: InertialSample) {
        guard rig.hasInertialUnit else { return }
        for admitted in gate.admitted(sample) where inertial.append(admitted) {
            orientation.add(admitted)
            inertial.drop(before: admitted.time - 2)
        }
    }

    public func track(_ image: TrackingImage, time: Double) -> TrackingResult {
        guard isInOrder(time) else { return passedOver(time) }
        let began = clock?() ?? 0
        let features = frontEnd.track(image, time: time, guess: predictedTurn(to: time))
        hasPicture = !frontEnd.report.isBlind
        let followed = clock?() ?? 0
        let seen = detector?.detect(image) ?? []
        if let clock { (diagnostics.frontEndTime, diagnostics.markerTime) = ((followed - began) * 1000, (clock() - followed) * 1000) }
        return follow(features, seen, turn: frontEnd.report.rotation, time: time)
    }

    /// Goes by features and markers that somebody else found, instead of a picture.
    ///
    /// - Parameters:
    ///   - features: in pixels of the rig's camera; identities that are never used again for another point, not negative.
    ///   - markers: only looked at where the scale comes from markers.
    ///   - time: on the camera's clock, in seconds.
    public func track(_ features: [ObservedFeature], markers: [Marker] = [], time: Double) -> TrackingResult {
        guard isInOrder(time) else { return passedOver(time) }
        hasPicture = false
        return follow(features, markers, turn: nil, time: time)
    }

    public func reset() {
        frontEnd.reset()
        forgetMap()
        markers = KnownMarkers()
        (whereabouts, isLevel, lastResult, newestPicture) = (Whereabouts(), false, nil, -.infinity)
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        (fresh.gyroscopeBias, fresh.knowsBias) = (orientation.gyroscopeBias, orientation.knowsBias)
        orientation = fresh
        inertial.removeAll()
        gate = SampleGate()
    }

    func forgetMap() {
        (map, isMetric, firstSights, strayedFor) = (nil, false, [:], 0)
        start.removeAll()
    }

    private func isInOrder(_ time: Double) -> Bool { time.isFinite && time > newestPicture && abs(time) < 1e12 }

    private func passedOver(_ time: Double) -> TrackingResult {
        diagnostics.picturesPassedOver += 1
        return lastResult ?? TrackingResult(time: 0, state: .notAvailable, worldFromCamera: nil, rig: rig)
    }

    private func follow(_ features: [ObservedFeature], _ seen: [Marker], turn: Matrix3d?, time: Double) -> TrackingResult {
        let began = clock?() ?? 0
        diagnostics.pictures += 1
        (diagnostics.poseTime, diagnostics.mapTime, diagnostics.pointsUsed) = (0, 0, 0)
        var sights: [Int: FlatCamera.Sight] = [:]
        for feature in features { sights[feature.id] = camera.sight(feature.pixel) }
        let usable = usable(seen)
        for marker in usable { markers.addCorners(marker, to: &sights, camera) }
        if !usable.isEmpty { diagnostics.markerSights += 1 }
        let view = VisualStart.View(time: time, worldFromCamera: whereabouts.worldFromCamera, sights: sights)
        if map == nil { begin(view, usable, turn: turn) } else { locate(view, usable, began: began) }
        newestPicture = time
        let result = result(at: time, features)
        lastResult = result
        return result
    }

    /// What the gyroscope, or else the motion so far, says of the turn since the last picture: its camera from the one before.
    private func predictedTurn(to time: Double) -> Matrix3d? {
        guard newestPicture.isFinite else { return nil }
        let (from, to) = (newestPicture + rig.timeOffset, time + rig.timeOffset)
        if let last = inertial.last, let first = inertial.first, first.time <= from, to - last.time < 0.1 {
            let turn = Preintegration(
                inertial.samples(from: from, to: to), noise: rig.noise, gyroscopeBias: orientation.gyroscopeBias
            ).rotation
            let camera = rig.cameraFromBody.rotation
            return camera * turn.transpose * camera.transpose
        }
        return time - newestPicture < 0.2 ? whereabouts.turn(in: time - newestPicture) : nil
    }
}
