import VitrineMath
import VitrineScene

/// The backgrounds that a key goes through, the scene's own first.
struct BackgroundCycle {
    private var step = 0
    private var own: Background?

    private static var others: [(name: String, background: Background)] {
        [("environment", .environment), ("white", .color(.white)), ("grey", .color(Color(white: 0.5))), ("black", .color(.black))]
    }

    /// Sets the next background and returns its name.
    mutating func advance(_ environment: Environment) -> String {
        if step == 0 { own = environment.background }
        step = (step + 1) % (Self.others.count + 1)
        guard step > 0 else {
            if let own { environment.background = own }
            return "the scene's own"
        }
        // A scene that shows its environment anyway needs no second step that does the same.
        if step == 1, case .environment? = own { step = 2 }
        let next = Self.others[step - 1]
        environment.background = next.background
        return next.name
    }

    /// The scene got a new environment: keeps the background that was chosen.
    mutating func carryOver(to environment: Environment) {
        own = environment.background
        if step > 0 { environment.background = Self.others[step - 1].background }
    }
}
