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
    var keyframes: [PlaceKeyframe] = []
    /// The world that is being followed, and the number of the next one. What is looked for is world 0.
    var world = 0
    private var nextWorld = 1
    /// Whether world 0 was given, and hasn't been found yet.
    var isGiven = false
    /// What the newest look found; nil where nothing.
    var lastMatch: PlaceMatch?
    /// How often was looked, something found, believed, and the world moved once more; and pictures that weren't relied on.
    var counts = (looks: 0, finds: 0, believed: 0, corrections: 0, doubts: 0)

    var open: [OpenKeyframe] = []
    /// Of the features that are followed, by rising id.
    var bundles: [RayBundle] = []
    var noise = 0.002
    /// Views of pictures whose pose isn't known yet.
    var waiting: [PlaceView] = []
    var lastKept = -Double.infinity
    var lastLook = -Double.infinity
    var finder = CornerFinder(side: 32)

    /// The look that is going on.
    var search: PlaceSearch?
    /// What was found lately.
    var finds: [Find] = []
    /// Since when the world that is followed lies in another, and the views of that one: for a while it is looked where exactly.
    var joined: (world: Int, views: [PlaceKeyframe], until: Double)?

    /// How the world would have to be moved for a picture to have been taken where it was found.
    struct Find: Sendable {
        var match: PlaceMatch
        var pose: RigidTransform
        var move: RigidTransform
    }

    init(_ settings: PlaceSettings) { self.settings = settings }

    /// Whether a known place is being looked for.
    var isLooking: Bool { joined == nil && world != 0 && keyframes.contains { $0.world == 0 } }

    // MARK: Pictures

    /// Looks at the newest picture, where it is time to.
    ///
    /// - Parameters:
    ///   - pose: about where it was taken from; nil where the world isn't known.
    mutating func see(_ tracks: [FeatureTracker.Track], _ pyramid: ImagePyramid, time: Double, near pose: RigidTransform?) {
        guard settings.isOn, let pose, tracks.count >= settings.leastPoints else { return }
        let isForKeeping = !(time - lastKept < settings.interval) && isNew(pose)
        // What was found once is soon looked for again.
        let pause = finds.isEmpty || joined != nil ? settings.lookInterval : 0.5 * settings.lookInterval
        let isForFinding = (isLooking || joined != nil) && search == nil && !(time - lastLook < pause)
        guard isForKeeping || isForFinding else { return }
        if isForKeeping { lastKept = time }
        if isForFinding { lastLook = time }
        let others = isForFinding ? corners(beside: tracks, pyramid) : []
        waiting.append(
            PlaceView(tracks, pyramid, others: others, time: time, isForKeeping: isForKeeping, isForFinding: isForFinding))
        if waiting.count > 8 { waiting.removeFirst() }
    }

    /// A picture's pose is known.
    ///
    /// - Parameters:
    ///   - pose: `worldFromCamera`.
    ///   - sights: what the picture shows, by rising id.
    /// - Returns: how the world has to be moved where it was found again: about +Y, and to another place.
    mutating func settle(time: Double, pose: RigidTransform, sights: [InitializationWindow.Sight], camera: CameraIntrinsics)
        -> RigidTransform?
    {
        guard settings.isOn else { return nil }
        noise = 1 / min(camera.focal.x, camera.focal.y)
        follow(sights, pose)
        close(at: time)
        if let joined, time > joined.until { merge() }
        let move = goOn(pose)
        guard let index = waiting.firstIndex(where: { $0.time == time }) else { return move }
        let view = waiting[index]
        waiting.removeFirst(index + 1)
        let now = move.map { $0 * pose } ?? pose
        if view.isForKeeping { open.append(OpenKeyframe(view, at: now, camera: camera)) }
        if view.isForFinding, search == nil { look(view, now, camera) }
        return move
    }

    /// The pose isn't to be relied on: nothing is kept meanwhile.
    mutating func doubt(at time: Double) {
        counts.doubts += 1
        for bundle in bundles { end(bundle) }
        bundles = []
        waiting.removeAll { $0.time <= time }
    }

    /// The world was lost: what comes lies in another one.
    mutating func lose(at time: Double) {
        doubt(at: time)
        merge()
        closeAll()
        (search, finds) = (nil, [])
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
        places.merge()
        let present = places.keyframes.filter { $0.world == places.world }
        return PlaceMap(keyframes: present.isEmpty ? places.keyframes.filter { $0.world == 0 } : present)
    }

    /// How well the place is known that a camera sees.
    func familiarity(of pose: RigidTransform) -> PlaceFamiliarity {
        let own = keyframes.filter { $0.world == world || $0.world == joined?.world }
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
        return keyframes.allSatisfy {
            $0.world != world && $0.world != joined?.world || $0.strangeness(of: pose, reach: way * $0.depth, turn: turn) >= 1
        }
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

    private func point(_ bundle: RayBundle) -> PlacePoint? { bundle.point(noise: noise, depthDeviation: settings.depthDeviation) }

    /// Keeps the views that have waited for their points.
    private mutating func close(at time: Double) {
        while let first = open.first, time - first.time > settings.patience || first.followed == 0 {
            open.removeFirst()
            keep(first)
        }
    }

    mutating func closeAll() {
        let waiting = open
        open = []
        for view in waiting { keep(view) }
    }

    private mutating func keep(_ view: OpenKeyframe) {
        let bundles = bundles
        func place(_ id: Int) -> PlacePoint? { bundles.first { $0.id == id }.flatMap(point) }
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
