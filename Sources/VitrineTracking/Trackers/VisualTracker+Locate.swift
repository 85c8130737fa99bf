import VitrineMath
import VitrineVision

/// How the camera is found in the map, and the map grows.
extension VisualTracker {
    /// A feature without a point: where it was seen first, and where it would be at the depth of the rest.
    struct FirstSight: Sendable {
        var center: Vector3d
        var guess: Vector3d

        mutating func transform(by change: SimilarityTransform) { (center, guess) = (change * center, change * guess) }
    }

    /// One picture with a map.
    func locate(_ view: VisualStart.View, _ seen: [Marker], began: Double) {
        guard let map else { return }
        let predicted = whereabouts.predicted(view.time, longest: settings.longestGuess)
        var view = view
        guard let (pose, used) = pose(map, view, near: predicted) ?? foundAgain(&view) ?? markerPose(view, seen) else {
            miss(view, predicted)
            diagnostics.poseTime = clock.map { ($0() - began) * 1000 } ?? 0
            return
        }
        if whereabouts.isLost { diagnostics.recoveries += 1 }
        whereabouts.find(pose.inverse, at: view.time)
        let isHeldByMarker = used.contains { $0 < 0 }
        whereabouts.isPoor = !isHeldByMarker && used.count < (whereabouts.isPoor ? settings.enoughPoints : settings.leastPoints)
        whereabouts.isLost = false
        diagnostics.pointsUsed = used.count
        let isDetour = used.isEmpty
        if isDetour { diagnostics.detours += 1 } else { whereabouts.heldAt = view.time }
        self.map?.see(used, time: view.time)
        view.worldFromCamera = pose.inverse
        watchMarkers(view, pose)
        dropOutliers(&view, pose)
        recall(&view)
        let located = clock?() ?? 0
        if isKeyframe(view, used) { addKeyframe(view, isHeld: !isDetour) }
        noteFirstSights(view)
        if let clock { (diagnostics.poseTime, diagnostics.mapTime) = ((located - began) * 1000, (clock() - located) * 1000) }
        (diagnostics.keyframes, diagnostics.points) = (self.map?.keyframes.count ?? 0, self.map?.points.count ?? 0)
    }

    // MARK: The pose

    /// cameraFromWorld, and the points that explain it, rising; none where only directions do.
    private func pose(_ map: VisualMap, _ view: VisualStart.View, near predicted: RigidTransform) -> (RigidTransform, [Int])? {
        var (ids, points): ([Int], [PoseFit.Point]) = ([], [])
        for id in view.sights.keys.sorted() {
            guard let position = map.position(id) else { continue }
            ids.append(id)
            points.append(PoseFit.Point(position: position, sight: view.sights[id]!))
        }
        var fit = PoseFit(camera: camera)
        fit.widen(for: predicted.inverse, points)
        // Where few points are left, directions still tell the turn.
        let directions = points.count < 40 ? directions(view, from: predicted) : []
        var pose = fit.refined(predicted.inverse, points + directions)
        var used = Self.explained(fit.errors(pose, points))
        if used.count < settings.leastPoints || used.count * 2 < points.count {
            if points.count >= 8, let other = searched(points) {
                let refined = fit.refined(other, points)
                let count = Self.explained(fit.errors(refined, points))
                if count.count > used.count { (pose, used) = (refined, count) }
            }
        }
        let support = used.count + Self.explained(fit.errors(pose, directions)).count
        guard pose.translation.isFinite else { return nil }
        if used.count >= 6 || used.count >= 4 && support >= settings.leastPoints, used.count * 3 >= points.count {
            return (pose, used.map { ids[$0] })
        }
        // A pan to where nothing has a place yet: directions tell the turn, and about the way.
        let isKnown = !whereabouts.isLost && view.time - whereabouts.heldAt < settings.longestDetour
        guard isKnown, support >= settings.leastPoints, support * 2 >= points.count + directions.count else { return nil }
        return (pose, [])
    }

    /// Within three standard deviations.
    private static func explained(_ errors: [Double]) -> [Int] { errors.indices.filter { errors[$0] < 9 } }

    private func searched(_ points: [PoseFit.Point]) -> RigidTransform? {
        var resection = Resection()
        resection.options.maximumError = 4
        resection.options.maximumIterations = 300
        let found = resection.solve(
            pixels: points.map(\.sight.place), points: points.map(\.position), intrinsics: camera.intrinsics)
        return found?.cameraFromWorld
    }

    /// Features without a point, at a guessed depth, believed the less the further the camera has moved since it saw them first.
    private func directions(_ view: VisualStart.View, from predicted: RigidTransform) -> [PoseFit.Point] {
        view.sights.keys.sorted().compactMap { id in
            guard map?.position(id) == nil, let first = firstSights[id] else { return nil }
            let depth = length(first.guess - first.center)
            let doubt = 0.5 * camera.focal * length(predicted.translation - first.center) / depth
            var sight = view.sights[id]!
            sight.information = 1 / (1 / sight.information + doubt * doubt)
            return PoseFit.Point(position: first.guess, sight: sight)
        }
    }

    /// The pose that a marker tells whose place is known, and its corners; with whatever else agrees.
    private func markerPose(_ view: VisualStart.View, _ seen: [Marker]) -> (RigidTransform, [Int])? {
        guard isMetric, let map, let (code, place) = knownMarkerPose(seen) else { return nil }
        let corners = (0..<4).map { KnownMarkers.feature(code, $0) }.filter { view.sights[$0] != nil && map.position($0) != nil }
        guard corners.count == 4 else { return nil }
        let fit = PoseFit(camera: camera)
        let others = view.sights.keys.filter { id in
            guard id >= 0, let position = map.position(id) else { return false }
            return fit.error(place.inverse, .init(position: position, sight: view.sights[id]!)) < 9
        }
        return (place.inverse, (corners + others).sorted())
    }

