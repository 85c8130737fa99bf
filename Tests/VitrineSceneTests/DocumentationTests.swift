import Foundation
import Testing
import VitrineMath
import VitrineMotion
import VitrineScene
import VitrineTestSupport

@Suite struct DocumentationTests {
    /// The example of docs/guide/scene.md, with the results of its comments.
    @Test func exampleGivesItsDocumentedResults() throws {
        let scene = Scene()
        let card = Node(name: "Card", mesh: Mesh(geometry: .box(size: [0.6, 0.9, 0.02], chamferRadius: 0.01), material: Material()))
        card.position = [0, 1, 0]
        card.pivot = Matrix4(translation: [-0.3, 0, 0])
        scene.rootNode.addChildNode(card)
        card.eulerAngles.y = .pi / 2

        scene.update()
        let nearest = scene.pick(Ray(origin: [2, 1, -0.2], direction: [-1, 0, 0]))
        #expect(nearest?.node.name == "Card")
        #expect(abs(try #require(nearest?.distance) - 1.99) < 1e-5)

        let orbit = OrbitPose(fitting: scene.bounds, fieldOfView: .degrees(60), aspectRatio: 16 / 9)
        let camera = Camera()
        let clipFromWorld = camera.clipFromView(aspectRatio: 16 / 9) * orbit.worldFromCamera.affineInverse
        #expect(scene.store.visibleSlots(in: Frustum(clipFromWorld: clipFromWorld)) == [card.slot] && card.slot == 1)
    }

    /// Every statement of the page's example is in the test above.
    @Test func documentedExampleIsTheTestedOne() throws {
        let page = try String(contentsOf: SharedData.packageRoot.appendingPathComponent("docs/guide/scene.md"), encoding: .utf8)
        let test = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let example = try #require(page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
        let statements = example.split(separator: "\n").map { $0.components(separatedBy: " //")[0].trimmingCharacters(in: .whitespaces) }
        #expect(statements.count >= 10)
        for statement in statements where !statement.isEmpty { #expect(test.contains(statement), "\(statement)") }
    }
}
