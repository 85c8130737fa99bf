import VitrineMath
import VitrineVision

/// Relocalization of one frame, in steps of bounded cost that are distributed over several frames.
///
/// Describes the frame's corners, ranks the keyframes by binary codes, matches the descriptors of the most similar ones, and estimates the pose
/// by RANSAC; then matches further landmarks by projection and refines the pose.
struct RelocalizationAttempt: Sendable {
    enum Outcome {
        case running, failed
        case succeeded(RelocalizationMatch)
    }

    private enum Stage { case describing, ranking, matching, solving }

    let settings: RelocalizationSettings
    let frame: FrameFeatures
    /// The tracked pose; only its direction of gravity is used.
    let pose: RigidTransform
    let camera: CameraIntrinsics
    private let keyframes: [Keyframe]

    private var stage = Stage.describing
    private var described = 0
    private var owners = [[Int32]](repeating: [], count: FrameFeatures.sizes.count)
    private var bytes = [[UInt8]](repeating: [], count: FrameFeatures.sizes.count)
    private var descriptors: [LandmarkDescriptors] = []
    private var codes: [[SIMD2<UInt64>]] = []
    private var votes: [Int] = []
    private var candidates: [Int] = []
    private var matchedKeyframes = 0
    private var matches: [GravityAlignedResection.Match] = []
    private var pairs = Set<SIMD2<Int32>>()

    /// - Parameters:
    ///   - keyframes: The keyframes in which to relocalize.
    ///   - expected: The expected pose in the keyframes' submap, if known: keyframes near it are matched first.
    init(
        _ settings: RelocalizationSettings, _ frame: FrameFeatures, at pose: RigidTransform, camera: CameraIntrinsics,
        in keyframes: [Keyframe],
        expected: RigidTransform? = nil
    ) {
        (self.settings, self.frame, self.pose, self.camera, self.keyframes) = (settings, frame, pose, camera, keyframes)
        if let expected { candidates = RelocalizationVerifier.nearest(keyframes, expected, settings) }
    }

    /// Estimated costs in microseconds: constants, so that the same frames give the same steps.
    private enum Cost {
        static let (corner, code, product, solution) = (25.0, 0.0025, 0.007, 3000.0)
    }

    /// Continues for about ``RelocalizationSettings/work`` microseconds.
    mutating func advance() -> Outcome {
        var work = 0.0
        while work < settings.work {
            switch stage {
            case .describing: work += describe()
            case .ranking: work += rank()
            case .matching: work += compare()
            case .solving: return work > 0.5 * settings.work ? .running : solve().map { .succeeded($0) } ?? .failed
            }
        }
        return .running
    }

    // MARK: Describing

    private mutating func describe() -> Double {
        let range = described..<min(frame.corners.count, described + 16)
        for (index, descriptors) in frame.described(at: pose, camera: camera, sizes: FrameFeatures.sizes, range).enumerated() {
            owners[index] += descriptors.owners
            bytes[index] += descriptors.set.bytes
        }
        described = range.upperBound
        if described == frame.corners.count {
            descriptors = owners.indices.map { LandmarkDescriptors(owners: owners[$0], set: DescriptorSet(bytes[$0])) }
            codes = descriptors.map { $0.sampled(below: frame.ids.count, count: settings.rankedFeatures) }
            stage = candidates.isEmpty ? .ranking : .matching
        }
        return Double(range.count) * Cost.corner
    }

    // MARK: Ranking

    private mutating func rank() -> Double {
        guard votes.count < keyframes.count else {
            // Equal ones by index.
            let order = votes.indices.filter { votes[$0] >= 5 }.sorted { (votes[$1], $0) < (votes[$0], $1) }
            // Candidates are of one submap.
            if let best = order.first { candidates = order.filter { keyframes[$0].submap == keyframes[best].submap } }
            candidates = Array(candidates.prefix(settings.candidates))
            stage = .matching
            return 1
        }
        let keyframe = keyframes[votes.count]
        // As near, nearer, farther, and in between.
        let pairs = [(keyframe.small, 0), (keyframe.small, 1), (keyframe.small, 2), (keyframe.large, 0), (keyframe.large, 1)]
        votes.append(pairs.reduce(0) { $0 + $1.0.similarity(codes[$1.1]) })
        return pairs.reduce(10) { $0 + Double($1.0.count * codes[$1.1].count) * Cost.code }
    }

