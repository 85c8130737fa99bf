import VitrineMath
import VitrineScene

/// The motion of one node: curves that animate values of its transforms.
struct NodeMotion {
    /// A curve, and the values of a transform that it animates.
    struct Channel {
        let step: Int
        /// The index of the first value.
        let first: Int
        /// The number of values.
        let count: Int
        let curve: AnimationCurve
    }

    let entry: PlacedNode
    private(set) var channels: [Channel] = []
    /// The channels of each step.
    private var channelsOfStep: [Int: [Channel]] = [:]

    /// The index of the step of each transform element; the first one if the node has it several times.
    let stepIndices: [XMLElement: Int]

    init(_ entry: PlacedNode) {
        self.entry = entry
        stepIndices = Dictionary(entry.steps.enumerated().map { ($1.element, $0) }) { first, _ in first }
    }

    mutating func add(_ channel: Channel) {
        channels.append(channel)
        channelsOfStep[channel.step, default: []].append(channel)
    }

    /// The number of steps and channels that each evaluation at a time combines.
    var size: Int { entry.steps.count + channels.count }
    /// The work of merging the keys of all curves, in evaluated transforms. Cheap: curves may be shared by any number of channels.
    var mergeWork: Int { 4 * channels.reduce(0) { $0 + $1.curve.times.count } }
    /// The work of evaluating the motion at all keys, in evaluated transforms.
    var keyWork: Int { size * Set(channels.flatMap { $0.curve.times }).count }

    /// The tolerance of tracks: relative for scales; for positions relative to ten times the distance between two keys; for directions 0.06°, the
    /// resolution of the cosine in single precision.
    static let tolerance: Float = 1e-4
    /// The largest number of keys; fewer for nodes of very many steps or channels, whose evaluation takes longer.
    private var maximumKeys: Int { min(1 << 16, (1 << 23) / size) }

    // MARK: Values

    /// Returns the node's transform at a time.
    func matrix(at time: Float) -> Matrix4 {
        var result: Matrix4?
        for (index, step) in entry.steps.enumerated() {
            let own = matrix(of: step, index, at: time)
            result = result.map { $0 * own } ?? own
        }
        return result ?? .identity
    }

    private func matrix(of step: TransformStep, _ index: Int, at time: Float) -> Matrix4 {
        guard let mine = channelsOfStep[index] else { return step.matrix }
        if mine.count == 1, step.kind == .matrix, mine[0].count == 16 { return Self.turned(mine[0].curve, at: time) }
        var values = step.values
        for channel in mine {
            for number in 0..<channel.count where channel.first + number < values.count {
                values[channel.first + number] = channel.curve.value(number, at: time)
            }
        }
        return TransformStep.matrix(step.kind, values)
    }

    /// Interpolates between two matrices by translation, rotation and scale, not element by element.
    private static func turned(_ curve: AnimationCurve, at time: Float) -> Matrix4 {
        func key(_ index: Int) -> Matrix4 {
            TransformStep.matrix(.matrix, Array(curve.values[index * 16..<index * 16 + 16]))
        }
        let last = curve.times.count - 1
        guard time > curve.times[0] else { return key(0) }
        guard time < curve.times[last] else { return key(last) }
        let index = curve.segment(at: time)
        if curve.shapes[index] == .step || time == curve.times[index] { return key(index) }
        let t = (time - curve.times[index]) / (curve.times[index + 1] - curve.times[index])
        let (a, b) = (Transform(key(index)), Transform(key(index + 1)))
        return Transform(
            translation: mix(a.translation, b.translation, t), rotation: a.rotation.slerp(to: b.rotation, t),
            scale: mix(a.scale, b.scale, t)
        ).matrix
    }

    // MARK: Keys

    /// Returns the times at which tracks need keys to stay within `tolerance`; a jump has two adjacent keys.
    ///
    /// - Parameter range: The range of the clip; nil for the whole curves.
    func times(in range: ClosedRange<Float>?) -> [Float] {
        var marks: [Float] = []
        for channel in channels {
            for (index, time) in channel.curve.times.enumerated() {
                if index > 0, channel.curve.shapes[index - 1] == .step { marks.append(time.nextDown) }
                marks.append(time)
            }
        }
        if let range { marks = marks.filter { range.contains($0) } + [range.lowerBound, range.upperBound] }
        marks = Array(Set(marks)).sorted()
        var result: [Float] = []
        for (index, start) in marks.enumerated() {
            result.append(start)
            guard index + 1 < marks.count else { break }
            let end = marks[index + 1]
            // A whole turn begins and ends with equal values, so that no segment rotates more than a third of a turn.
            let pieces = pieces(from: start, to: end)
            var from = start
            for piece in 1...pieces {
                let to = piece == pieces ? end : start + (end - start) * Float(piece) / Float(pieces)
                split(from, to, depth: 0, into: &result)
                if piece < pieces { result.append(to) }
                from = to
            }
            if result.count > maximumKeys { return marks }
        }
        return result
    }

