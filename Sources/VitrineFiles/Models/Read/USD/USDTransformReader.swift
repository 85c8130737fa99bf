import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads the transform operations of prims (UsdGeomXformable), including animated ones.
struct USDTransformReader {
    let stage: USDStage
    let animation: USDAnimationTracks

    /// A transform operation of a prim.
    private struct Operation {
        /// The kind and the name of the operation, such as `xformOp:rotateXYZ:name`.
        let kind: String
        let isInverse: Bool
        let opinion: USDStage.Opinion

        func matrix(at time: Double?) -> Matrix4? {
            let values = time.map { Self.numbers(opinion, at: $0) } ?? opinion.start?.numbers
            guard let values, values.allSatisfy({ $0.isFinite }), let matrix = USDTransformReader.operation(kind, values.map { Float($0) })
            else {
                return nil
            }
            return isInverse ? matrix.affineInverse : matrix
        }

        /// Interpolates linearly between two samples.
        static func numbers(_ opinion: USDStage.Opinion, at time: Double) -> [Double]? {
            // The first sample at or after the time.
            var (next, end) = (0, opinion.samples.count)
            while next < end {
                let middle = (next + end) / 2
                if opinion.samples[middle].time >= time { end = middle } else { next = middle + 1 }
            }
            guard next < opinion.samples.count else { return opinion.samples.last?.value.numbers ?? opinion.value?.numbers }
            let (after, before) = (opinion.samples[next], opinion.samples[max(0, next - 1)])
            guard next > 0, let a = before.value.numbers, let b = after.value.numbers, a.count == b.count, after.time > before.time else {
                return after.value.numbers
            }
            let share = (time - before.time) / (after.time - before.time)
            return zip(a, b).map { $0 + ($1 - $0) * share }
        }

        /// Returns the angle in degrees between two times.
        func turn(from: Double, to: Double) -> Double {
            guard kind.hasPrefix("rotate"), let a = Self.numbers(opinion, at: from), let b = Self.numbers(opinion, at: to) else { return 0 }
            // Values that are not finite are detected later.
            let turn = zip(a, b).reduce(0) { max($0, abs($1.1 - $1.0)) }
            return turn.isFinite ? min(turn, 1e6) : 0
        }
    }

    private static let maximumKeys = 1 << 16

    /// Sets a node's transform to that of its prim's operations, and adds their animation.
    ///
    /// - Returns: false if the transform is relative to the stage instead of the parent (`!resetXformStack!`).
    func setTransform(of node: Node, from prim: Int) -> Bool {
        guard let names = stage.value(prim, "xformOpOrder")?.texts else { return true }
        var isInParent = true
        var operations: [Operation] = []
        for name in names.prefix(256) {
            if name == "!resetXformStack!" {
                // Ignores the operations before it, as OpenUSD does.
                if !operations.isEmpty { stage.warn(prim, "!resetXformStack! is not the first operation; those before it were ignored") }
                operations = []
                isInParent = false
                continue
            }
            guard !name.hasPrefix("!resetXformStack!") else {
                stage.warn(prim, "\"\(MessageText.name(name))\" is not an operation and was ignored")
                continue
            }
            let isInverse = name.hasPrefix("!invert!")
            let attribute = isInverse ? String(name.dropFirst(8)) : name
            let parts = attribute.split(separator: ":")
            guard parts.count > 1, parts[0] == "xformOp", let opinion = stage.opinion(prim, attribute) else {
                stage.warn(prim, "the operation \(MessageText.name(attribute)) has no value")
                continue
            }
            let operation = Operation(kind: String(parts[1]), isInverse: isInverse, opinion: opinion)
            guard operation.matrix(at: nil) != nil else {
                stage.warn(prim, "the operation \(MessageText.name(attribute)) is not supported")
                continue
            }
            operations.append(operation)
        }
        let start = operations.reduce(Matrix4.identity) { $0 * ($1.matrix(at: nil) ?? .identity) }
        guard [start.x, start.y, start.z, start.w].allSatisfy({ ($0 * 0).sum() == 0 }) else {
            stage.warn(prim, "the transform is not finite")
            return isInParent
        }
        node.transform = start
        animate(node, prim, operations)
        return isInParent
    }

    /// Adds tracks of translation, rotation and scale.
    private func animate(_ node: Node, _ prim: Int, _ operations: [Operation]) {
        guard operations.contains(where: { $0.opinion.samples.count > 1 }) else { return }
        let times = keyTimes(operations)
        var (moves, turns, scales): ([Float], [Float], [Float]) = ([], [], [])
        var last = Quaternion.identity
        var isSheared = false
        for time in times {
            let matrix = operations.reduce(Matrix4.identity) { $0 * ($1.matrix(at: time) ?? .identity) }
            var parts = USDMatrixParts(matrix)
            isSheared = isSheared || parts.isSheared
            if !turns.isEmpty, dot(last.vector, parts.rotation.vector) < 0 { parts.rotation = Quaternion(vector: -parts.rotation.vector) }
            last = parts.rotation
            moves += [parts.translation.x, parts.translation.y, parts.translation.z]
            turns += [last.vector.x, last.vector.y, last.vector.z, last.vector.w]
            scales += [parts.scale.x, parts.scale.y, parts.scale.z]
        }
        if isSheared { stage.warn(prim, "animated shear is not supported") }
        guard (moves + turns + scales).allSatisfy(\.isFinite) else { return stage.warn(prim, "the transform is not finite over time") }
        let seconds = times.map { Float($0) }
        animation.add(node, .translation, seconds, moves)
        animation.add(node, .rotation, seconds, turns)
        animation.add(node, .scale, seconds, scales)
    }

