import VitrineMath
import VitrineScene

/// The backgrounds through which a key of the viewer cycles, starting with that of the scene.
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
        // If the scene's background is its environment, the next step would repeat it.
        if step == 1, case .environment? = own { step = 2 }
        let next = Self.others[step - 1]
        environment.background = next.background
        return next.name
    }

    /// Sets the selected background in the scene's new environment.
    mutating func apply(to environment: Environment) {
        own = environment.background
        if step > 0 { environment.background = Self.others[step - 1].background }
    }
}
