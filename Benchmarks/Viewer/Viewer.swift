import Foundation
import Vitrine

/// The least program that shows a model in a window: its size is what linking the viewer adds.
@main
enum Viewer {
    @MainActor static func main() async throws {
        let view = SceneView(try await Scene(contentsOf: URL(filePath: CommandLine.arguments[1])))
        try await Window("Viewer", showing: view).run()
    }
}
