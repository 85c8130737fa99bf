import VitrineMath
import VitrineVision

/// Estimates the gyroscope's bias and the camera's clock offset from the epipolar constraint.
///
/// The two rays of a point and the translation between the views lie in one plane. For each pair of frames the rotation comes from the
/// gyroscope and the translation's direction from the rays; bias and clock minimize the distances from the epipolar planes. (Kneip & Lynen, "Direct optimization of frame-to-frame rotation", 2013; He, Xu, Ouyang & Li, "A rotation-translation-decoupled
/// solution for robust and efficient visual-inertial initialization", 2023; the clock is added here.)
struct RotationAlignment {
    struct Settings: Sendable {
        /// Standard deviation of a feature in normalized coordinates.
        var noise = 0.002
        /// Prior standard deviations of the bias (rad/s) and the clock offset (s).
        var biasDeviation = 0.1
        var timeOffsetDeviation = 0.05
        /// Largest deviation of the clock offset from its prior in seconds.
        var maximumTimeOffset = 0.12
        /// Seconds between the frames of a pair: long enough for parallax, short enough for features to be tracked.
        var pairInterval = 0.25
        var features = 40
        /// Maximum number of pairs, evenly spread.
        var pairs = 14
        /// The same for the coarse search over clock offsets, and its step in seconds.
        var coarseFeatures = 20
        var coarsePairs = 6
        var coarseStep = 0.02
    }

    struct Result: Sendable {
        var gyroscopeBias: Vector3d
        var timeOffset: Double
        /// The standard deviations of the bias (largest axis, rad/s) and of the clock (s).
        var biasDeviation, timeOffsetDeviation: Double
        /// Root mean square of the rays' distances from their planes in standard deviations, robust.
        var residual: Double
    }

    private struct Pair {
        var first, second: Double
        var rays: [(Vector3d, Vector3d)]
    }

    private let pairs: [Pair]
    /// A subset for the coarse search.
    private let coarsePairs: [Pair]
    private let table: IntegratedGyroscope
    private let cameraFromBody: Matrix3d
    private let settings: Settings
    private let priorBias: Vector3d
    private let priorOffset: Double

    /// Aligns the rotations of the camera with those of the gyroscope.
    ///
    /// - Parameters:
    ///   - samples: The inertial samples, which should extend beyond the frames' times by `maximumTimeOffset`.
    ///   - bias, offset: Prior values.
    init?(
        frames: [InitializationWindow.Frame], samples: [InertialSample], cameraFromBody: Matrix3d, bias: Vector3d, offset: Double,
        settings: Settings
    ) {
        guard samples.count > 2 else { return nil }
        var pairs: [Pair] = []
        for (index, frame) in frames.enumerated() {
            guard let other = frames[index...].first(where: { $0.time >= frame.time + settings.pairInterval }),
                other.time < frame.time + 2 * settings.pairInterval + 0.2
            else { continue }
            let rays = InitializationWindow.shared(frame, other)
            if rays.count >= 12 { pairs.append(Pair(first: frame.time, second: other.time, rays: rays)) }
        }
        guard pairs.count >= 3 else { return nil }
        (self.settings, self.cameraFromBody) = (settings, cameraFromBody)
        func chosen(_ pairs: [Pair], _ count: Int, _ features: Int) -> [Pair] {
            Self.spread(pairs, count).map { Pair(first: $0.first, second: $0.second, rays: Self.spread($0.rays, features)) }
        }
        self.pairs = chosen(pairs, settings.pairs, settings.features)
        coarsePairs = chosen(self.pairs, settings.coarsePairs, settings.coarseFeatures)
        (priorBias, priorOffset) = (bias, offset)
        table = IntegratedGyroscope(samples)
    }

    /// Selects at most `count` elements, evenly spread.
    private static func spread<Element>(_ all: [Element], _ count: Int) -> [Element] {
        guard all.count > count, count > 0 else { return all }
        return (0..<count).map { all[($0 * all.count + all.count / 2) / count] }
    }

