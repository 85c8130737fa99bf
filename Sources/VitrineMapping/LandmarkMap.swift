import VitrineMath
import VitrineVision

/// A landmark map: keyframes with described corners, the landmarks that they observe, and an inverted index of the descriptors.
///
/// Save a tracker's map with ``encoded()``. Pass a loaded map to ``Relocalizer/relocalize(in:)``; the tracker's world becomes the map's once
/// relocalization succeeds. The world is level: +Y up against gravity, metres.
package struct LandmarkMap: Sendable {
    /// The keyframes in the order of their creation.
    private(set) var keyframes: [Keyframe]
    private(set) var landmarks: [Landmark]
    private(set) var index = DescriptorIndex()
    /// The newest observation of each tracked feature. Not saved.
    private var tracks: [Int: (keyframe: Int32, corner: Int32)] = [:]

    /// Creates an empty map.
    package init() { (keyframes, landmarks) = ([], []) }

    init(keyframes: [Keyframe], landmarks: [Landmark]) {
        (self.keyframes, self.landmarks) = (keyframes, landmarks)
        indexDescriptors()
    }

    package var isEmpty: Bool { keyframes.isEmpty }
    package var keyframeCount: Int { keyframes.count }
    package var landmarkCount: Int { landmarks.count }
    /// The keyframes' poses.
    package var worldFromCameras: [RigidTransform] { keyframes.map(\.worldFromCamera) }

    private mutating func indexDescriptors() {
        index = DescriptorIndex()
        for (number, keyframe) in keyframes.enumerated() { index.add(keyframe.descriptors.codes, of: number) }
    }

    /// Indices of the keyframes with views similar to a pose, most similar first.
    func nearest(_ pose: RigidTransform, _ settings: RelocalizationSettings, where isIncluded: (Int) -> Bool) -> [Int] {
        let found = keyframes.indices.compactMap { number -> (number: Int, dissimilarity: Double)? in
            let keyframe = keyframes[number]
            guard isIncluded(number) else { return nil }
            let dissimilarity = keyframe.dissimilarity(of: pose, distance: 0.45 * keyframe.depth, angle: 0.5)
            return dissimilarity < 1.5 ? (number, dissimilarity) : nil
        }
        return found.sorted { ($0.dissimilarity, $0.number) < ($1.dissimilarity, $1.number) }.prefix(settings.candidates).map(\.number)
    }

    /// Whether no keyframe of a submap has the view of a pose.
    ///
    /// - Parameter first: The index of the first keyframe that counts.
    func isNew(_ pose: RigidTransform, in submap: Int, since first: Int = 0, _ settings: RelocalizationSettings) -> Bool {
        keyframes[first...].allSatisfy {
            $0.submap != submap || $0.dissimilarity(of: pose, distance: settings.distance * $0.depth, angle: settings.angle) >= 1
        }
    }

    // MARK: Submaps

    /// Transforms a submap's keyframes and landmarks.
    mutating func transform(submap: Int, by newFromOld: RigidTransform) {
        var isMoved = [Bool](repeating: false, count: landmarks.count)
        for number in keyframes.indices where keyframes[number].submap == submap {
            keyframes[number].worldFromCamera = newFromOld * keyframes[number].worldFromCamera
            for landmark in keyframes[number].landmarks where landmark >= 0 { isMoved[Int(landmark)] = true }
        }
        for number in landmarks.indices where isMoved[number] { landmarks[number].transform(by: newFromOld) }
    }

    /// Makes a submap part of another one with the same coordinates.
    ///
    /// - Parameters:
    ///   - origin: Identifies the other submap's keyframes in the filter: they keep their poses relative to one of its keyframes.
    ///   - drift: The drift of the joined keyframes relative to the other submap.
    mutating func join(submap: Int, with other: Int, origin: Int? = nil, drift: DriftVariance) {
        for number in keyframes.indices {
            if keyframes[number].submap == submap {
                (keyframes[number].submap, keyframes[number].drift) = (other, drift)
            } else if keyframes[number].submap == other, let origin {
                keyframes[number].id = origin
            }
        }
    }

    /// Removes the keyframes' identifiers: the filter that knew them ended.
    mutating func forgetFilter() { for number in keyframes.indices { keyframes[number].id = -1 } }

    /// Moves keyframes of a submap. A landmark moves with the first keyframe that observes it.
    ///
    /// - Parameter moves: New from old poses, by the keyframes' identifiers.
    mutating func move(keyframes moves: [Int: RigidTransform], submap: Int) {
        var isMoved = [Bool](repeating: false, count: landmarks.count)
        for number in keyframes.indices where keyframes[number].submap == submap {
            let move = moves[keyframes[number].id]
            for landmark in keyframes[number].landmarks where landmark >= 0 && !isMoved[Int(landmark)] {
                isMoved[Int(landmark)] = true
                if let move { landmarks[Int(landmark)].transform(by: move) }
            }
            if let move { keyframes[number].worldFromCamera = move * keyframes[number].worldFromCamera }
        }
    }

    /// The keyframes that satisfy a condition, with their landmarks.
    func filtered(_ isIncluded: (Keyframe) -> Bool) -> LandmarkMap {
        var numbers = [Int32](repeating: -1, count: landmarks.count)
        var kept: [Landmark] = []
        let chosen = keyframes.filter(isIncluded).map { keyframe -> Keyframe in
            var keyframe = keyframe
            keyframe.landmarks = keyframe.landmarks.map { old in
                guard old >= 0 else { return -1 }
                if numbers[Int(old)] < 0 {
                    numbers[Int(old)] = Int32(kept.count)
                    kept.append(landmarks[Int(old)])
                }
                return numbers[Int(old)]
            }
            return keyframe
        }
        return LandmarkMap(keyframes: chosen, landmarks: kept)
    }

    // MARK: Keyframes

    /// Adds a keyframe: matches its corners with those of similar keyframes, and triangulates landmarks.
    mutating func insert(
        _ features: FrameFeatures, at pose: RigidTransform, camera: CameraIntrinsics, submap: Int, id: Int, drift: DriftVariance,
        _ settings: RelocalizationSettings
    ) {
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        let number = keyframes.count
        let neighbours = nearest(pose, settings) { keyframes[$0].submap == submap }
        keyframes.append(
            Keyframe(
                worldFromCamera: pose, submap: submap,
                corners: features.corners.map { SIMD2<Float>(camera.normalized(Vector2d($0.position))) },
                noise: features.corners.indices.map { Float(features.noise($0, focal: focal)) },
                landmarks: Array(repeating: -1, count: features.corners.count), descriptors: features.descriptors[0],
                depth: neighbours.first.map { keyframes[$0].depth } ?? keyframes.last?.depth ?? 2, id: id, drift: drift))
        var tracked: [Int: (keyframe: Int32, corner: Int32)] = [:]
        for (corner, feature) in features.corners.enumerated() where feature.id >= 0 {
            if let last = tracks[feature.id] { link(number, corner, Int(last.keyframe), Int(last.corner), settings) }
            tracked[feature.id] = (Int32(number), Int32(corner))
        }
        tracks = tracked
        let own = features.descriptors[0]
        for neighbour in neighbours {
            let other = keyframes[neighbour].descriptors
            for match in own.set.matches(other.set, ratio: settings.ratio) {
                link(number, Int(own.owners[match.first]), neighbour, Int(other.owners[match.second]), settings)
            }
        }
        // Depths of keyframes without landmarks change with their first ones.
        for changed in neighbours + [number] { updateDepth(changed) }
        index.add(own.codes, of: number)
        if keyframes.count > settings.maximumKeyframes { removeMostRedundant(settings) }
    }

    /// Adds an observation or a new landmark if the rays of two corners intersect.
    private mutating func link(_ a: Int, _ cornerA: Int, _ b: Int, _ cornerB: Int, _ settings: RelocalizationSettings) {
        let (known, other) = (keyframes[a].landmarks[cornerA], keyframes[b].landmarks[cornerB])
        switch (known >= 0, other >= 0) {
        case (true, true): return
        case (true, false): observe(known, b, cornerB, since: a)
        case (false, true): observe(other, a, cornerA, since: b)
        case (false, false):
            var rays = (keyframes[a].ray(cornerA), keyframes[b].ray(cornerB))
            rays.1.centerDeviation = driftDeviation(a, b)
            guard let landmark = Landmark(rays.0, rays.1, depthDeviation: settings.depthDeviation) else { return }
            keyframes[a].landmarks[cornerA] = Int32(landmarks.count)
            keyframes[b].landmarks[cornerB] = Int32(landmarks.count)
            landmarks.append(landmark)
        }
    }

    /// The standard deviation of the drift between two keyframes in metres.
    private func driftDeviation(_ a: Int, _ b: Int) -> Double {
        abs(keyframes[a].drift.position - keyframes[b].drift.position).squareRoot()
    }

    /// Adds a corner's observation of a landmark if they agree.
    ///
    /// - Parameter other: A keyframe that observes the landmark.
    private mutating func observe(_ landmark: Int32, _ keyframe: Int, _ corner: Int, since other: Int) {
        var ray = keyframes[keyframe].ray(corner)
        ray.centerDeviation = driftDeviation(keyframe, other)
        let known = landmarks[Int(landmark)]
        var updated = known
        updated.add(ray)
        // The landmark may move along its own uncertainty.
        let moved = Vector3d(updated.position) - Vector3d(known.position)
        let reach = 3 * length(known.uncertainty) + 3 * ray.noise * length(Vector3d(known.position) - ray.center)
        guard ray.squaredError(of: Vector3d(updated.position)) < 9, length(moved) < reach else { return }
        landmarks[Int(landmark)] = updated
        keyframes[keyframe].landmarks[corner] = landmark
    }

    private mutating func updateDepth(_ number: Int) {
        let keyframe = keyframes[number]
        let distances = keyframe.landmarks.compactMap { landmark in
            landmark < 0 ? nil : length(Vector3d(landmarks[Int(landmark)].position) - keyframe.worldFromCamera.translation)
        }
        if distances.count >= 10 { keyframes[number].depth = distances.sorted()[distances.count / 2] }
    }

    /// Removes the keyframe with the most similar other keyframe; of the two the older one.
    private mutating func removeMostRedundant(_ settings: RelocalizationSettings) {
        var (redundant, least) = (0, Double.infinity)
        for (number, keyframe) in keyframes.enumerated() {
            for other in keyframes[(number + 1)...] where other.submap == keyframe.submap {
                let dissimilarity = keyframe.dissimilarity(
                    of: other.worldFromCamera, distance: settings.distance * keyframe.depth, angle: settings.angle)
                if dissimilarity < least { (redundant, least) = (number, dissimilarity) }
            }
        }
        let tracks = tracks
        var number = -1
        self = filtered { _ in
            number += 1
            return number != redundant
        }
        for (id, track) in tracks where Int(track.keyframe) != redundant {
            self.tracks[id] = (track.keyframe - (Int(track.keyframe) > redundant ? 1 : 0), track.corner)
        }
    }
}

extension LandmarkMap: Equatable {
    /// Compares the saved contents: not the tracks, nor the index, which follows from the keyframes.
    package static func == (a: LandmarkMap, b: LandmarkMap) -> Bool { a.keyframes == b.keyframes && a.landmarks == b.landmarks }
}

/// The coverage of a camera's view by a landmark map.
package enum MappingStatus: Equatable, Sendable {
    /// The map has too few keyframes.
    case limited
    /// The map has keyframes, but not of this view.
    case extending
    /// The map covers this view: relocalization from here should succeed.
    case mapped
}
