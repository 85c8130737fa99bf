import VitrineMath
import VitrineVision

/// The search for where one picture was taken from, in pieces of about a millisecond, so that no picture waits for all of it.
///
/// The picture's corners are described; all views are ranked by the signs of their descriptors; the most similar ones are compared in full; pairs of
/// corners and points give the place, and the place more such pairs, and itself better.
struct PlaceSearch: Sendable {
    enum Outcome {
        case going, nothing
        case found(PlaceMatch)
    }

    private enum Stage { case describing, ranking, matching, solving }

    let settings: PlaceSettings
    let view: PlaceView
    /// Only the turn counts, and of it only how it stands to gravity.
    let pose: RigidTransform
    let camera: CameraIntrinsics
    private let keyframes: [PlaceKeyframe]

    private var stage = Stage.describing
    private var described = 0
    private var owners = [[Int32]](repeating: [], count: PlaceView.sizes.count)
    private var bytes = [[UInt8]](repeating: [], count: PlaceView.sizes.count)
    private var looks: [PlaceDescriptors] = []
    private var codes: [[SIMD2<UInt64>]] = []
    private var votes: [Int] = []
    private var candidates: [Int] = []
    private var compared = 0
    private var matches: [PlacePose.Match] = []
    private var seen = Set<SIMD2<Int32>>()

    /// - Parameters:
    ///   - keyframes: the views that the place may be one of.
    ///   - expected: about where the picture was taken from, in the views' world, where that is known: views from there are looked at first.
    init(
        _ settings: PlaceSettings, _ view: PlaceView, at pose: RigidTransform, camera: CameraIntrinsics, in keyframes: [PlaceKeyframe],
        expected: RigidTransform? = nil
    ) {
        (self.settings, self.view, self.pose, self.camera, self.keyframes) = (settings, view, pose, camera, keyframes)
        if let expected { candidates = PlaceSight.nearest(keyframes, expected, settings) }
    }

    /// What a piece costs, in microseconds of a usual processor: counted, not measured, so that the same pictures give the same pieces.
    private enum Cost {
        static let (corner, code, product, solution) = (25.0, 0.0025, 0.007, 3000.0)
    }

    /// Goes on for about ``PlaceSettings/work`` microseconds.
    mutating func advance() -> Outcome {
        var work = 0.0
        while work < settings.work {
            switch stage {
            case .describing: work += describe()
            case .ranking: work += rank()
            case .matching: work += compare()
            case .solving: return work > 0.5 * settings.work ? .going : solve().map { .found($0) } ?? .nothing
            }
        }
        return .going
    }

    // MARK: Describing

    private mutating func describe() -> Double {
        let range = described..<min(view.corners.count, described + 16)
        for (index, looks) in view.described(at: pose, camera: camera, sizes: PlaceView.sizes, range).enumerated() {
            owners[index] += looks.owners
            bytes[index] += looks.set.bytes
        }
        described = range.upperBound
        if described == view.corners.count {
            looks = owners.indices.map { PlaceDescriptors(owners: owners[$0], set: DescriptorSet(bytes[$0])) }
            codes = looks.map { $0.sampled(below: view.ids.count, most: settings.rankedFeatures) }
            stage = candidates.isEmpty ? .ranking : .matching
        }
        return Double(range.count) * Cost.corner
    }

    // MARK: Choosing views

    private mutating func rank() -> Double {
        guard votes.count < keyframes.count else {
            // Equal ones by their number.
            let order = votes.indices.filter { votes[$0] >= 5 }.sorted { (votes[$1], $0) < (votes[$0], $1) }
            // Worlds aren't mixed: that of the best counts.
            if let best = order.first { candidates = order.filter { keyframes[$0].world == keyframes[best].world } }
            candidates = Array(candidates.prefix(settings.candidates))
            stage = .matching
            return 1
        }
        let keyframe = keyframes[votes.count]
        // As near, nearer, farther, and in between.
        let pairs = [(keyframe.small, 0), (keyframe.small, 1), (keyframe.small, 2), (keyframe.large, 0), (keyframe.large, 1)]
        votes.append(pairs.reduce(0) { $0 + $1.0.likeness(codes[$1.1]) })
        return pairs.reduce(10) { $0 + Double($1.0.count * codes[$1.1].count) * Cost.code }
    }

