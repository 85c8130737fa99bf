/// The motion through keyframes: a value and a velocity for every time.
struct KeyframeCurve<Value: VectorArithmetic>: Equatable, Sendable {
    private struct Stretch: Equatable, Sendable {
        var start: Double
        var path: MotionPath<Value>
    }

    private var stretches: [Stretch] = []
    private let first: Value
    /// Seconds from the start to the last keyframe. A spring there runs on after it.
    private(set) var duration = 0.0

    init(from first: Value, velocity: Value = .zero, through keyframes: [Keyframe<Value>]) {
        self.first = first
        var (value, speed) = (first, velocity)
        for index in keyframes.indices {
            let (path, length) = KeyframeCurve.stretch(index, of: keyframes, from: value, velocity: speed)
            stretches.append(Stretch(start: duration, path: path))
            duration += length
            (value, speed) = (path.value(after: length), path.velocity(after: length))
        }
    }

    var end: Value { stretches.last?.path.end ?? first }

    func value(at time: Double) -> Value {
        guard let stretch = stretch(at: time) else { return first }
        return isAtRest(at: time) ? end : stretch.path.value(after: time - stretch.start)
    }

    func velocity(at time: Double) -> Value {
        guard time >= 0, let stretch = stretch(at: time) else { return .zero }
        return isAtRest(at: time) ? .zero : stretch.path.velocity(after: time - stretch.start)
    }

    /// Whether it stays where it is from now on.
    func isAtRest(at time: Double) -> Bool {
        guard let last = stretches.last else { return true }
        return time >= duration && last.path.isAtRest(after: time - last.start)
    }

    /// The last one that has begun.
    private func stretch(at time: Double) -> Stretch? {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? stretches[low - 1] : stretches.first
    }
}

// MARK: - Velocities at keyframes

extension KeyframeCurve {
    private static func stretch(
        _ index: Int, of keyframes: [Keyframe<Value>], from value: Value, velocity: Value
    ) -> (MotionPath<Value>, length: Double) {
        let keyframe = keyframes[index]
        switch keyframe.kind {
        case .move: return (.still(keyframe.value), 0)
        case .linear(let curve, let duration):
            // Only what was interrupted is eased over: kinks between keyframes are as they were written.
            let takenOver = index == 0 ? velocity : .zero
            return (.eased(from: value, to: keyframe.value, curve: curve, duration: duration, takingOver: takenOver), duration)
        case .spring(let spring, let duration, let startVelocity):
            return (.spring(from: value, to: keyframe.value, velocity: startVelocity ?? velocity, spring: spring), duration)
        case .cubic(let duration, let startVelocity, let endVelocity):
            guard duration > 0 else { return (.still(keyframe.value), 0) }
            let end = endVelocity ?? velocityAfter(index, of: keyframes, from: value)
            let path = MotionPath.cubic(
                from: value, to: keyframe.value, startVelocity: startVelocity ?? velocity, endVelocity: end, duration: duration)
            return (path, duration)
        }
    }

    /// The velocity in which a cubic keyframe ends that doesn't say it.
    ///
    /// - Parameter value: Where it starts.
    private static func velocityAfter(_ index: Int, of keyframes: [Keyframe<Value>], from value: Value) -> Value {
        let keyframe = keyframes[index]
        guard case .cubic(let duration, _, _) = keyframe.kind, index + 1 < keyframes.count else { return .zero }
        let next = keyframes[index + 1]
        switch next.kind {
        case .move: return .zero
        case .cubic(let nextDuration, let startVelocity, _):
            return startVelocity ?? (next.value - value).scaled(by: 1 / (duration + nextDuration))
        case .linear(let curve, let nextDuration):
            let slope = curve.velocity(at: 0)
            guard nextDuration > 0, slope.isFinite else { return .zero }
            return (next.value - keyframe.value).scaled(by: slope / nextDuration)
        case .spring(_, _, let startVelocity):
            return startVelocity ?? (keyframe.value - value).scaled(by: 1 / duration)
        }
    }
}
