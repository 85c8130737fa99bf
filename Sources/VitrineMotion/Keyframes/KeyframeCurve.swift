/// The motion through keyframes: value and velocity as functions of time.
struct KeyframeCurve<Value: VectorArithmetic>: Equatable, Sendable {
    private struct Segment: Equatable, Sendable {
        var start: Double
        var path: MotionPath<Value>
    }

    private var segments: [Segment] = []
    private let first: Value
    /// The time in seconds from the start to the last keyframe. A final spring continues after it.
    private(set) var duration = 0.0

    init(from first: Value, velocity: Value = .zero, through keyframes: [Keyframe<Value>]) {
        self.first = first
        var (value, speed) = (first, velocity)
        for index in keyframes.indices {
            let (path, length) = KeyframeCurve.segment(index, of: keyframes, from: value, velocity: speed)
            segments.append(Segment(start: duration, path: path))
            duration += length
            (value, speed) = (path.value(after: length), path.velocity(after: length))
        }
    }

    var end: Value { segments.last?.path.end ?? first }

    func value(at time: Double) -> Value {
        guard let segment = segment(at: time) else { return first }
        return isAtRest(at: time) ? end : segment.path.value(after: time - segment.start)
    }

    func velocity(at time: Double) -> Value {
        guard time >= 0, let segment = segment(at: time) else { return .zero }
        return isAtRest(at: time) ? .zero : segment.path.velocity(after: time - segment.start)
    }

    /// Whether the motion has ended.
    func isAtRest(at time: Double) -> Bool {
        guard let last = segments.last else { return true }
        return time >= duration && last.path.isAtRest(after: time - last.start)
    }

    /// Returns the last segment that has started; before the start, the first.
    private func segment(at time: Double) -> Segment? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? segments[low - 1] : segments.first
    }
}

// MARK: - Velocities at keyframes

extension KeyframeCurve {
    private static func segment(
        _ index: Int, of keyframes: [Keyframe<Value>], from value: Value, velocity: Value
    ) -> (MotionPath<Value>, length: Double) {
        let keyframe = keyframes[index]
        switch keyframe.kind {
        case .move: return (.still(keyframe.value), 0)
        case .linear(let curve, let duration):
            // Only an interrupted motion is blended: velocity jumps between keyframes stay.
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

    /// Returns the end velocity of a cubic keyframe that does not specify one.
    ///
    /// - Parameter value: The value at the start of the keyframe.
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
