import VitrineMath
import VitrineVision

/// Finds the features that move consistently with a static scene: two-point RANSAC of the epipolar geometry with known rotation.
///
/// A rotation and two features determine the translation's direction. The best hypothesis is refined together with the rotation, since a
/// gyroscope has a bias and a clock offset. Works on rays, for any lens. Without translation every direction explains a rotating camera.
struct EpipolarCheck {
    /// Unit directions in the older and in the newer camera.
    let first, second: [Vector3d]
    /// Largest angle between a ray and its epipolar plane in radians.
    let limit: Double

    struct Motion {
        /// New camera from old.
        var rotation: Matrix3d
        /// Unit direction to the old camera's centre in the new camera's frame.
        var direction: Vector3d
    }

    /// The motion with the most support, and the inliers; nil for fewer than eight features.
    /// - Parameter rotation: New camera from old, from a gyroscope; nil without one.
    func search(rotation: Matrix3d?, trials: Int = 60, seed: UInt64 = 7) -> (motion: Motion, inliers: [Bool])? {
        guard first.count >= 8 else { return nil }
        let turn = rotation ?? commonRotation()
        var numbers = SplitMix64(seed: seed)
        let turned = first.map { turn * $0 }
        // The initial rotation is inexact: search with a wide tolerance.
        let wide = limit * 3
        var best: (motion: Motion, gain: Double)?
        for _ in 0..<trials {
            let (i, j) = (numbers.below(first.count), numbers.below(first.count))
            let across = cross(cross(turned[i], second[i]), cross(turned[j], second[j]))
            let size = length(across)
            guard i != j, size > 1e-14 else { continue }
            let direction = across / size
            var gain = 0.0
            for k in turned.indices {
                let share = Self.residual(turned[k], second[k], direction) / wide
                gain += max(0, 1 - share * share)
            }
            if gain > best?.gain ?? 0 { best = (Motion(rotation: turn, direction: direction), gain) }
        }
        var motion = best?.motion ?? Motion(rotation: turn, direction: Vector3d(0, 0, 1))
        // Exclude outliers of the initial estimate: the refinement could fit them by a wrong rotation.
        for reach in [3.0, 2, 1.5] { motion = refined(motion, reach: limit * reach) }
        return (motion, first.indices.map { abs(Self.residual(motion.rotation * first[$0], second[$0], motion.direction)) <= limit })
    }

    /// The sine of the angle between a ray and its epipolar plane; smaller near the epipole, where the plane is undetermined.
    @inline(__always) private static func residual(_ turned: Vector3d, _ second: Vector3d, _ direction: Vector3d) -> Double {
        let normal = cross(direction, turned)
        return dot(second, normal) / max(length(normal), 0.05)
    }

    /// The best rotation without translation: Gauss–Newton with Cauchy weights.
    private func commonRotation() -> Matrix3d {
        var rotation = Matrix3d.identity
        for round in 0..<8 {
            var (matrix, right) = (Matrix3d.identity * 1e-9, Vector3d.zero)
            let scale = max(limit * 4, 0.2 / Double(1 << (2 * round)))
            for k in first.indices {
                let turned = rotation * first[k]
                let error = second[k] - turned
                let weight = 1 / (1 + dot(error, error) / (scale * scale))
                // d(turned)/dw = −[turned]×; the normal matrix is |a|² − a aᵀ.
                matrix = matrix + (Matrix3d.identity - Matrix3d(turned * turned.x, turned * turned.y, turned * turned.z)) * weight
                right += cross(turned, error) * weight
            }
            let step = matrix.inverse * right
            rotation = Matrix3d.rotation(step) * rotation
            if dot(step, step) < 1e-12, round > 4 { break }
        }
        return rotation
    }

    /// Gauss–Newton over rotation (three) and direction (two), with residuals below `reach`.
    private func refined(_ start: Motion, reach: Double) -> Motion {
        var motion = start
        for _ in 0..<2 {
            let t = motion.direction
            let side = normalize(cross(t, abs(t.x) < 0.6 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)))
            let other = cross(t, side)
            var normal = SmallSymmetricSystem(count: 5)
            for k in first.indices {
                let turned = motion.rotation * first[k]
                let weight = 1 / max(length(cross(t, turned)), 0.05)
                let residual = dot(second[k], cross(t, turned)) * weight
                let share = residual / limit
                guard abs(residual) < reach else { continue }
                let across = cross(turned, second[k])
                let byTurn = cross(turned, cross(second[k], t)) * weight
                normal.add(
                    SIMD8(byTurn.x, byTurn.y, byTurn.z, dot(side, across) * weight, dot(other, across) * weight, 0, 0, 0), residual,
                    weight: 1 / (1 + share * share))
            }
            // Damping keeps parameters that a small translation does not determine.
            guard let step = normal.solve(damping: 1e-7 * Double(first.count)) else { return motion }
            let turn = Vector3d(step[0], step[1], step[2])
            guard dot(turn, turn) < 0.01 else { return motion }
            motion.rotation = Matrix3d.rotation(turn) * motion.rotation
            motion.direction = normalize(t + side * step[3] + other * step[4])
        }
        return motion
    }
}
