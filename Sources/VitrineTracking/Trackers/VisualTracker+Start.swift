import VitrineMath
import VitrineVision

/// How a map begins.
extension VisualTracker {
    /// One picture while there is no map.
    func begin(_ view: VisualStart.View, _ seen: [Marker], turn: Matrix3d?) {
        var view = view
        turnCamera(turn, at: view.time)
        let isByMarker = findByMarker(seen, time: view.time)
        if !isByMarker { whereabouts.isFound = false }
        view.worldFromCamera = whereabouts.worldFromCamera
        guard let (map, first) = start.add(view) else {
            diagnostics.refusals = start.refusals
            return
        }
        adopt(map, from: first, at: view.time)
    }

    /// The orientation without a map: by gravity and gyroscope, else by how the features turned.
    private func turnCamera(_ turn: Matrix3d?, at time: Double) {
        let moment = time + rig.timeOffset
        if let worldFromBody = orientation.worldFromBody(at: moment), moment - orientation.time < 0.5, !whereabouts.wasKnown {
            if !isLevel { whereabouts.worldFromCamera.translation = .zero }
            whereabouts.worldFromCamera.rotation = worldFromBody * rig.cameraFromBody.rotation.transpose
            isLevel = true
        } else if let turn {
            whereabouts.worldFromCamera.rotation = Rotations.orthonormalized(whereabouts.worldFromCamera.rotation * turn.transpose)
        }
    }

    /// The pose that markers alone tell, as long as nothing better is known.
    private func findByMarker(_ seen: [Marker], time: Double) -> Bool {
        guard case .marker(let edge) = settings.scale else { return false }
        if let (_, place) = knownMarkerPose(seen) {
            whereabouts.find(place, at: time)
            return true
        }
        for marker in seen {
            let poses = marker.poses(edge: edge, camera: rig.camera)
            guard !whereabouts.wasKnown, let pose = Self.clearest(poses) else { continue }
            if !isLevel { level(whereabouts.worldFromCamera * pose) }
            markers.worldFromMarker[KnownMarkers.code(marker)] = whereabouts.worldFromCamera * pose
            whereabouts.find(whereabouts.worldFromCamera, at: time)
            return true
        }
        return false
    }

    /// worldFromCamera, by the first marker whose place is known, and its code.
    func knownMarkerPose(_ seen: [Marker]) -> (code: Int, worldFromCamera: RigidTransform)? {
        guard case .marker(let edge) = settings.scale else { return nil }
        let held = whereabouts.worldFromCamera.rotation
        for marker in seen {
            guard let known = markers.worldFromMarker[KnownMarkers.code(marker)] else { continue }
            let poses = marker.poses(edge: edge, camera: rig.camera).filter { $0.error < 2 }
            let clear = Self.clearest(poses).map { known * $0.inverse }
            // Of two poses that explain four corners as well the one that turned less.
            let places = poses.map { known * $0.cameraFromMarker.inverse }
            let nearest = places.max { (held.transpose * $0.rotation).trace < (held.transpose * $1.rotation).trace }
            if let place = clear ?? nearest { return (KnownMarkers.code(marker), place) }
        }
        return nil
    }

    /// The one pose that explains a marker's corners; nil where two do about as well.
    private static func clearest(_ poses: [MarkerPose]) -> RigidTransform? {
        guard let best = poses.first, best.error < 1 else { return nil }
        return poses.count == 1 || poses[1].error > 0.3 + 3 * best.error ? best.cameraFromMarker : nil
    }

    /// Turns the world so that the marker's axis nearest to up points up, and the camera keeps looking along −Z.
    func level(_ worldFromMarker: RigidTransform) {
        let axes = [worldFromMarker.rotation.x, worldFromMarker.rotation.y, worldFromMarker.rotation.z].flatMap { [$0, -$0] }
        let up = axes.max { $0.y < $1.y } ?? Vector3d(0, 1, 0)
        let upright = Rotations.shortest(from: up, to: Vector3d(0, 1, 0)) * whereabouts.worldFromCamera.rotation
        let facing = OrientationEstimator.facingNorth(upright, .identity)
        let change = facing * whereabouts.worldFromCamera.rotation.transpose
        // The camera keeps its place.
        let center = whereabouts.worldFromCamera.translation
        transformWorld(SimilarityTransform(scale: 1, rotation: change, translation: center - change * center))
        isLevel = true
    }

    func transformWorld(_ change: SimilarityTransform) {
        map?.transform(by: change)
        whereabouts.transform(by: change)
        markers.transform(by: change)
        start.transform(by: RigidTransform(rotation: change.rotation, translation: change.translation))
        for id in firstSights.keys { firstSights[id]!.transform(by: change) }
    }

    /// Goes on with a new map.
    private func adopt(_ found: VisualMap, from first: VisualStart.View, at time: Double) {
        var found = found
        guard let ids = found.keyframes.first?.sights.keys, let depth = found.medianDepth(.identity, of: ids), depth > 0 else { return }
        let scale: Double
        switch settings.scale {
        case .medianDepth(let metres):
            scale = (whereabouts.wasKnown ? whereabouts.depth : metres) / depth
            isMetric = true
        case .marker(let edge):
            let measured = markers.scale(of: found, by: markers.seen, edge: edge)
            // Metres that were told by a marker alone aren't given up for others.
            if measured == nil, whereabouts.isFound { return }
            scale = measured ?? (whereabouts.wasKnown ? whereabouts.depth : 1) / depth
            isMetric = measured != nil
        }
        let place = first.worldFromCamera
        found.transform(by: SimilarityTransform(scale: scale, rotation: place.rotation, translation: place.translation))
        (map, whereabouts.depth) = (found, depth * scale)
        start.removeAll()
        diagnostics.starts += 1
        guard let newest = found.keyframes.last else { return }
        let view = VisualStart.View(time: time, worldFromCamera: newest.cameraFromWorld.inverse, sights: newest.sights)
        for id in found.points.keys.sorted() { remember(id, view, newest.cameraFromWorld) }
        if hasPicture { map!.keyframes[map!.keyframes.count - 1].thumbnail = PictureThumbnail(frontEnd.newest) }
        whereabouts.find(newest.cameraFromWorld.inverse, at: time)
        whereabouts.isPoor = found.points.count < settings.enoughPoints
        if isMetric { becomeMetric() }
    }

    /// What follows once the map's unit is a metre.
    func becomeMetric() {
        guard let map else { return }
        if whereabouts.wasKnown {
            // The same markers as before are where they were.
            if let change = markers.alignment(of: map) { transformWorld(change) }
        } else if !isLevel, let pose = markers.first(in: map) {
            level(pose)
        }
        if let map = self.map { markers.remember(map) }
        (whereabouts.wasKnown, whereabouts.isRelocalizing) = (true, false)
    }
}
