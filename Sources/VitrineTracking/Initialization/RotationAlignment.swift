import VitrineMath
import VitrineVision

/// Finds the gyroscope's bias and how far the camera's clock is off, from pictures alone in which nothing but directions is known.
///
/// Whatever a camera's path, the rays of a point from two places and the way between the places lie in one plane. For each pair of pictures
/// the turn comes from the gyroscope; the way's direction is the one that the rays leave over; bias and clock are those with which the planes
/// fit best. (Kneip & Lynen, "Direct optimization of frame-to-frame rotation", 2013; He, Xu, Ouyang & Li, "A rotation-translation-decoupled
/// solution for robust and efficient visual-inertial initialization", 2023; the clock is added here.)
struct RotationAlignment {
    struct Settings: Sendable {
        /// Standard deviation of a feature in normalized coordinates.
        var sight = 0.002
        /// Standard deviations of what is believed beforehand: rad/s and seconds.
        var bias = 0.1
        var timeOffset = 0.05
        /// How far off the clock may be, in seconds to both sides.
        var reach = 0.12
        /// Seconds between the pictures of a pair: far enough for the way between to show, near enough for features to stay.
        var pairTime = 0.25
        var features = 40
        /// Pairs that are looked at, at most, evenly spread.
        var pairs = 14
        /// The same for the first look over all that the clock may be off, and the seconds between its guesses.
        var firstFeatures = 20
        var firstPairs = 6
        var firstStep = 0.02
    }

    struct Result: Sendable {
        var gyroscopeBias: Vector3d
        var timeOffset: Double
        /// Standard deviations: the largest of the bias's, in rad/s, and the clock's in seconds.
        var biasDeviation, timeOffsetDeviation: Double
        /// The rays' distances from their planes in standard deviations: the root of the mean of squares, large ones cut.
        var residual: Double
    }

    private struct Pair {
        var first, second: Double
        var rays: [(Vector3d, Vector3d)]
    }

    private let pairs: [Pair]
    /// A few, with a few rays, for the first look.
    private let firstPairs: [Pair]
    private let table: GyroscopeTable
    private let cameraFromBody: Matrix3d
    private let settings: Settings
    private let biasGuess: Vector3d
    private let offsetGuess: Double