    private func miss(_ view: VisualStart.View, _ predicted: RigidTransform) {
        whereabouts.isFound = false
        let silence = view.time - whereabouts.time
        if silence > settings.longestGuess, !whereabouts.isLost {
            whereabouts.isLost = true
            diagnostics.losses += 1
        }
        guard view.sights.count >= settings.leastPoints else {
            whereabouts.searchBegan = nil
            return
        }
        let began = whereabouts.searchBegan ?? view.time
        whereabouts.searchBegan = began
        guard view.time - began > settings.longestSearch else { return }
        // A new map, from where the camera was last.
        (whereabouts.worldFromCamera, whereabouts.velocity, whereabouts.rate) = (predicted, .zero, .zero)
        forgetMap()
        (whereabouts.isRelocalizing, whereabouts.searchBegan) = (whereabouts.wasKnown, nil)
    }

    // MARK: The map

    /// Features that went elsewhere than their points are followed no longer.
    private func dropOutliers(_ view: inout VisualStart.View, _ pose: RigidTransform) {
        guard let map else { return }
        let fit = PoseFit(camera: camera)
        var gone = Set<Int>()
        for (id, sight) in view.sights {
            guard let position = map.position(id) else { continue }
            let error = fit.error(pose, .init(position: position, sight: sight))
            if !(error < 16) { gone.insert(id) }
        }
        for id in gone { view.sights[id] = nil }
        frontEnd.drop(gone)
    }

    private func isKeyframe(_ view: VisualStart.View, _ used: [Int]) -> Bool {
        guard let map, let last = map.keyframes.last else { return false }
        let elapsed = view.time - last.time
        let depth = map.medianDepth(view.worldFromCamera.inverse, of: used) ?? whereabouts.depth
        whereabouts.depth = depth
        let way = length(view.worldFromCamera.translation - last.center) / depth
        let turn = (last.cameraFromWorld.rotation * view.worldFromCamera.rotation).rotationVector
        let still = last.sights.keys.count { map.position($0) != nil }
        let kept = Double(used.count) / Double(max(1, still))
        guard elapsed > 0.08 else { return false }
        if used.isEmpty { return way > 0.06 || length(turn) > 0.2 }
        return way > 0.06 || length(turn) > 0.2 || kept < 0.7 && way > 0.005 || kept < 0.5
    }

    /// - Parameter isHeld: whether known points tell its pose; where none do, nothing is adjusted by it.
    private func addKeyframe(_ view: VisualStart.View, isHeld: Bool) {
        guard map != nil else { return }
        let cameraFromWorld = view.worldFromCamera.inverse
        let thumbnail = hasPicture ? PictureThumbnail(frontEnd.newest) : nil
        map!.append(time: view.time, cameraFromWorld: cameraFromWorld, sights: view.sights, thumbnail: thumbnail)
        for id in map!.triangulate(time: view.time) { remember(id, view, cameraFromWorld) }
        if isHeld { map!.adjust() }
        map!.prune()
        measureMarkers()
        guard let newest = map!.keyframes.last else { return }
        whereabouts.worldFromCamera = newest.cameraFromWorld.inverse
    }

    /// Keeps how a point looks in the newest picture.
    func remember(_ id: Int, _ view: VisualStart.View, _ cameraFromWorld: RigidTransform) {
        guard hasPicture, let sight = view.sights[id] else { return }
        map?.give(id, PointPatch(frontEnd.newest, pixel: camera.pixel(sight.place), cameraFromWorld: cameraFromWorld))
    }

    /// Keeps the map's metres by the markers that the newest keyframe shows.
    private func measureMarkers() {
        guard case .marker(let edge) = settings.scale, let map, let newest = map.keyframes.last else { return }
        let visible = markers.seen.filter { newest.sights[KnownMarkers.feature($0, 0)] != nil }
        guard let scale = markers.scale(of: map, by: visible, edge: edge) else { return }
        let center = isMetric ? whereabouts.worldFromCamera.translation : .zero
        guard !isMetric || abs(scale - 1) > 0.003 else {
            markers.remember(map)
            return
        }
        transformWorld(SimilarityTransform(scale: scale, rotation: .identity, translation: center * (1 - scale)))
        if isMetric {
            diagnostics.scaleCorrections += 1
            if let map = self.map { markers.remember(map) }
        } else {
            isMetric = true
            becomeMetric()
        }
    }

    /// A marker that is seen where it isn't, picture after picture, says that the map has drifted: then the marker is believed.
    private func watchMarkers(_ view: VisualStart.View, _ pose: RigidTransform) {
        guard isMetric, let map else { return }
        let fit = PoseFit(camera: camera)
        let strayed = markers.seen.contains { code in
            (0..<4).allSatisfy { corner in
                let id = KnownMarkers.feature(code, corner)
                guard let sight = view.sights[id], let position = map.position(id) else { return false }
                return fit.error(pose, .init(position: position, sight: sight)) > 144
            }
        }
        strayedFor = strayed ? strayedFor + 1 : 0
        guard strayedFor >= 5 else { return }
        diagnostics.reanchorings += 1
        forgetMap()
    }

    private func noteFirstSights(_ view: VisualStart.View) {
        let place = view.worldFromCamera
        var kept: [Int: FirstSight] = [:]
        for (id, sight) in view.sights where map?.position(id) == nil {
            let ray = place.rotation * camera.ray(sight.place)
            kept[id] = firstSights[id] ?? FirstSight(center: place.translation, guess: place.translation + ray * whereabouts.depth)
        }
        firstSights = kept
    }
}