    func solve() -> Result? {
        var best: (cost: Double, bias: Vector3d, offset: Double)?
        // The cost has several minima in the clock offset: start with a coarse search.
        let steps = settings.timeOffsetDeviation > 0.004 ? Int((settings.maximumTimeOffset / settings.coarseStep).rounded()) : 0
        for step in -steps...steps {
            let offset = priorOffset + Double(step) * settings.coarseStep
            var bias = priorBias
            var cost = Double.infinity
            for _ in 0..<2 {
                guard let system = normalEquations(bias, offset, coarsePairs), let move = system.solved(offsetFixed: true) else { break }
                bias += move.bias
                cost = system.cost
            }
            if let system = normalEquations(bias, offset, coarsePairs) { cost = min(cost, system.cost) }
            if cost < best?.cost ?? .infinity { best = (cost, bias, offset) }
        }
        guard var (_, bias, offset) = best, var cost = normalEquations(bias, offset, pairs)?.cost else { return nil }
        var damping = 0.0
        for _ in 0..<12 {
            guard let system = normalEquations(bias, offset, pairs), let move = system.solved(offsetFixed: steps == 0, damping: damping)
            else {
                break
            }
            let (nextBias, nextOffset) = (bias + move.bias, offset + move.offset)
            guard let next = normalEquations(nextBias, nextOffset, pairs), next.cost < cost else {
                damping = max(0.01, damping * 10)
                if damping > 1e3 { break }
                continue
            }
            let isSettled = cost - next.cost < 1e-4 * cost
            (cost, bias, offset, damping) = (next.cost, nextBias, nextOffset, damping / 10)
            if isSettled { break }
        }
        guard let system = normalEquations(bias, offset, pairs), let spread = system.deviations(offsetFixed: steps == 0) else { return nil }
        // Scale by the measured noise, with a lower limit since errors of consecutive frames are correlated.
        let residual = (system.cost / Double(max(1, system.count))).squareRoot()
        let factor = max(0.5, residual)
        return Result(
            gyroscopeBias: bias, timeOffset: offset, biasDeviation: spread.bias * factor, timeOffsetDeviation: spread.offset * factor,
            residual: residual)
    }

    /// Normal equations of four unknowns: the bias and the offset.
    private struct Normal {
        var system = SymmetricSystem(size: 4)
        var cost = 0.0
        var count = 0

        func solved(offsetFixed: Bool, damping: Double = 0) -> (bias: Vector3d, offset: Double)? {
            guard let factor = constrained(offsetFixed).factored(damping: damping) else { return nil }
            let step = factor.solve(constrained(offsetFixed).right)
            return (Vector3d(step[0], step[1], step[2]), step[3])
        }

        func deviations(offsetFixed: Bool) -> (bias: Double, offset: Double)? {
            guard let inverse = constrained(offsetFixed).factored()?.inverse([0, 1, 2, 3]) else { return nil }
            return (max(inverse[0], inverse[5], inverse[10]).squareRoot(), inverse[15].squareRoot())
        }

        private func constrained(_ offsetFixed: Bool) -> SymmetricSystem {
            guard offsetFixed else { return system }
            var constrained = system
            for k in 0..<3 { (constrained.matrix[12 + k], constrained.matrix[4 * k + 3]) = (0, 0) }
            (constrained.matrix[15], constrained.right[3]) = (1e12, 0)
            return constrained
        }
    }

    private func normalEquations(_ bias: Vector3d, _ offset: Double, _ pairs: [Pair]) -> Normal? {
        var normal = Normal()
        for k in 0..<3 {
            let weight = 1 / (settings.biasDeviation * settings.biasDeviation)
            normal.system.matrix[5 * k] += weight
            normal.system.right[k] += weight * (priorBias[k] - bias[k])
            normal.cost += weight * (priorBias[k] - bias[k]) * (priorBias[k] - bias[k])
        }
        let weight = 1 / max(settings.timeOffsetDeviation * settings.timeOffsetDeviation, 1e-12)
        normal.system.matrix[15] += weight
        normal.system.right[3] += weight * (priorOffset - offset)
        normal.cost += weight * (priorOffset - offset) * (priorOffset - offset)
        for pair in pairs { add(pair, bias, offset, to: &normal) }
        return normal.cost.isFinite ? normal : nil
    }

