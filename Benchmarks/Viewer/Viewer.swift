import Foundation
import Vitrine

/// The least program that shows a model in a window: its size is the cost of linking the viewer.
@main
enum Viewer {
    @MainActor static func main() async throws {
        let view = SceneView(try await Scene(contentsOf: URL(filePath: CommandLine.arguments[1])))
        try await Window("Viewer", showing: view).run()
    }
}
