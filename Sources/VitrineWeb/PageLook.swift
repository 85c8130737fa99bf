import VitrineMath
import VitrineRender
import VitrineScene

/// The environment and shadow settings of a viewer, kept when its model changes.
struct PageLook {
    /// The background of a viewer.
    enum Backdrop {
        case transparent
        /// The image of the environment, or the backdrop of the studio.
        case environment
        case color(Color)
    }

    /// The image; nil for the studio.
    var environment: Image?
    var intensity: Float = 1
    var rotation = Angle.zero
    var backdrop = Backdrop.transparent
    /// The blur of the background, 0…1.
    var blur: Float = 0
    /// The strength of the shadow, 0…1; 0 for none.
    var shadow: Float = 0
    var options = RenderOptions()

    /// Creates the environment of a scene.
    func makeEnvironment() -> Environment {
        let made = environment.map { Environment(image: $0) } ?? .studio()
        (made.intensity, made.rotation, made.backgroundBlur) = (intensity, rotation, blur)
        switch backdrop {
        case .transparent: made.background = .transparent
        case .environment: break
        case .color(let color): made.background = .color(color)
        }
        return made
    }
}
