import Testing
import VitrineMath
import VitrineVision

@testable import VitrineSensorSimulation

@Suite struct GuidedWalkTests {
    private static let degree = Double.pi / 180

    /// A ring of 370° in 20 s at 0.5 m, after 2 s of rest.
    private static func person(tremor: Double = 0, radius: Double = 0.5, aim: Vector2d = .zero) -> SimulatedPerson {
        func key(_ time: Double, _ azimuth: Double) -> OrbitPath.Key {
            OrbitPath.Key(time: time, azimuth: azimuth * degree, elevation: 0.5, radius: radius, aim: aim)
        }
        var plan = OrbitPath(target: .zero, keys: [key(0, 0), key(2, 0), key(22, 370)])
        plan.tremor = tremor
        return SimulatedPerson(GuidedWalk(plan, passes: [2...22]))
    }

    /// Walks with guidance at 20 frames per second.
    ///
    /// - Returns: The azimuth in degrees and the distance from the target at each frame.
    private static func walk(
        _ person: SimulatedPerson, seconds: Double, _ guidance: (Double, _ azimuth: Double) -> GuidedWalk.Guidance
    ) -> [(time: Double, azimuth: Double, distance: Double)] {
        var (views, turns) = ([(time: Double, azimuth: Double, distance: Double)](), 0.0)
        for frame in 0..<Int(seconds * 20) {
            let time = Double(frame) / 20
            let eye = person.walk(until: time + 0.05).pose(at: time).translation
            var azimuth = VitrineMath.atan2(eye.x, eye.z) / degree + turns
            if let last = views.last?.azimuth, azimuth < last - 180 { (turns, azimuth) = (turns + 360, azimuth + 360) }
            views.append((time, azimuth, length(eye)))
            person.hear(guidance(time, azimuth), at: time)
        }
        return views
    }

    private static func capturing(_ change: (inout GuidedWalk.Guidance) -> Void = { _ in }) -> GuidedWalk.Guidance {
        var guidance = GuidedWalk.Guidance()
        guidance.isCapturing = true
        change(&guidance)
        return guidance
    }

    @Test func thePersonWaitsForTheCapture() {
        let views = Self.walk(Self.person(), seconds: 8) { time, _ in time < 5 ? GuidedWalk.Guidance() : Self.capturing() }
        let moved = views.first { $0.azimuth > 1 }
        #expect(moved.map { (5.4...6).contains($0.time) } == true, "\(String(describing: moved))")
    }

    @Test func thePersonStopsAfterTheReactionTimeAndWalksMoreSlowlyThen() {
        let views = Self.walk(Self.person(), seconds: 9) { time, _ in Self.capturing { $0.holdsStill = (5..<6).contains(time) } }
        func speed(_ from: Double, _ to: Double) -> Double {
            let inside = views.filter { $0.time >= from && $0.time <= to }
            return (inside.last!.azimuth - inside[0].azimuth) / (to - from)
        }
        #expect(abs(speed(3.5, 5.3) - 18.5) < 0.3, "\(speed(3.5, 5.3))")
        #expect(abs(speed(5.95, 6.3)) < 0.3, "\(speed(5.95, 6.3))")
        #expect((11...15).contains(speed(7, 8.5)), "\(speed(7, 8.5))")
    }

    @Test func thePersonWalksBackToAMissingDirectionUntilThePassIsComplete() {
        let person = Self.person()
        let views = Self.walk(person, seconds: 60) { _, azimuth in
            // 300° is behind the person after the ring of 370°.
            Self.capturing { $0.missingTurn = (300 - azimuth) * Self.degree }
        }
        let end = views.suffix(20).map(\.azimuth)
        #expect(views.contains { $0.azimuth > 369 } && end.allSatisfy { abs($0 - 300) < 2 }, "\(end)")
        person.hear(Self.capturing { $0.isPassComplete = true }, at: 60)
        #expect(person.walk(until: 100).end < 61.5)
    }

    /// The dial of another height, which the camera leaves as the pass begins, is complete.
    @Test func whatIsSaidOnTheWayDoesNotEndThePass() {
        func key(_ time: Double, _ azimuth: Double, _ elevation: Double) -> OrbitPath.Key {
            OrbitPath.Key(time: time, azimuth: azimuth * Self.degree, elevation: elevation, radius: 0.5)
        }
        let plan = OrbitPath(target: .zero, keys: [key(0, 0, 0.9), key(4, 120, 0.9), key(6, 120, 0.3), key(10, 240, 0.3)])
        let person = SimulatedPerson(GuidedWalk(plan, passes: [0...4, 6...10]))
        let views = Self.walk(person, seconds: 14) { time, _ in
            let height = person.spline.pose(at: time).translation.y
            return Self.capturing { $0.isPassComplete = time > 3 && height > 0.5 * sin(0.32) }
        }
        #expect(views.last!.azimuth > 230, "\(views.last!)")
    }

    @Test func thePersonCorrectsDistanceAndAim() {
        let far = Self.walk(Self.person(radius: 2), seconds: 8) { _, _ in Self.capturing { $0.step = .closer } }
        #expect(far.last!.distance < 0.1 && abs(far.first!.distance - 2) < 1e-3)
        let aside = Self.person(aim: Vector2d(0.3, 0))
        _ = Self.walk(aside, seconds: 4) { _, _ in Self.capturing { $0.isOutOfView = true } }
        let target = aside.spline.pose(at: 3.9).inverse * Vector3d.zero
        #expect(abs(target.x) < 0.01, "\(target)")
    }

    /// A trajectory that grows is the same at earlier times, and smooth.
    @Test func theTrajectoryIsExactAndFollowsTheTremor() throws {
        let person = Self.person(tremor: 1)
        let early = person.walk(until: 1)
        let late = person.walk(until: 2)
        #expect(late.end >= 2 && late.end < 2.1)
        for time in stride(from: 0, through: 0.99, by: 0.013) { #expect(early.motion(at: time) == late.motion(at: time)) }
        var plan = OrbitPath(target: .zero, keys: [OrbitPath.Key(time: 0, azimuth: 0, elevation: 0.5, radius: 0.5)])
        plan.keys.append(OrbitPath.Key(time: 2, azimuth: 0, elevation: 0.5, radius: 0.5))
        let fitted = try TrajectorySpline(through: plan.cameraPoses())
        for time in stride(from: 0.2, through: 1.8, by: 0.05) {
            #expect(length(fitted.pose(at: time).translation - late.pose(at: time).translation) < 1e-3)
        }
        // The same IMU samples, whether recorded at once or while the trajectory grows.
        var recorder = InertialSimulator.Recorder(InertialSimulator())
        for end in [early, late] { recorder.record(end) }
        #expect(recorder.recording == InertialSimulator().record(late))
    }
}
