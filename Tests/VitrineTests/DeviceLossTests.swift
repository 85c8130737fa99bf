import Foundation
import Testing
import VitrineLayers
import VitrineMath
import VitrineRender
import VitrineScene

@testable import Vitrine
@testable import VitrineGPU

extension GPUDevice {
    /// Loses the device after `delay` seconds, on another thread.
    func lose(after delay: Double) {
        nonisolated(unsafe) let device = self
        Thread {
            Thread.sleep(forTimeInterval: delay)
            device.destroyWithoutRecordingLoss()
        }.start()
    }
}

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

    private func expectLoss(_ operation: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("\(operation): no error")
        } catch {
            #expect(isLoss(error), "\(operation): \(error)")
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

    /// `VITRINE_LOSSES` (default: 12).
    private var rounds: Int { ProcessInfo.processInfo.environment["VITRINE_LOSSES"].flatMap { Int($0) } ?? 12 }

    /// Lost by another thread at any moment of loading, drawing and reading, `VITRINE_LOSSES` times.
    @Test func aLossAtAnyMomentIsAnError() throws {
        var random = SplitMix64(seed: 23)
        let view = SceneView(scene())
        let before = try view.snapshot(width: 64, height: 48, samples: 2)
        var errors = 0
        for round in 0..<rounds {
            if round % 2 == 0 { view.scene = scene() }
            _ = try view.snapshot(width: 8, height: 8)
            try #require(view.device).lose(after: Double(random.next() % 1000) / 1000 * 0.06)
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

    /// Lost by another thread while another scene is compiled and uploaded in slices: the scene that is shown stays, and can be shown again.
    @Test func aLossDuringPreparationIsAnError() async throws {
        var random = SplitMix64(seed: 24)
        let view = SceneView(scene())
        let before = try view.snapshot(width: 64, height: 48)
        var errors = 0
        for round in 0..<rounds {
            _ = try view.snapshot(width: 8, height: 8)
            try #require(view.device).lose(after: Double(random.next() % 1000) / 1000 * 0.2)
            do {
                for _ in 0..<100 { try await view.prepare(scene()) }
                Issue.record("round \(round): no error")
            } catch {
                #expect(isLoss(error), "round \(round): \(error)")
                errors += 1
            }
        }
        #expect(errors == rounds)
        #expect(try view.snapshot(width: 64, height: 48).bytes == before.bytes)
    }

    /// Lost by another thread while particles are simulated and effects are computed.
    @Test func aLossDuringEffectsIsAnError() throws {
        var random = SplitMix64(seed: 25)
        let view = LayerView()
        let layer = Layer(frame: Rectangle(x: 2, y: 2, width: 60, height: 40))
        layer.fill = .color(.white)
        layer.effects = [.distortion(ShaderLibrary.wave(.float(0.25), .float(3), .float(16)))]
        layer.blur = 2
        view.root.add(layer)
        let before = try view.snapshot(size: [64, 48])
        let cloud = ParticleCloud(ParticleSettings(count: 2000))
        cloud.progress = 1
        let particles = ParticleDrawing(cloud)
        layer.fill = .drawing(particles)
        var (errors, time) = (0, 0.0)
        for round in 0..<rounds {
            _ = try view.snapshot(size: [64, 48])
            try #require(view.renderer?.device).lose(after: Double(random.next() % 1000) / 1000 * 0.06)
            do {
                for _ in 0..<1000 {
                    time += 1 / 60
                    particles.advance(to: time)
                    _ = try view.snapshot(size: [64, 48])
                }
                Issue.record("round \(round): no error")
            } catch {
                #expect(isLoss(error), "round \(round): \(error)")
                errors += 1
            }
        }
        #expect(errors == rounds)
        layer.fill = .color(.white)
        #expect(try view.snapshot(size: [64, 48]).bytes == before.bytes)
    }
}
