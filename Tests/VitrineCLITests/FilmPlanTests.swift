import Testing
import Vitrine

@testable import VitrineCLI

@Suite struct FilmPlanTests {
    private func plan(
        _ change: (inout FilmSettings) -> Void = { _ in }, fps: Double = 10, turntable: Int? = nil, clip: Float? = nil
    ) throws -> FilmPlan {
        var settings = FilmSettings()
        change(&settings)
        return try FilmPlan(settings, framesPerSecond: fps, turntable: turntable, clip: clip.map { ("Walk", $0) })
    }

    @Test func withoutAnimationItTurnsOnceInSixSeconds() throws {
        let plan = try plan()
        #expect(plan.frameCount == 60 && plan.time(at: 0) == nil)
        #expect(plan.turn(at: 0).degrees == 0 && abs(plan.turn(at: 30).degrees - 180) < 1e-3)
        #expect(try self.plan(turntable: 24).frameCount == 24)
        let twice = try self.plan { ($0.turntableSeconds, $0.turns) = (2, -2) }
        #expect(twice.frameCount == 20 && abs(twice.turn(at: 5).degrees + 180) < 1e-3)
    }

    @Test func anAnimationPlaysOnceAndWrapsAround() throws {
        let plan = try plan(clip: 2)
        #expect(plan.frameCount == 20 && plan.turn(at: 10).degrees == 0)
        #expect(plan.time(at: 0) == 0 && abs((plan.time(at: 19) ?? 0) - 1.9) < 1e-4)
        let range = try self.plan({ ($0.from, $0.to, $0.speed) = (0.5, 1.5, 2) }, clip: 2)
        #expect(range.frameCount == 5 && range.time(at: 0) == 0.5 && abs((range.time(at: 4) ?? 0) - 1.3) < 1e-4)
        let twice = try self.plan({ ($0.to, $0.repeats) = (1, 2) }, clip: 2)
        #expect(twice.frameCount == 20)
        for frame in 0..<10 { #expect(abs((twice.time(at: frame) ?? 9) - (twice.time(at: frame + 10) ?? 0)) < 1e-4) }
    }

    @Test func pingPongRunsBack() throws {
        let plan = try plan({ $0.isPingPong = true }, clip: 1)
        #expect(plan.frameCount == 20)
        #expect(abs((plan.time(at: 10) ?? 0) - 1) < 1e-4)
        for frame in 1..<10 { #expect(abs((plan.time(at: frame) ?? 9) - (plan.time(at: 20 - frame) ?? 0)) < 1e-4) }
    }

    @Test func aTurntableLoopsTheAnimation() throws {
        let plan = try plan({ $0.turntableSeconds = 5 }, clip: 2)
        #expect(plan.frameCount == 50 && abs((plan.time(at: 25) ?? 0) - 0.5) < 1e-4 && plan.turn(at: 25).degrees > 179)
    }

    @Test func rangesBeyondTheAnimationAreRefused() {
        #expect { try plan({ $0.to = 3 }, clip: 2) } throws: { "\($0)".contains("ends at 2.0 s") }
        #expect { try plan({ ($0.from, $0.to) = (1, 1) }, clip: 2) } throws: { "\($0)".contains("must start before it ends") }
        #expect { try plan { $0.turntableSeconds = 3600 * 100 } } throws: { "\($0)".contains("100000 at most") }
    }
}
