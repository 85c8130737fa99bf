import Testing
import VitrineMath

@testable import VitrineMotion

@Suite struct AnimatedTests {
    static let animations: [Animation] = [
        .spring(.bouncy), .spring(Spring(response: 0.4, dampingRatio: 1.7)), .linear(duration: 0.3), .easeIn(duration: 0.5),
        .easeOut(duration: 0.4), .easeInOut(duration: 0.35), .timing(.bezier(x1: 0.2, y1: -0.5, x2: 0.4, y2: 1.4), duration: 0.4),
    ]

    /// Every kind into every other, in mid-flight.
    @Test(arguments: animations, animations)
    func interruptionsKeepPositionAndVelocity(_ first: Animation, _ second: Animation) {
        var x = Animated(Double(2))
        x.animate(to: 10, with: first, at: 1)
        for (index, time) in [1.13, 1.2, 1.21, 1.29].enumerated() {
            let (value, velocity) = (x.value(at: time), x.velocity(at: time))
            #expect(velocity != 0)
            x.animate(to: index % 2 == 0 ? -5 : 20, with: index % 2 == 0 ? second : first, at: time)
            #expect(abs(x.value(at: time) - value) < 1e-12)
            #expect(abs(x.velocity(at: time) - velocity) < 1e-9)
            // And the velocity is the slope of the value.
            for step in 1..<6 {
                let (t, h) = (time + Double(step) * 0.001, 1e-6)
                let slope = (x.value(at: t + h) - x.value(at: t - h)) / (2 * h)
                #expect(abs(x.velocity(at: t) - slope) < 1e-3 * max(1, abs(slope)))
            }
        }
        #expect(x.value(at: 60) == 20 && x.isAtRest(at: 60))
    }

    @Test func curvesFromRestAreUnchanged() {
        for curve in [UnitCurve.linear, .easeIn, .easeOut, .easeInOut] {
            var x = Animated(Float(3))
            x.animate(to: 5, with: .timing(curve, duration: 2), at: 0)
            for time in stride(from: 0.0, through: 2, by: 0.1) {
                #expect(abs(Double(x.value(at: time)) - (3 + 2 * curve.value(at: time / 2))) < 1e-6)
            }
        }
    }

    @Test func springKeyframesMatchSprings() {
        var x = Animated(Vector2(1, 2))
        x.animate(to: Vector2(4, -2), with: .spring(.bouncy), velocity: Vector2(-3, 1), at: 0.5)
        for time in stride(from: 0.0, to: 0.6, by: 0.05) {
            let expected = Vector2(1, 2) + Spring.bouncy.value(target: Vector2(3, -4), initialVelocity: Vector2(-3, 1), time: time)
            #expect(distance(x.value(at: 0.5 + time), expected) < 1e-5)
        }
    }

    @Test func relativeVelocityIsAFractionOfTheRemainingWay() {
        var x = Animated(10.0)
        #expect(x.relativeVelocity(0.3, to: 0, at: 0) == -3)
        x.animate(to: 0, with: .spring(.smooth), velocity: x.relativeVelocity(0.3, to: 0, at: 0), at: 0)
        #expect(abs(x.velocity(at: 0) + 3) < 1e-12)
    }

    @Test func isAtItsTargetAtRest() {
        var x = Animated(0.0)
        x.animate(to: 0, with: .spring(.bouncy), at: 4)
        #expect(x.isAtRest(at: 4))
        x.animate(to: 1, with: .spring(.bouncy), at: 5)
        #expect(!x.isAtRest(at: 5.5) && x.isAtRest(at: 8) && x.value(at: 8) == 1)
        x.animate(to: 7, with: .none, at: 9)
        #expect(x.value(at: 9) == 7 && x.velocity(at: 9) == 0)
        x.animate(to: 8, with: .linear(duration: 0), at: 10)
        #expect(x.value(at: 10) == 8)
    }

    @Test func coastingEndsWhereItWasProjected() {
        var x = Animated(5.0)
        x.animate(to: 0, with: .coast(.normal), velocity: 1000, at: 0)
        #expect(abs(Deceleration.normal.timeConstant - 0.4995) < 1e-4)
        // A thousandth of a second leaves 0.998 of the velocity.
        #expect(abs(x.velocity(at: 0.001) - 998) < 1e-6)
        #expect(x.target == Deceleration.normal.projectedEnd(of: 5.0, velocity: 1000))
        #expect(abs(x.value(at: 3.4) - x.target) < 1)
        #expect(x.isAtRest(at: 3.5) && x.value(at: 9) == x.target)
        let passing = Deceleration.fast.time(from: 0, velocity: 1000, reaching: 60)!
        #expect(abs(Deceleration.fast.value(from: 0.0, velocity: 1000, after: passing) - 60) < 1e-9)
        #expect(Deceleration.fast.time(from: 0, velocity: 1000, reaching: 120) == nil)
        #expect(Deceleration.fast.time(from: 0, velocity: 1000, reaching: -1) == nil)
    }

