import Foundation
import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineAR

/// Runs the first example of docs/guide/track-a-camera.md unchanged.
@MainActor struct DocumentationTests {
    /// Without visible surfaces, the cube is placed ahead of a camera with known orientation.
    @Test func aTapWithoutASurfacePlacesTheCubeAhead() async throws {
        let steps = (0..<20).flatMap { [ScriptedSource.Step.inertial(Double($0) / 10), .image(Double($0) / 10)] }
        var (count, anchors): (Int, [ARAnchor]) = (0, [])
        try await follow(
            ScriptedSource(steps, rig: SensorRig(camera: SensorRig.scripted.camera, hasInertialUnit: true)),
            takeTap: { count == 10 ? Vector2(0.5, 0.5) : nil },
            print: { _, state, position in
                count += 1
                #expect(state != .normal && position == .zero)
            }, last: { anchors = $0.anchors })
        #expect(count == 20 && anchors.map(\.name) == ["cube"])
        #expect(anchors.allSatisfy { abs(length($0.transform.translation) - 0.3) < 1e-5 })
    }

    private func follow(
        _ source: some SensorSource, takeTap: () -> Vector2?, print: (Double, ARCamera.TrackingState, Vector3) -> Void,
        last: (ARFrame) -> Void
    ) async throws {
        // The example begins.
        let session = ARSession(source: source, pace: .stepped)
        session.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal, .vertical]))

        for try await frame in session.frames {
            let position = frame.camera.transform.translation  // metres, +Y up
            print(frame.timestamp, frame.camera.trackingState, position)

            // A tap in the image, 0…1 right and down: places the cube on the plane there, else 0.3 m ahead.
            guard let tap = takeTap() else { continue }
            let query = frame.raycastQuery(from: tap, allowing: .existingPlaneGeometry, alignment: .horizontal)
            let ahead = frame.camera.transform * Matrix4(translation: Vector3(0, 0, -0.3))
            try session.add(anchor: ARAnchor(name: "cube", transform: session.raycast(query).first?.worldTransform ?? ahead))
        }
        // The example ends.
        if let frame = session.currentFrame { last(frame) }
    }

    @Test func thePageContainsTheTestedCode() throws {
        let page = try String(contentsOf: SharedData.packageRoot.appendingPathComponent("docs/guide/track-a-camera.md"), encoding: .utf8)
        let test = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let example = try #require(page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
        let tested = try #require(test.components(separatedBy: "// The example begins.\n").dropFirst().first)
        let lines = try #require(tested.components(separatedBy: "        // The example ends.").first).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(example == lines.map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : String($0) }.joined(separator: "\n"))
    }
}
