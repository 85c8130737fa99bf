import Observation
import VitrineAR
import VitrineMath
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Guides a person around an object and takes the photos for a reconstruction.
///
/// ```swift
/// let session = ObjectCaptureSession(source: source)
/// try session.start(imagesDirectory: photos)
/// for await state in session.stateUpdates {
///     switch state {
///     case .ready: try session.startDetecting()
///     case .completed, .failed: return
///     default: break
///     }
/// }
/// ```
///
/// The source is a camera, a recording, a video or a simulated room. The session detects the object, decides when to take a shot, writes it at
/// once, and reports what to do better. Its folder is the input of a `PhotogrammetrySession`; see `CaptureFolder`.
///
/// Every state allows only some calls: the others throw `InvalidCall` and change nothing. A session that failed or completed cannot continue: make
/// a new one, which may add to the same folder (`Configuration.continuesCapture`).
@MainActor @Observable public final class ObjectCaptureSession {
    /// Whether a device has the sensors: a camera.
    public static func isSupported(by source: any SensorSource) -> Bool { ARWorldTrackingConfiguration.isSupported(by: source.rig) }

    // MARK: State

    /// The state of the capture.
    public var state: CaptureState { machine.state }
    /// Whether the session is paused: no frames, no shots.
    public var isPaused: Bool { machine.isPaused }
    /// The present problems that the user can solve.
    public private(set) var feedback: Set<Feedback> = []
    /// The direction to turn the camera if the feedback has `outOfFieldOfView`: a unit vector in the image, right and down. Else nil.
    public private(set) var outOfFieldOfViewDirection: SIMD2<Float>?
    /// The quality of camera tracking.
    public private(set) var cameraTracking = Tracking.notAvailable
    /// Whether the present pass has a shot from every direction. False in area mode.
    public private(set) var userCompletedScanPass = false
    /// Whether `requestImageCapture()` is possible: capturing, not paused, tracking normal, and no request pending.
    public private(set) var canRequestImageCapture = false
    /// Whether the session takes shots by itself. Default true.
    public var isAutoCaptureEnabled = true
    /// The most shots that a reconstruction uses.
    public let maximumNumberOfInputImages: Int
    /// The number of shots in the folder.
    public var numberOfShotsTaken: Int { shots.count }
    /// The shots in the folder, by number: those of an earlier capture first.
    public private(set) var shots: [Shot] = []
    /// The object's box in the session's world: x and z level, y up; nil until it is detected, and in area mode.
    public private(set) var boundingBox: OrientedBoundingBox?
    /// The directions that the shots cover since the object was placed.
    public private(set) var dial = CaptureDial()
    /// The advice for the next pass; nil while the present one is incomplete.
    public private(set) var advice: PassAdvice?
    /// Whether the object has enough texture to be turned over between passes; nil before enough shots.
    public private(set) var isObjectFlippable: Bool?
    /// The landmarks of the object within the box; in area mode all landmarks. In the session's world. Grows during the capture, and stays after.
    public private(set) var pointCloud = PhotogrammetrySession.PointCloud(points: [])
    /// The newest frame; nil before the first.
    public private(set) var currentFrame: ARFrame?
    /// Whether the source is at its end: a recording or a video has no more frames. Call `finish()`.
    public private(set) var isSourceAtEnd = false

    /// Identifies the session in its shots.
    public let id: UUID
    /// The limits of feedback and shots.
    package let thresholds: CaptureThresholds

    private var machine = CaptureStateMachine()
    @ObservationIgnored private let arSession: ARSession
    @ObservationIgnored private let tracking: TrackingMethod
    @ObservationIgnored private let pipeline: CapturePipeline
    @ObservationIgnored private var orders = CaptureOrders()
    /// The delegate of the AR session, which does not retain it.
    @ObservationIgnored private var observer: FrameObserver?
    @ObservationIgnored private var opening: Task<Void, Never>?
    @ObservationIgnored private var reading: Task<Void, Never>?
    @ObservationIgnored private var isRequestPending = false
    @ObservationIgnored private let channels = Channels()

