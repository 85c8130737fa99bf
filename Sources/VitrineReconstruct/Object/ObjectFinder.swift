import VitrineMath
import VitrineVision

/// Segments the object from its support plane and background, and finds its up direction, box and placement.
///
/// ```swift
/// let placement = try ObjectFinder().find(ObjectEvidence(photos: photos, points: points, views: views))
/// let publicFromReconstruction = placement.publicFromReconstruction
/// ```
/// Up comes from gravity or camera roll, and from the support plane if there is one. The object is the cluster of points above the support
/// plane that the cameras are aimed at; without a support plane, the points near the focus. For a part of something larger that was
/// photographed from one side, such as an object on a wall, it is the part that most photos show.
struct ObjectFinder: Sendable {
    struct Options: Sendable {
        /// Keeps the whole scene: the box contains all points. Default: false.
        var keepsEverything = false
        /// Metres in a unit of the reconstruction, and its source; nil: the object's longest side becomes 1.
        var scale: (metresPerUnit: Double, source: ObjectPlacement.ScaleSource)?
        /// A given box, mapper's frame; only the placement is computed.
        var box: OrientedBox?
        /// A box that contains the object and little else, as a capture session tracked it; mapper's frame. The object's points lie near it.
        var hint: OrientedBox?
        /// Whether the photos show only the object, by given masks or before a static background: a plane belongs to it, such as the top of its base.
        var isMasked = false
        /// The static background of each photo of the evidence, if it made the masks: a plane that continues into it is a table. Empty: none.
        var backgrounds: [StaticBackground?] = []
        /// The up direction if all points belong to the object, as in photos of several passes; nil: the object is segmented. Unit, mapper's frame.
        var objectUp: Vector3d?
        /// The margin of the box around the points, as a fraction of each side. Default: 0.06 (points at edges are rare).
        var margin = 0.06

        init() {}
    }

    enum Failure: Error, Equatable, Sendable {
        /// No photo is aligned.
        case noCameras
        /// There are fewer points than a box needs.
        case tooFewPoints(Int)
    }

    var options: Options

    init(options: Options = Options()) { self.options = options }

    func find(_ evidence: ObjectEvidence) throws(Failure) -> ObjectPlacement {
        guard !evidence.photos.isEmpty else { throw .noCameras }
        let finite = evidence.points.count { $0.isFinite }
        guard finite >= 8, let focus = FocusFinder().find(evidence) else { throw .tooFewPoints(finite) }
        var warnings: [String] = []
        var (up, support): (UpFinder.Result, SupportPlaneFinder.Result?)
        var standsOnBottom = false
        if let given = options.objectUp {
            (up, support) = (UpFinder.Result(up: given, source: .supportPlane, spread: 0), nil)
        } else {
            up = UpFinder().find(evidence.photos, focus: focus.point)
            if let axis = turntableAxis(evidence, near: up.up) { up = UpFinder.Result(up: axis, source: .turntable, spread: 0) }
            (support, standsOnBottom) = findSupport(evidence, up: &up, focus: focus)
        }
        if up.source == .unknown { warnings.append("The photos do not agree on which way is up; the model may be tilted.") }
        if up.isSideways { warnings.append("The photos seem to lie on their side; up is taken to be towards the cameras.") }
        let found = findBox(evidence, focus: focus, up: up.up, support: &support, warnings: &warnings)
        if standsOnBottom { warnings.removeAll { $0 == Self.noSupportWarning } }
        if found.confidence < 0.3 { warnings.append("The object cannot be segmented reliably from its surroundings.") }
        let towards = viewedDirection(evidence, up: up.up) ?? evidence.photos[0].camera.centerInWorld - found.box.center
        let transform = publicTransform(box: found.box, up: up.up, towards: towards)
        let isOneSided = ObjectCluster(evidence: evidence, focus: focus, up: up.up, support: support).sideOfCameras() != nil
        var placement = ObjectPlacement(
            up: up.up, upSource: up.source, supportPlane: support?.plane, box: found.box, subject: found.subject,
            isSeenFromOneSide: isOneSided,
            publicFromReconstruction: transform, scaleSource: options.scale?.source ?? .unitSize, confidence: found.confidence,
            warnings: warnings)
        placement.standsOnBottom = standsOnBottom && found.subject == .object
        placement.observesGround = placement.standsOnBottom && !options.isMasked
        return placement
    }

