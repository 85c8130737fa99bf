import Testing
import VitrineMath

@testable import VitrineMotion

@Suite struct SpringTests {
    @Test func durationAndBounceGiveTheKnownConstants() {
        let spring = Spring(duration: 0.5, bounce: 0.3)
        #expect(spring.mass == 1)
        #expect(abs(spring.stiffness - 157.9) < 0.05)
        #expect(abs(spring.damping - 17.6) < 0.05)
        let other = Spring(mass: 1, stiffness: 100, damping: 10)
        #expect(abs(other.duration - 0.63) < 0.005)
        #expect(abs(other.bounce - 0.5) < 1e-9)
    }

    @Test(arguments: [-0.5, -0.1, 0, 0.15, 0.3, 0.9, 1])
    func bounceRoundTrips(_ bounce: Double) {
        let spring = Spring(duration: 0.7, bounce: bounce)
        #expect(abs(spring.bounce - bounce) < 1e-9)
        #expect(abs(spring.duration - 0.7) < 1e-9)
    }

    /// Every regime, and both sides close to the critical one.
    static let springs = [
        Spring(mass: 1, stiffness: 100, damping: 0), Spring(mass: 2, stiffness: 100, damping: 5), Spring(response: 0.5, dampingRatio: 0.35),
        Spring(response: 0.5, dampingRatio: 0.999_999), Spring(response: 0.5, dampingRatio: 1),
        Spring(response: 0.5, dampingRatio: 1.000_01),
        Spring(response: 0.5, dampingRatio: 1.5), Spring(response: 0.5, dampingRatio: 20),
    ]

    @Test(arguments: springs)
    func theClosedFormIsTheIntegralOfTheForce(_ spring: Spring) {
        let (target, initialVelocity) = (1.5, -4.0)
        let (steps, end) = (20_000, 0.8)
        var (value, velocity) = (0.0, initialVelocity)
        let h = end / Double(steps)
        // Runge–Kutta of fourth order.
        func slope(_ x: Double, _ v: Double) -> (Double, Double) {
            (v, spring.force(target: target, position: x, velocity: v) / spring.mass)
        }
        for step in 1...steps {
            let a = slope(value, velocity)
            let b = slope(value + h / 2 * a.0, velocity + h / 2 * a.1)
            let c = slope(value + h / 2 * b.0, velocity + h / 2 * b.1)
            let d = slope(value + h * c.0, velocity + h * c.1)
            value += h / 6 * (a.0 + 2 * b.0 + 2 * c.0 + d.0)
            velocity += h / 6 * (a.1 + 2 * b.1 + 2 * c.1 + d.1)
            guard step % 4000 == 0 else { continue }
            let time = Double(step) * h
            #expect(abs(spring.value(target: target, initialVelocity: initialVelocity, time: time) - value) < 1e-7)
            #expect(abs(spring.velocity(target: target, initialVelocity: initialVelocity, time: time) - velocity) < 1e-6)
        }
    }

    @Test(arguments: springs)
    func startsWithItsInitialVelocity(_ spring: Spring) {
        #expect(abs(spring.velocity(target: 1.0, initialVelocity: 3, time: 0) - 3) < 1e-12)
        let h = 1e-7
        let slope = (spring.value(target: 1.0, initialVelocity: 3, time: h) - spring.value(target: 1.0, initialVelocity: 3, time: 0)) / h
        #expect(abs(slope - 3) < 1e-3)
    }

    @Test(arguments: springs)
    func oneStepOrManyGiveTheSamePath(_ spring: Spring) {
        var (once, onceVelocity) = (0.25, 2.0)
        var (often, oftenVelocity) = (once, onceVelocity)
        spring.update(value: &once, velocity: &onceVelocity, target: -1, deltaTime: 0.5)
        for _ in 0..<50 { spring.update(value: &often, velocity: &oftenVelocity, target: -1, deltaTime: 0.01) }
        #expect(abs(once - often) < 1e-9)
        #expect(abs(onceVelocity - oftenVelocity) < 1e-8)
    }

    @Test(arguments: [0.1, 0.35, 0.8, 0.93, 0.99, 0.9995, 1, 1.2, 5])
    func settlesAfterItsSettlingDuration(_ ratio: Double) {
        let spring = Spring(settlingDuration: 2, dampingRatio: ratio)
        #expect(abs(spring.settlingDuration - 2) < 1e-6)
        for step in 0...200 {
            let value = spring.value(target: 1.0, time: 2 + Double(step) * 0.01)
            #expect(abs(value - 1) <= 0.001 + 1e-9)
        }
        // Not much too late either: shortly before, it is still outside (a swinging one somewhere in the last tenths).
        let late = (0..<100).contains { abs(spring.value(target: 1.0, time: 1 + Double($0) * 0.01) - 1) > 0.001 }
        #expect(late)
    }