    /// Creates a session that has not started.
    ///
    /// - Parameters:
    ///   - source: The source of the images. Do not use it elsewhere at the same time.
    ///   - pace: The pace at which the session reads a recording; `.stepped` reads one frame for each `step()`.
    ///   - tracking: The method of tracking the camera. Without an IMU, poses have no metric scale.
    ///   - id: Identifies the session in its shots.
    public convenience init(
        source: any SensorSource, pace: ARSession.Pace = .realTime, tracking: TrackingMethod = .automatic, id: UUID = UUID()
    ) {
        self.init(source: source, pace: pace, tracking: tracking, thresholds: CaptureThresholds(), id: id)
    }

    /// Creates a session with its own limits of feedback and shots.
    package init(source: any SensorSource, pace: ARSession.Pace, tracking: TrackingMethod, thresholds: CaptureThresholds, id: UUID) {
        arSession = ARSession(source: source, pace: pace)
        (self.tracking, self.thresholds, self.id) = (tracking, thresholds, id)
        maximumNumberOfInputImages = thresholds.maximumNumberOfInputImages
        pipeline = CapturePipeline(thresholds: thresholds, session: id, world: TrackedWorld(tracking, rig: source.rig))
    }

    deinit { reading?.cancel() }

    // MARK: Calls

    /// Starts the session: checks the folder, and reads the source until `finish()` or `cancel()`. The state is `ready` with the first frame.
    ///
    /// A folder that is missing, not empty or not writable, and a source that fails, change the state to `failed`.
    ///
    /// - Parameters:
    ///   - imagesDirectory: An existing folder for the shots; empty, unless `configuration.continuesCapture` is true.
    ///   - configuration: The options.
    public func start(imagesDirectory: URL, configuration: Configuration = Configuration()) throws(InvalidCall) {
        try machine.perform(.start)
        publish()
        orders.isOverCaptureEnabled = configuration.isOverCaptureEnabled
        do throws(Error) {
            let folder =
                configuration.continuesCapture
                ? try CaptureFolder(opening: imagesDirectory) : try CaptureFolder(creating: imagesDirectory)
            if let directory = configuration.checkpointDirectory { try Self.create(directory) }
            shots = folder.shots
            opening = Task { [pipeline, weak self] in
                await pipeline.open(folder)
                self?.run()
            }
        } catch {
            fail(error)
        }
        publish()
    }

    /// Pauses the session: it takes no frames and no shots until `resume()`.
    public func pause() throws(InvalidCall) {
        try machine.perform(.pause)
        arSession.pause()
        publish()
    }

    /// Resumes a paused session. The camera relocalizes first if it was moved.
    public func resume() throws(InvalidCall) {
        try machine.perform(.resume)
        run()
        publish()
    }

    /// Starts to detect the object in front of the camera; `boundingBox` has the result.
    ///
    /// - Returns: Whether detection can begin at once: false while tracking is not normal; the state is `detecting` in either case.
    @discardableResult public func startDetecting() throws(InvalidCall) -> Bool {
        try machine.perform(.startDetecting)
        restartDetection(.detecting)
        return cameraTracking == .normal
    }

    /// Discards the detected box; the state is `ready`.
    ///
    /// - Returns: Whether there was a box.
    @discardableResult public func resetDetection() throws(InvalidCall) -> Bool {
        try machine.perform(.resetDetection)
        let hadBox = boundingBox != nil
        restartDetection(.idle)
        return hadBox
    }

    /// Sets the box while detecting or capturing; detection keeps it from then on.
    ///
    /// - Parameter boundingBox: A box in the session's world, in metres, with a size above 0.
    public func adjust(boundingBox: OrientedBoundingBox) throws(InvalidCall) {
        try machine.perform(.adjustBoundingBox, conditions)
        let box = boundingBox.oriented
        guard box.center.isFinite, box.size.isFinite, box.size.min() > 0 else {
            throw InvalidCall(call: .adjustBoundingBox, state: state, reason: "the box has no size, or numbers that are not finite")
        }
        orders.revision += 1
        (orders.box, orders.isBoxGiven) = (box, true)
        self.boundingBox = boundingBox
        publish()
    }

    /// Starts to take shots of the detected object or, in the state `ready`, of an area without a box.
    public func startCapturing() throws(InvalidCall) {
        let isArea = state == .ready
        try machine.perform(.startCapturing, conditions)
        if isArea { restartDetection(.idle) }
        orders.revision += 1
        orders.phase = .capturing
        orders.pass += 1
        (userCompletedScanPass, advice) = (false, nil)
        publish()
    }

