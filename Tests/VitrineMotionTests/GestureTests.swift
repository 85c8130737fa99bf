import Testing
import VitrineGeometry

@testable import VitrineMotion

/// Writes events as fingers make them.
struct Fingers {
    var time = 0.0

    mutating func does(_ kind: InputEvent.Kind, after seconds: Double = 0.01) -> InputEvent {
        time += seconds
        return InputEvent(kind, time: time)
    }

    mutating func down(_ x: Float, _ y: Float, finger: Int64 = 0, after seconds: Double = 0.01) -> InputEvent {
        does(.touchBegan(id: finger, at: Vector2(x, y)), after: seconds)
    }
    mutating func move(_ x: Float, _ y: Float, finger: Int64 = 0, after seconds: Double = 0.01) -> InputEvent {
        does(.touchMoved(id: finger, to: Vector2(x, y)), after: seconds)
    }
    mutating func up(_ x: Float, _ y: Float, finger: Int64 = 0, after seconds: Double = 0.01) -> InputEvent {
        does(.touchEnded(id: finger, at: Vector2(x, y)), after: seconds)
    }
}

extension Gesture {
    mutating func phases(_ events: InputEvent...) -> [GesturePhase] { events.flatMap { handle($0) }.map(\.phase) }
}

@Suite struct DragGestureTests {
    @Test func beginsOnlyAfterItsDistance() {
        var (drag, hand) = (DragGesture(), Fingers())
        #expect(drag.phases(hand.down(100, 100), hand.move(104, 104)) == [] && !drag.isActive)
        let begun = drag.handle(hand.move(106, 108))
        #expect(begun.map(\.phase) == [.began] && begun[0].value.translation == Vector2(6, 8) && drag.isActive)
        let changed = drag.handle(hand.move(90, 100))
        #expect(changed[0].value.translation == Vector2(-10, 0) && changed[0].value.startLocation == Vector2(100, 100))
        #expect(drag.phases(hand.up(90, 100)) == [.ended] && !drag.isActive)
        #expect(drag.phases(hand.down(5, 5), hand.up(5, 5)) == [])
    }

    @Test func aSecondFingerIsIgnored() {
        var (drag, hand) = (DragGesture(minimumDistance: 0), Fingers())
        #expect(drag.phases(hand.down(10, 10)) == [.began])
        #expect(drag.phases(hand.down(50, 50, finger: 1), hand.move(80, 80, finger: 1), hand.up(80, 80, finger: 1)) == [])
        #expect(drag.handle(hand.move(12, 10))[0].value.translation == Vector2(2, 0))
        #expect(drag.phases(hand.does(.pointerPressed(.left, at: .zero, clicks: 1))) == [])
        #expect(drag.phases(hand.up(12, 10)) == [.ended])
    }

    @Test func aMouseButtonCountsAsAFinger() {
        var (drag, hand) = (DragGesture(), Fingers())
        #expect(drag.phases(hand.does(.pointerMoved(to: Vector2(50, 0)))) == [])
        #expect(drag.phases(hand.does(.pointerPressed(.right, at: .zero, clicks: 1)), hand.does(.pointerMoved(to: Vector2(50, 0)))) == [])
        #expect(
            drag.phases(
                hand.does(.pointerPressed(.left, at: .zero, clicks: 1)), hand.does(.pointerMoved(to: Vector2(50, 0))),
                hand.does(.pointerReleased(.left, at: Vector2(60, 0)))) == [.began, .ended])
    }

    @Test func touchesTakenByTheSystemAreCancelled() {
        for end in [InputEvent.Kind.focusLost, .touchCancelled(id: 0)] {
            var (drag, hand) = (DragGesture(minimumDistance: 0), Fingers())
            #expect(drag.phases(hand.down(0, 0), hand.does(end), hand.up(5, 5)) == [.began, .cancelled])
        }
        var (drag, hand) = (DragGesture(minimumDistance: 0), Fingers())
        _ = drag.handle(hand.down(0, 0))
        #expect(drag.cancel(at: 1).map(\.phase) == [.cancelled] && drag.cancel(at: 1).isEmpty)
    }

    @Test func velocityAndPrediction() {
        var (drag, hand) = (DragGesture(minimumDistance: 0), Fingers())
        _ = drag.handle(hand.down(0, 0))
        for step in 1...100 { _ = drag.handle(hand.move(Float(step) * 3, Float(step) * -1)) }
        let end = drag.handle(hand.up(300, -100, after: 0.001))[0].value
        #expect(distance(end.velocity, Vector2(300, -100)) < 1)
        #expect(distance(end.predictedEndTranslation, Vector2(300, -100) + end.velocity * 0.49949974) < 1e-3)
        // A pointer at rest has no velocity.
        _ = drag.handle(hand.down(0, 0))
        _ = drag.handle(hand.move(30, 0))
        #expect(drag.handle(hand.up(30, 0, after: 0.2))[0].value.velocity == .zero)
    }

    @Test func invalidEventsAreIgnored() {
        var (drag, hand) = (DragGesture(minimumDistance: 0), Fingers())
        #expect(drag.phases(hand.down(.nan, 0), hand.move(3, 3), hand.up(3, 3)) == [])
        #expect(drag.phases(hand.down(1, 1), hand.move(.infinity, 3), hand.move(.nan, .nan)) == [.began])
        let end = drag.handle(InputEvent(.touchEnded(id: 0, at: Vector2(.nan, 2)), time: .nan))
        #expect(end.map(\.phase) == [.ended] && end[0].value.translation == .zero && end[0].time.isFinite)
    }

    /// Ten thousand moves a second, and many with one time.
    @Test func frequentMovesKeepTheVelocity() {
        var drag = DragGesture(minimumDistance: 0)
        var changes: [GestureChange<PointerMotion>] = drag.handle(InputEvent(.touchBegan(id: 0, at: .zero), time: 0))
        for step in 1...10_000 {
            let time = Double(step / 4) * 4e-4
            changes += drag.handle(InputEvent(.touchMoved(id: 0, to: Vector2(Float(step) * 0.05, 0)), time: time))
        }
        #expect(changes.count == 10_001)
        #expect(abs(changes.last!.value.velocity.x - 500) < 2 && changes.last!.value.translation == Vector2(500, 0))
    }
}

