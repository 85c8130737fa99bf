import VitrineMath
import VitrineVision

/// A person who walks around an object along a plan and follows the feedback of a capture after a reaction time.
///
/// The person stops while stillness is requested and then walks more slowly, corrects distance and aim, waits until the capture starts, and walks back
/// to missing directions at the end of each pass. The same guidance at the same times gives the same walk.
package struct GuidedWalk: Sendable {
    /// The feedback as the person understands it.
    package struct Guidance: Equatable, Sendable {
        /// A correction of the distance.
        package enum Step: Equatable, Sendable { case closer, farther }

        /// Whether shots are being taken; the person waits for it before the first pass.
        package var isCapturing = false
        /// Whether the person should stop.
        package var holdsStill = false
        /// The requested correction of the distance.
        package var step: Step?
        /// Whether the object is at the edge of the image or outside.
        package var isOutOfView = false
        /// The turn about the object to the nearest direction that has no shot, radians, positive towards larger azimuths; nil if there is none.
        package var missingTurn: Double?
        /// Whether each direction of the pass has a shot.
        package var isPassComplete = false

        /// Creates guidance before the capture: nothing to do.
        package init() {}
    }

    /// The planned views; its time stops with the person.
    package let plan: OrbitPath
    /// The time ranges of the plan that are passes around the object, seconds.
    package let passes: [ClosedRange<Double>]
    /// The seconds from feedback to the person's reaction, at least 0.25.
    package let reactionTime: Double
    /// The seconds after which the walk ends in any case.
    package var timeLimit: Double { plan.duration + Double(passes.count) * Self.searchLimit + Self.waitLimit }

    /// Seconds from one pose of the walk to the next.
    package static let interval = 0.02
    /// The seconds that the person spends on missing directions after a pass, and waits for the start of the capture, at most.
    private static let searchLimit = 60.0, waitLimit = 60.0
    /// The seconds of stillness after which the person walks on although more is requested.
    private static let patience = 5.0
    /// The change of the pace in 1/s, and the least pace after a request to slow down; 1 is the plan's.
    private static let braking = 2.5, leastPace = 0.35
    /// The turn about the object towards a missing direction: radians per second, and per second².
    private static let searchSpeed = 15 * Double.pi / 180, searchBraking = 60 * Double.pi / 180
    /// The correction of the distance: nepers per second; of the aim: shares per second; seconds until a correction is forgotten.
    private static let stepRate = 0.6, aimRate = 1.5, memory = 4.0

    private let tremor: Tremor
    /// The number of poses so far; the first is `interval` × 2 before time 0.
    private var count = 0
    private var heard: [(time: Double, guidance: Guidance, goal: Double?)] = []
    /// The azimuths of the last seconds, radians.
    private var azimuths: [(time: Double, azimuth: Double)] = []
    private var planTime = 0.0
    private var pace = 1.0
    /// The pace that the person walks at without feedback.
    private var calmPace = 1.0
    private var stillFor = 0.0
    private var pass = 0
    /// When the pass began, seconds; nil on the way to it.
    private var passStart: Double?
    /// Seconds of waiting and of the search for missing directions in this pass.
    private var waited = 0.0, searched = 0.0
    /// The azimuth beyond the plan's, radians, and its rate.
    private var turn = 0.0, turnRate = 0.0
    /// The natural logarithm of the distance relative to the plan's, and the share of the plan's aim beside the object that is corrected.
    private var step = 0.0, aimed = 0.0

    /// Creates a walk.
    ///
    /// - Parameters:
    ///   - plan: The views that the person plans, with the tremor of the hand.
    ///   - passes: The time ranges of the plan that are passes around the object, in order.
    ///   - reactionTime: Seconds from feedback to reaction. Default 0.4.
    ///   - seed: The seed of the hand tremor.
    package init(_ plan: OrbitPath, passes: [ClosedRange<Double>], reactionTime: Double = 0.4, seed: UInt64 = 1) {
        precondition(reactionTime >= 0.25, "a walk is planned 0.25 s ahead")
        (self.plan, self.passes, self.reactionTime) = (plan, passes, reactionTime)
        tremor = Tremor(seed: seed)
    }

    /// The time of the next pose in seconds.
    var time: Double { Double(count - 2) * Self.interval }

    /// Whether the plan is at its end.
    var isFinished: Bool { pass == passes.count && planTime >= plan.duration || time >= timeLimit }

    /// Records what the person hears and sees.
    ///
    /// - Parameter time: Seconds, increasing.
    mutating func hear(_ guidance: Guidance, at time: Double) {
        let azimuth = azimuths.last { $0.time <= time + 1e-9 }?.azimuth
        heard.append((time, guidance, azimuth.flatMap { azimuth in guidance.missingTurn.map { azimuth + $0 } }))
    }

    /// Returns the camera's next pose (x right, y down, z forward) in the world, at `time`.
    mutating func next() -> RigidTransform {
        let time = time
        while heard.count > 1, heard[1].time <= time - reactionTime { heard.removeFirst() }
        if let (said, guidance, goal) = heard.first, said <= time - reactionTime {
            react(to: guidance, saidAt: said, goal: goal)
        } else if time > 0 {
            // Without feedback: the plan up to its first pass.
            react(to: Guidance(), saidAt: 0, goal: nil)
        }
        var key = plan.key(at: planTime)
        key.azimuth += turn
        key.radius *= exp(step)
        key.aim = key.aim * (1 - aimed)
        azimuths.append((time, key.azimuth))
        if azimuths.count > 200 { azimuths.removeFirst(100) }
        count += 1
        return plan.pose(key, shakenBy: tremor.at(time) * plan.tremor)
    }

    private mutating func react(to guidance: Guidance, saidAt said: Double, goal: Double?) {
        let dt = Self.interval
        if guidance.holdsStill {
            if stillFor == 0 { calmPace = max(Self.leastPace, 0.7 * calmPace) }
            stillFor += dt
        } else {
            stillFor = 0
            calmPace = min(1, calmPace + 0.03 * dt)
        }
        let stops = guidance.holdsStill && stillFor < Self.patience
        correct(guidance)
        var wanted = stops ? 0 : calmPace
        var wantedRate = 0.0
        var rest = Double.infinity
        if pass < passes.count {
            let range = passes[pass]
            rest = range.upperBound
            if planTime <= range.lowerBound, !guidance.isCapturing, waited < Self.waitLimit {
                rest = range.lowerBound
                if planTime >= rest - 1e-3 { waited += dt }
            } else if planTime >= range.lowerBound {
                let start = passStart ?? time
                passStart = start
                // Earlier guidance concerns another height.
                if guidance.isPassComplete && said >= start || searched > Self.searchLimit {
                    endPass(range)
                } else if planTime >= range.upperBound - 1e-3 {
                    (wanted, searched) = (0, searched + dt)
                    wantedRate = stops ? 0 : calmPace * searchRate(goal)
                }
            }
        }
        if pass == passes.count { rest = .infinity }
        // Comes to rest there.
        wanted = min(wanted, (2 * Self.braking * max(0, rest - planTime)).squareRoot())
        pace += clamp(wanted - pace, -Self.braking * dt, Self.braking * dt)
        planTime = min(planTime + pace * dt, rest)
        turnRate += clamp(wantedRate - turnRate, -Self.searchBraking * dt, Self.searchBraking * dt)
        turn += turnRate * dt
    }

    /// Continues with the plan after a pass, from the present azimuth.
    private mutating func endPass(_ range: ClosedRange<Double>) {
        turn += plan.key(at: planTime).azimuth - plan.key(at: range.upperBound).azimuth
        planTime = range.upperBound
        (pass, passStart, searched) = (pass + 1, nil, 0)
    }

    /// The turn about the object in radians per second, towards a missing direction or, without one, on around the object.
    private func searchRate(_ goal: Double?) -> Double {
        guard let goal, let azimuth = azimuths.last?.azimuth else { return 0.5 * Self.searchSpeed }
        return clamp(2 * (goal - azimuth), -Self.searchSpeed, Self.searchSpeed)
    }

    private mutating func correct(_ guidance: Guidance) {
        let dt = Self.interval
        switch guidance.step {
        case .closer: step -= Self.stepRate * dt
        case .farther: step += Self.stepRate * dt
        case nil: step *= 1 - dt / Self.memory
        }
        aimed = guidance.isOutOfView ? min(1, aimed + Self.aimRate * dt) : aimed * (1 - dt / Self.memory)
    }
}
