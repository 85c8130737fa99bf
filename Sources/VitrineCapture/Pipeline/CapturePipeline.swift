import VitrineAR
import VitrineMath
import VitrineReconstruct
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The work of a session off the main actor: detection, measurements, choice and writing of shots.
///
/// The same frames and orders give the same shots.
actor CapturePipeline {
    private let thresholds: CaptureThresholds
    private let session: UUID
    private let world: TrackedWorld
    private var writer: ShotWriter?
    private var shotCount = 0
    private var landmarks = LandmarkStore()
    private var detector = ObjectDetector()
    private var monitor: FeedbackMonitor
    private var selector: ShotSelector
    private var window = MotionWindow()
    /// The shots since the object was placed, and those of the present pass.
    private var dial = CaptureDial()
    private var passDial = CaptureDial()
    /// The cameras' centres of the shots since the object was placed, and their passes.
    private var shotCenters: [(center: Vector3d, pass: Int)] = []
    private var judge: FlipJudge
    private var box: OrientedBox?
    /// The box when the capture of the present pose of the object started.
    private var firstBox: OrientedBox?
    /// The first direction from which the camera viewed the box, in the world, and the widest angle to it since, radians.
    private var views: (first: Vector3d, widest: Double)?
    /// A box that may replace one without landmarks.
    private var candidate: OrientedBox?
    private var current = CaptureOrders()
    private var lastDetection = -Double.infinity
    private var lastCloud = -Double.infinity

    /// Seconds between two detections, and between two point clouds.
    private static let detectionInterval = 0.2
    private static let cloudInterval = 0.5
    /// Seconds between two estimates of the box during a capture.
    private static let refinementInterval = 0.7

    init(thresholds: CaptureThresholds, session: UUID, world: TrackedWorld) {
        (self.thresholds, self.session, self.world) = (thresholds, session, world)
        monitor = FeedbackMonitor(thresholds)
        selector = ShotSelector(thresholds)
        judge = FlipJudge(thresholds)
        detector.isGravityKnown = world.hasGravity
    }

    /// Opens the folder for shots.
    func open(_ folder: CaptureFolder) {
        writer = ShotWriter(folder, session: session, world: world)
        shotCount = folder.shots.count
    }

    /// Returns when all files are written.
    func drain() {}

    func process(_ frame: ARFrame, _ orders: CaptureOrders) -> CaptureUpdate {
        apply(orders)
        var update = CaptureUpdate(revision: orders.revision)
        let camera = frame.camera.posed
        let isTracking = frame.camera.trackingState.isTracking
        if isTracking { landmarks.add(frame, box: box, distance: sceneDistance(frame, camera, share: 0.3) ?? 1) } else { window.reset() }
        if isTracking, orders.phase == .detecting, !orders.isBoxGiven, frame.timestamp - lastDetection >= Self.detectionInterval {
            lastDetection = frame.timestamp
            if let found = detect(frame, camera) { box = found }
        }
        if isTracking, orders.phase == .capturing, !orders.isBoxGiven, frame.timestamp - lastDetection >= Self.refinementInterval {
            lastDetection = frame.timestamp
            refineBox(frame, camera)
        }
        var measurements = measure(frame, camera, isTracking: isTracking)
        measurements.feedback = monitor.update(measurements, isDetecting: orders.phase == .detecting)
        var settled: MotionWindow.Entry?
        if isTracking {
            let entry = MotionWindow.Entry(frame: frame, measurements: measurements, distance: sceneDistance(frame, camera) ?? 1)
            settled = window.add(entry, box: box, assumedExposure: thresholds.assumedExposure)
        }
        update.feedback = measurements.feedback.union(monitor.updateMotion(blur: settled?.measurements.blur, at: frame.timestamp))
        if update.feedback.contains(.outOfFieldOfView), let offset = measurements.projection?.offset, length(offset) > 0 {
            let direction = normalize(offset)
            update.outOfFieldOfViewDirection = SIMD2(Float(direction.x), Float(direction.y))
        }
        if orders.phase == .capturing, isTracking {
            do throws(ObjectCaptureSession.Error) {
                update.shot = try shoot(frame, measurements, settled, orders)
            } catch {
                update.failure = error
            }
            if takesShots(orders), selector.waitsForStillness(at: frame.timestamp) { update.feedback.insert(.movingTooFast) }
        }
        if orders.phase == .capturing, shotCount >= thresholds.maximumNumberOfInputImages { update.feedback.insert(.overCapturing) }
        update.isObjectFlippable = judge.isFlippable
        if orders.phase == .capturing, judge.isFlippable == false { update.feedback.insert(.objectNotFlippable) }
        if frame.timestamp - lastCloud >= Self.cloudInterval || update.shot != nil {
            lastCloud = frame.timestamp
            update.pointCloud = orders.phase == .idle || orders.phase == .detecting && box == nil ? nil : landmarks.cloud(in: box)
        }
        dial.cameraDirection = isTracking ? box?.direction(to: camera.centerInWorld) : nil
        (update.box, update.dial) = (box, dial)
        update.isPassComplete = orders.phase == .capturing && box != nil && passDial.isComplete
        return update
    }

    // MARK: Orders

    private func apply(_ orders: CaptureOrders) {
        if orders.objectPose != current.objectPose {
            // The object moves against its surroundings.
            landmarks.reset()
        }
        if orders.detection != current.detection {
            (box, firstBox, views, candidate, lastDetection, shotCenters) = (nil, nil, nil, nil, -.infinity, [])
            monitor.reset()
            selector.restartArea()
            judge = FlipJudge(thresholds)
        }
        if orders.pass != current.pass { selector.restart() }
        if orders.detection != current.detection || orders.pass != current.pass { window.reset() }
        if orders.isBoxGiven { box = orders.box }
        let hasNewDial = orders.detection != current.detection || orders.pass != current.pass || orders.revision != current.revision
        current = orders
        if hasNewDial { fillDials() }
    }

    /// The box follows the landmarks while the other sides of the object come into view; directions are those from its new centre.
    private func refineBox(_ frame: ARFrame, _ camera: PosedCamera) {
        guard let old = box else { return }
        let current = landmarks.current(around: old)
        if detector.confirms(old, by: current) {
            var (first, upright) = (firstBox ?? old, old)
            if let motion = detector.uprightFromLeaning(old, by: current) {
                (first, upright) = (first.moved(by: motion), old.moved(by: motion))
            }
            (firstBox, candidate) = (first, nil)
            box = detector.refined(upright, from: first, by: current)
        } else if let found = detect(frame, camera) {
            // The tracker's scale or position was corrected: twice the same box elsewhere replaces the old one.
            if let last = candidate, length(found.center - last.center) < 0.3 * last.longestSide {
                (box, firstBox, candidate) = (found, found, nil)
            } else {
                candidate = found
            }
        }
        if box != old { fillDials() }
    }

    /// The directions of the shots from the present box.
    private func fillDials() {
        (dial, passDial) = (CaptureDial(), CaptureDial())
        for shot in shotCenters { addToDials(shot.center, pass: shot.pass) }
    }

    private func addToDials(_ center: Vector3d, pass: Int) {
        guard let direction = box?.direction(to: center) else { return }
        dial.add(direction)
        if pass == current.pass { passDial.add(direction) }
    }

    private func detect(_ frame: ARFrame, _ camera: PosedCamera) -> OrientedBox? {
        let planes = frame.anchors.compactMap { anchor -> ObjectDetector.Support? in
            guard let plane = anchor as? ARPlaneAnchor, plane.alignment == .horizontal else { return nil }
            let normal = Vector3d(plane.transform.y.xyz)
            guard normal.y > 0.9 else { return nil }
            return ObjectDetector.Support(
                plane: Plane3(normal: normal, through: Vector3d(plane.transform.translation)),
                outline: plane.geometry.boundaryVertices.map { Vector3d(plane.transform.transform(point: $0)) })
        }
        return detector.detect(landmarks.reliable, planes: planes, camera: camera)
    }

    /// Whether the camera has viewed the box from directions far enough apart for its size, or a person has set it.
    private func isBoxConfirmed(from camera: PosedCamera) -> Bool {
        guard let box else { return false }
        let direction = normalize(camera.centerInWorld - box.center)
        var (first, widest) = views ?? (direction, 0)
        widest = max(widest, VitrineMath.acos(clamp(dot(first, direction), -1, 1)))
        views = (first, widest)
        return current.isBoxGiven || widest >= thresholds.confirmingTurn
    }

    // MARK: Measurements

    private func measure(_ frame: ARFrame, _ camera: PosedCamera, isTracking: Bool) -> FrameMeasurements {
        let projection = isTracking ? box.map { BoxProjection($0, camera) } : nil
        let lens = camera.intrinsics
        // Without a box, the middle of the image stands for the object.
        let (left, top) = (lens.width / 6, lens.height / 6)
        let middle = PixelRectangle(x: left, y: top, width: lens.width * 5 / 6 - left, height: lens.height * 5 / 6 - top)
        let quality = ImageQuality(frame.capturedImage, in: projection?.rectangle ?? middle)
        let isConfirmed = isTracking && isBoxConfirmed(from: camera)
        return FrameMeasurements(time: frame.timestamp, projection: projection, isBoxConfirmed: isConfirmed, quality: quality)
    }

    /// The distance within which a share of the visible landmarks lies: the median by default.
    private func sceneDistance(_ frame: ARFrame, _ camera: PosedCamera, share: Double = 0.5) -> Double? {
        let eye = camera.centerInWorld
        if let points = frame.rawFeaturePoints, points.count >= 5 {
            return quantile(points.points.map { length(Vector3d($0) - eye) }, share)
        }
        let depths = frame.sceneDepth?.metres.values.filter { $0 > 0 } ?? []
        return depths.isEmpty ? nil : Double(quantile(depths, Float(share)))
    }

    // MARK: Shots

    /// Whether new views become shots.
    private func takesShots(_ orders: CaptureOrders) -> Bool {
        orders.isAutomatic && (shotCount < thresholds.maximumNumberOfInputImages || orders.isOverCaptureEnabled)
    }

    /// Takes the requested shot, or one of a new view.
    ///
    /// - Parameter settled: The newest frame with known motion, for automatic shots.
    private func shoot(
        _ frame: ARFrame, _ measurements: FrameMeasurements, _ settled: MotionWindow.Entry?, _ orders: CaptureOrders
    ) throws(ObjectCaptureSession.Error) -> ObjectCaptureSession.Shot? {
        guard writer != nil else { return nil }
        if orders.isRequested { return try write(frame, sharpness: measurements.quality.sharpness, isManual: true, orders) }
        guard takesShots(orders), let settled else { return nil }
        let camera = settled.frame.camera.posed
        let candidate: ShotSelector.Candidate?
        if let box {
            guard let direction = box.direction(to: camera.centerInWorld) else { return nil }
            candidate = selector.choose(
                settled.frame, settled.measurements, angle: passDial.angleToNearest(direction), isCovered: passDial.covers(direction))
        } else {
            candidate = selector.chooseInArea(settled.frame, settled.measurements, distance: settled.distance)
        }
        guard let candidate else { return nil }
        return try write(candidate.frame, sharpness: candidate.sharpness, isManual: false, orders)
    }

    private func write(
        _ frame: ARFrame, sharpness: Double, isManual: Bool, _ orders: CaptureOrders
    ) throws(ObjectCaptureSession.Error) -> ObjectCaptureSession.Shot? {
        let context = ShotWriter.Context(
            pass: session.derived("pass", orders.pass), objectPose: session.derived("pose", orders.objectPose), box: box,
            sharpness: sharpness,
            isManual: isManual)
        guard let shot = try writer?.write(frame, context) else { return nil }
        shotCount += 1
        selector.add(frame, isArea: box == nil)
        if let box {
            let center = frame.camera.posed.centerInWorld
            shotCenters.append((center, orders.pass))
            addToDials(center, pass: orders.pass)
            judge.add(frame, box)
        }
        return shot
    }
}

/// Properties of the tracker's world.
struct TrackedWorld: Equatable, Sendable {
    /// Whether its unit is a metre.
    var isMetric: Bool
    /// Whether +Y is against gravity.
    var hasGravity: Bool

    init(_ method: TrackingMethod, rig: SensorRig) {
        switch method.resolved(for: rig) {
        case .visual(.marker): (isMetric, hasGravity) = (true, false)
        case .visual(.medianDepth), .visual(.unknown): (isMetric, hasGravity) = (false, false)
        case .orientation: (isMetric, hasGravity) = (false, true)
        case .automatic, .visualInertial, .recorded, .custom: (isMetric, hasGravity) = (true, true)
        }
    }
}

extension UUID {
    /// An identifier that depends on this one, a kind and a number only.
    func derived(_ kind: String, _ number: Int) -> UUID {
        var hash = FNVHash()
        hash.combine("\(uuidString) \(kind) \(number)")
        var random = SplitMix64(seed: hash.value)
        return UUID(version4: random.next(), random.next())
    }
}