    private func pieces(from start: Float, to end: Float) -> Int {
        var most: Float = 0
        for channel in channels where entry.steps[channel.step].kind == .rotate && channel.first + channel.count > 3 {
            let angle = 3 - channel.first
            guard angle >= 0 else { continue }
            let values = (0...4).map { channel.curve.value(angle, at: start + (end - start) * Float($0) / 4) }
            for index in 0..<4 { most = max(most, abs(values[index + 1] - values[index]) * 4) }
        }
        return most.isFinite ? Int(clamp((most / 120).rounded(.up), 1, 256)) : 1
    }

    private func split(_ start: Float, _ end: Float, depth: Int, into times: inout [Float]) {
        let middle = start + (end - start) / 2
        guard depth < 7, middle > start, middle < end, times.count <= maximumKeys else { return }
        let (a, b) = (Transform(matrix(at: start)), Transform(matrix(at: end)))
        // Also tests points off the middle: a curve may cross its chord there.
        let isClose = [Float(0.5), 0.25].allSatisfy { t in
            let exact = Transform(matrix(at: start + (end - start) * t))
            return Self.isClose(
                exact,
                Transform(
                    translation: mix(a.translation, b.translation, t), rotation: a.rotation.slerp(to: b.rotation, t),
                    scale: mix(a.scale, b.scale, t)),
                size: length(b.translation - a.translation))
        }
        guard !isClose else { return }
        split(start, middle, depth: depth + 1, into: &times)
        times.append(middle)
        split(middle, end, depth: depth + 1, into: &times)
    }

    private static func isClose(_ a: Transform, _ b: Transform, size: Float) -> Bool {
        let reach = tolerance * max(size, 1e-3 * length(a.translation), 1e-12) * 10
        return length(a.translation - b.translation) <= reach
            && length(a.scale - b.scale) <= tolerance * max(length(a.scale), 1e-6)
            && 1 - abs(dot(a.rotation.vector, b.rotation.vector)) <= 1.2e-7
    }

    // MARK: Tracks

    /// Returns the tracks of animated properties, with times from the start of the range.
    func tracks(in range: ClosedRange<Float>?) -> [AnimationTrack] {
        let isStepped = channels.allSatisfy { channel in channel.curve.shapes.allSatisfy { $0 == .step } }
        var times = isStepped ? steppedTimes(in: range) : self.times(in: range)
        let poses = times.map { Transform(matrix(at: $0)) }
        if let range { times = times.map { $0 - range.lowerBound } }
        // Nearby times may be equal in single precision.
        var kept: [Int] = []
        for index in times.indices where kept.last.map({ times[index] > times[$0] }) ?? true { kept.append(index) }
        let rest = Transform(TransformStep.product(entry.steps))
        var rotations: [Quaternion] = []
        for index in kept {
            let rotation = poses[index].rotation
            // The nearer one of the two quaternions with the same rotation.
            rotations.append(
                rotations.last.map { dot($0.vector, rotation.vector) < 0 } ?? false ? Quaternion(vector: -rotation.vector) : rotation)
        }
        var tracks: [AnimationTrack] = []
        func add(_ target: AnimationTarget, isMoving: Bool, _ values: [Float]) {
            guard isMoving, !kept.isEmpty else { return }
            let track = AnimationTrack(
                node: entry.node, target: target, interpolation: isStepped ? .step : .linear, times: kept.map { times[$0] }, values: values)
            if let track { tracks.append(track) }
        }
        let moved = kept.map { poses[$0] }
        add(
            .translation, isMoving: moved.contains { $0.translation != rest.translation },
            moved.flatMap { [$0.translation.x, $0.translation.y, $0.translation.z] })
        add(
            .rotation, isMoving: rotations.contains { abs(dot($0.vector, rest.rotation.vector)) < 1 - 1e-7 },
            rotations.flatMap { [$0.vector.x, $0.vector.y, $0.vector.z, $0.vector.w] })
        add(
            .scale, isMoving: moved.contains { length($0.scale - rest.scale) > 1e-6 * length(rest.scale) },
            moved.flatMap { [$0.scale.x, $0.scale.y, $0.scale.z] })
        return tracks
    }

    private func steppedTimes(in range: ClosedRange<Float>?) -> [Float] {
        var times = channels.flatMap { $0.curve.times }
        if let range { times = times.filter { range.contains($0) } + [range.lowerBound] }
        return Array(Set(times)).sorted()
    }

    /// Whether the pose at every key is finite.
    var isFinite: Bool {
        Set(channels.flatMap { $0.curve.times }).allSatisfy { COLLADAReader.isFinite(matrix(at: $0)) }
    }

    /// Whether the tracks lose shear.
    var losesShear: Bool {
        let times = Set(channels.flatMap { $0.curve.times.prefix(8) })
        return times.contains { time in
            let exact = matrix(at: time)
            return !Transform(exact).matrix.isClose(to: exact, tolerance: 1e-3)
        }
    }
}
