import VitrineMath
import VitrineVision

/// The places that a tracker has seen, and what it does to know them again.
///
/// Twice a second at most, and only from where nothing like it was seen, a view is kept: the features of the picture with
/// descriptors, and the places of their points, which follow from the rays of all pictures that showed them. Where the world was lost, or
/// another one is given, pictures are compared with the views: the most similar ones give pairs of features and points, and these the place.
/// Two finds that agree are believed.
///
/// A world that begins after a loss lies somewhere near the old one. Its views are told apart by a number (``PlaceKeyframe/world``) until it
/// is found where it lies; then it becomes part of the old world.
struct Places: Sendable {
    let settings: PlaceSettings
    /// In the order in which they were kept.
    private(set) var keyframes: [PlaceKeyframe] = []
    /// The world that is being followed, and the number of the next one. What is looked for is world 0.
    private(set) var world = 0
    private var nextWorld = 1
    /// Whether world 0 was given, and hasn't been found yet.
    private(set) var isGiven = false
    /// What the newest look found; nil where nothing.
    private(set) var lastMatch: PlaceMatch?
    /// How often was looked, something found, and believed.
    private(set) var counts = (looks: 0, finds: 0, believed: 0)

    private var open: [OpenKeyframe] = []
    /// Of the features that are followed, by rising id.
    private var bundles: [RayBundle] = []
    private var noise = 0.002
    /// Views of pictures whose pose isn't known yet.
    private var waiting: [PlaceView] = []
    private var lastKept = -Double.infinity
    private var lastLook = -Double.infinity
    /// What was found once, until it is found again: how the world would have to be moved, and where the camera was then.
    private var doubtful: (move: RigidTransform, world: Int)?

    init(_ settings: PlaceSettings) { self.settings = settings }

    /// Whether a known place is being looked for.
    var isLooking: Bool { world != 0 && keyframes.contains { $0.world == 0 } }

    // MARK: Pictures

