import VitrineMath

/// The rest of a motion that a press has interrupted: the offset v t e^{−t/τ} decays, so that neither position nor velocity jumps.
struct CaughtMotion<Value: VectorArithmetic>: Equatable, Sendable {
    let velocity: Value
    let time: Double
    /// τ in seconds; 0 stops the motion at once.
    let timeConstant: Double

    /// Returns the offset from the value at the press.
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
