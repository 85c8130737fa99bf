import CVitrineWeb
import VitrineGPU
import VitrineRender
import VitrineScene

/// An environment that is filtered in slices before it is displayed.
final class EnvironmentLoad {
    private let viewer: PageViewer
    private let image: Image?
    /// A scene that contains only the environment.
    private let scene = Scene()

    /// Begins to load an environment.
    ///
    /// - Parameter image: The image; nil for the studio.
    init(_ image: Image?, for viewer: PageViewer) {
        (self.image, self.viewer) = (image, viewer)
        var look = viewer.look
        look.environment = image
        scene.environment = look.makeEnvironment()
    }

    /// Continues for about this number of milliseconds.
    ///
    /// - Returns: The completed fraction; at 1 the environment is displayed.
    func advance(milliseconds: Double) throws(PageError) -> Double {
        let deadline = vitrine_page_now() + milliseconds
        var share = 0.0
        repeat {
            let isDone = try PageError.rendering { () throws(RenderError) in
                try viewer.renderer.prepare(scene, waits: false) {
                    share = max(share, $0)
                    return $0 >= 1 || vitrine_page_now() < deadline
                }
            }
            if isDone {
                viewer.changeLook { $0.environment = image }
                return 1
            }
        } while vitrine_page_now() < deadline
        return min(share, 0.99)
    }
}
