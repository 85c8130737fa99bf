import Testing
import VitrineGeometry

@testable import VitrineMotion

@Suite struct InputSourceTests {
    private func pad(_ event: GamepadEvent, id: Int32 = 1, at time: Double = 0) -> InputEvent {
        InputEvent(.gamepad(event, id: id), time: time)
    }

    @Test func theDeadZoneIsRoundAndHasNoEdge() {
        var gamepad = Gamepad(deadZone: 0.2)
        gamepad.handle(pad(.connected))
        gamepad.handle(pad(.leftStick(Vector2(0.1, -0.1))))
        #expect(gamepad.left == .zero)
        gamepad.handle(pad(.leftStick(Vector2(0, 0.2001))))
        #expect(gamepad.left.y > 0 && gamepad.left.y < 1e-3)
        gamepad.handle(pad(.leftStick(Vector2(0.36, 0.48))))
        #expect(distance(gamepad.left, Vector2(0.6, 0.8) * 0.5) < 1e-5)
        gamepad.handle(pad(.rightStick(Vector2(1, 1))))
        #expect(abs(length(gamepad.right) - 1) < 1e-5)
        gamepad.handle(pad(.rightStick(Vector2(.nan, 1))))
        #expect(gamepad.right.isFinite)
    }

    @Test func disconnectedGamepadsReleaseEverything() {
        var gamepad = Gamepad()
        #expect(!gamepad.isConnected && !gamepad.handle(InputEvent(.focusLost, time: 0)))
        gamepad.handle(pad(.connected, id: 3))
        gamepad.handle(pad(.pressed(.south), id: 3))
        gamepad.handle(pad(.leftTrigger(2), id: 3))
        #expect(gamepad.pressed == [.south] && gamepad.leftTrigger == 1 && gamepad.id == 3)
        gamepad.handle(pad(.connected, id: 4))
        gamepad.handle(pad(.leftStick(Vector2(1, 0)), id: 4))
        #expect(gamepad.id == 4 && gamepad.pressed == [] && gamepad.left == Vector2(1, 0))
        gamepad.handle(pad(.disconnected, id: 4))
        #expect(gamepad.left == .zero && gamepad.id == 3 && gamepad.isConnected)
        gamepad.handle(pad(.disconnected, id: 3))
        #expect(!gamepad.isConnected && gamepad.id == nil)
    }

    @Test func arrowKeysGiveADirection() {
        var keys = ArrowKeys()
        func key(_ kind: InputEvent.Kind) -> InputEvent { InputEvent(kind, time: 0) }
        #expect(keys.handle(key(.keyPressed(.right, isRepeat: false))) && keys.direction == Vector2(1, 0))
        let repeats = keys.handle(key(.keyPressed(.right, isRepeat: true)))
        #expect(!repeats)
        keys.handle(key(.keyPressed(.up, isRepeat: false)))
        #expect(distance(keys.direction, Vector2(0.70711, 0.70711)) < 1e-4)
        keys.handle(key(.keyPressed(.left, isRepeat: false)))
        #expect(keys.direction == Vector2(0, 1))
        #expect(keys.handle(key(.focusLost)) && keys.direction == .zero && !keys.handle(key(.keyReleased(.up))))
    }

    /// A key tilts as a drag of half the size would, and springs back when it is released.
    @Test func keysAndSticksTilt() {
        var (keys, tilt) = (ArrowKeys(), TiltController(bounds: Rectangle(x: 0, y: 0, width: 100, height: 100)))
        let down = InputEvent(.keyPressed(.right, isRepeat: false), time: 1)
        keys.handle(down)
        tilt.lean(towards: keys.direction, at: down.time)
        #expect(distance(tilt.angles(at: 4), Vector2(0, .pi / 4)) < 1e-5)
        tilt.lean(towards: .zero, at: 4)
        #expect(tilt.angles(at: 9) == .zero)
    }

    @Test func attitudeIsRelativeToTheFirstAndSmoothed() {
        var filter = AttitudeFilter(timeConstant: 0.1)
        let start = Quaternion(eulerAngles: [0.9, 0.3, 0.2])
        #expect(!filter.handle(InputEvent(.focusLost, time: 0)) && filter.rotation == .identity)
        filter.update(start, at: 0)
        let turned = start * Quaternion(angle: .degrees(40), axis: .up)
        filter.update(turned, at: 0.1)
        #expect(abs(filter.turn.degrees - 40 * (1 - exp(Float(-1)))) < 1e-2)
        for step in 2...40 { filter.update(turned, at: Double(step) * 0.1) }
        #expect(abs(filter.turn.degrees - 40) < 1e-2 && abs(filter.angles.y - filter.turn.radians) < 1e-6)
        filter.recenter()
        #expect(abs(filter.turn.radians) < 1e-4)
        for bad in [Quaternion(x: .nan, y: 0, z: 0, w: 1), Quaternion(x: 0, y: 0, z: 0, w: 0)] { filter.update(bad, at: 9) }
        filter.update(.identity, at: 1)
        #expect(abs(filter.turn.radians) < 1e-4)
    }

    /// A device that is turned about while its gyroscope is a little off: gravity keeps it upright.
    @Test func sensorsGiveTheAttitude() {
        var (estimator, random) = (AttitudeEstimator(), SplitMix64(seed: 4))
        func noise(_ size: Float) -> Vector3 {
            Vector3((0..<3).map { _ in (Float(random.below(2001)) / 1000 - 1) * size })
        }
        var truth = Quaternion(eulerAngles: [0.5, 0, -0.3])
        let bias = Vector3(0.01, -0.012, 0.008)
        for step in 0...4000 {
            let time = Double(step) * 0.005
            let rate = Vector3(sin(Float(time)), cos(Float(time) * 0.7), 0.3 * sin(Float(time) * 1.3))
            if step > 0 { truth = (truth * Quaternion(rotationVector: rate * 0.005)).normalized }
            estimator.addAcceleration(truth.inverse.rotate([0, 9.81, 0]) + noise(0.3), at: time)
            estimator.addRotationRate(rate + bias + noise(0.05), at: time)
            guard step > 600 else { continue }
            let up = estimator.attitude.inverse.rotate(.up)
            #expect(distance(up, truth.inverse.rotate(.up)) < 0.05)
        }
        estimator.addRotationRate([.nan, 0, 0], at: 21)
        estimator.addAcceleration(.zero, at: 21)
        #expect(estimator.attitude.vector.isFinite)
    }

    @Test func scriptsGiveEachEventOnce() {
        func moved(_ x: Float, _ time: Double) -> InputEvent { InputEvent(.pointerMoved(to: Vector2(x, 0)), time: time) }
        var script = EventScript([moved(1, 0.5), moved(2, 0.1), moved(3, 0.5), moved(4, 0.2)])
        #expect(script.events.map(\.time) == [0.1, 0.2, 0.5, 0.5] && script.duration == 0.5)
        #expect(script.events[2] == moved(1, 0.5) && script.events[3] == moved(3, 0.5))
        #expect(script.take(through: 0.2).count == 2 && script.take(through: 0.2).isEmpty)
        #expect(script.take(through: 9).count == 2)
        script.rewind()
        #expect(script.take(through: 9).count == 4)
    }
}
