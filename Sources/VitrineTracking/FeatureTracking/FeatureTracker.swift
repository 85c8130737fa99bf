import VitrineMath
import VitrineVision

/// Tracks corners from frame to frame by their patches (pyramidal Lucas–Kanade).
///
/// Each frame is reduced to an ``ImagePyramid``. A feature's patch is matched from the coarsest level to the finest, starting at the position
/// predicted by the camera's rotation, and then back again. Features that fail the forward-backward check, the similarity check or the
/// epipolar check are dropped; new corners are detected where features are sparse. Featureless images, for example of a covered lens, are
/// skipped: features are searched in the next one, up to ``Settings/maximumGap`` later.
///
/// A feature that was lost gets a new identifier when it is detected again. One thread, a fixed order: the same images give the same features.
package struct FeatureTracker: Sendable {
    package let camera: CameraIntrinsics
    package var settings: Settings
    /// Statistics of tracking features into the newest frame.
    package private(set) var report = Report()

    /// A tracked feature.
    struct Track: Sendable {
        var id: Int
        /// The position in working pixels (level 0).
        var position: SIMD2<Float>
        /// The unit direction in the camera's frame at the exposure of the middle row.
        var ray: Vector3d
        /// Number of frames with the feature.
        var age = 1
    }

    /// The tracks, ordered by ascending identifier.
    private(set) var tracks: [Track] = []
    private var nextID = 0
    /// The image of `tracks`, and the one that is being processed.
    private var (previous, current) = (ImagePyramid(), ImagePyramid())
    /// Size of the images; zero before the first.
    private var size = SIMD2(0, 0)
    private var previousTime = 0.0
    /// The camera's rotation since `previous`, including skipped images; nil if unknown.
    private var rotation: Matrix3d? = .identity
    /// Whether the whole rotation was measured.
    private var isRotationMeasured = true
    /// The rotation vectors of the camera during the readout of the previous and of the current image.
    private var previousReadoutTurn = Vector3d.zero, readoutTurn = Vector3d.zero
    /// The frame before nearly all features were lost at once, until the view is matched or proves to be another one.
    private var lostView: LostView?
    /// The camera for the current image size.
    private var lens: CameraIntrinsics
    private var matcher = PatchMatcher()
    private var detector = CornerDetector(side: 32)

    package init(camera: CameraIntrinsics, settings: Settings = Settings()) {
        (self.camera, self.settings, lens) = (camera, settings, camera)
    }

    /// The number of frames of each feature, by ascending identifier.
    package var ages: [Int] { tracks.map(\.age) }

    /// Drops all features. Identifiers are not reused.
    package mutating func reset() {
        tracks = []
        lostView = nil
        size = SIMD2(0, 0)
        (rotation, isRotationMeasured) = (.identity, true)
        report = Report()
    }

    /// Tracks the features into the next image.
    ///
    /// - Parameters:
    ///   - image: The image of the frame. If its size differs from the camera's, the camera is scaled; if the size changes, all features
    ///     are dropped.
    ///   - time: Seconds.
    ///   - measured: The rotation since the previous image (new camera from old) from a gyroscope; nil without one.
    ///   - guess: A predicted rotation: only a starting point for the search.
    ///   - readoutTurn: The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    /// - Returns: The features by ascending identifier; none for a featureless image.
    package mutating func track(
        _ image: Plane<UInt8>, time: Double, rotation measured: Matrix3d? = nil, guess: Matrix3d? = nil, readoutTurn: Vector3d = .zero
    ) -> [ObservedFeature] {
        report = Report()
        self.readoutTurn = readoutTurn
        if let turn = measured ?? guess, let before = rotation { rotation = turn * before } else { rotation = nil }
        if measured == nil { isRotationMeasured = false }
        lostView?.rotate(measured)
        guard image.width >= 16, image.height >= 16 else {
            report.isFeatureless = true
            return []
        }
        prepare(SIMD2(image.width, image.height), time)
        current.build(image, maximumWidth: settings.maximumWidth, levels: settings.levels)
        (report.brightness, report.contrast) = (current.brightness, current.contrast)
        guard current.contrast >= settings.minimumContrast else {
            report.isFeatureless = true
            return []
        }
        if !tracks.isEmpty {
            let before = tracks
            trackForward(rotation, isMeasured: isRotationMeasured)
            if lostView == nil { detectLoss(of: before, time) }
        }
        if lostView != nil { searchLostView(time) }
        refill()
        swap(&previous, &current)
        (previousTime, rotation, isRotationMeasured) = (time, .identity, true)
        previousReadoutTurn = readoutTurn
        return tracks.map { ObservedFeature(id: $0.id, pixel: Vector2d($0.position) * Double(previous.scale)) }
    }

    /// Drops features that cannot be tracked into an image of this size at this time.
    private mutating func prepare(_ newSize: SIMD2<Int>, _ time: Double) {
        if newSize != size {
            report.dropped = tracks.count
            (tracks, lostView) = ([], nil)
            size = newSize
            lens = camera.resized(width: newSize.x, height: newSize.y)
        } else if !(abs(time - previousTime) <= settings.maximumGap) {
            report.dropped = tracks.count
            tracks = []
        }
    }

    /// The direction of a position in working pixels, in the camera's frame at the exposure of the middle row.
    private func ray(_ position: SIMD2<Float>, _ scale: Int, _ turn: Vector3d) -> Vector3d {
        let pixel = Vector2d(position) * Double(scale)
        let normalized = lens.normalized(pixel)
        let ray = normalize(Vector3d(normalized.x, normalized.y, 1))
        return turn == .zero ? ray : Matrix3d.rotation(turn * readoutShare(pixel)) * ray
    }

    private func readoutShare(_ pixel: Vector2d) -> Double { min(max(pixel.y / Double(max(lens.height, 1)), 0), 1) - 0.5 }

    private mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }
}