    /// Starts another pass around the object in the same pose, at another height; the state stays `capturing`.
    public func beginNewScanPass() throws(InvalidCall) {
        try machine.perform(.beginNewScanPass)
        orders.revision += 1
        orders.pass += 1
        (userCompletedScanPass, advice) = (false, nil)
        publish()
    }

    /// Ends the pass so that the object can be turned over: the state is `ready`, and the box must be detected again.
    public func beginNewScanPassAfterFlip() throws(InvalidCall) {
        try machine.perform(.beginNewScanPassAfterFlip)
        orders.objectPose += 1
        (userCompletedScanPass, advice, dial) = (false, nil, CaptureDial())
        pointCloud = PhotogrammetrySession.PointCloud(points: [])
        restartDetection(.idle)
    }

    /// Takes a shot with the next frame, from any viewpoint and with any sharpness.
    public func requestImageCapture() throws(InvalidCall) {
        try machine.perform(.requestImageCapture, conditions)
        isRequestPending = true
        publish()
    }

    /// Ends the capture: the state is `finishing` until all files are written, then `completed`.
    public func finish() throws(InvalidCall) {
        try machine.perform(.finish)
        end()
        Task { [pipeline, reading, weak self] in
            await reading?.value
            await pipeline.drain()
            self?.complete()
        }
    }

    /// Ends the session; the state is `failed(.cancelled)`. The shots stay in the folder.
    public func cancel() throws(InvalidCall) {
        try machine.perform(.cancel)
        end()
    }

    // MARK: Frames

    /// Processes the next frame of a session with pace `.stepped`.
    ///
    /// - Returns: false if the source is at its end, or the session is paused or over.
    @discardableResult public func step() async -> Bool {
        guard machine.isStarted, !machine.isOver, !isPaused, state != .finishing else { return false }
        await opening?.value
        do throws(ARError) {
            guard let frame = try await arSession.step() else { return false }
            await process(frame)
            return true
        } catch {
            fail(Error(error))
            return false
        }
    }

    private func run() {
        guard !machine.isOver, !isPaused else { return }
        if observer == nil {
            let observer = FrameObserver()
            observer.session = self
            self.observer = observer
            arSession.delegate = observer
        }
        arSession.run(trackingConfiguration)
        guard arSession.pace != .stepped else { return }
        let frames = arSession.frames
        reading = Task { [weak self] in
            do throws(ARError) {
                for try await frame in frames { await self?.process(frame) }
            } catch {
                self?.fail(Error(error))
            }
        }
    }

    private var trackingConfiguration: ARWorldTrackingConfiguration {
        ARWorldTrackingConfiguration(planeDetection: [.horizontal], isLightEstimationEnabled: false, tracking: tracking)
    }

    fileprivate func process(_ frame: ARFrame) async {
        guard !machine.isOver, !isPaused, state != .finishing else { return }
        machine.receiveFrame()
        currentFrame = frame
        // A capture without metric scale is possible: the report states it.
        cameraTracking = frame.camera.trackingState.isTracking ? .normal : frame.camera.trackingState
        orders.isAutomatic = isAutoCaptureEnabled
        orders.isRequested = isRequestPending
        publish()
        let update = await pipeline.process(frame, orders)
        apply(update)
    }

    private func apply(_ update: CaptureUpdate) {
        if let shot = update.shot {
            shots.append(shot)
            if shot.isManual { isRequestPending = false }
        }
        if let failure = update.failure { fail(failure) }
        // Calls since the frame was processed have changed what its results refer to.
        guard update.revision == orders.revision, !machine.isOver else { return publish() }
        orders.box = update.box
        boundingBox = update.box.map { OrientedBoundingBox($0) }
        (feedback, outOfFieldOfViewDirection) = (update.feedback, update.outOfFieldOfViewDirection)
        (dial, isObjectFlippable) = (update.dial, update.isObjectFlippable)
        if let cloud = update.pointCloud { pointCloud = cloud }
        userCompletedScanPass = update.isPassComplete
        advice = update.isPassComplete ? PassAdvice(dial, isFlippable: isObjectFlippable, flips: orders.objectPose) : nil
        publish()
    }

    fileprivate func interrupt() {
        cameraTracking = .notAvailable
        publish()
    }

    fileprivate func reachEnd() {
        isSourceAtEnd = true
        publish()
    }

    fileprivate func fail(_ error: Error) {
        machine.fail(error)
        end()
    }

