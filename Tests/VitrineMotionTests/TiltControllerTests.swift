import Testing
import VitrineGeometry

@testable import VitrineMotion

@Suite struct TiltControllerTests {
    private let size = Vector2(200, 120)
    private var tilt: TiltController { TiltController(bounds: Rectangle(origin: Vector2(10, 20), size: size)) }

    /// Mission 2's formula.
    private func formula(_ dx: Float, _ dy: Float) -> Vector2 { Vector2(-.pi / 4 * dy / 60, .pi / 4 * dx / 100) }

    @Test func dragsTiltByTheFormula() {
        var (tilt, hand) = (tilt, Fingers())
        tilt.handle(hand.down(110, 80))
        #expect(tilt.angles(at: hand.time) == .zero && tilt.isDragging)
        for (x, y) in [(120, 80), (210, 80), (110, 20), (60, 140), (400, -300)] as [(Float, Float)] {
            tilt.handle(hand.move(x, y))
            #expect(distance(tilt.angles(at: hand.time), formula(x - 110, y - 80)) < 1e-5)
        }
        // Half the width to the right: 45° about y; the front moves right. x is turned first.
        tilt.handle(hand.move(210, 50))
        let expected =
            Quaternion(angle: .radians(.pi / 4), axis: .up) * Quaternion(angle: .radians(.pi / 8), axis: .right)
        #expect(length(tilt.orientation(at: hand.time).offset(from: expected)) < 1e-5)
        let inScene = tilt.orientationInScene(at: hand.time).rotate([0, 0, 1])
        #expect(inScene.x > 0.1 && inScene.y > 0.1)
    }

    @Test func releaseSpringsBackWithTheStatedConstants() {
        for end in [InputEvent.Kind.touchEnded(id: 0, at: Vector2(160, 50)), .focusLost, .touchCancelled(id: 0)] {
            var (tilt, hand) = (tilt, Fingers())
            tilt.handle(hand.down(110, 80))
            tilt.handle(hand.move(160, 50))
            tilt.handle(hand.does(end))
            let (start, released) = (formula(50, -30), hand.time)
            // Independent of `Spring`: ω so that e^{−ζωt}/√(1 − ζ²) is 0.001 at 1.5 s, then the textbook's underdamped motion.
            let zeta = 0.35
            let root = (1 - zeta * zeta).squareRoot()
            let omega = log(1 / (0.001 * root)) / (zeta * 1.5)
            for time in stride(from: 0.0, through: 1.6, by: 0.02) {
                func position(_ from: Double) -> Double {
                    let velocity = -0.3 * from
                    let phase = omega * root * time
                    return exp(-zeta * omega * time) * (from * cos(phase) + (velocity + zeta * omega * from) / (omega * root) * sin(phase))
                }
                let angles = tilt.angles(at: released + time)
                #expect(abs(Double(angles.x) - position(Double(start.x))) < 1e-4)
                #expect(abs(Double(angles.y) - position(Double(start.y))) < 1e-4)
            }
            #expect(!tilt.isAtRest(at: released + 1) && tilt.isAtRest(at: released + 3) && tilt.angles(at: released + 3) == .zero)
        }
    }