// MARK: - Tracking

extension FeatureTracker {
    /// Smallest distance of a feature from the image's edge in working pixels.
    private static let margin: Float = 8

    private enum Outcome {
        case found(SIMD2<Float>)
        case leftImage, dissimilar, notReturned
    }

    /// Tracks the features into the current image and drops those that fail a check.
    /// - Parameters:
    ///   - turn: The current camera from the previous one.
    ///   - isMeasured: Whether the rotation was measured, not only predicted.
    private mutating func trackForward(_ turn: Matrix3d?, isMeasured: Bool) {
        var kept: [Track] = []
        var before: [Track] = []
        kept.reserveCapacity(tracks.count)
        before.reserveCapacity(tracks.count)
        for track in tracks {
            switch find(track, from: previous, previousReadoutTurn, turn) {
            case .found(let position):
                before.append(track)
                var moved = track
                (moved.position, moved.ray, moved.age) = (position, ray(position, current.scale, readoutTurn), track.age + 1)
                kept.append(moved)
            case .leftImage: report.lostAtEdge += 1
            case .dissimilar: report.lostBySimilarity += 1
            case .notReturned: report.lostOnReturn += 1
            }
        }
        checkMotion(before, &kept, isMeasured ? turn : nil)
        tracks = removingCrowded(kept)
        report.tracked = tracks.count
    }

    /// The projection of a direction of the previous camera into the current image, in working pixels; nil behind the camera.
    private func predicted(_ ray: Vector3d, _ turn: Matrix3d) -> SIMD2<Float>? {
        let rotation = turn * ray
        guard rotation.z > 0.05 else { return nil }
        var pixel = lens.project(rotation) / Double(current.scale)
        if readoutTurn != .zero, pixel.x.isFinite, pixel.y.isFinite {
            let share = readoutShare(pixel * Double(current.scale))
            pixel = lens.project(Matrix3d.rotation(readoutTurn * -share) * rotation) / Double(current.scale)
        }
        guard abs(pixel.x) < 1e5, abs(pixel.y) < 1e5 else { return nil }
        return SIMD2(Float(pixel.x), Float(pixel.y))
    }