    @Test func keyframesAreInterruptible() {
        var x = Animated(0.0)
        x.animate(to: 10, with: .spring(.smooth), at: 0)
        let (value, velocity) = (x.value(at: 0.2), x.velocity(at: 0.2))
        x.animate(at: 0.2) {
            CubicKeyframe(20, duration: 0.5)
            LinearKeyframe(5, duration: 0.25)
        }
        #expect(x.target == 5)
        #expect(abs(x.value(at: 0.2) - value) < 1e-12 && abs(x.velocity(at: 0.2) - velocity) < 1e-9)
        #expect(abs(x.value(at: 0.7) - 20) < 1e-9 && x.value(at: 0.95) == 5 && x.isAtRest(at: 0.95))
        let speed = x.velocity(at: 0.4)
        x.animate(to: 0, with: .spring(.smooth), at: 0.4)
        #expect(abs(x.velocity(at: 0.4) - speed) < 1e-9)
    }

    @Test func reducedMotionDoesNotOvershoot() {
        for animation in AnimatedTests.animations + [.coast(.normal)] {
            var x = Animated(0.0)
            x.animate(to: 1, with: animation.reduced, at: 0)
            let values = (0...200).map { x.value(at: Double($0) * 0.005) }
            #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 + 1e-12 } && values.last! == 1)
            #expect(abs(x.value(at: 0.5) - 1) < 0.01)
        }
    }

    @Test func pairsAndColoursMove() {
        var pair = Animated(AnimatablePair(Vector2(1, 0), 4.0))
        pair.animate(to: AnimatablePair(Vector2(3, 0), 8.0), with: .linear(duration: 2), at: 0)
        #expect(pair.value(at: 1) == AnimatablePair(Vector2(2, 0), 6))
        var color = Animated(Color.clear)
        let red = Color(linearRed: 1, green: 0, blue: 0)
        color.animate(to: red, with: .linear(duration: 1), at: 0)
        #expect(distance(color.value(at: 0.25).linear, Vector4(1, 0, 0, 0.25)) < 1e-6)
        #expect(color.value(at: 1) == red && color.value(at: 0).premultiplied == Color.clear.premultiplied)
    }
}

@Suite struct AnimatedRotationTests {
    private func random(_ random: inout SplitMix64, upTo size: Float) -> Vector3 {
        func share() -> Float { Float(random.below(2001)) / 1000 - 1 }
        return Vector3(share(), share(), share()) * size
    }

    @Test func offsetAndMovedAreInverse() {
        var source = SplitMix64(seed: 3)
        for size in [Float(1e-5), 0.03, 1, 1.7] {
            for _ in 0..<50 {
                let (start, offset) = (Quaternion(eulerAngles: random(&source, upTo: 3)), random(&source, upTo: size))
                let end = start.moved(by: offset)
                #expect(distance(end.offset(from: start), offset) < 2e-5 * max(size, 0.1))
            }
        }
    }

    /// The angular velocity, by differences: log(q(t + h) q(t)⁻¹) / h.
    @Test func velocitiesAreAngularVelocities() {
        var source = SplitMix64(seed: 8)
        for size in [Float(0.01), 0.5, 1.6] {
            for _ in 0..<30 {
                let (offset, rate) = (random(&source, upTo: size), random(&source, upTo: 3))
                let (origin, h) = (Quaternion(eulerAngles: [0.3, -1, 2]), Float(2e-3))
                let (before, after) = (origin.moved(by: offset - rate * h), origin.moved(by: offset + rate * h))
                let expected = after.offset(from: before) / (2 * h)
                let velocity = Quaternion.velocity(rate: rate, at: offset)
                #expect(distance(velocity, expected) < 2e-3)
                #expect(distance(Quaternion.rate(velocity: velocity, at: offset), rate) < 1e-4)
            }
        }
    }

    @Test func interruptedRotationsKeepTheirAngularVelocity() {
        var turn = Animated(Quaternion.identity)
        turn.animate(to: Quaternion(eulerAngles: [1, 0.4, -0.3]), with: .spring(.bouncy), at: 0)
        for (index, time) in [0.1, 0.17, 0.3, 0.33].enumerated() {
            let (value, velocity) = (turn.value(at: time), turn.velocity(at: time))
            let goal = Quaternion(eulerAngles: index % 2 == 0 ? [-0.7, 1.2, 0.5] : [0.2, -2, 1])
            turn.animate(to: goal, with: index == 1 ? .easeInOut(duration: 0.4) : .spring(.snappy), at: time)
            #expect(length(turn.value(at: time).offset(from: value)) < 1e-5)
            #expect(distance(turn.velocity(at: time), velocity) < 1e-4 * max(1, length(velocity)))
        }
        #expect(turn.value(at: 20) == turn.target)
    }

    @Test func aSingleRotationKeepsItsAxis() {
        var turn = Animated(Quaternion.identity)
        let goal = Quaternion(angle: .degrees(90), axis: .up)
        turn.animate(to: goal, with: .linear(duration: 1), at: 0)
        #expect(length(turn.value(at: 0.5).offset(from: Quaternion(angle: .degrees(45), axis: .up))) < 1e-5)
        #expect(distance(turn.velocity(at: 0.5), Vector3(0, .pi / 2, 0)) < 1e-5)
    }
}
