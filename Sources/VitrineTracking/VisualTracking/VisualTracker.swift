import VitrineMath
import VitrineVision

/// Tracks a camera with six degrees of freedom from images alone. If the device has an IMU, the gyroscope predicts rotations and gravity levels
/// the world.
///
/// - Images do not determine metric scale; ``VisualScale`` selects its source. Without gravity, up is the axis of the first marker nearest to
///   the camera's up, or without a marker the up direction of the first image: hold the camera level at the start.
/// - A map is initialized from two views with enough parallax. Each frame's pose minimizes the reprojection errors of landmarks; some frames
///   become keyframes, from which new landmarks are triangulated and which are bundle-adjusted in a local window (after Klein & Murray,
///   "Parallel tracking and mapping for small AR workspaces", 2007). A purely rotating camera is tracked by directions for a while.
/// - The state is `limited(.initializing)` until there is a map of known scale; until then only the rotation is reported.
///
/// One thread, a fixed order, no clock: the same input gives the same output, bit for bit.
package final class VisualTracker: Tracker {
    package let settings: Settings
    package let rig: SensorRig
    package private(set) var diagnostics = Diagnostics()
    private let clock: (() -> Double)?
    private let camera: UndistortedCamera
    private let detector: MarkerDetector?

    private var featureTracker: FeatureTracker
    private var depthMeter: DepthMeter
    /// Whether the feature tracker has the newest image, and the image has features.
    private var hasImage = false
    /// Whether the newest frame is an image, whose brightness is known.
    private var hasBrightness = false
    /// The number of features in the newest frame.
    private var featureCount = 0
    private var gate = InertialSampleGate()
    private var inertial = InertialBuffer()
    private var orientation: OrientationEstimator

    private let poseEstimator: VisualPoseEstimator
    private var relocalizer: VisualRelocalizer
    private var initializer: MapInitializer
    private var map: LocalMap?
    /// Whether the map's unit is a metre.
    private var isMetric = false
    /// Whether the world's up was determined.
    private var isLevel = false
    private var markers = MarkerMap()
    /// Consecutive frames in which a marker was far from its position in the map.
    private var inconsistentMarkerFrames = 0
    private var motion = MotionModel()
    /// Features of the newest frame without a landmark.
    private var candidates: [Int: VisualPoseEstimator.Candidate] = [:]

    /// The time of the newest image on the camera's clock.
    private var newestTime = -Double.infinity
    private var lastResult: TrackingResult?
    /// The depths that the newest frame measures; nil without a depth sensor or a second camera.
    private var depths: FeatureDepths?
    /// Whether the map's unit comes from an assumed depth.
    private var isScaleGuessed = false
    /// Whether the world started over with the newest frame.
    private var startsNewWorld = false
    /// The number of seconds of search in the map after which a tracker that lost it starts a new world; nil waits without limit.
    package var newWorldDelay: Double?

    /// Creates a tracker for a device with a camera.
    ///
    /// - Parameter clock: Seconds of a monotonic clock, used only for the durations in ``diagnostics``.
    package init(rig: SensorRig, settings: Settings = Settings(), clock: (() -> Double)? = nil) {
        (self.rig, self.settings, self.clock) = (rig, settings, clock)
        camera = UndistortedCamera(rig.camera)
        featureTracker = FeatureTracker(camera: rig.camera, settings: settings.featureTracking)
        depthMeter = DepthMeter(rig)
        orientation = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        poseEstimator = VisualPoseEstimator(camera: camera, minimumLandmarks: settings.minimumLandmarks)
        relocalizer = VisualRelocalizer(camera: camera, minimumLandmarks: settings.minimumLandmarks)
        initializer = MapInitializer(camera: camera)
        if case .marker = settings.scale { detector = MarkerDetector(dictionaries: settings.markerDictionaries) } else { detector = nil }
    }

    // MARK: Input

    /// Samples are ignored if the rig has no IMU.
    package func add(_ sample: InertialSample) {
        guard rig.hasInertialUnit else { return }
        for admitted in gate.admitted(sample) {
            let corrected = rig.corrected(admitted)
            guard inertial.append(corrected) else { continue }
            orientation.add(corrected)
            inertial.drop(before: corrected.time - 2)
        }
    }

    package func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult { track(image, depth: nil, second: nil, time: time) }

    /// Tracks a frame of an RGB-D camera or a stereo pair: landmarks come from measured depths, so that tracking starts with the first frame, in metres.
    ///
    /// - Parameters:
    ///   - depth: Metres along the camera's z axis, 0 where unknown, of any size with the image's field of view.
    ///   - second: The image of the rig's second camera, exposed at the same time; used without a depth image.
    package func track(_ image: Plane<UInt8>, depth: Plane<Float>?, second: Plane<UInt8>?, time: Double) -> TrackingResult {
        depths = nil
        guard isInOrder(time) else { return skipped(time) }
        let start = clock?() ?? 0
        let features = featureTracker.track(image, time: time, guess: predictedRotation(to: time))
        if settings.scale == .unknown { depths = depthMeter.depths(of: featureTracker, depth: depth, second: second) }
        (hasImage, hasBrightness) = (!featureTracker.report.isFeatureless, true)
        let tracked = clock?() ?? 0
        let detected = detector?.detect(image) ?? []
        if let clock {
            (diagnostics.featureTrackingTime, diagnostics.markerTime) = ((tracked - start) * 1000, (clock() - tracked) * 1000)
        }
        return track(inOrder: features, detected, rotation: featureTracker.report.rotation, time: time)
    }

    /// Tracks a frame by features and markers from another source.
    ///
    /// - Parameters:
    ///   - features: The features in pixels of the rig's camera; identifiers are not negative and never reused for another point.
    ///   - markers: Used only if the scale comes from markers.
    ///   - time: Seconds on the camera's clock.
    package func track(_ features: [ObservedFeature], markers: [Marker] = [], time: Double) -> TrackingResult {
        guard isInOrder(time) else { return skipped(time) }
        (hasImage, hasBrightness) = (false, false)
        return track(inOrder: features, markers, rotation: nil, time: time)
    }

    package func reset() {
        featureTracker.reset()
        depthMeter.reset()
        resetMap()
        markers = MarkerMap()
        (motion, isLevel, lastResult, newestTime) = (MotionModel(), false, nil, -.infinity)
        var fresh = OrientationEstimator(cameraFromBody: rig.cameraFromBody.rotation)
        fresh.adoptBias(of: orientation)
        orientation = fresh
        inertial.removeAll()
        gate = InertialSampleGate()
        isScaleGuessed = false
    }

    package func interrupt() {
        featureTracker.reset()
        depthMeter.reset()
        motion.hasPose = false
        guard map != nil, isMetric, !motion.isLost else { return }
        motion.isLost = true
        diagnostics.losses += 1
    }

    private func resetMap() {
        (map, isMetric, candidates, inconsistentMarkerFrames) = (nil, false, [:], 0)
        initializer.removeAll()
    }

    private func isInOrder(_ time: Double) -> Bool { time.isFinite && time > newestTime && abs(time) < 1e12 }

    private func skipped(_ time: Double) -> TrackingResult {
        diagnostics.framesSkipped += 1
        return lastResult ?? TrackingResult(time: 0, state: .notAvailable, worldFromCamera: nil, rig: rig)
    }

    private func track(inOrder features: [ObservedFeature], _ detected: [Marker], rotation: Matrix3d?, time: Double) -> TrackingResult {
        let start = clock?() ?? 0
        diagnostics.frames += 1
        (startsNewWorld, featureCount) = (false, features.count)
        (diagnostics.poseTime, diagnostics.mapTime, diagnostics.landmarksUsed) = (0, 0, 0)
        var observations: [Int: UndistortedCamera.Observation] = [:]
        for feature in features { observations[feature.id] = camera.observation(feature.pixel) }
        let usable = usable(detected)
        for marker in usable { markers.addCorners(marker, to: &observations, camera) }
        if !usable.isEmpty { diagnostics.markerFrames += 1 }
        let frame = ObservedFrame(time: time, worldFromCamera: motion.worldFromCamera, observations: observations)
        if map == nil { initialize(frame, usable, rotation: rotation) } else { localize(frame, usable, start: start) }
        newestTime = time
        let result = result(at: time, features)
        lastResult = result
        return result
    }

    /// Returns the unambiguous markers: a marker that occurs twice is not used.
    private func usable(_ detected: [Marker]) -> [Marker] {
        guard case .marker = settings.scale else { return [] }
        let codes = detected.map(MarkerMap.code)
        return detected.indices.filter { index in
            detected[index].corners.count == 4 && detected[index].corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }
                && codes.count { $0 == codes[index] } == 1
        }.map { detected[$0] }
    }

    /// The camera's rotation since the last frame (new camera from old), by the gyroscope or else by the motion model.
    private func predictedRotation(to time: Double) -> Matrix3d? {
        guard newestTime.isFinite else { return nil }
        let (from, to) = (newestTime + rig.timeOffset, time + rig.timeOffset)
        if let last = inertial.last, let first = inertial.first, first.time <= from, to - last.time < 0.1 {
            let turn = Preintegration(
                inertial.samples(from: from, to: to), noise: rig.noise, gyroscopeBias: orientation.gyroscopeBias
            ).rotation
            let camera = rig.cameraFromBody.rotation
            return camera * turn.transpose * camera.transpose
        }
        return time - newestTime < 0.2 ? motion.rotation(over: time - newestTime) : nil
    }

    // MARK: Results

    private func result(at time: Double, _ features: [ObservedFeature]) -> TrackingResult {
        let state = state
        let isExtrapolated = map != nil && !motion.hasPose
        var pose = isExtrapolated ? motion.predicted(time, maximum: settings.maximumExtrapolation) : motion.worldFromCamera
        // Without metric scale only the rotation is known.
        if map != nil, !isMetric, !motion.wasInitialized { pose.translation = .zero }
        var points: [TrackedPoint] = []
        if let map, isMetric, motion.hasPose {
            points = features.compactMap { feature in
                map.position(feature.id).map { TrackedPoint(id: feature.id, position: $0, pixel: feature.pixel) }
            }
        }
        var result = TrackingResult(
            time: time + rig.timeOffset, state: state, worldFromCamera: pose, velocity: isMetric ? motion.velocity : .zero,
            points: points, rig: rig)
        result.startsNewWorld = startsNewWorld
        result.advice = advice(state)
        return result
    }

    private var state: TrackingState {
        guard map != nil, isMetric else {
            if map == nil, motion.hasPose { return .normal }
            return .limited(motion.isRelocalizing ? .relocalizing : .initializing)
        }
        if motion.isLost { return .limited(.relocalizing) }
        guard motion.hasPose, !motion.isPoor else {
            return .limited(length(motion.angularVelocity) > settings.fastAngularSpeed ? .excessiveMotion : .insufficientFeatures)
        }
        return isScaleGuessed ? .limited(.scaleUnknown) : .normal
    }

    /// Advice for the user about a limited state.
    private func advice(_ state: TrackingState) -> TrackingAdvice? {
        let brightness = hasBrightness ? featureTracker.report.brightness : nil
        return switch state {
        case .normal, .notAvailable, .limited(.scaleUnknown): nil
        case .limited(.initializing): initializer.hasFewFeatures ? .forFewFeatures(brightness) : .moveSideways
        case .limited(.relocalizing): featureCount < settings.minimumLandmarks ? .forFewFeatures(brightness) : .returnToKnownView
        case .limited(.excessiveMotion): .moveSlowly
        case .limited(.insufficientFeatures): .forFewFeatures(brightness)
        }
    }

    // MARK: Initialization

    /// Processes a frame while there is no map.
    private func initialize(_ frame: ObservedFrame, _ detected: [Marker], rotation: Matrix3d?) {
        var frame = frame
        updateRotation(rotation, at: frame.time)
        if !localizeByMarker(detected, time: frame.time) { motion.hasPose = false }
        frame.worldFromCamera = motion.worldFromCamera
        if let map = mapFromDepth(frame) {
            isScaleGuessed = false
            return adopt(map, from: frame, at: frame.time, isMeasured: true)
        }
        guard let (map, first) = initializer.add(frame) else {
            diagnostics.failedInitializations = initializer.failures
            return
        }
        adopt(map, from: first, at: frame.time)
    }

    /// The orientation without a map: by gravity and gyroscope, otherwise by the rotation of the features.
    private func updateRotation(_ rotation: Matrix3d?, at time: Double) {
        let moment = time + rig.timeOffset
        if let worldFromBody = orientation.worldFromBody(at: moment), moment - orientation.time < 0.5, !motion.wasInitialized {
            if !isLevel { motion.worldFromCamera.translation = .zero }
            motion.worldFromCamera.rotation = worldFromBody * rig.cameraFromBody.rotation.transpose
            isLevel = true
        } else if let rotation {
            motion.worldFromCamera.rotation = (motion.worldFromCamera.rotation * rotation.transpose).orthonormalized
        }
    }

    /// Sets the pose from markers alone.
    private func localizeByMarker(_ detected: [Marker], time: Double) -> Bool {
        guard case .marker(let edge) = settings.scale else { return false }
        if let (_, pose) = markers.cameraPose(detected, edge: edge, rig.camera, near: motion.worldFromCamera.rotation) {
            motion.update(pose, at: time)
            return true
        }
        for marker in detected {
            let poses = marker.poses(edge: edge, camera: rig.camera)
            guard !motion.wasInitialized, let pose = MarkerMap.unambiguous(poses) else { continue }
            if !isLevel { level(motion.worldFromCamera * pose) }
            markers.add(marker, worldFromMarker: motion.worldFromCamera * pose)
            motion.update(motion.worldFromCamera, at: time)
            return true
        }
        return false
    }

    /// Rotates the world so that the marker's axis nearest to up becomes +Y and the camera looks along −Z.
    private func level(_ worldFromMarker: RigidTransform) {
        let axes = [worldFromMarker.rotation.x, worldFromMarker.rotation.y, worldFromMarker.rotation.z].flatMap { [$0, -$0] }
        let up = axes.max { $0.y < $1.y } ?? Vector3d(0, 1, 0)
        let upright = Rotations.shortest(from: up, to: Vector3d(0, 1, 0)) * motion.worldFromCamera.rotation
        let facing = OrientationEstimator.facingForward(upright, .identity)
        let change = facing * motion.worldFromCamera.rotation.transpose
        // The camera's position is unchanged.
        let center = motion.worldFromCamera.translation
        transformWorld(SimilarityTransform(scale: 1, rotation: change, translation: center - change * center))
        isLevel = true
    }

    private func transformWorld(_ change: SimilarityTransform) {
        map?.transform(by: change)
        motion.transform(by: change)
        markers.transform(by: change)
        initializer.transform(by: RigidTransform(rotation: change.rotation, translation: change.translation))
        for id in candidates.keys { candidates[id]!.transform(by: change) }
    }

    /// A map of one keyframe with the landmarks that measured depths give, in the camera's frame; nil for too few.
    private func mapFromDepth(_ frame: ObservedFrame) -> LocalMap? {
        guard depths != nil else { return nil }
        var map = LocalMap(camera: camera)
        map.append(time: frame.time, cameraFromWorld: .identity, observations: frame.observations)
        addLandmarksFromDepth(to: &map, frame, .identity)
        return map.landmarks.count >= FeatureDepths.minimumForScale ? map : nil
    }

    /// Adds landmarks for the features without one whose depth is measured.
    /// - Returns: Their identifiers, ascending.
    @discardableResult
    private func addLandmarksFromDepth(to map: inout LocalMap, _ frame: ObservedFrame, _ worldFromCamera: RigidTransform) -> [Int] {
        guard let depths else { return [] }
        let points = depths.points(of: frame.observations.keys.filter { $0 >= 0 && map.position($0) == nil }, in: frame, camera)
        for point in points { map.add(point.id, at: worldFromCamera * point.position, time: frame.time) }
        return points.map(\.id)
    }

    /// Continues with a new map.
    /// - Parameter isMeasured: Whether the map is in metres.
    private func adopt(_ found: LocalMap, from first: ObservedFrame, at time: Double, isMeasured: Bool = false) {
        var found = found
        guard let ids = found.keyframes.first?.observations.keys, let depth = found.medianDepth(.identity, of: ids), depth > 0 else {
            return
        }
        let scale: Double
        switch settings.scale {
        case .unknown where isMeasured: (scale, isMetric) = (1, true)
        case .unknown:
            scale = (motion.wasInitialized ? motion.medianDepth : VisualScale.assumedDepth) / depth
            (isMetric, isScaleGuessed) = (true, true)
        case .medianDepth(let metres):
            scale = (motion.wasInitialized ? motion.medianDepth : metres) / depth
            isMetric = true
        case .marker(let edge):
            let measured = markers.scale(of: found, by: markers.observed, edge: edge)
            // A metric pose from a marker is better than a map without scale.
            if measured == nil, motion.hasPose { return }
            scale = measured ?? (motion.wasInitialized ? motion.medianDepth : 1) / depth
            isMetric = measured != nil
        }
        let pose = first.worldFromCamera
        found.transform(by: SimilarityTransform(scale: scale, rotation: pose.rotation, translation: pose.translation))
        (map, motion.medianDepth) = (found, depth * scale)
        initializer.removeAll()
        diagnostics.initializations += 1
        guard let newest = found.keyframes.last else { return }
        let frame = ObservedFrame(time: time, worldFromCamera: newest.cameraFromWorld.inverse, observations: newest.observations)
        for id in found.landmarks.keys.sorted() { addPatch(id, frame, newest.cameraFromWorld) }
        if hasImage { map!.setNewestThumbnail(ImageThumbnail(featureTracker.newestPyramid)) }
        motion.update(newest.cameraFromWorld.inverse, at: time)
        motion.isPoor = found.landmarks.count < settings.recoveryLandmarks
        if isMetric { becomeMetric() }
    }

    /// The map's unit became a metre.
    private func becomeMetric() {
        guard let map else { return }
        if motion.wasInitialized {
            // Known markers keep their positions.
            if let change = markers.alignment(of: map) { transformWorld(change) } else { startsNewWorld = true }
        } else if !isLevel, let pose = markers.first(in: map) {
            level(pose)
        }
        if let map = self.map { markers.update(from: map) }
        (motion.wasInitialized, motion.isRelocalizing) = (true, false)
    }

    // MARK: Localization

    /// Processes a frame with a map.
    private func localize(_ frame: ObservedFrame, _ detected: [Marker], start: Double) {
        guard let map else { return }
        let predicted = motion.predicted(frame.time, maximum: settings.maximumExtrapolation)
        var frame = frame
        let allowsDirectionOnly = !motion.isLost && frame.time - motion.landmarkTime < settings.maximumDirectionOnlyTime
        var tracked = poseEstimator.estimate(
            frame, in: map, near: predicted, candidates: candidates, allowsDirectionOnly: allowsDirectionOnly)
        if let (pose, used) = tracked, !agreesWithDepth(frame, pose, used) { tracked = nil }
        guard let (pose, used) = tracked ?? relocalize(&frame) ?? markerPose(frame, detected) else {
            handleFailure(frame, predicted)
            diagnostics.poseTime = clock.map { ($0() - start) * 1000 } ?? 0
            return
        }
        if motion.isLost { diagnostics.recoveries += 1 }
        motion.update(pose.inverse, at: frame.time)
        let hasMarker = used.contains { $0 < 0 }
        motion.isPoor = !hasMarker && used.count < (motion.isPoor ? settings.recoveryLandmarks : settings.minimumLandmarks)
        motion.isLost = false
        diagnostics.landmarksUsed = used.count
        let isDirectionOnly = used.isEmpty
        if isDirectionOnly { diagnostics.directionOnlyFrames += 1 } else { motion.landmarkTime = frame.time }
        self.map?.observe(used, time: frame.time)
        frame.worldFromCamera = pose.inverse
        checkMarkers(frame, pose)
        removeOutliers(&frame, pose)
        reobserveLandmarks(&frame)
        let localized = clock?() ?? 0
        if isKeyframe(frame, used) { addKeyframe(frame, hasLandmarks: !isDirectionOnly) }
        updateCandidates(frame)
        if let clock { (diagnostics.poseTime, diagnostics.mapTime) = ((localized - start) * 1000, (clock() - localized) * 1000) }
        (diagnostics.keyframes, diagnostics.landmarks) = (self.map?.keyframes.count ?? 0, self.map?.landmarks.count ?? 0)
    }

    /// Whether the landmarks that determine a pose are as far away as measured: after a fast motion few wrong matches may agree on a pose.
    private func agreesWithDepth(_ frame: ObservedFrame, _ cameraFromWorld: RigidTransform, _ used: [Int]) -> Bool {
        guard let depths, let map, !isScaleGuessed else { return true }
        return depths.agree(with: used, of: map, in: frame, cameraFromWorld: cameraFromWorld, camera)
    }

    /// Relocalizes by keyframes; the matched landmarks become features again.
    private func relocalize(_ frame: inout ObservedFrame) -> (cameraFromWorld: RigidTransform, landmarks: [Int])? {
        guard hasImage, let map, !featureTracker.tracks.isEmpty, let (pose, matches) = relocalizer.relocalize(in: map, featureTracker)
        else { return nil }
        for match in matches { resumeFeature(match.id, at: match.position, in: &frame) }
        return (pose, matches.map(\.id).sorted())
    }

    /// The pose from a known marker's corners, and the other landmarks that agree.
    private func markerPose(_ frame: ObservedFrame, _ detected: [Marker]) -> (cameraFromWorld: RigidTransform, landmarks: [Int])? {
        guard isMetric, let map, case .marker(let edge) = settings.scale,
            let (code, pose) = markers.cameraPose(detected, edge: edge, rig.camera, near: motion.worldFromCamera.rotation)
        else { return nil }
        let corners = (0..<4).map { MarkerMap.feature(code, $0) }.filter { frame.observations[$0] != nil && map.position($0) != nil }
        guard corners.count == 4 else { return nil }
        let refinement = PoseRefinement(camera: camera)
        let others = frame.observations.keys.filter { id in
            guard id >= 0, let position = map.position(id) else { return false }
            return refinement.error(pose.inverse, .init(position: position, observation: frame.observations[id]!)) < 9
        }
        return (pose.inverse, (corners + others).sorted())
    }

    /// The frame has no pose: tracking is lost after a while, and a new map is started later.
    private func handleFailure(_ frame: ObservedFrame, _ predicted: RigidTransform) {
        motion.hasPose = false
        if frame.time - motion.time > settings.maximumExtrapolation, !motion.isLost {
            motion.isLost = true
            diagnostics.losses += 1
        }
        guard frame.observations.count >= settings.minimumLandmarks else {
            motion.searchStart = nil
            return
        }
        let start = motion.searchStart ?? frame.time
        motion.searchStart = start
        guard let delay = searchTime, frame.time - start > delay else { return }
        // A new map starts at the camera's last pose.
        motion.stop(at: predicted)
        resetMap()
        (motion.isRelocalizing, motion.searchStart) = (motion.wasInitialized, nil)
    }

    /// Seconds of search after which a new map is started; nil waits without limit: earlier anchors would have no known position in it. A known
    /// marker connects the two maps, and a map without scale has no positions yet.
    private var searchTime: Double? {
        if case .marker = settings.scale { return settings.maximumSearchTime }
        return isMetric ? newWorldDelay.map { max($0, settings.maximumSearchTime) } : settings.maximumSearchTime
    }

    /// Removes features that are far from their landmarks' projections.
    private func removeOutliers(_ frame: inout ObservedFrame, _ pose: RigidTransform) {
        guard let map else { return }
        let refinement = PoseRefinement(camera: camera)
        var outliers = Set<Int>()
        for (id, observation) in frame.observations {
            guard let position = map.position(id) else { continue }
            let error = refinement.error(pose, .init(position: position, observation: observation))
            if !(error < 16) { outliers.insert(id) }
        }
        for id in outliers { frame.observations[id] = nil }
        featureTracker.remove(outliers)
    }

    // MARK: Lost features

    /// Largest distance of a re-observed landmark from its projection in working pixels, and attempts in one frame.
    private static let (searchRadius, maximumAttempts): (Float, Int) = (6, 40)

    /// Matches landmarks without a feature by their patches, those of one nearby keyframe in each frame.
    private func reobserveLandmarks(_ frame: inout ObservedFrame) {
        guard hasImage, let map else { return }
        let pose = frame.worldFromCamera.inverse
        let near = map.nearestKeyframes(to: frame.worldFromCamera, depth: motion.medianDepth)
        guard !near.isEmpty else { return }
        let keyframe = map.keyframes[near[diagnostics.frames % near.count]]
        var attempts = 0
        for id in keyframe.observations.keys.sorted() where frame.observations[id] == nil && attempts < Self.maximumAttempts {
            guard let landmark = map.landmarks[id], let patch = landmark.patch else { continue }
            let inCamera = pose * landmark.position
            guard inCamera.z > 0 else { continue }
            let pixel = rig.camera.project(inCamera)
            guard pixel.x > 0, pixel.y > 0, pixel.x < Double(rig.camera.width), pixel.y < Double(rig.camera.height) else { continue }
            attempts += 1
            let expected = SIMD2<Float>(pixel / Double(featureTracker.workingScale))
            let found = relocalizer.find(
                patch, landmark.position, from: pose, near: [expected], within: Self.searchRadius, featureTracker)
            if let found { resumeFeature(id, at: found, in: &frame) }
        }
    }

    /// Tracks a landmark again: by a new feature, or by an existing feature that takes the landmark's identifier.
    private func resumeFeature(_ id: Int, at position: SIMD2<Float>, in frame: inout ObservedFrame) {
        let pixel = Vector2d(position) * Double(featureTracker.workingScale)
        guard id >= 0, let observation = camera.observation(pixel) else { return }
        guard let other = featureTracker.resume(id, at: position) else {
            frame.observations[id] = observation
            diagnostics.reobservations += 1
            return
        }
        // The older identifier is kept.
        guard other > id else { return }
        featureTracker.rename(other, to: id)
        map?.merge(other, into: id)
        frame.observations[id] = frame.observations[other] ?? observation
        frame.observations[other] = nil
        candidates[other] = nil
        diagnostics.reobservations += 1
    }

    // MARK: Keyframes

    private func isKeyframe(_ frame: ObservedFrame, _ used: [Int]) -> Bool {
        guard let map, let last = map.keyframes.last else { return false }
        let depth = map.medianDepth(frame.worldFromCamera.inverse, of: used) ?? motion.medianDepth
        motion.medianDepth = depth
        let way = length(frame.worldFromCamera.translation - last.center) / depth
        let turn = (last.cameraFromWorld.rotation * frame.worldFromCamera.rotation).rotationVector
        let remaining = last.observations.keys.count { map.position($0) != nil }
        let kept = Double(used.count) / Double(max(1, remaining))
        guard frame.time - last.time > 0.08 else { return false }
        if used.isEmpty { return way > 0.06 || length(turn) > 0.2 }
        return way > 0.06 || length(turn) > 0.2 || kept < 0.7 && way > 0.005 || kept < 0.5
    }

    /// Adds the frame to the map as a keyframe.
    ///
    /// - Parameter hasLandmarks: Whether landmarks determined the pose; otherwise the map is not adjusted.
    private func addKeyframe(_ frame: ObservedFrame, hasLandmarks: Bool) {
        guard map != nil else { return }
        let cameraFromWorld = frame.worldFromCamera.inverse
        let thumbnail = hasImage ? ImageThumbnail(featureTracker.newestPyramid) : nil
        map!.append(time: frame.time, cameraFromWorld: cameraFromWorld, observations: frame.observations, thumbnail: thumbnail)
        for id in map!.triangulate(time: frame.time) { addPatch(id, frame, cameraFromWorld) }
        if hasLandmarks {
            for id in addLandmarksFromDepth(to: &map!, frame, frame.worldFromCamera) { addPatch(id, frame, cameraFromWorld) }
        }
        if hasLandmarks { map!.adjust() }
        if hasLandmarks, isScaleGuessed, let newest = map!.keyframes.last { measureScaleByDepth(frame, newest.cameraFromWorld) }
        map!.prune()
        measureMarkers()
        guard let newest = map!.keyframes.last else { return }
        motion.worldFromCamera = newest.cameraFromWorld.inverse
    }

    /// Replaces a guessed scale once the depths of enough landmarks are measured: the camera stays in place.
    private func measureScaleByDepth(_ frame: ObservedFrame, _ cameraFromWorld: RigidTransform) {
        guard let depths, let map, let scale = depths.scale(of: map, in: frame, cameraFromWorld: cameraFromWorld, camera) else { return }
        let center = cameraFromWorld.inverse.translation
        transformWorld(SimilarityTransform(scale: scale, rotation: .identity, translation: center * (1 - scale)))
        isScaleGuessed = false
        diagnostics.scaleCorrections += 1
    }

    /// Stores a landmark's patch in the newest image.
    private func addPatch(_ id: Int, _ frame: ObservedFrame, _ cameraFromWorld: RigidTransform) {
        guard hasImage, let observation = frame.observations[id] else { return }
        let patch = LandmarkPatch(
            featureTracker.newestPyramid, pixel: camera.pixel(observation.position), cameraFromWorld: cameraFromWorld)
        map?.setPatch(patch, of: id)
    }

    /// Keeps features without a landmark, at the median depth.
    private func updateCandidates(_ frame: ObservedFrame) {
        let pose = frame.worldFromCamera
        var kept: [Int: VisualPoseEstimator.Candidate] = [:]
        for (id, observation) in frame.observations where map?.position(id) == nil {
            let ray = pose.rotation * camera.ray(observation.position)
            kept[id] =
                candidates[id]
                ?? VisualPoseEstimator.Candidate(center: pose.translation, position: pose.translation + ray * motion.medianDepth)
        }
        candidates = kept
    }

    // MARK: Markers in the map

    /// Corrects the scale by the markers in the newest keyframe.
    private func measureMarkers() {
        guard case .marker(let edge) = settings.scale, let map, let newest = map.keyframes.last else { return }
        let visible = markers.observed.filter { newest.observations[MarkerMap.feature($0, 0)] != nil }
        guard let scale = markers.scale(of: map, by: visible, edge: edge) else { return }
        let center = isMetric ? motion.worldFromCamera.translation : .zero
        guard !isMetric || abs(scale - 1) > 0.003 else {
            markers.update(from: map)
            return
        }
        transformWorld(SimilarityTransform(scale: scale, rotation: .identity, translation: center * (1 - scale)))
        if isMetric {
            diagnostics.scaleCorrections += 1
            if let map = self.map { markers.update(from: map) }
        } else {
            isMetric = true
            becomeMetric()
        }
    }

    /// Replaces a map that has drifted: a marker is far from its position in the map for several frames.
    private func checkMarkers(_ frame: ObservedFrame, _ pose: RigidTransform) {
        guard isMetric, let map else { return }
        let refinement = PoseRefinement(camera: camera)
        let isInconsistent = markers.observed.contains { code in
            (0..<4).allSatisfy { corner in
                let id = MarkerMap.feature(code, corner)
                guard let observation = frame.observations[id], let position = map.position(id) else { return false }
                return refinement.error(pose, .init(position: position, observation: observation)) > 144
            }
        }
        inconsistentMarkerFrames = isInconsistent ? inconsistentMarkerFrames + 1 : 0
        guard inconsistentMarkerFrames >= 5 else { return }
        diagnostics.markerResets += 1
        resetMap()
    }
}