    /// Returns the times of all operations, with additional ones for large rotations, because tracks rotate by the smaller angle.
    private func keyTimes(_ operations: [Operation]) -> [Double] {
        let all = Set(operations.flatMap { $0.opinion.samples.map(\.time) }).sorted().prefix(Self.maximumKeys)
        var result: [Double] = []
        for time in all {
            if let last = result.last {
                let turn = operations.reduce(0) { $0 + $1.turn(from: last, to: time) }
                let steps = min(64, max(1, Int((turn / 60).rounded(.up))))
                for step in 1..<max(steps, 1) where result.count < Self.maximumKeys {
                    result.append(last + (time - last) * Double(step) / Double(steps))
                }
            }
            // Two times may be equal in single precision.
            if let last = result.last, Float(last) >= Float(time) { continue }
            result.append(time)
        }
        return result
    }

    private static func operation(_ kind: String, _ v: [Float]) -> Matrix4? {
        func turn(_ degrees: Float, _ axis: Vector3) -> Matrix3 { Matrix3(Quaternion(angle: .degrees(degrees), axis: axis)) }
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        switch (kind, v.count) {
        case ("transform", 16): return Matrix4(rows: v)
        case ("translate", 3): return Matrix4(translation: Vector3(v[0], v[1], v[2]))
        case ("translateX", 1): return Matrix4(translation: Vector3(v[0], 0, 0))
        case ("translateY", 1): return Matrix4(translation: Vector3(0, v[0], 0))
        case ("translateZ", 1): return Matrix4(translation: Vector3(0, 0, v[0]))
        case ("scale", 3): return Matrix4(scale: Vector3(v[0], v[1], v[2]))
        case ("scaleX", 1): return Matrix4(scale: Vector3(v[0], 1, 1))
        case ("scaleY", 1): return Matrix4(scale: Vector3(1, v[0], 1))
        case ("scaleZ", 1): return Matrix4(scale: Vector3(1, 1, v[0]))
        case ("rotateX", 1): return Matrix4(turn(v[0], axes[0]))
        case ("rotateY", 1): return Matrix4(turn(v[0], axes[1]))
        case ("rotateZ", 1): return Matrix4(turn(v[0], axes[2]))
        // Stored as x, y, z, w.
        case ("orient", 4): return Matrix4(Matrix3(Quaternion(vector: Vector4(v[0], v[1], v[2], v[3])).normalized))
        default:
            guard kind.hasPrefix("rotate"), kind.count == 9, v.count == 3 else { return nil }
            // The rotation about the axis of the first letter is applied first.
            var result = Matrix3.identity
            for letter in kind.suffix(3) {
                guard let axis = ["X", "Y", "Z"].firstIndex(of: String(letter)) else { return nil }
                result = turn(v[axis], axes[axis]) * result
            }
            return Matrix4(result)
        }
    }
}

extension Matrix4 {
    /// Creates a matrix from USD's 16 numbers, whose rows are the columns here.
    init(rows v: some RandomAccessCollection<Float>) {
        let v = Array(v)
        self.init(
            Vector4(v[0], v[1], v[2], v[3]), Vector4(v[4], v[5], v[6], v[7]), Vector4(v[8], v[9], v[10], v[11]),
            Vector4(v[12], v[13], v[14], v[15]))
    }
}

/// A transform decomposed into translation, rotation and scale.
struct USDMatrixParts {
    var translation: Vector3
    var rotation: Quaternion
    var scale: Vector3
    /// Whether the transform has shear, which the parts cannot represent.
    var isSheared: Bool

    init(_ matrix: Matrix4) {
        translation = matrix.translation
        let m = matrix.linear
        var lengths = Vector3(length(m.x), length(m.y), length(m.z))
        // A mirroring is a scale of −1 along x.
        if m.determinant < 0 { lengths.x = -lengths.x }
        scale = lengths
        func unit(_ vector: Vector3, _ length: Float, _ fallback: Vector3) -> Vector3 { length == 0 ? fallback : vector / length }
        let (x, y, z) = (
            unit(m.x, lengths.x, Vector3(1, 0, 0)), unit(m.y, lengths.y, Vector3(0, 1, 0)), unit(m.z, lengths.z, Vector3(0, 0, 1))
        )
        rotation = Quaternion(Matrix3(x, y, z)).normalized
        isSheared = max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > 1e-3
    }
}
