import VitrineMath
import VitrineScene

/// Removes key frames that interpolation between their neighbours reproduces.
///
/// The tolerance is below the visible limit: 1/100,000 of the range of a translation, scale or weight, and 0.001° of a rotation. Cubic tracks keep
/// their keys unless all of them are equal.
enum KeyframeReduction {
    /// The largest distance between kept keys. Keys between them are compared again when the distance grows, so this limits the work.
    private static let longestSpan = 512

    /// Removes keyframes that interpolation reproduces.
    ///
    /// - Returns: A summary for the report.
    static func run(_ scene: Scene) -> String {
        var removed = 0
        scene.animations = scene.animations.map { clip in
            let end = clip.duration
            var tracks = clip.tracks.map { track in
                let reduced = reduced(track)
                removed += track.times.count - reduced.times.count
                return reduced
            }
            // The clip keeps its duration: one track ends at the same time.
            if tracks.allSatisfy({ ($0.times.last ?? 0) < end }),
                let index = clip.tracks.firstIndex(where: { $0.times.last == end })
            {
                removed -= clip.tracks[index].times.count - tracks[index].times.count
                tracks[index] = ended(clip.tracks[index], reduced: tracks[index])
                removed += clip.tracks[index].times.count - tracks[index].times.count
            }
            return AnimationClip(name: clip.name, tracks: tracks)
        }
        return OptimizeText.list([(removed, "key frame")], verb: "removed")
    }

    /// Returns a constant track with keys at the start and at the end.
    private static func ended(_ track: AnimationTrack, reduced: AnimationTrack) -> AnimationTrack {
        guard track.interpolation != .cubic, let end = track.times.last else { return track }
        let width = track.componentCount
        return AnimationTrack(
            node: track.node, target: track.target, interpolation: track.interpolation, times: [track.times[0], end],
            values: Array(track.values.prefix(width)) + Array(track.values.suffix(width))) ?? track
    }

    static func reduced(_ track: AnimationTrack) -> AnimationTrack {
        let (count, width) = (track.times.count, track.componentCount)
        guard count > 1 else { return track }
        let tolerances = tolerances(track)
        func equal(_ a: Int, _ b: Int) -> Bool {
            for index in 0..<width where abs(track.values[a * width + index] - track.values[b * width + index]) > tolerances[index] {
                return false
            }
            return true
        }
        var kept: [Int]
        switch track.interpolation {
        case .cubic: return isConstant(track, tolerances) ? key(0, of: track) : track
        case .step:
            kept = [0]
            for index in 1..<count where !equal(index, kept[kept.count - 1]) { kept.append(index) }
        case .linear:
            kept = [0]
            var last = 0
            for index in 1..<count {
                let next = index + 1
                guard next < count else {
                    kept.append(index)
                    break
                }
                // The key at `index` is redundant if the line from the last kept key to `next` approximates all keys between.
                let isNeeded = next - last > longestSpan || !(last + 1...index).allSatisfy { meets(track, last, $0, next, tolerances) }
                if isNeeded {
                    kept.append(index)
                    last = index
                }
            }
            if kept.count == 2, equal(0, count - 1) { kept = [0] }
        }
        guard kept.count < count else { return track }
        let values = kept.flatMap { track.values[($0 * width)..<(($0 + 1) * width)] }
        return AnimationTrack(
            node: track.node, target: track.target, interpolation: track.interpolation, times: kept.map { track.times[$0] }, values: values)
            ?? track
    }

    /// Returns the tolerance of each component.
    private static func tolerances(_ track: AnimationTrack) -> [Float] {
        let width = track.componentCount
        if track.target == .rotation { return [Float](repeating: 1e-5, count: width) }
        let values = track.interpolation == .cubic ? keyValues(track) : track.values
        var (low, high) = ([Float](repeating: .infinity, count: width), [Float](repeating: -.infinity, count: width))
        for (index, value) in values.enumerated() {
            low[index % width] = min(low[index % width], value)
            high[index % width] = max(high[index % width], value)
        }
        // The range of the widest component: components with little movement need no finer tolerance.
        let range = zip(low, high).reduce(Float(0)) { max($0, $1.1 - $1.0) }
        let size = zip(low, high).reduce(Float(0)) { max($0, max(abs($1.0), abs($1.1))) }
        return [Float](repeating: max(range * 1e-5, size * 2e-7), count: width)
    }

    private static func keyValues(_ track: AnimationTrack) -> [Float] {
        let width = track.componentCount
        var values: [Float] = []
        values.reserveCapacity(track.times.count * width)
        for key in track.times.indices {
            let start = (key * 3 + 1) * width
            values += track.values[start..<start + width]
        }
        return values
    }

    /// Returns whether the key at `middle` is on the interpolation from the key `first` to the key `last`.
    private static func meets(_ track: AnimationTrack, _ first: Int, _ middle: Int, _ last: Int, _ tolerances: [Float]) -> Bool {
        let width = track.componentCount
        let share = (track.times[middle] - track.times[first]) / (track.times[last] - track.times[first])
        if track.target == .rotation {
            func rotation(_ key: Int) -> Quaternion {
                let v = track.values
                return Quaternion(x: v[key * 4], y: v[key * 4 + 1], z: v[key * 4 + 2], w: v[key * 4 + 3]).normalized
            }
            let (start, end) = (rotation(first), rotation(last))
            // For rotations of more than a quarter turn between keys, readers may interpolate in different directions.
            guard abs(dot(start.vector, end.vector)) > 0.75 else { return false }
            let (there, here) = (start.slerp(to: end, share).vector, rotation(middle).vector)
            let sign: Float = dot(there, here) < 0 ? -1 : 1
            return length(there - here * sign) <= tolerances[0]
        }
        for index in 0..<width {
            let there = mix(track.values[first * width + index], track.values[last * width + index], share)
            if abs(there - track.values[middle * width + index]) > tolerances[index] { return false }
        }
        return true
    }

    private static func isConstant(_ track: AnimationTrack, _ tolerances: [Float]) -> Bool {
        let width = track.componentCount
        for key in track.times.indices {
            for index in 0..<width {
                let (inTangent, value, outTangent) = (
                    track.values[key * 3 * width + index], track.values[(key * 3 + 1) * width + index],
                    track.values[(key * 3 + 2) * width + index]
                )
                let isFirst = abs(value - track.values[width + index]) <= tolerances[index]
                // Tangents at the open ends have no effect.
                let isFlat = (key == 0 || inTangent == 0) && (key == track.times.count - 1 || outTangent == 0)
                if !isFirst || !isFlat { return false }
            }
        }
        return true
    }

    private static func key(_ index: Int, of track: AnimationTrack) -> AnimationTrack {
        let width = track.componentCount
        return AnimationTrack(
            node: track.node, target: track.target, interpolation: .step, times: [track.times[index]],
            values: Array(track.values[((index * 3 + 1) * width)..<((index * 3 + 2) * width)])) ?? track
    }
}