    /// Looks at the newest picture, where it is time to.
    ///
    /// - Parameters:
    ///   - pose: about where it was taken from; nil where the world isn't known.
    mutating func see(_ tracks: [FeatureTracker.Track], _ pyramid: ImagePyramid, time: Double, near pose: RigidTransform?) {
        guard settings.isOn, let pose, tracks.count >= settings.leastPoints else { return }
        let isForKeeping = !(time - lastKept < settings.interval) && isNew(pose)
        let isForFinding = isLooking && !(time - lastLook < settings.lookInterval)
        guard isForKeeping || isForFinding else { return }
        if isForKeeping { lastKept = time }
        if isForFinding { lastLook = time }
        waiting.append(PlaceView(tracks, pyramid, time: time, isForKeeping: isForKeeping, isForFinding: isForFinding))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// A picture's pose is known.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - sights: what the picture shows, by rising id.
    /// - Returns: how the world has to be moved where it was found again: about +Y, and to another place.
    mutating func settle(time: Double, pose: RigidTransform, sights: [InitializationWindow.Sight], camera: TrackingCamera)
        -> RigidTransform?
    {
        guard settings.isOn else { return nil }
        noise = 1 / min(camera.focal.x, camera.focal.y)
        follow(sights, pose)
        close(at: time)
        guard let index = waiting.firstIndex(where: { $0.time == time }) else { return nil }
        let view = waiting[index]
        waiting.removeFirst(index + 1)
        if view.isForKeeping { open.append(OpenKeyframe(view, at: pose)) }
        return view.isForFinding ? look(view, pose, sights, camera) : nil
    }

    /// The pose isn't to be relied on: nothing is kept meanwhile.
    mutating func doubt(at time: Double) {
        for bundle in bundles { end(bundle) }
        bundles = []
        waiting.removeAll { $0.time <= time }
    }

    /// The world was lost: what comes lies in another one.
    mutating func lose(at time: Double) {
        doubt(at: time)
        closeAll()
        doubtful = nil
        guard keyframes.contains(where: { $0.world == world }) else { return }
        world = nextWorld
        nextWorld += 1
    }

    // MARK: Maps

    /// Looks for a world that was kept. What is known so far is forgotten.
    mutating func find(_ map: PlaceMap) {
        self = Places(settings)
        keyframes = map.keyframes.suffix(settings.most)
        for index in keyframes.indices { keyframes[index].world = 0 }
        (world, nextWorld, isGiven) = (1, 2, !keyframes.isEmpty)
    }

    /// The views of the world that is being followed; of the one before where it has none yet.
    var map: PlaceMap {
        var places = self
        places.closeAll()
        let present = places.keyframes.filter { $0.world == places.world }
        return PlaceMap(keyframes: present.isEmpty ? places.keyframes.filter { $0.world == 0 } : present)
    }

    /// How well the place is known that a camera sees.
    func familiarity(of pose: RigidTransform) -> PlaceFamiliarity {
        let own = keyframes.filter { $0.world == world }
        let near = own.count { $0.strangeness(of: pose, reach: 3 * settings.way * $0.depth, turn: 2.5 * settings.turn) < 1 }
        return near >= 2 ? .mapped : own.count >= 3 ? .extending : .limited
    }

    // MARK: Keeping

    private func isNew(_ pose: RigidTransform) -> Bool {
        let (way, turn) = (settings.way, settings.turn)
        if let last = open.last {
            let cosine = dot(pose.rotation.z, last.worldFromCamera.rotation.z)
            // Its depths aren't known yet: those of the view before are near enough.
            let reach = way * (keyframes.last?.depth ?? 2)
            if length(pose.translation - last.worldFromCamera.translation) < reach, cosine > 1 - turn * turn / 2 { return false }
        }
        return keyframes.allSatisfy { $0.world != world || $0.strangeness(of: pose, reach: way * $0.depth, turn: turn) >= 1 }
    }

    /// Adds the picture's rays to those of the features' points.
    private mutating func follow(_ sights: [InitializationWindow.Sight], _ pose: RigidTransform) {
        var followed: [RayBundle] = []
        followed.reserveCapacity(sights.count)
        var old = 0
        for sight in sights {
            while old < bundles.count, bundles[old].id < sight.id {
                end(bundles[old])
                old += 1
            }
            let direction = pose.rotation * InitializationWindow.ray(sight.normalized)
            if old < bundles.count, bundles[old].id == sight.id {
                bundles[old].add(center: pose.translation, direction: direction)
                followed.append(bundles[old])
                old += 1
            } else {
                followed.append(RayBundle(id: sight.id, center: pose.translation, direction: direction))
            }
        }
        while old < bundles.count {
            end(bundles[old])
            old += 1
        }
        bundles = followed
    }

    private mutating func end(_ bundle: RayBundle) {
        guard !open.isEmpty else { return }
        let point = point(bundle)
        for index in open.indices { open[index].end(bundle.id, point) }
    }

    private func point(_ bundle: RayBundle) -> Vector3d? { bundle.point(noise: noise, depthDeviation: settings.depthDeviation) }

    /// Keeps the views that have waited for their points.
    private mutating func close(at time: Double) {
        while let first = open.first, time - first.time > settings.patience || first.followed == 0 {
            open.removeFirst()
            keep(first)
        }
    }

    private mutating func closeAll() {
        let waiting = open
        open = []
        for view in waiting { keep(view) }
    }

    private mutating func keep(_ view: OpenKeyframe) {
        let bundles = bundles
        func place(_ id: Int) -> Vector3d? { bundles.first { $0.id == id }.flatMap(point) }
        guard let keyframe = view.keyframe(least: settings.leastPoints, most: settings.mostPoints, world: world, places: place) else {
            return
        }
        keyframes.append(keyframe)
        if keyframes.count > settings.most { dropMostOrdinary() }
    }

    /// The view that has another one nearest to it goes, the older of the two.
    private mutating func dropMostOrdinary() {
        var (ordinary, least) = (0, Double.infinity)
        for (index, keyframe) in keyframes.enumerated() {
            let reach = settings.way * keyframe.depth
            for other in keyframes[(index + 1)...] where other.world == keyframe.world {
                let strangeness = keyframe.strangeness(of: other.worldFromCamera, reach: reach, turn: settings.turn)
                if strangeness < least { (ordinary, least) = (index, strangeness) }
            }
        }
        keyframes.remove(at: ordinary)
    }

    // MARK: Finding

    private mutating func look(
        _ view: PlaceView, _ pose: RigidTransform, _ sights: [InitializationWindow.Sight], _ camera: TrackingCamera
    ) -> RigidTransform? {
        counts.looks += 1
        var rays = [Vector3d?](repeating: nil, count: view.ids.count)
        var next = 0
        for sight in sights {
            while next < view.ids.count, view.ids[next] < sight.id { next += 1 }
            if next < view.ids.count, view.ids[next] == sight.id { rays[next] = InitializationWindow.ray(sight.normalized) }
        }
        let query = PlaceFinder.Query(view: view, rays: rays, worldFromCamera: pose, camera: camera)
        let world = world
        lastMatch = PlaceFinder(settings: settings).find(query, in: keyframes) { $0.world != world }
        guard let match = lastMatch else { return nil }
        counts.finds += 1
        return believed(match, pose)
    }

    /// The move, where two finds agree on it.
    private mutating func believed(_ match: PlaceMatch, _ pose: RigidTransform) -> RigidTransform? {
        let move = Self.levelMove(from: pose, to: match.worldFromCamera)
        defer { doubtful = (move, match.world) }
        guard let doubtful, doubtful.world == match.world else { return nil }
        let apart = length(doubtful.move * pose.translation - move * pose.translation)
        let turned = length((doubtful.move.rotation.transpose * move.rotation).rotationVector)
        guard apart < settings.agreement, turned < settings.turnAgreement else { return nil }
        let mean = Self.between(doubtful.move, move, at: pose.translation)
        join(match.world, by: mean)
        return mean
    }

    /// The turn about +Y and the move that take one pose's place to another's, and its heading.
    static func levelMove(from old: RigidTransform, to new: RigidTransform) -> RigidTransform {
        let turn = OrientationEstimator.headingTurn(from: old.rotation, to: new.rotation)
        return RigidTransform(rotation: turn, translation: new.translation - turn * old.translation)
    }

    /// Halfway between two level moves, for what is near a place.
    private static func between(_ a: RigidTransform, _ b: RigidTransform, at place: Vector3d) -> RigidTransform {
        let half = Matrix3d.rotation((b.rotation * a.rotation.transpose).rotationVector * 0.5) * a.rotation
        return RigidTransform(rotation: half, translation: (a * place + b * place) * 0.5 - half * place)
    }

    /// The world that is being followed becomes part of another.
    private mutating func join(_ other: Int, by move: RigidTransform) {
        counts.believed += 1
        doubtful = nil
        closeAll()
        bundles = []
        for index in keyframes.indices where keyframes[index].world == world {
            keyframes[index].move(by: move)
            keyframes[index].world = other
        }
        world = other
        if other == 0 { isGiven = false }
    }
}

/// How well the place is known that a camera sees.
public enum PlaceFamiliarity: Equatable, Sendable {
    /// Hardly anything of it is known.
    case limited
    /// Some views are known, but not this one.
    case extending
    /// It would be known again from here.
    case mapped
}
