import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import Vitrine

@MainActor @Suite struct SceneViewPrepareTests {
    private func cube(_ color: Color) -> Scene {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .box(), material: Material(baseColor: color))))
        return scene
    }

    @Test func aSceneIsPreparedWhileAnotherIsShown() async throws {
        let view = SceneView(cube(.white))
        let before = try view.snapshot(width: 64, height: 48)
        let next = cube(Color(red: 1, green: 0, blue: 0))
        var shares: [Double] = []
        try await view.prepare(next) { shares.append($0) }
        #expect(shares == shares.sorted() && shares.last == 1 && shares.filter { $0 == 1 }.count == 1)
        // A dark scene was lit, and the current scene is unchanged.
        #expect(next.environment.image != nil)
        #expect(try view.snapshot(width: 64, height: 48).bytes == before.bytes)
        view.scene = next
        let after = try view.snapshot(width: 64, height: 48)
        #expect(after.bytes != before.bytes)
        #expect(try SceneView(cube(Color(red: 1, green: 0, blue: 0))).snapshot(width: 64, height: 48).bytes == after.bytes)
    }
}