    /// The distance by which the object may extend beyond a tracked box: parts without tracked points.
    private static let hintReach = 1.3
    static let noSupportWarning = "No support plane was found under the object; it is segmented by the photos' focus."

    private struct Found {
        var box: OrientedBox
        var confidence: Double
        var subject = ObjectPlacement.Subject.object
    }

    /// Searches for the object's box.
    ///
    /// - Parameter support: Becomes nil if the support plane is not cut off.
    private func findBox(
        _ evidence: ObjectEvidence, focus: FocusFinder.Result, up: Vector3d, support: inout SupportPlaneFinder.Result?,
        warnings: inout [String]
    ) -> Found {
        if let box = options.box { return Found(box: box, confidence: 1) }
        let lying = ObjectCluster(evidence: evidence, focus: focus, up: up, support: nil)
        if options.objectUp != nil {
            let points = evidence.points.filter { $0.isFinite }
            return Found(box: lying.box(around: points, shares: 0.002, margin: options.margin, bottom: nil), confidence: 1)
        }
        if options.keepsEverything {
            support = nil
            return Found(box: lying.boxOfEverything(), confidence: 1, subject: .everything)
        }
        var standing = ObjectCluster(evidence: evidence, focus: focus, up: up, support: support)
        if let hint = options.hint {
            standing.hint = hint.scaled(by: Self.hintReach)
            if let object = standing.find(margin: options.margin) { return Found(box: object.box, confidence: object.confidence) }
            // The object has too little texture for points: uses the box of the capture session.
            return Found(box: hint.scaled(by: 1.05), confidence: 0.5)
        }
        let object = standing.find(margin: options.margin)
        if let side = standing.viewedSide(around: object?.box) {
            // The ground is part of the view.
            support = nil
            warnings.append(
                "The photos show one side of something that is not free-standing; it is kept with its surroundings, cut straight.")
            return Found(box: side.box, confidence: 1, subject: .view)
        }
        if let object {
            if support == nil { warnings.append(Self.noSupportWarning) }
            return Found(box: object.box, confidence: object.confidence)
        }
        if support != nil {
            support = nil
            warnings.append(
                "The object cannot be segmented from its support plane: it is too flat, plain or shiny; the support plane is kept.")
        }
        let found = lying.find(margin: options.margin) ?? (lying.boxAtFocus(), 0)
        return Found(box: found.box, confidence: found.confidence)
    }

    /// The plane that is cut off under the object, whose normal is a better up direction than the cameras' roll. nil if there is none, or if the object
    /// ends at its lowest points: then everything in masks, or a base, belongs to it.
    private func findSupport(
        _ evidence: ObjectEvidence, up: inout UpFinder.Result, focus: FocusFinder.Result
    ) -> (plane: SupportPlaneFinder.Result?, standsOnBottom: Bool) {
        guard !options.keepsEverything || up.source != .gravity else { return (nil, false) }
        let largestTilt: Double =
            switch up.source {
            case .gravity: 8 * .pi / 180
            case .cameraRoll, .supportPlane: 18 * .pi / 180
            case .turntable: 0.01
            case .unknown: 60 * .pi / 180
            }
        let finder = SupportPlaneFinder(
            up: up.up, largestTilt: largestTilt, isLevel: up.source == .turntable, focus: focus,
            eyes: evidence.photos.map(\.camera.centerInWorld))
        var points = evidence.points.filter { $0.isFinite }
        guard var support = finder.find(points) else { return (nil, standsUnobserved(evidence, up: up, focus: focus)) }
        if up.source != .turntable {
            up = UpFinder.Result(up: support.plane.normal, source: .supportPlane, spread: up.spread, isSideways: up.isSideways)
        }
        guard !options.keepsEverything else { return (support, false) }
        if options.isMasked, options.backgrounds.isEmpty { return (nil, true) }
        // A base may have several steps.
        var baseRadius = 0.0
        for _ in 0..<Self.mostSteps {
            let judge = BaseJudge(evidence: evidence, focus: focus, support: support)
            // A table extends beyond the base on it; a level slice of the base's sides does not.
            if judge.radius < 1.15 * baseRadius { return (nil, true) }
            guard judge.isBase else {
                // In masks, a plane is a table only if it is seen to continue, by a camera at rest.
                let isTable = !options.isMasked || up.source == .turntable && judge.continues(into: options.backgrounds)
                return isTable ? (support, false) : (nil, true)
            }
            baseRadius = max(baseRadius, judge.radius)
            points.removeAll { support.plane.signedDistance(to: $0) > -3 * support.thickness }
            let level = SupportPlaneFinder(
                up: up.up, largestTilt: 4 * .pi / 180, isLevel: finder.isLevel, focus: focus, eyes: finder.eyes)
            guard let lower = level.find(points) else { return (nil, true) }
            support = lower
        }
        return (nil, true)
    }

