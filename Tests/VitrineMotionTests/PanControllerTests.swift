import Testing
import VitrineGeometry

@testable import VitrineMotion

@Suite struct RubberBandTests {
    @Test func theFormula() {
        let band = RubberBand(dimension: 200)
        for pull: Float in [0, 1, 50, 400, 1e6] {
            #expect(abs(band.give(pull) - pull * 0.55 * 200 / (pull * 0.55 + 200)) < 1e-3)
            #expect(band.give(-pull) == -band.give(pull))
        }
        #expect(band.give(.infinity) == 200)
        for pull: Float in [0.1, 10, 300] {
            #expect(abs(band.pull(band.give(pull)) / pull - 1) < 1e-4)
            #expect(abs(band.slope(pull) - (band.give(pull * 1.001) - band.give(pull * 0.999)) / (pull * 0.002)) < 1e-3)
        }
        #expect(band.hold(5, in: 0...10) == 5 && band.hold(12, in: 0...10) == 10 + band.give(2))
        #expect(abs(band.release(band.hold(-30, in: 0...10), in: 0...10) + 30) < 1e-3)
    }
}

@Suite struct PanControllerTests {
    private func controller() -> PanController {
        PanController(limits: Rectangle(x: -1000, y: -50, width: 1000, height: 50), viewportSize: Vector2(300, 200), minimumDistance: 0)
    }

    /// A flick to the left, released while moving.
    private func throwing(_ pan: inout PanController, by step: Float) -> Double {
        var hand = Fingers()
        pan.handle(hand.down(250, 100))
        for index in 1...60 { pan.handle(hand.move(250 + step * Float(index), 100)) }
        pan.handle(hand.up(250 + step * 60, 100, after: 0))
        return hand.time
    }

    @Test func followsTheFingerAndResistsBeyondTheLimits() {
        var (pan, hand) = (controller(), Fingers())
        pan.handle(hand.down(100, 100))
        pan.handle(hand.move(80, 90))
        #expect(distance(pan.offset(at: hand.time), Vector2(-20, -10)) < 1e-4)
        pan.handle(hand.move(160, 100))
        #expect(abs(pan.offset(at: hand.time).x - RubberBand(dimension: 300).give(60)) < 1e-4)
        pan.handle(hand.up(160, 100, after: 0.3))
        #expect(pan.offset(at: hand.time).x > 10 && !pan.isAtRest(at: hand.time))
        #expect(distance(pan.offset(at: hand.time + 5), .zero) < 1e-2 && pan.isAtRest(at: hand.time + 5))
    }

    @Test func aReleasedPanDecelerates() {
        var pan = controller()
        let released = throwing(&pan, by: -3)
        let (start, speed) = (pan.offset(at: released), pan.velocity(at: released))
        #expect(abs(speed.x + 300) < 1)
        for time in [0.1, 0.4, 1.2] {
            let left = exp(-time / Deceleration.normal.timeConstant)
            #expect(abs(Double(pan.velocity(at: released + time).x) - Double(speed.x) * left) < 1e-2)
            let way = Double(speed.x) * Deceleration.normal.timeConstant * (1 - left)
            #expect(abs(Double(pan.offset(at: released + time).x - start.x) - way) < 1e-2)
        }
        #expect(abs(pan.destination.x - (start.x + speed.x * 0.4995)) < 0.1)
        #expect(distance(pan.offset(at: released + 20), pan.destination) < 0.2)
    }

    @Test func atALimitASpringTakesOverWithoutAJump() {
        var pan = controller()
        pan.move(to: Vector2(-900, 0), at: -5)
        let released = throwing(&pan, by: -12)
        #expect(pan.destination == Vector2(-1000, 0))
        // The offset goes beyond, and comes back; neither it nor its velocity ever steps.
        let times = (0...3000).map { released + Double($0) * 1e-3 }
        var furthest: Float = 0
        for (time, next) in zip(times, times.dropFirst()) {
            let (a, b) = (pan.offset(at: time).x, pan.offset(at: next).x)
            let (v, w) = (pan.velocity(at: time).x, pan.velocity(at: next).x)
            #expect(abs(b - a - (v + w) / 2 * 1e-3) < 2e-2)
            #expect(abs(w - v) < 40)
            furthest = min(furthest, a)
        }
        #expect(furthest < -1005)
        #expect(abs(pan.offset(at: released + 10).x + 1000) < 1e-2 && pan.isAtRest(at: released + 10))
    }

    @Test func catchingAMotionKeepsPositionAndVelocity() {
        var pan = controller()
        let released = throwing(&pan, by: -4)
        let caught = released + 0.2
        let (offset, velocity) = (pan.offset(at: caught), pan.velocity(at: caught))
        pan.handle(InputEvent(.touchBegan(id: 9, at: Vector2(100, 100)), time: caught))
        #expect(distance(pan.offset(at: caught), offset) < 1e-3 && distance(pan.velocity(at: caught), velocity) < 1e-2)
        #expect(distance(pan.offset(at: caught + 1), offset) < 1e-3 && pan.isAtRest(at: caught + 1))
    }