    /// The affine warp of a patch by the rotation, from the current image to the previous one; nil if negligible.
    ///
    /// - Parameter readoutTurn: The previous image's.
    private func warp(
        _ position: SIMD2<Float>, _ readoutTurn: Vector3d, _ turn: Matrix3d, to guess: SIMD2<Float>
    ) -> PatchMatcher.Warp? {
        let step: Float = 8
        guard let right = predicted(ray(position + SIMD2(step, 0), current.scale, readoutTurn), turn),
            let down = predicted(ray(position + SIMD2(0, step), current.scale, readoutTurn), turn)
        else { return nil }
        let newFromOld = PatchMatcher.Warp(x: (right - guess) / step, y: (down - guess) / step)
        return newFromOld.isNegligible || !newFromOld.isUsable || !newFromOld.inverse.isUsable ? nil : newFromOld.inverse
    }

    /// Finds a feature of an earlier image, with its readout turn, in the current one.
    ///
    /// - Parameter turn: The current camera from the earlier one; nil if unknown.
    private mutating func find(_ track: Track, from image: ImagePyramid, _ readoutTurn: Vector3d, _ turn: Matrix3d?) -> Outcome {
        let position = track.position
        let predicted = turn.flatMap { self.predicted(track.ray, $0) }
        var warp: PatchMatcher.Warp?
        // Below about one degree patches need no warp.
        if let turn, let predicted, turn.trace < 3 - 2e-4 { warp = self.warp(position, readoutTurn, turn, to: predicted) }
        let guess = predicted ?? position
        guard isInside(guess, slack: 32) else { return .leftImage }
        guard let there = match(from: image, to: current, position, guess: guess, warp) else { return .dissimilar }
        guard isInside(there, slack: 0) else { return .leftImage }
        guard matcher.similarity(current.levels[0], there) >= settings.minimumSimilarity else { return .dissimilar }
        // Back from the found position, with a starting error of the same size.
        guard let back = match(from: current, to: image, there, guess: position + (there - guess), warp?.inverse) else {
            return .notReturned
        }
        return squaredDistance(back, position) <= settings.maximumReturnError * settings.maximumReturnError ? .found(there) : .notReturned
    }

    private func isInside(_ position: SIMD2<Float>, slack: Float) -> Bool {
        let (level, margin) = (current.levels[0], Self.margin - slack)
        return position.x >= margin && position.y >= margin && position.x <= Float(level.width) - margin
            && position.y <= Float(level.height) - margin
    }

    /// Matches the patch at a position of one image in another, from the coarsest level to the finest; nil if the finest level fails.
    private mutating func match(
        from: ImagePyramid, to: ImagePyramid, _ position: SIMD2<Float>, guess: SIMD2<Float>, _ warp: PatchMatcher.Warp?
    ) -> SIMD2<Float>? {
        var there = guess
        for index in stride(from: min(from.levels.count, to.levels.count) - 1, through: 0, by: -1) {
            let scale = 1 / Float(1 << index)
            let (source, target) = (from.levels[index], to.levels[index])
            // The coarse levels only provide a starting point.
            let strength = matcher.loadTemplate(source, position * scale, warp: index == 0 ? warp : nil)
            // Skip coarse levels where the patch has no texture or the match is far away.
            guard let strength, strength > 0.5 else {
                if index == 0 { return nil }
                continue
            }
            let start = there * scale
            let found = matcher.find(target, from: start, iterations: index == 0 ? 12 : 6, precision: index == 0 ? 0.01 : 0.03)
            if let found, squaredDistance(found, start) < 100 {
                there = found / scale
            } else if index == 0 {
                return nil
            }
        }
        return there
    }

