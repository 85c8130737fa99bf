import Foundation
import Testing
import VitrineMath
import VitrineTestSupport
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Compares planes of a real kitchen with a fit to all of its depth. `VITRINE_FIGURES=1` prints the planes and the processing times.
@Suite struct KitchenPlaneTests {
    /// The error of a plane.
    struct Difference: CustomStringConvertible {
        /// The errors of a plane in degrees and metres.
        var angle, distance: Double
        var plane: DetectedPlane
        var description: String {
            "\(plane.classification) \(rounded(angle))°, \(rounded(distance * 1000)) mm, \(rounded(plane.area)) m²"
        }
    }

    /// The error of the largest plane near the ground truth: the larger of the distances at both centres.
    static func compare(_ truth: (normal: Vector3d, point: Vector3d), _ planes: [DetectedPlane]) -> Difference? {
        let near = planes.filter { $0.angle(to: truth.normal) < 6 && abs($0.distance(to: truth.point)) < 0.1 }
        guard let plane = near.max(by: { $0.area < $1.area }) else { return nil }
        let distance = max(abs(plane.distance(to: truth.point)), abs(dot(truth.normal, plane.worldCenter - truth.point)))
        return Difference(angle: plane.angle(to: truth.normal), distance: distance, plane: plane)
    }

    static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    static func printFigures(_ title: String, _ data: KitchenData, _ detector: PlaneDetector, _ times: [Double]) {
        guard ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil else { return }
        PlaneCostTests.printTimes(title, times)
        for (name, truth) in [("table", data.table), ("floor", data.floor), ("wall", data.wall)] {
            print("  \(name): \(compare(truth, detector.planes)?.description ?? "not found")")
        }
        for plane in detector.planes {
            let (center, normal) = (plane.worldCenter, plane.normal)
            print(
                "  \(plane.id) \(plane.alignment) \(plane.classification) \(rounded(plane.area)) m² at",
                [center.x, center.y, center.z].map(rounded), "normal", [normal.x, normal.y, normal.z].map(rounded), plane.outline.count)
        }
    }

    @Test(.enabled(if: SharedData.has(KitchenData.path), SharedData.missing)) func depthGivesFloorAndTable() throws {
        let data = try KitchenData()
        var detector = PlaneDetector()
        var times: [Double] = []
        for (i, view) in data.views.enumerated() {
            times.append(
                PlaneCostTests.measure {
                    _ = detector.update(
                        time: Double(i) / 3, worldFromCamera: view.worldFromCamera, camera: KitchenData.camera, depth: view.depth)
                })
        }
        Self.printFigures("kitchen by depth", data, detector, times)
        let table = try #require(Self.compare(data.table, detector.planes))
        let floor = try #require(Self.compare(data.floor, detector.planes))
        #expect(table.angle < 2 && table.distance < 0.02 && table.plane.classification == .table)
        #expect(floor.angle < 2 && floor.distance < 0.02 && floor.plane.classification == .floor)
    }

    @Test(.enabled(if: SharedData.has(KitchenData.path), SharedData.missing), arguments: [0.01, 0.02])
    func pointsAloneGiveFloorAndTable(noise: Double) throws {
        let data = try KitchenData()
        var detector = PlaneDetector()
        var times: [Double] = []
        for (i, view) in data.views.enumerated() {
            let points = data.points(view, noise: noise)
            // Simulates the frames of a tracker between two of these images.
            for j in 0..<3 {
                let time = Double(i) / 3 + Double(j) * 0.11
                times.append(
                    PlaneCostTests.measure {
                        _ = detector.update(time: time, worldFromCamera: view.worldFromCamera, camera: KitchenData.camera, points: points)
                    })
            }
        }
        Self.printFigures("kitchen by points, \(noise) m of noise", data, detector, times)
        let table = try #require(Self.compare(data.table, detector.planes))
        let floor = try #require(Self.compare(data.floor, detector.planes))
        #expect(table.angle < 2 && table.distance < 0.02 && table.plane.classification == .table)
        #expect(floor.angle < 2 && floor.distance < 0.02 && floor.plane.classification == .floor)
    }
}