    @Test(arguments: [nil, Angle.degrees(25)])
    func catchingAMotionKeepsPositionAndVelocity(_ limit: Angle?) {
        var (tilt, hand) = (tilt, Fingers())
        tilt.limit = limit
        tilt.handle(hand.down(110, 80))
        tilt.handle(hand.move(190, 60))
        tilt.handle(hand.up(190, 60))
        for wait in [0.05, 0.13, 0.3] {
            let catchTime = hand.time + wait
            let (angles, velocity) = (tilt.angles(at: catchTime), tilt.angularVelocity(at: catchTime))
            #expect(length(velocity) > 0.2)
            tilt.handle(hand.down(50, 50, after: wait))
            #expect(distance(tilt.angles(at: catchTime), angles) < 1e-5)
            #expect(distance(tilt.angularVelocity(at: catchTime), velocity) < 2e-4 * max(1, length(velocity)))
            for step in 1..<10 {
                let (time, h) = (catchTime + Double(step) * 0.01, 1e-3)
                let slope = (tilt.angles(at: time + h) - tilt.angles(at: time - h)) / Float(2 * h)
                #expect(distance(tilt.angularVelocity(at: time), slope) < 0.02)
            }
            // Later the drag adds to the angles at the catch, exactly.
            tilt.handle(hand.move(70, 55, after: 0.7))
            if limit == nil { #expect(distance(tilt.angles(at: hand.time), angles + formula(20, 5)) < 1e-3) }
            #expect(tilt.isAtRest(at: hand.time))
            // A tap in flight hardly disturbs: the rest of the velocity continues.
            let shown = tilt.angles(at: hand.time)
            tilt.handle(hand.up(70, 55))
            #expect(distance(tilt.angles(at: hand.time), shown) < 1e-4)
            #expect(distance(tilt.angularVelocity(at: hand.time), shown * -0.3) < 1e-3)
        }
    }

    @Test func aTapDuringMotionKeepsTheVelocity() {
        var (tilt, hand) = (tilt, Fingers())
        for event in [hand.down(110, 80), hand.move(190, 60), hand.up(190, 60)] { tilt.handle(event) }
        let caught = hand.time + 0.2
        let velocity = tilt.angularVelocity(at: caught)
        tilt.handle(hand.down(50, 50, after: 0.2))
        tilt.handle(hand.up(50, 50, after: 0.001))
        let kick = tilt.angles(at: hand.time) * -0.3
        #expect(distance(tilt.angularVelocity(at: hand.time), velocity + kick) < 0.06 * length(velocity))
    }

    @Test func limitsResistLikeARubberBand() {
        var (tilt, hand) = (tilt, Fingers())
        tilt.limit = .degrees(30)
        tilt.handle(hand.down(110, 80))
        tilt.handle(hand.move(110 + 60, 80))
        #expect(abs(tilt.angles(at: hand.time).y - .pi / 4 * 0.6) < 1e-5)
        tilt.handle(hand.move(110 + 200, 80))
        // 60° over by 30°·… : x c d / (x c + d) with d = 15°.
        let (over, d) = (Float.pi / 2 - .pi / 6, Float.pi / 12)
        #expect(abs(tilt.angles(at: hand.time).y - (.pi / 6 + over * 0.55 * d / (over * 0.55 + d))) < 1e-5)
        tilt.handle(hand.move(1e9, 80))
        #expect(tilt.angles(at: hand.time).y <= .pi / 4)
    }

    @Test func onlyOneFingerThatBeginsInsideDrags() {
        var (tilt, hand) = (tilt, Fingers())
        #expect(!tilt.handle(hand.down(5, 5)) && !tilt.handle(hand.move(100, 60)) && tilt.angles(at: 1) == .zero)
        tilt.handle(hand.up(100, 60))
        tilt.handle(hand.down(110, 80))
        tilt.handle(hand.down(100, 60, finger: 1))
        tilt.handle(hand.move(160, 60, finger: 1))
        #expect(tilt.angles(at: hand.time) == .zero)
        tilt.handle(hand.move(.nan, 60))
        tilt.handle(hand.move(120, 80))
        #expect(distance(tilt.angles(at: hand.time), formula(10, 0)) < 1e-5)
    }

    @Test func theVelocityOfTheDragIsKeptOnRequest() {
        var (tilt, hand) = (tilt, Fingers())
        tilt.keepsHandVelocity = true
        tilt.handle(hand.down(50, 80))
        for step in 1...50 { tilt.handle(hand.move(50 + Float(step), 80)) }
        tilt.handle(hand.up(100, 80))
        // 100 points a second, less the error of the averaging in the last step without a move.
        let speed = tilt.angularVelocity(at: hand.time).y + tilt.angles(at: hand.time).y * 0.3
        #expect(abs(speed - .pi / 4) < 0.2)
    }

    @Test func leaningAndNudging() {
        var tilt = tilt
        tilt.lean(to: Vector2(0.2, -0.3), at: 1)
        #expect(tilt.angles(at: 1) == .zero && distance(tilt.angles(at: 3), Vector2(0.2, -0.3)) < 1e-6)
        tilt.nudge(by: Vector2(0, 2), at: 3)
        #expect(abs(tilt.angularVelocity(at: 3).y - 2) < 1e-5 && tilt.angles(at: 3.05).y > -0.3)
        #expect(distance(tilt.angles(at: 9), Vector2(0.2, -0.3)) < 1e-6)
        tilt.lean(to: Vector2(.nan, 0), at: 10)
        #expect(tilt.rest == Vector2(0.2, -0.3))
    }

    @Test func reducedMotionDoesNotOscillate() {
        var (tilt, hand) = (tilt, Fingers())
        tilt.reducesMotion = true
        for event in [hand.down(110, 80), hand.move(190, 60), hand.up(190, 60)] { tilt.handle(event) }
        for step in 0...100 { #expect(tilt.angles(at: hand.time + Double(step) * 0.01).y >= 0) }
        #expect(length(tilt.angles(at: hand.time + 0.34)) < 0.01)
    }
}
