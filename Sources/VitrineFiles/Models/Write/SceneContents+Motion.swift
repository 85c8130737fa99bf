import VitrineMath
import VitrineScene

extension SceneContents {
    struct SkinEntry {
        let skin: Skin
        /// Indices into `entries`, one for each of the skin's joints, in their order.
        let joints: [Int]
    }

    /// An animation: tracks whose nodes are written, at least one.
    struct ClipEntry {
        let name: String
        let tracks: [TrackEntry]
    }

    struct TrackEntry {
        /// Index into `entries`.
        let entry: Int
        /// Finite numbers; no two of a clip move the same property of the same entry. One of morph weights has as many components as
        /// the entry's mesh has targets.
        let track: AnimationTrack
    }

    /// Skins that can be written: all joints are there, and the mesh's vertices name none beyond them.
    mutating func addSkins() {
        var indices: [ObjectIdentifier: Int] = [:]
        for index in entries.indices {
            let entry = entries[index]
            guard let skin = entry.node.skin, let mesh = entry.mesh else { continue }
            guard let greatest = greatestJoint(ofMesh: mesh) else {
                leaveOut("a skin (the mesh has no joints and weights)", at: entry.place)
                continue
            }
            let joints = skin.joints.map { $0.flatMap { self.index(of: $0) } }
            let known = joints.compactMap { $0 }
            guard known.count == joints.count else {
                leaveOut("a skin (\(joints.count - known.count) of its joints are hidden, gone or of another scene)", at: entry.place)
                continue
            }
            guard greatest < known.count, skin.inverseBindMatrices.allSatisfy(\.hasFiniteValues) else {
                leaveOut("a skin (its \(known.count) joints or their matrices don't fit the mesh)", at: entry.place)
                continue
            }
            let number = indices[ObjectIdentifier(skin)] ?? skins.count
            indices[ObjectIdentifier(skin)] = number
            if number == skins.count { skins.append(SkinEntry(skin: skin, joints: known)) }
            setSkin(number, ofEntry: index)
        }
    }

    /// nil without joints, or where they come without weights.
    private func greatestJoint(ofMesh index: Int) -> Int? {
        var greatest: Float?
        for part in parts[index] {
            for attribute in part.geometry.attributes {
                guard case .joints(let set) = attribute.semantic, part.geometry.attribute(.weights(set: set)) != nil else { continue }
                greatest = max(greatest ?? 0, attribute.values.max() ?? 0)
            }
        }
        return greatest.map { Int($0) }
    }

    /// How many morph targets the mesh of an entry is written with.
    func morphTargetCount(ofMesh index: Int) -> Int { parts[index].reduce(0) { max($0, $1.geometry.morphTargets.count) } }

    mutating func addClips(_ animations: [AnimationClip]) {
        for (number, clip) in animations.enumerated() {
            let place = "animation \"\(clip.name.isEmpty ? "\(number)" : clip.name)\""
            var (tracks, lost, taken): ([TrackEntry], Int, Set<Target>) = ([], 0, [])
            for track in clip.tracks {
                guard let index = index(of: track.node), let track = written(track, entry: index),
                    taken.insert(Target(entry: index, target: track.target)).inserted
                else {
                    lost += 1
                    continue
                }
                tracks.append(TrackEntry(entry: index, track: track))
            }
            if lost > 0 { leaveOut("\(lost) tracks (of nodes that aren't written, doubled, or not finite)", at: place) }
            if !tracks.isEmpty { clips.append(ClipEntry(name: clip.name, tracks: tracks)) }
        }
    }

    private struct Target: Hashable {
        let entry: Int
        let target: AnimationTarget
    }

    /// The track as it can be written; nil where it can't.
    private func written(_ track: AnimationTrack, entry: Int) -> AnimationTrack? {
        guard track.values.allSatisfy(\.isFinite) else { return nil }
        guard track.target == .morphWeights else { return track }
        guard let mesh = entries[entry].mesh else { return nil }
        let (count, width) = (morphTargetCount(ofMesh: mesh), track.componentCount)
        if count == width { return track }
        guard count > 0 else { return nil }
        let rows = track.values.count / width
        let values = (0..<rows).flatMap { row in (0..<count).map { $0 < width ? track.values[row * width + $0] : 0 } }
        return AnimationTrack(
            node: track.node, target: .morphWeights, interpolation: track.interpolation, times: track.times, values: values)
    }
}

extension Matrix4 {
    fileprivate var hasFiniteValues: Bool {
        [x, y, z, w].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite && $0.w.isFinite }
    }
}
