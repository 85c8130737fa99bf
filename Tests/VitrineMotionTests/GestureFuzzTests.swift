import Testing
import VitrineGeometry

@testable import VitrineMotion

/// For any events in any order, no call traps, numbers stay finite, and each gesture that began ends exactly once.
@Suite struct GestureFuzzTests {
    private func point(_ random: inout SplitMix64) -> Vector2 {
        func number() -> Float {
            switch random.below(40) {
            case 0: .nan
            case 1: .infinity
            case 2: -3e38
            case 3: 0
            default: Float(random.below(600)) - 100
            }
        }
        return Vector2(number(), number())
    }

    private func kind(_ random: inout SplitMix64) -> InputEvent.Kind {
        let finger = Int64(random.below(4)) == 3 ? Int64.min : Int64(random.below(4))
        let button = [PointerButton.left, .left, .right][random.below(3)]
        switch random.below(24) {
        case 0...4: return .touchBegan(id: finger, at: point(&random))
        case 5...11: return .touchMoved(id: finger, to: point(&random))
        case 12...14: return .touchEnded(id: finger, at: point(&random))
        case 15: return .touchCancelled(id: finger)
        case 16: return .pointerPressed(button, at: point(&random), clicks: 1)
        case 17, 18: return .pointerMoved(to: point(&random))
        case 19: return .pointerReleased(button, at: point(&random))
        case 20: return .scrolled(point(&random) / 10, at: point(&random))
        case 21: return random.below(6) == 0 ? .focusLost : .keyPressed(.left, isRepeat: false)
        case 22: return .attitude(Quaternion(vector: Vector4(point(&random).x, 0, 0, 1)))
        default: return .gamepad(.leftStick(point(&random)), id: Int32(random.below(3)))
        }
    }

    /// Ten thousand a second, now and then with a time that is not finite or runs backwards.
    private func events(seed: UInt64, count: Int) -> [InputEvent] {
        var (random, time) = (SplitMix64(seed: seed), 0.0)
        return (0..<count).map { _ in
            time += random.below(50) == 0 ? Double(random.below(1000)) * 1e-3 : 1e-4
            let reported = random.below(60) == 0 ? [Double.nan, -1, .infinity, time - 5][random.below(4)] : time
            return InputEvent(kind(&random), time: reported)
        }
    }

    private func check<G: Gesture>(_ gesture: G, seed: UInt64, isFinite: (G.Value) -> Bool) {
        var (gesture, isOpen, lastTime, count) = (gesture, false, -Double.infinity, 0)
        func follow(_ changes: [GestureChange<G.Value>], isTap: Bool = G.self == TapGesture.self) {
            for change in changes {
                count += 1
                #expect(isFinite(change.value) && change.time.isFinite && change.time >= lastTime - 1e-9)
                lastTime = change.time
                switch change.phase {
                case .began:
                    #expect(!isOpen)
                    isOpen = true
                case .changed: #expect(isOpen)
                case .ended, .cancelled:
                    #expect(isOpen || isTap)
                    isOpen = false
                }
            }
        }
        for (index, event) in events(seed: seed, count: 3000).enumerated() {
            follow(gesture.handle(event))
            #expect(gesture.isActive == isOpen)
            if index % 7 == 0 { follow(gesture.update(at: event.time)) }
            if index % 501 == 0 { follow(gesture.cancel(at: event.time)) }
        }
        follow(gesture.cancel(at: 1e6))
        #expect(!isOpen && !gesture.isActive)
        // Taps are rare among so many fingers.
        #expect(count > 3 || G.self == TapGesture.self)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func gesturesStayBalanced(_ seed: UInt64) {
        check(DragGesture(), seed: seed) { $0.translation.isFinite && $0.velocity.isFinite }
        check(DragGesture(minimumDistance: 0), seed: seed) { $0.translation.isFinite && $0.velocity.isFinite }
        check(DragGesture(touches: 1...5), seed: seed) { $0.translation.isFinite && $0.velocity.isFinite }
        check(DragGesture(minimumDistance: 0, touches: 2...5), seed: seed) { $0.translation.isFinite }
        check(PinchGesture(), seed: seed) { $0.scale.isFinite && $0.scale > 0 && $0.scaleVelocity.isFinite }
        check(RotateGesture(), seed: seed) { $0.rotation.radians.isFinite && $0.rotationVelocity.radians.isFinite }
        check(TapGesture(), seed: seed) { $0.location.isFinite }
        check(LongPressGesture(minimumDuration: 0.001, maximumDistance: 1e9), seed: seed) { $0.location.isFinite }
        let bounds = Rectangle(x: 0, y: 0, width: 300, height: 200)
        check(PressGesture(bounds: bounds), seed: seed) { $0.location == bounds.clamped($0.location) }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func controllersStayFinite(_ seed: UInt64) {
        let bounds = Rectangle(x: 0, y: 0, width: 300, height: 200)
        var (tilt, turn) = (TiltController(bounds: bounds), TurnController(bounds: bounds))
        tilt.limit = seed % 2 == 0 ? .degrees(30) : nil
        tilt.keepsHandVelocity = true
        var pan = PanController(limits: bounds, viewportSize: Vector2(100, 0))
        var (gamepad, attitude, view) = (Gamepad(), AttitudeFilter(), CameraGestureRecognizer())
        var now = 0.0
        for event in events(seed: seed, count: 3000) {
            if event.time.isFinite { now = max(now, event.time) }
            tilt.handle(event)
            turn.handle(event)
            pan.handle(event)
            if gamepad.handle(event) { tilt.lean(towards: gamepad.left, at: now) }
            if attitude.handle(event) { tilt.lean(to: attitude.angles, at: now) }
            _ = view.handle(event)
            #expect(tilt.angles(at: now).isFinite && turn.orientation(at: now).vector.isFinite && pan.offset(at: now).isFinite)
        }
        for time in [now, now + 0.3, now + 1e6] {
            #expect(tilt.angles(at: time).isFinite && turn.orientation(at: time).vector.isFinite && pan.offset(at: time).isFinite)
        }
    }
}
