import VitrineMath
import VitrineVision

/// How points that were lost are known again, so that a place that is come back to is the same place.
extension VisualTracker {
    /// How far a point may be from where it is expected, in working pixels, and how alike it must look.
    private static let (reach, likeness): (Float, Float) = (6, 0.85)
    /// Points looked for in one picture, at most.
    private static let tries = 40

    /// Looks for points of one of the keyframes nearest to a pose that aren't followed. Each picture takes another keyframe.
    func recall(_ view: inout VisualStart.View) {
        guard hasPicture, let map else { return }
        let pose = view.worldFromCamera.inverse
        let near = nearest(map, view.worldFromCamera)
        guard !near.isEmpty else { return }
        let keyframe = map.keyframes[near[diagnostics.pictures % near.count]]
        var tried = 0
        for id in keyframe.sights.keys.sorted() where view.sights[id] == nil && tried < Self.tries {
            guard let point = map.points[id], let patch = point.patch else { continue }
            let inCamera = pose * point.position
            guard inCamera.z > 0 else { continue }
            let guess = rig.camera.project(inCamera)
            guard guess.x > 0, guess.y > 0, guess.x < Double(rig.camera.width), guess.y < Double(rig.camera.height) else { continue }
            tried += 1
            let place = SIMD2<Float>(guess / Double(frontEnd.workingScale))
            guard let found = find(patch, point.position, from: pose, near: [place], within: Self.reach)?.place else { continue }
            know(id, again: found, in: &view)
        }
    }

    /// Of keyframes older than the newest three, the six that look most the same way from most the same place.
    private func nearest(_ map: VisualMap, _ place: RigidTransform) -> [Int] {
        let costs = map.keyframes.dropLast(3).map { keyframe in
            let turn = 3 - (keyframe.cameraFromWorld.rotation * place.rotation).trace
            return length(keyframe.center - place.translation) / whereabouts.depth + turn
        }
        let near = costs.indices.filter { costs[$0] < 1 }.sorted { (costs[$0], $0) < (costs[$1], $1) }
        return near.prefix(6).sorted()
    }

    /// The place among some, in working pixels of the newest picture, at which a point's patch is found.
    private func find(
        _ patch: PointPatch, _ position: Vector3d, from pose: RigidTransform, near places: [SIMD2<Float>], within reach: Float
    ) -> (place: SIMD2<Float>, index: Int)? {
        let scale = frontEnd.workingScale
        guard patch.take(&matcher, &canvas, rig.camera, scale: scale, point: position, from: pose) else { return nil }
        let level = frontEnd.newestLevel
        var best: (place: SIMD2<Float>, index: Int, likeness: Float)?
        for (index, place) in places.enumerated() {
            guard let found = matcher.find(level, from: place, iterations: 10, precision: 0.02),
                squaredDistance(found, place) <= reach * reach
            else { continue }
            let likeness = matcher.similarity(level, found)
            if likeness >= max(Self.likeness, best?.likeness ?? 0) { best = (found, index, likeness) }
        }
        return best.map { ($0.place, $0.index) }
    }

    /// A point is followed again: by a feature that is there already and gets its name, or by a new one.
    private func know(_ id: Int, again place: SIMD2<Float>, in view: inout VisualStart.View) {
        let pixel = Vector2d(place) * Double(frontEnd.workingScale)
        guard id >= 0, let sight = camera.sight(pixel) else { return }
        guard let other = frontEnd.resume(id, at: place) else {
            view.sights[id] = sight
            diagnostics.recalls += 1
            return
        }
        // Another point's feature keeps its name where that is the older one.
        guard other > id else { return }
        frontEnd.rename(other, to: id)
        map?.merge(other, into: id)
        view.sights[id] = view.sights[other] ?? sight
        view.sights[other] = nil
        firstSights[other] = nil
        diagnostics.recalls += 1
    }

    // MARK: After being lost

