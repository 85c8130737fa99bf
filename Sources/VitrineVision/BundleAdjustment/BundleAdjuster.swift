import VitrineGeometry

/// Bundle adjustment: minimizes the robust reprojection error over cameras, lenses and points.
///
/// Levenberg–Marquardt on the reduced camera system (Schur complement of the points: Triggs et al. 2000), with the damping of
/// Nielsen 1999. The gauge is free: the damping keeps the system definite, and steps have no component along it.
/// The result does not depend on the number of threads: every sum has a fixed order.
package struct BundleAdjuster {
    package struct Options: Sendable {
        package var loss = RobustLoss.cauchy(threshold: 2)
        package var maximumIterations = 30
        /// Stops when a step decreases the cost by less than this share.
        package var costTolerance = 1e-6
        /// The initial damping, which is small, because weakly determined parameters such as focal length against distance converge slowly
        /// otherwise.
        package var initialDamping = 1e-7
    }

    package struct Summary: Sendable {
        package var initialCost = 0.0, finalCost = 0.0
        package var iterations = 0
        /// Whether the result can be used: false without free parameters, or if the cost is not finite.
        package var isUsable = true
        /// The standard deviations of the free parameters of each lens, for observations of variance 1 / information.
        var lensDeviations: [[Double]] = []
    }

    package var options = Options()

    package init() {}

    /// Adjusts the problem in place; leaves it unchanged if no step decreases the cost.
    @discardableResult
    package func adjust(_ problem: inout BundleProblem, parallel: Parallel, isCancelled: () -> Bool = { false }) -> Summary {
        var summary = Summary()
        let system = BundleSystem(problem)
        var cost = system.cost(problem, options.loss, parallel)
        (summary.initialCost, summary.finalCost) = (cost, cost)
        guard cost.isFinite, system.unknowns > 0 || !problem.points.isEmpty else {
            summary.isUsable = false
            return summary
        }

        var (damping, growth) = (options.initialDamping, 2.0)
        var needsLinearization = true
        while summary.iterations < options.maximumIterations, !isCancelled() {
            summary.iterations += 1
            if needsLinearization { system.linearizePoints(problem, options.loss, parallel) }
            needsLinearization = false
            guard system.solve(problem, damping: damping, parallel: parallel) else {
                damping *= growth
                growth *= 2
                if damping > 1e12 { break }
                continue
            }
            let trial = system.stepped(problem, parallel)
            let trialCost = system.cost(trial, options.loss, parallel)
            let expected = system.expectedDecrease(damping)
            let ratio = (cost - trialCost) / max(expected, .leastNormalMagnitude)
            if trialCost.isFinite, trialCost < cost {
                let decrease = (cost - trialCost) / cost
                (problem, cost, needsLinearization) = (trial, trialCost, true)
                let bent = 2 * min(ratio, 1) - 1
                damping = max(1e-10, damping * max(1 / 3.0, 1 - bent * bent * bent))
                growth = 2
                if decrease < options.costTolerance { break }
            } else {
                // At the minimum, rounding dominates.
                if expected < 1e-12 * cost || damping > 1e12 { break }
                damping *= growth
                growth *= 2
            }
        }
        summary.finalCost = cost
        return summary
    }

    /// The marginal standard deviations of the lenses' free parameters for observations of variance 1 / information. Infinite if the observations do not
    /// determine them.
    func lensDeviations(_ problem: BundleProblem, parallel: Parallel) -> [[Double]] {
        let system = BundleSystem(problem)
        system.linearizePoints(problem, options.loss, parallel)
        let free = problem.lenses.map(\.freeParameters)
        guard system.solve(problem, damping: 1e-9, parallel: parallel) else {
            return free.map { Array(repeating: .infinity, count: $0) }
        }
        let diagonal = system.reduced.lensInverseDiagonal()
        var start = 0
        return free.map { count in
            defer { start += count }
            return (start..<start + count).map { diagonal[$0].squareRoot() }
        }
    }
}