    @Test func wheelsGlideAndAddUp() {
        var pan = controller()
        for _ in 0..<3 { pan.handle(InputEvent(.scrolled(Vector2(1, 0), at: .zero), time: 1)) }
        #expect(pan.offset(at: 1) == .zero && distance(pan.offset(at: 3), Vector2(-120, 0)) < 1e-2)
        pan.handle(InputEvent(.scrolled(Vector2(0, 99), at: .zero), time: 3))
        #expect(abs(pan.offset(at: 6).y) < 1e-3)
        let isTaken = pan.handle(InputEvent(.scrolled(Vector2(.nan, 0), at: .zero), time: 7))
        #expect(!isTaken)
    }

    @Test func reducedMotionDoesNotCoast() {
        var pan = controller()
        pan.reducesMotion = true
        let released = throwing(&pan, by: -3)
        #expect(pan.isAtRest(at: released) && pan.offset(at: released + 1) == pan.offset(at: released))
    }
}

@Suite struct TurnControllerTests {
    private var turn: TurnController { TurnController(bounds: Rectangle(x: 0, y: 0, width: 200, height: 100)) }

    /// x″ = −100 x − 6 x′ from x = π/4 with x′ = −0.3 x, in small steps; cut off after 1.5 s.
    @Test func theReleaseIsTheSpringOfDamping6CutOff() {
        var turn = turn
        turn.releaseDuration = 1.5
        turn.handle(InputEvent(.pointerPressed(.left, at: [100, 50], clicks: 1), time: 0))
        turn.handle(InputEvent(.pointerMoved(to: [150, 50]), time: 0.5))
        turn.handle(InputEvent(.pointerReleased(.left, at: [150, 50]), time: 1))
        var (x, v) = (Double.pi / 4, -0.3 * Double.pi / 4)
        let step = 1e-5
        for index in 0..<149_000 {
            if index % 10_000 == 0 {
                let shown = turn.orientation(at: 1 + Double(index) * step)
                #expect(abs(Double(2 * atan2(shown.vector.y, shown.vector.w)) - x) < 2e-3)
            }
            v += (-100 * x - 6 * v) * step
            x += v * step
        }
        #expect(turn.orientation(at: 2.49) != .identity && !turn.isAtRest(at: 2.49))
        #expect(turn.orientation(at: 2.5) == .identity && turn.isAtRest(at: 2.5) && turn.angularVelocity(at: 2.5) == .zero)
        // Caught after that, it starts from rest.
        turn.handle(InputEvent(.pointerPressed(.left, at: [100, 50], clicks: 1), time: 2.6))
        #expect(turn.orientation(at: 2.6) == .identity)
    }

    @Test func rotatesAboutItsOwnAxesFromTheCurrentOrientation() {
        var (turn, hand) = (turn, Fingers())
        turn.turn(to: Quaternion(eulerAngles: [0.4, 0.2, -0.1]), at: 0)
        hand.time = 20
        let shown = turn.orientation(at: 20)
        turn.handle(hand.down(100, 50))
        turn.handle(hand.move(150, 75))
        let own = Quaternion(angle: .radians(.pi / 4), axis: .up) * Quaternion(angle: .radians(.pi / 8), axis: .right)
        #expect(length(turn.orientation(at: hand.time).offset(from: shown * own)) < 1e-4)
    }

    @Test func springsBackWithUIKitsInitialVelocity() {
        var (turn, hand) = (turn, Fingers())
        for event in [hand.down(100, 50), hand.move(160, 50), hand.up(160, 50)] { turn.handle(event) }
        // About one axis it is the plain spring: m = 1, k = 100, c = 6.
        let start = Double.pi / 2 * 0.6
        let spring = Spring(mass: 1, stiffness: 100, damping: 6)
        for time in stride(from: 0.0, to: 1.5, by: 0.05) {
            let expected = spring.value(from: start, to: 0, initialVelocity: -0.3 * start, time: time)
            let angle = turn.orientation(at: hand.time + time).offset(from: .identity).y
            #expect(abs(Double(angle) - expected) < 1e-4)
        }
        #expect(turn.isAtRest(at: hand.time + 5) && turn.orientation(at: hand.time + 5) == .identity)
    }

    @Test func catchingAMotionKeepsPositionAndVelocity() {
        var (turn, hand) = (turn, Fingers())
        for event in [hand.down(100, 50), hand.move(160, 80), hand.up(160, 80)] { turn.handle(event) }
        for wait in [0.1, 0.23] {
            let time = hand.time + wait
            let (shown, velocity) = (turn.orientation(at: time), turn.angularVelocity(at: time))
            turn.handle(hand.down(20, 20, after: wait))
            #expect(length(turn.orientation(at: time).offset(from: shown)) < 1e-5)
            #expect(length(velocity) > 0.3 && distance(turn.angularVelocity(at: time), velocity) < 1e-4)
            turn.handle(hand.move(60, 30, after: 0.02))
            turn.handle(hand.does(.focusLost, after: 0.02))
        }
    }
}
