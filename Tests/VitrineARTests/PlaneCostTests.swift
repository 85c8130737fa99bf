import Foundation
import Testing
import VitrineMath
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Measures the thread time of plane searches. Prints it with `VITRINE_FIGURES=1`; asserts nothing.
@Suite struct PlaneCostTests {
    /// The thread time of some work in milliseconds.
    static func measure(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
        }
        let before = now()
        body()
        return now() - before
    }

    static func printTimes(_ title: String, _ milliseconds: [Double]) {
        let sorted = milliseconds.sorted()
        func at(_ share: Double) -> Double { (sorted[Int(Double(sorted.count - 1) * share)] * 100).rounded() / 100 }
        print("\(title): median \(at(0.5)) ms, 99 % within \(at(0.99)) ms, slowest \(at(1)) ms")
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil)) func milliseconds() {
        let room = SyntheticRoom.furnished
        let points = room.points(count: 1500, strays: 300)
        for (name, hasPoints, hasDepth) in [("points", true, false), ("depth of 256 × 192", false, true), ("both", true, true)] {
            var detector = PlaneDetector()
            var times: [Double] = []
            for (i, pose) in SyntheticRoom.walk(90).enumerated() {
                let tracked = hasPoints ? room.tracked(points, pose, noise: 0.01, frame: i) : []
                let image = hasDepth && i % 3 == 0 ? room.depth(pose, noise: 0.002, seed: UInt64(i)) : nil
                let took = Self.measure {
                    _ = detector.update(
                        time: Double(i) / 30, worldFromCamera: pose, camera: SyntheticRoom.camera, points: tracked, depth: image)
                }
                if i % 3 == 0 { times.append(took) }
            }
            Self.printTimes("a search with \(name)", times)
        }
    }
}