    /// - Parameters:
    ///   - samples: should reach over the frames' times by `reach` on both sides.
    ///   - bias, offset: what is believed beforehand.
    init?(
        frames: [InitializationWindow.Frame], samples: [InertialSample], cameraFromBody: Matrix3d, bias: Vector3d, offset: Double,
        settings: Settings
    ) {
        guard samples.count > 2 else { return nil }
        var pairs: [Pair] = []
        for (index, frame) in frames.enumerated() {
            guard let other = frames[index...].first(where: { $0.time >= frame.time + settings.pairTime }),
                other.time < frame.time + 2 * settings.pairTime + 0.2
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
        firstPairs = chosen(self.pairs, settings.firstPairs, settings.firstFeatures)
        (biasGuess, offsetGuess) = (bias, offset)
        table = GyroscopeTable(samples)
    }

    /// At most `count` of them, as evenly as they come.
    private static func spread<Element>(_ all: [Element], _ count: Int) -> [Element] {
        guard all.count > count, count > 0 else { return all }
        return (0..<count).map { all[($0 * all.count + all.count / 2) / count] }
    }

    func solve() -> Result? {
        var best: (cost: Double, bias: Vector3d, offset: Double)?
        // A clock that is far off has valleys of its own: look at all of its reach first.
        let steps = settings.timeOffset > 0.004 ? Int((settings.reach / settings.firstStep).rounded()) : 0
        for step in -steps...steps {
            let offset = offsetGuess + Double(step) * settings.firstStep
            var bias = biasGuess
            var cost = Double.infinity
            for _ in 0..<2 {
                guard let system = normalEquations(bias, offset, firstPairs), let move = system.solved(offsetFixed: true) else { break }
                bias += move.bias
                cost = system.cost
            }
            if let system = normalEquations(bias, offset, firstPairs) { cost = min(cost, system.cost) }
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
        // What is left over says how noisy the features are, but errors of neighbouring pictures are alike.
        let residual = (system.cost / Double(max(1, system.count))).squareRoot()
        let factor = max(0.5, residual)
        return Result(
            gyroscopeBias: bias, timeOffset: offset, biasDeviation: spread.bias * factor, timeOffsetDeviation: spread.offset * factor,
            residual: residual)
    }

    /// Four unknowns: the bias and the offset.
    private struct Normal {
        var system = SymmetricSystem(size: 4)
        var cost = 0.0
        var count = 0

        func solved(offsetFixed: Bool, damping: Double = 0) -> (bias: Vector3d, offset: Double)? {
            guard let factor = held(offsetFixed).factored(damping: damping) else { return nil }
            let step = factor.solve(held(offsetFixed).right)
            return (Vector3d(step[0], step[1], step[2]), step[3])
        }

        func deviations(offsetFixed: Bool) -> (bias: Double, offset: Double)? {
            guard let inverse = held(offsetFixed).factored()?.inverse([0, 1, 2, 3]) else { return nil }
            return (max(inverse[0], inverse[5], inverse[10]).squareRoot(), inverse[15].squareRoot())
        }

        private func held(_ offsetFixed: Bool) -> SymmetricSystem {
            guard offsetFixed else { return system }
            var held = system
            for k in 0..<3 { (held.matrix[12 + k], held.matrix[4 * k + 3]) = (0, 0) }
            (held.matrix[15], held.right[3]) = (1e12, 0)
            return held
        }
    }

    private func normalEquations(_ bias: Vector3d, _ offset: Double, _ pairs: [Pair]) -> Normal? {
        var normal = Normal()
        for k in 0..<3 {
            let weight = 1 / (settings.bias * settings.bias)
            normal.system.matrix[5 * k] += weight
            normal.system.right[k] += weight * (biasGuess[k] - bias[k])
            normal.cost += weight * (biasGuess[k] - bias[k]) * (biasGuess[k] - bias[k])
        }
        let weight = 1 / max(settings.timeOffset * settings.timeOffset, 1e-12)
        normal.system.matrix[15] += weight
        normal.system.right[3] += weight * (offsetGuess - offset)
        normal.cost += weight * (offsetGuess - offset) * (offsetGuess - offset)
        for pair in pairs { add(pair, bias, offset, to: &normal) }
        return normal.cost.isFinite ? normal : nil
    }

    private func add(_ pair: Pair, _ bias: Vector3d, _ offset: Double, to normal: inout Normal) {
        let (a, b) = (table.moment(at: pair.first + offset), table.moment(at: pair.second + offset))
        let raw = a.turned.transpose * b.turned
        let byBias = b.byBias - raw.transpose * a.byBias
        let turn = raw * Matrix3d.rotation(byBias * bias)
        let byOffset = (b.rate - bias) - turn.transpose * (a.rate - bias)
        let firstFromSecond = cameraFromBody * turn * cameraFromBody.transpose

        let planes = pair.rays.map { cross($0.0, firstFromSecond * $0.1) }
        guard let way = direction(planes, pair.rays, firstFromSecond) else { return }
        let side = normalize(abs(way.x) < 0.6 ? cross(way, Vector3d(1, 0, 0)) : cross(way, Vector3d(0, 1, 0)))
        let other = cross(way, side)

        // By the turn (three), and by the way's direction (two), which is then eliminated.
        var (turnTurn, right) = (Matrix3d(.zero, .zero, .zero), Vector3d.zero)
        var (turnSide, turnOther) = (Vector3d.zero, Vector3d.zero)
        var (ss, so, oo) = (1e-3, 0.0, 1e-3)
        for (ray, plane) in zip(pair.rays, planes) {
            let residual = dot(way, plane)
            let weight = self.weight(way, ray, firstFromSecond, residual)
            normal.cost += cut(residual, way, ray, firstFromSecond)
            let row = cross(ray.1, firstFromSecond.transpose * cross(way, ray.0))
            turnTurn = turnTurn + Rotations.outer(row, row) * weight
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
                - (Rotations.outer(turnSide, turnSide) * oo - (Rotations.outer(turnSide, turnOther) + Rotations.outer(turnOther, turnSide))
                    * so
                    + Rotations.outer(turnOther, turnOther) * ss) * (1 / determinant)
        }
        let biasRow = cameraFromBody * byBias
        let columns = [biasRow.x, biasRow.y, biasRow.z, cameraFromBody * byOffset]
        for i in 0..<4 {
            for j in 0..<4 { normal.system.matrix[4 * i + j] += dot(columns[i], turnTurn * columns[j]) }
            normal.system.right[i] += dot(columns[i], right)
        }
    }

    /// The direction that lies best in all planes: at first each counts about the same, however far its point moved, then as it fits.
    ///
    /// The rays' noise moves planes about the rays alone, so that what lies best would be drawn to where the camera looks. What noise adds is
    /// known, and divided by: a generalized eigenproblem (Kanatani, "Renormalization for unbiased estimation", 1993).
    private func direction(_ planes: [Vector3d], _ rays: [(Vector3d, Vector3d)], _ turn: Matrix3d) -> Vector3d? {
        var way: Vector3d?
        for _ in 0..<4 {
            let zero = Matrix3d(.zero, .zero, .zero)
            var (sum, noise) = (zero, zero)
            for (plane, ray) in zip(planes, rays) {
                let weight =
                    way.map { self.weight($0, ray, turn, dot($0, plane)) }
                    ?? 1 / (lengthSquared(plane) + 20 * settings.sight * settings.sight)
                let other = turn * ray.1
                sum = sum + Rotations.outer(plane, plane) * weight
                noise = noise + (.identity * 2.01 - Rotations.outer(ray.0, ray.0) - Rotations.outer(other, other)) * weight
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

    /// The residual's variance: a ray moves its plane less the nearer it is to the way's direction.
    private func variance(_ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d) -> Double {
        let spread = lengthSquared(cross(way, ray.0)) + lengthSquared(cross(way, turn * ray.1))
        return settings.sight * settings.sight * (spread + 0.01)
    }

    private func weight(_ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d, _ residual: Double) -> Double {
        let variance = variance(way, ray, turn)
        // Cauchy's: what doesn't move with the room counts little.
        return 1 / (variance * (1 + residual * residual / (4 * variance)))
    }

    private func cut(_ residual: Double, _ way: Vector3d, _ ray: (Vector3d, Vector3d), _ turn: Matrix3d) -> Double {
        let squared = residual * residual / variance(way, ray, turn)
        return 4 * log(1 + squared / 4)
    }
}