    // MARK: Matching

    private mutating func compare() -> Double {
        guard matchedKeyframes < candidates.count else {
            stage = .solving
            return 0
        }
        let keyframe = keyframes[candidates[matchedKeyframes]]
        matchedKeyframes += 1
        var work = 0.0
        for (kept, new) in FrameFeatures.descriptorPairs {
            let (mine, theirs) = (descriptors[new], kept == 0 ? keyframe.small : keyframe.large)
            work += Double(mine.count * theirs.count) * Cost.product
            for match in mine.set.matches(theirs.set, ratio: settings.ratio) {
                let (corner, point) = (mine.owners[match.first], theirs.owners[match.second])
                // Points of several views have the same number.
                let name = SIMD2(corner, point + Int32(matchedKeyframes) << 16)
                guard pairs.insert(name).inserted else { continue }
                matches.append(GravityAlignedResection.Match(frame, Int(corner), pose, camera, keyframe, Int(point)))
            }
        }
        return work
    }

    // MARK: Solving

    private func solve() -> RelocalizationMatch? {
        guard let first = candidates.first else { return nil }
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        let solver = GravityAlignedResection(tolerance: settings.tolerance / focal, tilt: settings.tilt / 3, seed: settings.seed)
        guard let result = solver.solve(matches) else { return nil }
        let matched = Set(matches.map(\.feature)).count
        guard isAccepted(result, matched) else { return nil }
        let known = keyframes.indices.filter { keyframes[$0].submap == keyframes[first].submap }.map { keyframes[$0] }
        let verifier = RelocalizationVerifier(frame: frame, pose: pose, camera: camera, descriptors: descriptors, settings: settings)
        let visible = verifier.visibleLandmarks(
            known, from: RigidTransform(rotation: result.rotation * pose.rotation, translation: result.center))
        var better = result
        if let refined = solver.refined(result, with: visible.matches), refined.inliers.count >= result.inliers.count { better = refined }
        guard visible.share >= settings.minimumVisibleShare else { return nil }
        return RelocalizationMatch(
            time: frame.time, worldFromCamera: RigidTransform(rotation: better.rotation * pose.rotation, translation: better.center),
            covariance: better.covariance, inliers: better.inliers.count, matched: matched, visibleShare: visible.share,
            submap: keyframes[first].submap)
    }

    private func isAccepted(_ result: GravityAlignedResection.Result, _ matched: Int) -> Bool {
        guard result.support >= Double(settings.minimumInliers), result.support >= settings.minimumInlierShare * Double(matched) else {
            return false
        }
        guard length(cross(Vector3d(0, 1, 0), result.rotation.y)) < settings.tilt, result.rotation.y.y > 0 else { return false }
        var parts = Set<Int>()
        for index in result.inliers {
            let pixel = Vector2d(frame.corners[matches[index].feature] * frame.scale)
            let column = min(max(Int(4 * pixel.x / Double(camera.width)), 0), 3)
            parts.insert(column + 4 * min(max(Int(3 * pixel.y / Double(camera.height)), 0), 2))
        }
        return parts.count >= settings.minimumCoverage
    }
}

/// The result of relocalizing a frame.
struct RelocalizationMatch: Equatable, Sendable {
    /// Capture time on the camera's clock.
    var time: Double
    /// In the keyframes' submap.
    var worldFromCamera: RigidTransform
    /// Rotation about the world's axes (radians), then position (metres); 6×6 in row order.
    var covariance: [Double]
    /// Number of inliers, and of features with a match.
    var inliers: Int
    var matched: Int
    /// The share of the nearest keyframes' landmarks that are matched at their projections.
    var visibleShare: Double
    /// The keyframes' submap.
    var submap: Int
}