    /// Looks for the place among the keyframes, by small pictures first, then by points' patches on corners, then by their geometry.
    func foundAgain(_ view: inout VisualStart.View) -> (RigidTransform, [Int])? {
        guard hasPicture, let map, !frontEnd.tracks.isEmpty else { return nil }
        let now = PictureThumbnail(frontEnd.newest)
        var alike: [(likeness: Float, index: Int, shift: SIMD2<Float>)] = []
        for (index, keyframe) in map.keyframes.enumerated() {
            guard let small = keyframe.thumbnail else { continue }
            let (likeness, shift) = now.comparison(with: small)
            if likeness > 0.6 { alike.append((likeness, index, shift)) }
        }
        alike.sort { ($1.likeness, $0.index) < ($0.likeness, $1.index) }
        for candidate in alike.prefix(3) {
            let matches = matches(map, map.keyframes[candidate.index], shift: candidate.shift)
            guard matches.count >= settings.leastPoints, let (pose, agree) = resected(map, matches) else { continue }
            for match in agree { know(match.id, again: match.place, in: &view) }
            return (pose, agree.map(\.id).sorted())
        }
        return nil
    }

    private struct Match {
        var id: Int
        var place: SIMD2<Float>
    }

    private func matches(_ map: VisualMap, _ keyframe: VisualMap.Keyframe, shift: SIMD2<Float>) -> [Match] {
        let corners = frontEnd.tracks.map(\.place)
        var found: [Match] = []
        for id in keyframe.sights.keys.sorted() where id >= 0 {
            guard let point = map.points[id], let patch = point.patch, let sight = keyframe.sights[id] else { continue }
            let expected = SIMD2<Float>(camera.pixel(sight.place) / Double(frontEnd.workingScale)) - shift
            let near = corners.filter { squaredDistance($0, expected) < 48 * 48 }
            guard let best = find(patch, point.position, from: keyframe.cameraFromWorld, near: near, within: 4) else { continue }
            found.append(Match(id: id, place: best.place))
        }
        return found
    }

    private func resected(_ map: VisualMap, _ matches: [Match]) -> (RigidTransform, [Match])? {
        var points: [PoseFit.Point] = []
        for match in matches {
            guard let position = map.position(match.id), let sight = camera.sight(Vector2d(match.place) * Double(frontEnd.workingScale))
            else { return nil }
            points.append(PoseFit.Point(position: position, sight: sight))
        }
        var resection = Resection()
        resection.options.maximumError = 4
        resection.options.maximumIterations = 500
        let start = resection.solve(
            pixels: points.map(\.sight.place), points: points.map(\.position), intrinsics: camera.intrinsics)
        guard let start else { return nil }
        let fit = PoseFit(camera: camera)
        let pose = fit.refined(start.cameraFromWorld, points)
        let errors = fit.errors(pose, points)
        let agree = matches.indices.filter { errors[$0] < 9 }.map { matches[$0] }
        return agree.count >= settings.leastPoints && agree.count * 2 >= matches.count ? (pose, agree) : nil
    }
}

extension FeatureTracker {
    /// The newest picture that showed something.
    var newest: ImagePyramid { old }
    var newestLevel: ImagePyramid.Level { old.levels[0] }
    /// How many of the photo's pixels a working pixel is wide.
    var workingScale: Int { old.scale }

    /// Follows some features no longer.
    mutating func drop(_ ids: Set<Int>) {
        if !ids.isEmpty { tracks.removeAll { ids.contains($0.id) } }
    }

    /// Follows a feature again that was lost, from a place in working pixels.
    /// - Returns: the feature that is there already, if one is; then nothing is done.
    mutating func resume(_ id: Int, at place: SIMD2<Float>) -> Int? {
        if let there = tracks.first(where: { squaredDistance($0.place, place) < 9 }) { return there.id }
        tracks.append(Track(id: id, place: place, ray: ray(place, old.scale)))
        tracks.sort { $0.id < $1.id }
        return nil
    }

    /// Gives a feature the name of one that it turned out to be.
    mutating func rename(_ id: Int, to name: Int) {
        guard let index = tracks.firstIndex(where: { $0.id == id }) else { return }
        tracks[index].id = name
        tracks.sort { $0.id < $1.id }
    }
}