    private func add(_ pair: Pair, _ bias: Vector3d, _ offset: Double, to normal: inout Normal) {
        let (a, b) = (table.moment(at: pair.first + offset), table.moment(at: pair.second + offset))
        let raw = a.rotation.transpose * b.rotation
        let byBias = b.byBias - raw.transpose * a.byBias
        let turn = raw * Matrix3d.rotation(byBias * bias)
        let byOffset = (b.rate - bias) - turn.transpose * (a.rate - bias)
        let firstFromSecond = cameraFromBody * turn * cameraFromBody.transpose

        let planes = pair.rays.map { cross($0.0, firstFromSecond * $0.1) }
        guard let way = direction(planes, pair.rays, firstFromSecond) else { return }
        let side = normalize(abs(way.x) < 0.6 ? cross(way, Vector3d(1, 0, 0)) : cross(way, Vector3d(0, 1, 0)))
        let other = cross(way, side)

        // Derivatives by the rotation (three) and by the translation's direction (two), which is then eliminated.
        var (turnTurn, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
        var (turnSide, turnOther) = (Vector3d.zero, Vector3d.zero)
        var (ss, so, oo) = (1e-3, 0.0, 1e-3)
        for (ray, plane) in zip(pair.rays, planes) {
            let residual = dot(way, plane)
            let weight = self.weight(way, ray, firstFromSecond, residual)
            normal.cost += robustCost(residual, way, ray, firstFromSecond)
            let row = cross(ray.1, firstFromSecond.transpose * cross(way, ray.0))
            turnTurn = turnTurn + Matrix3d.outer(row, row) * weight
            right -= row * (weight * residual)
            let (s, o) = (dot(side, plane), dot(other, plane))
            turnSide += row * (weight * s)
            turnOther += row * (weight * o)
            (ss, so, oo) = (ss + weight * s * s, so + weight * s * o, oo + weight * o * o)
        }
        normal.count += pair.rays.count
        let determinant = ss * oo - so * so
        if determinant > 0 {
            turnTurn =
                turnTurn
                - (Matrix3d.outer(turnSide, turnSide) * oo - (Matrix3d.outer(turnSide, turnOther) + Matrix3d.outer(turnOther, turnSide))
                    * so
                    + Matrix3d.outer(turnOther, turnOther) * ss) * (1 / determinant)
        }
        let biasRow = cameraFromBody * byBias
        let columns = [biasRow.x, biasRow.y, biasRow.z, cameraFromBody * byOffset]
        for i in 0..<4 {
            for j in 0..<4 { normal.system.matrix[4 * i + j] += dot(columns[i], turnTurn * columns[j]) }
            normal.system.right[i] += dot(columns[i], right)
        }
    }

    /// The translation's direction: the one nearest to all epipolar planes, by iterative reweighting.
    ///
    /// The rays' noise tilts the planes about the rays, which biases the direction towards the viewing direction. The noise's contribution is
    /// known and compensated in a generalized eigenproblem (Kanatani, "Renormalization for unbiased estimation", 1993).
    private func direction(_ planes: [Vector3d], _ rays: [(Vector3d, Vector3d)], _ turn: Matrix3d) -> Vector3d? {
        var way: Vector3d?
        for _ in 0..<4 {
            let zero = Matrix3d(.zero, .zero, .zero)
            var (sum, noise) = (zero, zero)
            for (plane, ray) in zip(planes, rays) {
                let weight =
                    way.map { self.weight($0, ray, turn, dot($0, plane)) }
                    ?? 1 / (lengthSquared(plane) + 20 * settings.noise * settings.noise)
                let other = turn * ray.1
                sum = sum + Matrix3d.outer(plane, plane) * weight
                noise = noise + (.identity * 2.01 - Matrix3d.outer(ray.0, ray.0) - Matrix3d.outer(other, other)) * weight
            }
            let (values, axes) = noise.symmetricEigen()
            guard values.z > 0 else { return nil }
            let root = Vector3d(values.x.squareRoot(), values.y.squareRoot(), values.z.squareRoot())
            let whitening = Matrix3d(axes.x / root.x, axes.y / root.y, axes.z / root.z)
            let found = whitening * (whitening.transpose * sum * whitening).symmetricEigen().vectors.z
            way = normalize(found)
        }
        return way.flatMap { $0.x.isFinite ? $0 : nil }
    }

    /// The residual's variance: smaller for rays near the translation's direction.
    private func variance(_ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d) -> Double {
        let spread = lengthSquared(cross(way, ray.0)) + lengthSquared(cross(way, turn * ray.1))
        return settings.noise * settings.noise * (spread + 0.01)
    }

    private func weight(_ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d, _ residual: Double) -> Double {
        let variance = variance(way, ray, turn)
        // Cauchy weight: independently moving features count little.
        return 1 / (variance * (1 + residual * residual / (4 * variance)))
    }

    private func robustCost(_ residual: Double, _ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d) -> Double {
        let squared = residual * residual / variance(way, ray, turn)
        return 4 * log(1 + squared / 4)
    }
}