    /// Drops features that violate the epipolar geometry, and reports the motion.
    private mutating func checkMotion(_ before: [Track], _ kept: inout [Track], _ turn: Matrix3d?) {
        let focal = 0.5 * (lens.focal.x + lens.focal.y)
        let check = EpipolarCheck(
            first: before.map(\.ray), second: kept.map(\.ray), limit: settings.maximumEpipolarError * Double(current.scale) / focal)
        guard let (motion, inliers) = check.search(rotation: turn) else { return }
        report.lostByMotion = inliers.count { !$0 }
        report.rotation = motion.rotation
        let moves = kept.indices.map {
            Double(squaredDistance(kept[$0].position, before[$0].position).squareRoot()) * Double(current.scale)
        }
        let parallaxes = kept.indices.map { focal * length(kept[$0].ray - motion.rotation * before[$0].ray) }
        (report.medianMotion, report.medianParallax) = (Self.median(moves), Self.median(parallaxes))
        kept = kept.indices.filter { inliers[$0] }.map { kept[$0] }
    }

    private static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    /// Removes features that came too close to a feature with more observations.
    private mutating func removingCrowded(_ tracks: [Track]) -> [Track] {
        let limit = settings.minimumDistance * settings.minimumDistance * 0.25
        var kept: [Track] = []
        kept.reserveCapacity(tracks.count)
        for track in tracks {
            if kept.allSatisfy({ squaredDistance($0.position, track.position) >= limit }) {
                kept.append(track)
            } else {
                report.lostByCrowding += 1
            }
        }
        return kept
    }

    /// Detects corners in the current image, first in cells without features.
    private mutating func refill() {
        guard tracks.count < settings.maximumFeatures else { return }
        let level = current.levels[0]
        let columns = (level.width + detector.side - 1) / detector.side
        let rows = (level.height + detector.side - 1) / detector.side
        var inCell = [Int](repeating: 0, count: columns * rows)
        let side = Float(detector.side)
        for track in tracks { inCell[Int(track.position.y / side) * columns + Int(track.position.x / side)] += 1 }

        var rounds: [[CornerDetector.Corner]] = [[], [], []]
        for cell in inCell.indices where inCell[cell] < rounds.count {
            let found = detector.corners(
                level, x: cell % columns * detector.side, y: cell / columns * detector.side, margin: Int(Self.margin) + 1,
                minimumStrength: settings.minimumCornerStrength, distance: settings.minimumDistance, count: rounds.count - inCell[cell])
            for (k, corner) in found.enumerated() { rounds[inCell[cell] + k].append(corner) }
        }
        let limit = settings.minimumDistance * settings.minimumDistance
        for corners in rounds {
            // Corners of equal strength keep the order of cells.
            for index in corners.indices.sorted(by: { (corners[$1].strength, $0) < (corners[$0].strength, $1) }) {
                guard tracks.count < settings.maximumFeatures else { break }
                let position = corners[index].position
                guard tracks.allSatisfy({ squaredDistance($0.position, position) >= limit }) else { continue }
                tracks.append(Track(id: newID(), position: position, ray: ray(position, current.scale, readoutTurn)))
                report.new += 1
            }
        }
    }
}

// MARK: - Continuity

extension FeatureTracker {
    /// The last frame before nearly all features were lost at once.
    private struct LostView: Sendable {
        var image: ImagePyramid
        var tracks: [Track]
        var readoutTurn: Vector3d
        /// The time of the first frame without the features.
        var time: Double
        /// The camera's rotation since the frame, from a gyroscope; nil if unknown.
        var rotation: Matrix3d?
        /// The number of images that should contain the features but do not.
        var contradictions = 0

        mutating func rotate(_ turn: Matrix3d?) {
            if let turn, let before = rotation { rotation = turn * before } else { rotation = nil }
        }
    }

    /// Keeps the previous frame if nearly all of its features that should be in the image are lost, or many of them while the others move by another
    /// rotation than the gyroscope's.
    private mutating func detectLoss(of before: [Track], _ time: Double) {
        guard isRotationMeasured, let rotation, length(rotation.rotationVector) < settings.maximumRotation else { return }
        let expected = before.count - report.lostAtEdge
        let agrees = report.rotation.map { Self.agrees($0, rotation) } ?? true
        let share = agrees ? settings.lostShare : settings.lostShareOfOtherRotation
        guard expected >= settings.minimumExpected, Float(report.tracked) < share * Float(expected) else { return }
        lostView = LostView(image: previous, tracks: before, readoutTurn: previousReadoutTurn, time: time, rotation: rotation)
    }

