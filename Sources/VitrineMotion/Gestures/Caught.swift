import VitrineMath

/// The velocity that something had when a finger caught it: it dies out under the finger as v t e^{−t/τ}, so that neither place nor speed jumps.
struct Caught<Value: VectorArithmetic>: Equatable, Sendable {
    let velocity: Value
    let time: Double
    /// τ, seconds; 0: it stops at once.
    let timeConstant: Double

    /// How far from where it was caught.
    func offset(at now: Double) -> Value {
        let elapsed = max(now - time, 0)
        guard timeConstant > 0, elapsed > 0 else { return .zero }
        return velocity.scaled(by: elapsed * exp(-elapsed / timeConstant))
    }

    func velocity(at now: Double) -> Value {
        let elapsed = max(now - time, 0)
        guard timeConstant > 0 else { return .zero }
        return velocity.scaled(by: exp(-elapsed / timeConstant) * (1 - elapsed / timeConstant))
    }

    func isAtRest(at now: Double) -> Bool { velocity == .zero || now - time > 12 * timeConstant }
}