    @Test func undampedSpringsNeverSettle() { #expect(Spring(mass: 1, stiffness: 1, damping: 0).settlingDuration == .infinity) }

    @Test func vectorsMoveComponentByComponent() {
        let spring = Spring.bouncy
        let start = Vector3(1, 2, 3)
        let target = Vector3(-1, 0, 7)
        let together = spring.value(from: start, to: target, time: 0.2)
        for index in 0..<3 {
            let alone = spring.value(from: start[index], to: target[index], time: 0.2)
            #expect(abs(alone - together[index]) < 1e-5)
        }
    }

    /// From every regime to both sides of the critical one, in steps of very different length.
    @Test(arguments: springs + [1 - 1e-4, 1 - 1e-9, 1 + 1e-9, 1 + 1e-4].map { Spring(response: 0.4, dampingRatio: $0) })
    func unevenStepsGiveTheSamePath(_ spring: Spring) {
        var (value, velocity) = (Vector2(3, -1), Vector2(-20, 8))
        let start = (value, velocity)
        var (random, time) = (SplitMix64(seed: 5), 0.0)
        while time < 1 {
            let step = min(1 - time, Double(random.below(1000)) * 1e-4 + 1e-6)
            spring.update(value: &value, velocity: &velocity, target: Vector2(0.5, 0.25), deltaTime: step)
            time += step
        }
        let displacement = Vector2(0.5, 0.25) - start.0
        let expected = start.0 + spring.value(target: displacement, initialVelocity: start.1, time: 1)
        #expect(distance(value, expected) < 2e-5)
        #expect(distance(velocity, spring.velocity(target: displacement, initialVelocity: start.1, time: 1)) < 5e-4)
    }

    /// The last moment at which the integrated motion is 0.001 away from its target.
    @Test(arguments: [0.1, 0.35, 0.7, 0.9, 0.97, 1, 1.3, 4])
    func settlingDurationMatchesIntegration(_ ratio: Double) {
        let spring = Spring(response: 0.5, dampingRatio: ratio)
        let h = 1e-4
        var (value, velocity, lastOutside) = (0.0, 0.0, 0.0)
        for step in 1...Int(spring.settlingDuration * 1.5 / h) {
            // Of the fourth order: half steps of the force.
            func slope(_ x: Double, _ v: Double) -> (Double, Double) { (v, spring.force(target: 1, position: x, velocity: v)) }
            let a = slope(value, velocity)
            let b = slope(value + h / 2 * a.0, velocity + h / 2 * a.1)
            let c = slope(value + h / 2 * b.0, velocity + h / 2 * b.1)
            let d = slope(value + h * c.0, velocity + h * c.1)
            value += h / 6 * (a.0 + 2 * b.0 + 2 * c.0 + d.0)
            velocity += h / 6 * (a.1 + 2 * b.1 + 2 * c.1 + d.1)
            if abs(value - 1) > 0.001 { lastOutside = Double(step) * h }
        }
        #expect(lastOutside <= spring.settlingDuration + h)
        // An oscillation touches the envelope within half a period before its end; without oscillation it is reached exactly.
        let swing = ratio < 1 ? spring.response / (2 * (1 - ratio * ratio).squareRoot()) : 2 * h
        #expect(lastOutside > spring.settlingDuration - max(swing, 2 * h) - (ratio < 0.9999 && ratio > 0.9 ? 0.2 : 0))
    }

    @Test func presetsAndParametersRoundTrip() {
        #expect([Spring.smooth, .snappy, .bouncy].map(\.duration).allSatisfy { abs($0 - 0.5) < 1e-12 })
        #expect(zip([Spring.smooth, .snappy, .bouncy], [0, 0.15, 0.3]).allSatisfy { abs($0.bounce - $1) < 1e-12 })
        #expect(abs(Spring(response: 0.3, dampingRatio: 0.4).response - 0.3) < 1e-12)
        let settled = Spring(settlingDuration: 1.5, dampingRatio: 0.35)
        #expect(abs(settled.dampingRatio - 0.35) < 1e-12 && abs(settled.settlingDuration - 1.5) < 1e-9)
    }

    @Test func theForceIsHookesWithDamping() {
        let spring = Spring(mass: 2, stiffness: 100, damping: 10)
        let force = spring.force(target: 1.0, position: 0.5, velocity: 3)
        // −k x − c v.
        #expect(force == 20)
    }
}