    /// Searches the features of the lost view in the current image, where the gyroscope predicts them.
    ///
    /// Occlusion, blur and darkness end soon or change the contrast; then the features are matched. If several images of about the same contrast
    /// contain none of them, the camera is somewhere else.
    private mutating func searchLostView(_ time: Double) {
        guard let view = lostView, let rotation = view.rotation, time - view.time <= settings.maximumGap else {
            lostView = nil
            return
        }
        var (expected, first, second): (Int, [Vector3d], [Vector3d]) = (0, [], [])
        for track in view.tracks {
            guard let predicted = self.predicted(track.ray, rotation), isInside(predicted, slack: -Self.margin) else { continue }
            expected += 1
            guard case .found(let position) = find(track, from: view.image, view.readoutTurn, rotation) else { continue }
            first.append(track.ray)
            second.append(ray(position, current.scale, readoutTurn))
        }
        guard expected >= settings.minimumExpected else { return }
        let focal = 0.5 * (lens.focal.x + lens.focal.y)
        let check = EpipolarCheck(
            first: first, second: second, limit: settings.maximumEpipolarError * Double(current.scale) / focal)
        let found =
            check.search(rotation: rotation).map { motion, inliers in
                // Another motion than the gyroscope's explains overlapping views before and after a cut.
                Self.agrees(motion.rotation, rotation) ? inliers.count { $0 } : 0
            } ?? 0
        if Float(found) >= settings.lostShare * Float(expected) {
            lostView = nil
        } else if min(current.contrast, view.image.contrast) >= settings.comparableContrast * max(current.contrast, view.image.contrast) {
            report.isUncertain = true
            lostView?.contradictions += 1
            if view.contradictions + 1 >= settings.minimumContradictions, time - view.time >= settings.minimumContradictionTime {
                leaveLostView(view)
            }
        }
    }

    /// Whether the features' rotation is that of the gyroscope, but for an error that fast rotation increases, by errors of the clock.
    private static func agrees(_ rotation: Matrix3d, _ measured: Matrix3d) -> Bool {
        length((rotation * measured.transpose).rotationVector) <= 0.03 + 0.1 * length(measured.rotationVector)
    }

    /// The camera views another scene: features from before were matched by chance.
    private mutating func leaveLostView(_ view: LostView) {
        report.discontinuityTime = view.time
        let old = Set(view.tracks.map(\.id))
        tracks.removeAll { old.contains($0.id) }
        (lostView, report.isUncertain) = (nil, false)
    }
}

// MARK: - Access for relocalization

extension FeatureTracker {
    /// The newest image with features.
    var newestPyramid: ImagePyramid { previous }
    var newestLevel: ImagePyramid.Level { previous.levels[0] }
    /// The width of a working pixel in image pixels.
    var workingScale: Int { previous.scale }

    /// Stops tracking some features.
    mutating func remove(_ ids: Set<Int>) {
        if !ids.isEmpty { tracks.removeAll { ids.contains($0.id) } }
    }

    /// Resumes tracking a lost feature at a position in working pixels.
    /// - Returns: The identifier of a feature that is already there; nothing is changed then.
    mutating func resume(_ id: Int, at position: SIMD2<Float>) -> Int? {
        if let existing = tracks.first(where: { squaredDistance($0.position, position) < 9 }) { return existing.id }
        tracks.append(Track(id: id, position: position, ray: ray(position, previous.scale, previousReadoutTurn)))
        tracks.sort { $0.id < $1.id }
        return nil
    }

    /// Changes a feature's identifier.
    mutating func rename(_ id: Int, to newID: Int) {
        guard let index = tracks.firstIndex(where: { $0.id == id }) else { return }
        tracks[index].id = newID
        tracks.sort { $0.id < $1.id }
    }
}