@Suite struct MultiFingerDragTests {
    @Test func addingAndLiftingFingersKeepsTheTranslation() {
        var (pan, hand) = (DragGesture(touches: 1...5), Fingers())
        #expect(pan.phases(hand.down(0, 0), hand.move(20, 0)) == [.began])
        #expect(pan.phases(hand.down(100, 0, finger: 1)) == [])
        // Both fingers move by 10, and so does their mean position.
        #expect(pan.handle(hand.move(30, 0))[0].value.translation == Vector2(25, 0))
        #expect(pan.handle(hand.move(110, 0, finger: 1))[0].value.translation == Vector2(30, 0))
        #expect(pan.phases(hand.up(30, 0)) == [] && pan.isActive)
        #expect(pan.handle(hand.move(111, 2, finger: 1))[0].value.translation == Vector2(31, 2))
        let ended = pan.handle(hand.up(111, 2, finger: 1))
        #expect(ended.map(\.phase) == [.ended] && ended[0].value.translation == Vector2(31, 2) && ended[0].value.touchCount == 1)
    }

    @Test func dragsWithTwoFingersNeedBoth() {
        var (pan, hand) = (DragGesture(touches: 2...5), Fingers())
        #expect(pan.phases(hand.down(0, 0), hand.move(50, 0)) == [])
        #expect(pan.phases(hand.down(100, 0, finger: 1), hand.move(80, 0), hand.move(130, 0, finger: 1)) == [.began, .changed])
        #expect(pan.phases(hand.up(80, 0)) == [.ended])
        #expect(pan.phases(hand.move(500, 0, finger: 1), hand.up(500, 0, finger: 1)) == [])
    }
}

@Suite struct TwoFingerGestureTests {
    @Test func pinchScaleIsTheRatioOfDistances() {
        var (pinch, hand) = (PinchGesture(), Fingers())
        #expect(pinch.phases(hand.down(100, 100), hand.down(200, 100, finger: 1)) == [])
        let begun = pinch.handle(hand.move(250, 100, finger: 1))
        #expect(begun.map(\.phase) == [.began] && abs(begun[0].value.scale - 1.5) < 1e-3)
        let smaller = pinch.handle(hand.move(100, 175))[0]
        #expect(abs(smaller.value.scale - (150 * 150 + 75 * 75 as Float).squareRoot() / 100) < 1e-3)
        #expect(distance(smaller.value.location, Vector2(175, 137.5)) < 1e-3)
        #expect(pinch.phases(hand.up(0, 0)) == [.ended])
    }

    @Test func rotationCountsWholeTurns() {
        var (rotate, hand) = (RotateGesture(), Fingers())
        #expect(rotate.phases(hand.down(0, 0), hand.down(100, 0, finger: 1)) == [])
        var last: TwoFingerMotion?
        for step in 1...72 {
            let angle = Float(step) * 10 * .pi / 180
            last = rotate.handle(hand.move(100 * cos(angle), 100 * sin(angle), finger: 1)).last?.value ?? last
        }
        #expect(abs(last!.rotation.degrees - 720) < 0.05)
        #expect(abs(last!.rotationVelocity.degrees - 1000) < 2)
        #expect(rotate.phases(hand.does(.focusLost)) == [.cancelled])
    }

