import VitrineMath
import VitrineVision

/// How a place is found again, and where exactly.
extension Places {
    /// The newest picture becomes the one that is looked for.
    mutating func look(_ view: PlaceView, _ pose: RigidTransform, _ camera: CameraIntrinsics) {
        let (world, lately) = (world, finds.last?.match.world)
        let wanted = joined?.views ?? keyframes.filter { $0.world != world && (lately == nil || $0.world == lately) }
        // Where it was found lately it probably still is.
        let expected = joined != nil ? pose : finds.last.map { $0.move * pose }
        search = PlaceSearch(settings, view, at: pose, camera: camera, in: wanted, expected: expected)
    }

    /// Corners of the picture that aren't followed, the strongest of each cell.
    mutating func corners(beside tracks: [FeatureTracker.Track], _ pyramid: ImagePyramid) -> [SIMD2<Float>] {
        let level = pyramid.levels[0]
        let (side, most) = (finder.side, max(0, settings.corners - tracks.count))
        var found: [CornerFinder.Corner] = []
        for y in stride(from: 0, to: level.height, by: side) {
            for x in stride(from: 0, to: level.width, by: side) {
                found += finder.corners(level, x: x, y: y, margin: 9, weakest: 6, distance: 6, most: 4)
            }
        }
        let others = found.filter { corner in tracks.allSatisfy { squaredDistance($0.place, corner.place) > 9 } }
        return others.indices.sorted { (others[$1].strength, $0) < (others[$0].strength, $1) }.prefix(most).map { others[$0].place }
    }

    /// Goes on with the look.
    ///
    /// - Returns: the move, where enough finds agree on it.
    mutating func goOn(_ pose: RigidTransform) -> RigidTransform? {
        guard var going = search else { return nil }
        search = nil
        switch going.advance() {
        case .going:
            search = going
            return nil
        case .nothing:
            counts.looks += 1
            lastMatch = nil
            // Not where it was expected: everywhere, then.
            if joined == nil { finds = [] }
            return nil
        case .found(let match):
            counts.looks += 1
            counts.finds += 1
            lastMatch = match
            finds.append(Find(match: match, pose: going.pose, move: Self.levelMove(from: going.pose, to: match.worldFromCamera)))
            return joined == nil ? believed(pose) : corrected(pose)
        }
    }

    /// The move, where enough points of several finds agree on it.
    private mutating func believed(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = finds.last else { return nil }
        finds = finds.filter { agree($0, newest) }
        guard finds.count >= 2, finds.reduce(0, { $0 + $1.match.agreeing }) >= settings.enoughAgreeing else { return nil }
        let move = mean(finds, at: pose)
        join(newest.match.world, by: move)
        return move
    }

    private func agree(_ a: Find, _ b: Find) -> Bool {
        guard a.match.world == b.match.world else { return false }
        let apart = length(a.move * b.pose.translation - b.move * b.pose.translation)
        return apart < settings.agreement && length((a.move.rotation.transpose * b.move.rotation).rotationVector) < settings.turnAgreement
    }

    /// A better move, where the newest finds tell it.
    private mutating func corrected(_ pose: RigidTransform) -> RigidTransform? {
        guard let newest = finds.last else { return nil }
        // It is known by now about where the world lies.
        let off = length(newest.move * newest.pose.translation - newest.pose.translation)
        if off > 2 * settings.agreement || length(newest.move.rotation.rotationVector) > 2 * settings.turnAgreement { finds.removeLast() }
        finds = finds.suffix(4)
        guard finds.count == 4 else { return nil }
        let move = mean(finds, at: pose)
        let (shift, turn) = (length(move * pose.translation - pose.translation), length(move.rotation.rotationVector))
        guard shift > settings.correction || turn > settings.turnCorrection else { return nil }
        apply(move)
        finds = []
        counts.corrections += 1
        return move
    }

    /// The turn about +Y and the move that take one pose's place to another's, and its heading.
    static func levelMove(from old: RigidTransform, to new: RigidTransform) -> RigidTransform {
        let turn = OrientationEstimator.headingTurn(from: old.rotation, to: new.rotation)
        return RigidTransform(rotation: turn, translation: new.translation - turn * old.translation)
    }

    /// Between level moves, for what is near a pose: the more features agreed, the more a find counts.
    private func mean(_ finds: [Find], at pose: RigidTransform) -> RigidTransform {
        let weights = finds.map { Double(min($0.match.agreeing, 100)) }
        let total = weights.reduce(0, +)
        let first = finds[0].move
        var (turn, place) = (Vector3d.zero, Vector3d.zero)
        for (find, weight) in zip(finds, weights) {
            turn += (find.move.rotation * first.rotation.transpose).rotationVector * (weight / total)
            place += (find.move * pose.translation) * (weight / total)
        }
        let rotation = Matrix3d.rotation(turn) * first.rotation
        return RigidTransform(rotation: rotation, translation: place - rotation * pose.translation)
    }

    /// The world that is being followed becomes part of another. For some seconds it is looked where exactly.
    private mutating func join(_ other: Int, by move: RigidTransform) {
        counts.believed += 1
        apply(move)
        joined = (other, keyframes.filter { $0.world == other }, (finds.last?.match.time ?? 0) + settings.refinement)
        if other == 0 { isGiven = false }
    }

    private mutating func apply(_ move: RigidTransform) {
        search = nil
        for index in bundles.indices { bundles[index].move(by: move) }
        for index in open.indices { open[index].move(by: move) }
        for index in keyframes.indices where keyframes[index].world == world { keyframes[index].move(by: move) }
        for index in finds.indices {
            // What was found stays where it is; the poses that it is compared with have moved.
            finds[index].pose = move * finds[index].pose
            finds[index].move = finds[index].move * move.inverse
        }
    }

    /// It is known well enough where the world lies in the other: both are one from now on.
    mutating func merge() {
        guard let joined else { return }
        for index in keyframes.indices where keyframes[index].world == world { keyframes[index].world = joined.world }
        world = joined.world
        (self.joined, search, finds) = (nil, nil, [])
    }
}
