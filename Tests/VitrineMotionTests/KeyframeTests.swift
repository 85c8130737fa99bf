import Testing
import VitrineMath

@testable import VitrineMotion

private struct Pose: Equatable, Sendable {
    var height = 0.0
    var position = Vector2(0, 0)
    var label = "as it was"
}

/// The slope by differences.
private func slope(_ value: (Double) -> Double, at time: Double, h: Double = 1e-6) -> Double {
    (value(time + h) - value(time - h)) / (2 * h)
}

@Suite struct KeyframeTests {
    private func timeline(@KeyframeBuilder<Keyframe<Double>> _ content: () -> [Keyframe<Double>]) -> KeyframeTimeline<Double> {
        KeyframeTimeline(initialValue: 0.0) { KeyframeTrack(content: content) }
    }

    @Test func linearKeyframesFollowTheirCurves() {
        let track = timeline {
            LinearKeyframe(10, duration: 2)
            LinearKeyframe(0, duration: 1, timingCurve: .easeInOut)
        }
        #expect(track.duration == 3)
        #expect(track.value(time: -1) == 0 && track.value(time: 1) == 5 && track.value(time: 2) == 10)
        #expect(track.velocity(time: 1) == 5)
        #expect(abs(track.value(time: 2.3) - 10 * (1 - UnitCurve.easeInOut.value(at: 0.3))) < 1e-12)
        #expect(track.value(time: 3) == 0 && track.value(time: 100) == 0 && track.velocity(time: 100) == 0)
        #expect(track.value(progress: 0.5) == track.value(time: 1.5))
        #expect(!track.isAtRest(time: 2.9) && track.isAtRest(time: 3))
    }

    /// Mission: 0 → 1 in 0.4 s, from wherever it was: move, then linear.
    @Test func moveKeyframesJump() {
        let track = timeline {
            LinearKeyframe(3, duration: 1)
            MoveKeyframe(1)
            LinearKeyframe(0, duration: 0.4)
        }
        #expect(track.value(time: 1) == 1)
        #expect(abs(track.value(time: 1.1) - 0.75) < 1e-12)
        #expect(abs(track.value(time: 1 - 1e-9) - 3) < 1e-8)
    }