    @Test func coincidentFingersGiveFiniteValues() {
        var (pinch, rotate, hand) = (PinchGesture(), RotateGesture(), Fingers())
        var events = [hand.down(5, 5), hand.down(5, 5, finger: 1)]
        for step in 0..<20 { events.append(hand.move(step % 3 == 0 ? 5 : Float(step) * 1e30, 5, finger: 1)) }
        for event in events {
            for change in pinch.handle(event) { #expect(change.value.scale.isFinite && change.value.scale > 0) }
            for change in rotate.handle(event) { #expect(change.value.rotation.radians.isFinite) }
        }
    }
}

@Suite struct TapAndPressTests {
    @Test func tapsAreShortAndStill() {
        var (tap, hand) = (TapGesture(), Fingers())
        #expect(tap.handle(hand.down(10, 10)).isEmpty)
        #expect(tap.handle(hand.up(12, 10)).map(\.value.location) == [Vector2(10, 10)])
        #expect(tap.phases(hand.down(10, 10), hand.move(30, 10), hand.move(10, 10), hand.up(10, 10)) == [])
        #expect(tap.phases(hand.down(10, 10), hand.down(20, 10, finger: 1), hand.up(10, 10), hand.up(20, 10, finger: 1)) == [])
        #expect(tap.phases(hand.down(10, 10), hand.up(10, 10)) == [.ended])
    }

    @Test func doubleTapsAreTwoAtOnePosition() {
        var (tap, hand) = (TapGesture(count: 2), Fingers())
        #expect(tap.phases(hand.down(10, 10), hand.up(10, 10), hand.down(12, 10), hand.up(12, 10)) == [.ended])
        #expect(tap.phases(hand.down(10, 10), hand.up(10, 10), hand.down(90, 10), hand.up(90, 10)) == [])
        #expect(tap.phases(hand.down(92, 10), hand.up(92, 10)) == [.ended])
        #expect(tap.phases(hand.down(10, 10), hand.up(10, 10), hand.down(10, 10, after: 0.4), hand.up(10, 10)) == [])
    }

    @Test func longPressesBeginAfterTheirDuration() {
        var (press, hand) = (LongPressGesture(), Fingers())
        #expect(press.phases(hand.down(10, 10)) == [] && abs(press.nextUpdate! - 0.51) < 1e-12)
        #expect(press.update(at: 0.50).isEmpty)
        #expect(press.phases(hand.move(15, 15, after: 0.1)) == [])
        #expect(press.update(at: 0.51).map(\.phase) == [.began] && press.nextUpdate == nil)
        hand.time = 0.6
        #expect(press.phases(hand.move(100, 100), hand.up(100, 100)) == [.changed, .ended])
        // Moved too far, or released too early.
        #expect(press.phases(hand.down(10, 10), hand.move(30, 10)) == [] && press.update(at: 9).isEmpty)
        hand.time = 9
        #expect(press.phases(hand.up(30, 10), hand.down(1, 1), hand.up(1, 1, after: 0.4)) == [] && press.update(at: 20).isEmpty)
        // Without `update(at:)`, the next event reports it.
        hand.time = 20
        #expect(press.phases(hand.down(1, 1), hand.up(1, 1, after: 0.7)) == [.began, .ended])
    }

    /// A press lasts from touch-down to release, and its location stays inside the control.
    @Test func pressLocationsAreClampedToTheControl() {
        var (press, hand) = (PressGesture(bounds: Rectangle(x: 100, y: 50, width: 200, height: 60)), Fingers())
        #expect(press.phases(hand.down(90, 60), hand.move(150, 60), hand.up(150, 60)) == [] && press.location == nil)
        let begun = press.handle(hand.down(150, 80))
        #expect(begun.map(\.phase) == [.began] && press.unitLocation == Vector2(0.25, 0.5))
        #expect(press.location == Vector2(150, 80) && press.isPointerInside)
        let outside = press.handle(hand.move(-1000, 500))[0].value
        #expect(outside.location == Vector2(100, 110) && press.unitLocation == Vector2(0, 1) && !press.isPointerInside)
        #expect(press.location == Vector2(100, 110))
        #expect(press.phases(hand.up(110, 60)) == [.ended] && press.location == nil)
        var nothing = PressGesture(bounds: .zero)
        #expect(nothing.phases(hand.down(0, 0), hand.up(0, 0)) == [])
    }
}