    private static let mostSteps = 6

    /// The axis of a turntable, by the photos of the camera position with most photos before a static background.
    private func turntableAxis(_ evidence: ObjectEvidence, near up: Vector3d) -> Vector3d? {
        guard options.backgrounds.count == evidence.photos.count else { return nil }
        var groups: [(background: StaticBackground, eyes: [Vector3d])] = []
        for (photo, background) in zip(evidence.photos, options.backgrounds) {
            guard let background else { continue }
            let eye = photo.camera.centerInWorld
            if let own = groups.firstIndex(where: { $0.background == background }) {
                groups[own].eyes.append(eye)
            } else {
                groups.append((background, [eye]))
            }
        }
        return groups.max { $0.eyes.count < $1.eyes.count }.flatMap { UpFinder.turntableAxis($0.eyes, near: up) }
    }

    /// Whether the object ends, flat and unobserved, at its lowest points although no plane is observed: photos from above that show nothing else.
    private func standsUnobserved(_ evidence: ObjectEvidence, up: UpFinder.Result, focus: FocusFinder.Result) -> Bool {
        guard options.isMasked, !options.keepsEverything, up.source != .unknown else { return false }
        return evidence.photos.allSatisfy { dot($0.camera.centerInWorld - focus.point, up.up) > 0 }
    }

    /// Horizontal, from the object towards the cameras: the mean direction opposite to the cameras' viewing directions. nil if they surround the object;
    /// a ring of cameras with a gap of a quarter is all around.
    private func viewedDirection(_ evidence: ObjectEvidence, up: Vector3d) -> Vector3d? {
        let directions = evidence.photos.map { photo in
            let backward = photo.camera.cameraFromWorld.rotation.transpose * Vector3d(0, 0, -1)
            return backward - up * dot(backward, up)
        }
        let sum = directions.reduce(.zero, +)
        let lengths = directions.reduce(0) { $0 + length($1) }
        return lengths > 0 && length(sum) > 0.32 * lengths ? sum : nil
    }

    /// +Y up, the box's bottom in y = 0, its middle over the origin, and +Z towards the side nearest to `towards`.
    func publicTransform(box: OrientedBox, up: Vector3d, towards: Vector3d) -> SimilarityTransform {
        let scale = options.scale?.metresPerUnit ?? (box.longestSide > 0 ? 1 / box.longestSide : 1)
        let sides = [box.axes.x, box.axes.z, -box.axes.x, -box.axes.z].map { side in side - up * dot(side, up) }
        var front = sides[0]
        for side in sides where dot(side, towards) > dot(front, towards) + 1e-12 { front = side }
        front = length(front) > 1e-9 ? normalize(front) : normalize(cross(up, anyPerpendicular(up)))
        let rotation = Matrix3d(rows: cross(up, front), up, front)
        // A given box may lean: its lowest corner stands on the ground then.
        let bottom = box.corners.map { dot($0, up) }.min() ?? 0
        let base = box.center + up * (bottom - dot(box.center, up))
        return SimilarityTransform(scale: scale, rotation: rotation, translation: -(rotation * base * scale))
    }
}