    @Test func neighbouringCubicsAreACatmullRomSpline() {
        let (points, times) = ([0.0, 4, 1, 7], [0.0, 0.5, 2, 2.5])
        let track = timeline { for index in 1..<4 { CubicKeyframe(points[index], duration: times[index] - times[index - 1]) } }
        for index in 0..<4 { #expect(abs(track.value(time: times[index]) - points[index]) < 1e-12) }
        for index in 1..<3 {
            let expected = (points[index + 1] - points[index - 1]) / (times[index + 1] - times[index - 1])
            #expect(abs(track.velocity(time: times[index]) - expected) < 1e-12)
            #expect(abs(track.velocity(time: times[index] - 1e-9) - expected) < 1e-6)
        }
        // At the ends it is at rest.
        #expect(track.velocity(time: 0) == 0 && abs(track.velocity(time: 2.5 - 1e-9)) < 1e-6)
        // Points on a line, evenly in time, give a line between.
        let straight = timeline { for index in 1..<6 { CubicKeyframe(Double(index), duration: 0.2) } }
        for time in stride(from: 0.2, through: 0.8, by: 0.05) { #expect(abs(straight.value(time: time) - 5 * time) < 1e-12) }
    }

    @Test func velocityCarriesOverFromOneKindToTheOther() {
        let track = timeline {
            LinearKeyframe(2, duration: 0.5)
            CubicKeyframe(3, duration: 0.4)
            CubicKeyframe(2, duration: 0.3)
            SpringKeyframe(-1, duration: 0.2, spring: .bouncy)
            CubicKeyframe(5, duration: 0.4)
            LinearKeyframe(6, duration: 0.25)
            CubicKeyframe(6, duration: 0.5, endVelocity: 2)
            SpringKeyframe(0, spring: Spring(response: 0.4, dampingRatio: 0.5))
        }
        for boundary in [0.5, 0.9, 1.2, 1.4, 1.8, 2.05, 2.55] {
            #expect(abs(track.velocity(time: boundary - 1e-9) - track.velocity(time: boundary + 1e-9)) < 1e-5, "at \(boundary)")
            #expect(abs(track.value(time: boundary - 1e-9) - track.value(time: boundary + 1e-9)) < 1e-6)
        }
        #expect(abs(track.velocity(time: 2.55) - 2) < 1e-9)
        for time in stride(from: 0.013, to: 4, by: 0.031) {
            #expect(abs(track.velocity(time: time) - slope({ track.value(time: $0) }, at: time)) < 1e-4)
        }
    }

    @Test func springKeyframesContinueAfterTheirDuration() {
        let spring = Spring(response: 0.5, dampingRatio: 0.4)
        let track = timeline { SpringKeyframe(10, spring: spring) }
        #expect(abs(track.duration - spring.settlingDuration) < 1e-12)
        for time in [0.1, 0.5] { #expect(abs(track.value(time: time) - spring.value(target: 10.0, time: time)) < 1e-12) }
        #expect(track.value(time: 5) == 10)
        let short = timeline {
            SpringKeyframe(10, duration: 0.1, spring: spring, startVelocity: 30)
            SpringKeyframe(0, spring: spring)
        }
        let caught = spring.value(target: 10.0, initialVelocity: 30, time: 0.1)
        let speed = spring.velocity(target: 10.0, initialVelocity: 30, time: 0.1)
        #expect(abs(short.value(time: 0.3) - spring.value(from: caught, to: 0, initialVelocity: speed, time: 0.2)) < 1e-9)
        #expect(!short.isAtRest(time: 0.2) && short.isAtRest(time: 10))
    }

    @Test func tracksRunInParallel() {
        let timeline = KeyframeTimeline(initialValue: Pose()) {
            KeyframeTrack(\.height) { LinearKeyframe(2, duration: 1) }
            KeyframeTrack(get: { $0.position }, set: { $0.position = $1 }) {
                MoveKeyframe(Vector2(1, 1))
                LinearKeyframe(Vector2(3, 5), duration: 2)
            }
        }
        #expect(timeline.duration == 2)
        #expect(timeline.value(time: 1.5) == Pose(height: 2, position: Vector2(2.5, 4)))
        #expect(timeline.velocity(time: 0.5).position == Vector2(1, 2))
        #expect(timeline.velocity(time: 1.5).height == 0 && timeline.velocity(time: 0.5).height == 2)
    }

    @Test func emptyTimelinesAndZeroDurationsWork() {
        #expect(timeline {}.duration == 0 && timeline {}.value(time: 3) == 0)
        let track = timeline {
            LinearKeyframe(1, duration: 0)
            CubicKeyframe(2, duration: 0)
            CubicKeyframe(3, duration: -1)
            LinearKeyframe(4, duration: .nan)
            SpringKeyframe(5, duration: 0)
        }
        #expect(track.duration == 0)
        #expect((0...20).allSatisfy { track.value(time: Double($0) * 0.1).isFinite && track.velocity(time: Double($0) * 0.1).isFinite })
        #expect(abs(track.value(time: 5) - 5) < 1e-6)
        #expect(timeline { SpringKeyframe(1, spring: Spring(stiffness: 100, damping: 0)) }.duration.isFinite)
    }
}

@Suite struct KeyframeAnimatorTests {
    /// The button of mission 5, without its moves.
    private func glow() -> KeyframeAnimator<Double, Bool> {
        KeyframeAnimator(initialValue: 0, trigger: false) { isPressed in
            KeyframeTrack { LinearKeyframe(isPressed ? 1 : 0, duration: 0.4) }
        }
    }

    @Test func runsWhenItsTriggerChanges() {
        var glow = glow()
        #expect(glow.value(at: 5) == 0 && glow.isAtRest(at: 5) && glow.velocity(at: 5) == 0)
        glow.update(trigger: false, at: 6)
        #expect(glow.isAtRest(at: 6.1))
        glow.update(trigger: true, at: 10)
        #expect(abs(glow.value(at: 10.1) - 0.25) < 1e-12 && abs(glow.velocity(at: 10.1) - 2.5) < 1e-9)
        glow.update(trigger: true, at: 10.2)
        #expect(abs(glow.value(at: 10.3) - 0.75) < 1e-12)
        #expect(glow.value(at: 10.4) == 1 && glow.isAtRest(at: 10.5))
        glow.update(trigger: false, at: 11)
        #expect(abs(glow.value(at: 11.1) - 0.75) < 1e-12)
    }

    @Test func anInterruptedRunKeepsItsVelocity() {
        var glow = glow()
        glow.update(trigger: true, at: 0)
        glow.update(trigger: false, at: 0.1)
        #expect(abs(glow.value(at: 0.1) - 0.25) < 1e-12)
        #expect(abs(glow.velocity(at: 0.1) - 2.5) < 1e-9)
        #expect(glow.value(at: 0.5) == 0)
        for time in stride(from: 0.11, to: 0.5, by: 0.013) {
            #expect(abs(glow.velocity(at: time) - slope({ glow.value(at: $0) }, at: time)) < 1e-5)
        }
    }

    @Test func propertiesWithoutATrackStartAtRest() {
        var animator = KeyframeAnimator(initialValue: Pose(height: 7), trigger: 0) { trigger in
            if trigger % 2 == 1 {
                KeyframeTrack(\.position) { SpringKeyframe(Vector2(1, 0)) }
            } else {
                KeyframeTrack(\.height) { SpringKeyframe(3) }
                KeyframeTrack(\.position) { SpringKeyframe(Vector2(0, 0)) }
            }
        }
        animator.update(trigger: 1, at: 0)
        let before = animator.velocity(at: 0.1).position
        animator.update(trigger: 2, at: 0.1)
        #expect(animator.value(at: 0.1).height == 7 && animator.velocity(at: 0.1).height == 0)
        #expect(distance(animator.velocity(at: 0.1).position, before) < 1e-5)
        #expect(animator.value(at: 0.3).label == "as it was")
    }
}