    // MARK: Details

    private var conditions: CaptureStateMachine.Conditions {
        CaptureStateMachine.Conditions(hasBox: boundingBox != nil, canRequestImageCapture: canRequestImageCapture)
    }

    private func restartDetection(_ phase: CaptureOrders.Phase) {
        orders.revision += 1
        orders.detection += 1
        orders.phase = phase
        (orders.box, orders.isBoxGiven, boundingBox) = (nil, false, nil)
        (feedback, outOfFieldOfViewDirection) = ([], nil)
        publish()
    }

    private func end() {
        arSession.pause()
        isRequestPending = false
        (feedback, outOfFieldOfViewDirection) = ([], nil)
        publish()
    }

    private func complete() {
        machine.complete()
        publish()
    }

    private static func create(_ directory: URL) throws(Error) {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw .directoryUnavailable(directory, reason: "the checkpoint's folder cannot be created")
        }
    }

    /// Brings derived properties and the sequences up to date.
    private func publish() {
        let canRequest = state == .capturing && !isPaused && cameraTracking == .normal && !isRequestPending
        if canRequest != canRequestImageCapture { canRequestImageCapture = canRequest }
        channels.state.send(state)
        channels.feedback.send(feedback)
        channels.cameraTracking.send(cameraTracking)
        channels.isPaused.send(isPaused)
        channels.userCompletedScanPass.send(userCompletedScanPass)
        channels.canRequestImageCapture.send(canRequestImageCapture)
        channels.numberOfShotsTaken.send(numberOfShotsTaken)
        if machine.isOver { channels.finish() }
    }
}

extension ObjectCaptureSession {
    /// The present value of `state`, then each change. Like all of these sequences, it ends when the session has completed or failed.
    public var stateUpdates: AsyncStream<CaptureState> { channels.state.updates() }
    /// The present value of `feedback`, then each change.
    public var feedbackUpdates: AsyncStream<Set<Feedback>> { channels.feedback.updates() }
    /// The present value of `cameraTracking`, then each change.
    public var cameraTrackingUpdates: AsyncStream<Tracking> { channels.cameraTracking.updates() }
    /// The present value of `isPaused`, then each change.
    public var isPausedUpdates: AsyncStream<Bool> { channels.isPaused.updates() }
    /// The present value of `userCompletedScanPass`, then each change.
    public var userCompletedScanPassUpdates: AsyncStream<Bool> { channels.userCompletedScanPass.updates() }
    /// The present value of `canRequestImageCapture`, then each change.
    public var canRequestImageCaptureUpdates: AsyncStream<Bool> { channels.canRequestImageCapture.updates() }
    /// The present value of `numberOfShotsTaken`, then each change.
    public var numberOfShotsTakenUpdates: AsyncStream<Int> { channels.numberOfShotsTaken.updates() }

    @MainActor fileprivate final class Channels {
        let state = UpdateChannel(CaptureState.initializing)
        let feedback = UpdateChannel(Set<Feedback>())
        let cameraTracking = UpdateChannel(Tracking.notAvailable)
        let isPaused = UpdateChannel(false)
        let userCompletedScanPass = UpdateChannel(false)
        let canRequestImageCapture = UpdateChannel(false)
        let numberOfShotsTaken = UpdateChannel(0)

        func finish() {
            state.finish()
            feedback.finish()
            cameraTracking.finish()
            isPaused.finish()
            userCompletedScanPass.finish()
            canRequestImageCapture.finish()
            numberOfShotsTaken.finish()
        }
    }
}

/// Passes the events of the AR session on.
@MainActor private final class FrameObserver: ARSessionDelegate {
    weak var session: ObjectCaptureSession?

    func session(_ session: ARSession, didFailWithError error: ARError) { self.session?.fail(ObjectCaptureSession.Error(error)) }
    func sessionWasInterrupted(_ session: ARSession) { self.session?.interrupt() }
    /// The box and the shots refer to the world before the interruption.
    func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { true }
    func sessionDidReachEnd(_ session: ARSession) { self.session?.reachEnd() }
}

extension ObjectCaptureSession.Error {
    init(_ error: ARError) {
        switch error.code {
        case .sensorFailed, .sensorUnavailable: self = .sensorFailed(error.message)
        default: self = .trackingFailed(error.message)
        }
    }
}