    // MARK: Comparing

    private mutating func compare() -> Double {
        guard compared < candidates.count else {
            stage = .solving
            return 0
        }
        let keyframe = keyframes[candidates[compared]]
        compared += 1
        var work = 0.0
        for (kept, new) in PlaceView.pairs {
            let (mine, theirs) = (looks[new], kept == 0 ? keyframe.small : keyframe.large)
            work += Double(mine.count * theirs.count) * Cost.product
            for match in mine.set.matches(theirs.set, ratio: settings.ratio) {
                let (corner, point) = (mine.owners[match.first], theirs.owners[match.second])
                // Points of several views have the same number.
                let name = SIMD2(corner, point + Int32(compared) << 16)
                guard seen.insert(name).inserted else { continue }
                matches.append(PlacePose.Match(view, Int(corner), pose, camera, keyframe, Int(point)))
            }
        }
        return work
    }

    // MARK: Solving

    private func solve() -> PlaceMatch? {
        guard let first = candidates.first else { return nil }
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        let solver = PlacePose(tolerance: settings.tolerance / focal, tilt: settings.tilt / 3, seed: settings.seed)
        guard let result = solver.solve(matches) else { return nil }
        let matched = Set(matches.map(\.feature)).count
        guard isBelieved(result, matched) else { return nil }
        let known = keyframes.indices.filter { keyframes[$0].world == keyframes[first].world }.map { keyframes[$0] }
        let sight = PlaceSight(view: view, pose: pose, camera: camera, looks: looks, settings: settings)
        let seen = sight.seen(known, from: RigidTransform(rotation: result.rotation * pose.rotation, translation: result.center))
        var better = result
        if let refined = solver.refined(result, with: seen.matches), refined.agreeing.count >= result.agreeing.count { better = refined }
        guard seen.share >= settings.leastSeen else { return nil }
        return PlaceMatch(
            time: view.time, worldFromCamera: RigidTransform(rotation: better.rotation * pose.rotation, translation: better.center),
            covariance: better.covariance, agreeing: better.agreeing.count, matched: matched, seen: seen.share,
            world: keyframes[first].world)
    }

    private func isBelieved(_ result: PlacePose.Result, _ matched: Int) -> Bool {
        guard result.support >= Double(settings.leastAgreeing), result.support >= settings.leastShare * Double(matched) else {
            return false
        }
        guard length(cross(Vector3d(0, 1, 0), result.rotation.y)) < settings.tilt, result.rotation.y.y > 0 else { return false }
        var parts = Set<Int>()
        for index in result.agreeing {
            let pixel = Vector2d(view.corners[matches[index].feature] * view.scale)
            let column = min(max(Int(4 * pixel.x / Double(camera.width)), 0), 3)
            parts.insert(column + 4 * min(max(Int(3 * pixel.y / Double(camera.height)), 0), 2))
        }
        return parts.count >= settings.leastSpread
    }
}

/// Where a picture of a known place was taken from.
public struct PlaceMatch: Equatable, Sendable {
    /// Of the picture, on the camera's clock.
    public var time: Double
    /// In the world of the views that know the place.
    public var worldFromCamera: RigidTransform
    /// Rotation (radians, about the world's axes), then position (metres): 6×6 by rows.
    public var covariance: [Double]
    /// How many points agree, and how many were thought to be seen.
    public var agreeing: Int
    public var matched: Int
    /// The share of the nearest views' points that are seen where they must be.
    public var seen: Double
    /// Which world that is.
    var world: Int
}
