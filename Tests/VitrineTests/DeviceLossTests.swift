import Foundation
import Testing
import VitrineLayers
import VitrineMath
import VitrineRender
import VitrineScene

@testable import Vitrine
@testable import VitrineGPU

/// Loss of a view's GPU device between images and at random moments: an error that names it, and another device afterwards.
///
/// `destroyWithoutRecordingLoss` is a driver's reset: nothing is known of it before a call fails.
@Suite @MainActor struct DeviceLossTests {
    private func scene() -> Scene {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1, segments: 24), material: Material(baseColor: .white))))
        let sun = Node()
        sun.light = Light(.directional)
        sun.light?.castsShadow = true
        scene.rootNode.addChildNode(sun)
        return scene
    }

    /// Whether an error reports a lost device.
    private func isLoss(_ error: any Error) -> Bool {
        if case .deviceLost? = error as? GPUError { return true }
        return "\(error)".contains("device lost") || "\(error)".contains("device is lost")
    }

    private func expectLoss(_ place: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("\(place): no error")
        } catch {
            #expect(isLoss(error), "\(place): \(error)")
        }
    }

    @Test(arguments: [true, false]) func aSnapshotAfterALossUsesAnotherDevice(isRecorded: Bool) throws {
        let view = SceneView(scene())
        let before = try view.snapshot(width: 32, height: 24)
        let device = try #require(view.device)
        if isRecorded { device.destroy() } else { device.destroyWithoutRecordingLoss() }
        if !isRecorded { expectLoss("snapshot") { _ = try view.snapshot(width: 32, height: 24) } }
        #expect(try view.snapshot(width: 32, height: 24).bytes == before.bytes)
    }

    @Test(arguments: [true, false]) func layersAfterALossUseAnotherDevice(isRecorded: Bool) throws {
        let view = LayerView()
        let layer = Layer(frame: Rectangle(x: 2, y: 2, width: 20, height: 10))
        layer.fill = .color(.black)
        layer.shadow = Shadow(radius: 4)
        view.root.add(layer)
        let before = try view.snapshot(size: [32, 24])
        let device = try #require(view.renderer?.device)
        if isRecorded { device.destroy() } else { device.destroyWithoutRecordingLoss() }
        if !isRecorded { expectLoss("snapshot") { _ = try view.snapshot(size: [32, 24]) } }
        #expect(try view.snapshot(size: [32, 24]).bytes == before.bytes)
    }

    /// Lost by another thread at any moment of loading, drawing and reading, `VITRINE_LOSSES` times (default: 12).
    @Test func aLossAtAnyMomentIsAnError() throws {
        let rounds = ProcessInfo.processInfo.environment["VITRINE_LOSSES"].flatMap { Int($0) } ?? 12
        var random = SplitMix64(seed: 23)
        let view = SceneView(scene())
        let before = try view.snapshot(width: 64, height: 48, samples: 2)
        var errors = 0
        for round in 0..<rounds {
            if round % 2 == 0 { view.scene = scene() }
            _ = try view.snapshot(width: 8, height: 8)
            nonisolated(unsafe) let device = try #require(view.device)
            let delay = Double(random.next() % 1000) / 1000 * 0.06
            let thread = Thread {
                Thread.sleep(forTimeInterval: delay)
                device.destroyWithoutRecordingLoss()
            }
            thread.start()
            do {
                for _ in 0..<200 { _ = try view.snapshot(width: 64, height: 48, samples: 2) }
                Issue.record("round \(round): no error")
            } catch {
                #expect(isLoss(error), "round \(round): \(error)")
                errors += 1
            }
        }
        #expect(errors == rounds)
        #expect(try view.snapshot(width: 64, height: 48, samples: 2).bytes == before.bytes)
    }
}
